// The store: state, dispatch, and who is told of changes.

import { isTemporary } from "./api.js";
import { reduce } from "./reducer.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Action} Action */

/**
 * @typedef {object} App
 * @property {State} state
 * @property {(action: Action) => void} dispatch
 * @property {() => void} refresh draws again, after a view has changed its own data
 * @property {(text: string) => void} announce
 * @property {(work: Promise<unknown>) => void} report shows the error of some work
 * @property {(error: unknown) => void} lost waits for the server if it does not answer
 */

/**
 * @typedef {object} Watchers
 * @property {(app: App, before: State, action: Action) => void} changed called at once
 * @property {(app: App) => void} draw called once for a burst of changes
 * @property {(text: string) => void} announce
 * @property {(error: unknown) => void} failed
 */

/** @param {State} initial @param {Watchers} watchers @returns {App} */
export function createApp(initial, watchers) {
  let scheduled = false;
  /** @type {App} */
  const app = {
    state: initial,
    dispatch(action) {
      const before = app.state;
      app.state = reduce(before, action);
      watchers.changed(app, before, action);
      if (app.state !== before) app.refresh();
    },
    refresh() {
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(() => {
        scheduled = false;
        watchers.draw(app);
      });
    },
    announce: watchers.announce,
    report(work) {
      work.catch(watchers.failed);
    },
    lost(error) {
      if (isTemporary(error)) watchers.failed(error);
    },
  };
  return app;
}
