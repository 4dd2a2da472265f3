// "Check the proof": the certificates of the game are checked position by position, and one watches.

import * as api from "./api.js";
import { h } from "./dom.js";
import { number, t } from "./i18n.js";
import { button } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").CheckAnswer} Check */

/** @param {App} app */
export function createCheck(app) {
  /** What ends the check that runs. @type {AbortController | null} */
  let running = null;
  /** @type {Check | null} */
  let found = null;
  let done = false;
  let message = "";
  let game = "";

  const here = () => `${app.state.info.board} ${app.state.info.rules}`;

  function stop() {
    running?.abort();
    running = null;
    found = null;
    app.refresh();
  }

  function start() {
    stop();
    const { board, rules } = app.state.info;
    const controller = new AbortController();
    running = controller;
    game = here();
    done = false;
    message = "";
    api
      .follow("check", { board, rules }, controller.signal, (name, data) => {
        found = data;
        if (name === "done") {
          done = true;
          app.announce(sentence(data));
        }
        app.refresh();
      })
      .catch((error) => {
        if (!controller.signal.aborted) message = api.errorText(error);
      })
      .finally(() => {
        if (running === controller) running = null;
        app.refresh();
      });
    app.refresh();
  }

  /** @param {Check} check */
  const sentence = (check) => t("check.done", { positions: number(check.checked) });

  return {
    /** Something to see for a position whose value rests on a certificate. */
    view() {
      const mine = game === here();
      const isProved = app.state.answer?.source === "proof";
      if (!isProved && !(mine && (running || found))) return null;
      return h(
        "div",
        { key: "check", id: "check", "data-check": mine && done ? "done" : mine && running ? "running" : "open" },
        running && mine
          ? h(
              "div",
              { class: "row", key: "running" },
              h("progress", {
                "aria-label": t("check.running"),
                max: found?.positions ?? 1,
                value: found?.checked ?? 0,
              }),
              button("stop-check", t("proof.stop"), stop),
            )
          : h(
              "div",
              { class: "row end", key: "start" },
              h("p", { class: "quiet" }, mine && done && found ? sentence(found) : t("check.about")),
              button("check-proof", t("check.start"), start),
            ),
        mine && message && h("p", { class: "error", key: "message", role: "alert" }, message),
      );
    },
  };
}
