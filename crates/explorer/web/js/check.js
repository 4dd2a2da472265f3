// "Check the proof": the certificates of the game are checked position by position, and one watches.

import * as api from "./api.js";
import { backend } from "./backend.js";
import { h } from "./dom.js";
import { bytes, number, t } from "./i18n.js";
import { button } from "./parts.js";
import { ApiError } from "./routes.js";
import { createRunning } from "./running.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").CheckAnswer} Check */

/** The most bytes of tables that a page without a server loads for a check before it has told how many. */
const MOST_BYTES = 20e6;

/** @param {App} app */
export function createCheck(app) {
  const running = createRunning(app);
  /** @type {Check | null} */
  let found = null;
  let done = false;
  /** Whether the tables have more bytes than were allowed. */
  let large = false;
  /** The game that was checked last. */
  let game = "";

  const here = () => `${app.state.info.board} ${app.state.info.rules}`;

  function start() {
    const { board, rules } = app.state.info;
    const limited = backend.local && !(game === here() && large);
    game = here();
    found = null;
    done = false;
    large = false;
    const query = { board, rules, ...(limited ? { max_table_bytes: MOST_BYTES } : {}) };
    running.start(game, (signal) =>
      api
        .follow("check", query, signal, (name, data) => {
          found = data;
          done = name === "done";
          if (done) app.announce(sentence(data));
          app.refresh();
        })
        .catch((error) => {
          large = error instanceof ApiError && error.code === "too_large";
          if (!large) throw error;
        }),
    );
  }

  function stop() {
    running.stop();
    app.refresh();
  }

  /** @param {Check} check */
  const sentence = (check) =>
    large
      ? t("check.large", { size: bytes(check.table_bytes) })
      : t("check.done", { positions: number(check.checked) });

  return {
    /** A check of another game than the one on the board ends. */
    changed() {
      if (running.place !== null && running.place !== here()) running.stop();
    },
    /** Something to see for a position whose value rests on a certificate. */
    view() {
      const mine = game === here();
      const isRunning = running.place === here();
      if (app.state.answer?.source !== "proof" && !isRunning && !(mine && done)) return null;
      const isDone = mine && done;
      return h(
        "div",
        { key: "check", id: "check", "data-check": isRunning ? "running" : isDone ? "done" : "open" },
        isRunning
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
              h("p", { class: "quiet" }, mine && (done || large) && found ? sentence(found) : t("check.about")),
              button("check-proof", t("check.start"), start),
            ),
        mine && running.message && h("p", { class: "error", key: "message", role: "alert" }, running.message),
      );
    },
  };
}
