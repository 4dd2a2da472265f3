// A stream of events that a person watches: one at a time, which can be stopped.

import * as api from "./api.js";

/** @param {import("./app.js").App} app */
export function createRunning(app) {
  /** @type {AbortController | null} */
  let controller = null;
  const running = {
    /** Why the last one failed; empty if it did not. */
    message: "",
    /** For what it runs; `null` if nothing runs. @type {string | null} */
    place: null,
    stop() {
      controller?.abort();
      controller = null;
      running.place = null;
    },
    /** Begins one in the place of the one before. @param {string} place @param {(signal: AbortSignal) => Promise<void>} follow */
    start(place, follow) {
      running.stop();
      const mine = new AbortController();
      controller = mine;
      running.place = place;
      running.message = "";
      follow(mine.signal)
        .catch((error) => {
          if (!mine.signal.aborted) running.message = api.errorText(error);
        })
        .finally(() => {
          if (controller === mine) running.stop();
          app.refresh();
        });
      app.refresh();
    },
  };
  return running;
}
