// The result of a game, and notices with a way back.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { startAgain } from "./newgame.js";
import { other } from "./notation.js";
import { button } from "./parts.js";
import { gameEnd, showsResult } from "./state.js";
import { levelName, onlyPerson, reasonText, resultText } from "./tabletop.js";

/** @typedef {import("./app.js").App} App */

/** Buttons for the time after a game. @param {App} app */
export const afterGame = (app) => [
  button("again", t("play.again"), () => startAgain(app), { class: "primary" }),
  app.state.tree.length > 1 &&
    button("review-game", t(lost(app.state) ? "review.wrong" : "review.start"), () => {
      const reviewing = lost(app.state) ?? true;
      app.dispatch({ type: "view", view: "explore" });
      app.dispatch({ type: "reviewing", reviewing });
    }),
  button("look", t("play.look"), () => app.dispatch({ type: "view", view: "explore" })),
];

/** The side of the person who has lost, or null. @param {import("./state.js").State} state */
function lost(state) {
  const person = onlyPerson(state);
  return person && gameEnd(state)?.outcome === other(person) ? person : null;
}

/** The result in the place of what to do, once the game is over. @param {App} app */
export function resultSheet(app) {
  const { state } = app;
  const end = gameEnd(state);
  if (!end || !showsResult(state)) return null;
  const { notice } = state;
  return h(
    "div",
    { class: "result-card", key: "result", id: "result", role: "group", tabindex: -1, "aria-labelledby": "status" },
    h(
      "p",
      { id: "status" },
      h("strong", null, resultText(state, end)),
      " ",
      h("span", { class: "quiet" }, [reasonText(state, end), against(state), lost(state) && t("end.kind")].filter(Boolean).join(" ")),
    ),
    h("div", { class: "row" }, afterGame(app), notice && takeBack(app, notice)),
    button("close-result", icon("close"), () => app.dispatch({ type: "seen" }), {
      class: "tool",
      "aria-label": t("help.close"),
    }),
  );
}

/** The level that a person played against, or "". @param {import("./state.js").State} state */
function against(state) {
  const person = onlyPerson(state);
  const level = person && state.players[other(person)];
  return typeof level === "number" ? t("end.against", { opponent: levelName(state, level) }) : "";
}

/** @param {App} app @param {import("./state.js").Notice} notice */
const takeBack = (app, notice) =>
  button("take-back", t("tool.undo"), () => app.dispatch({ type: "restore", state: notice.before }), {
    class: "small",
  });

/** A notice: a failure, or a deed that can be undone. @param {App} app @param {() => void} retry asks the server again */
export function noticeView(app, retry) {
  const { error, notice, offline } = app.state;
  if (offline)
    return h(
      "div",
      { class: "notice", role: "alert", key: "offline" },
      h("p", null, t("offline")),
      button("retry-request", t("retry"), retry, { class: "small" }),
    );
  if (error)
    return h(
      "div",
      { class: "notice", role: "alert", key: "error" },
      h("p", null, error),
      button("close-error", t("help.close"), () => app.dispatch({ type: "error", error: null }), {
        class: "small",
      }),
    );
  // The result has the way back too.
  if (!notice || showsResult(app.state)) return null;
  return h(
    "div",
    { class: "notice undoable", key: "notice" },
    h("p", null, notice.text),
    takeBack(app, notice),
    button("close-notice", icon("close"), () => app.dispatch({ type: "notice", notice: null }), {
      class: "tool",
      "aria-label": t("help.close"),
    }),
  );
}
