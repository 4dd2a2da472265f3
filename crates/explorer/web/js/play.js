// The panel "Play".

import { h } from "./dom.js";
import { historyView, mistakeNote } from "./history.js";
import { t } from "./i18n.js";
import { captureView, openLesson } from "./lesson.js";
import { newGameForm, openNewGame, playersOfGame } from "./newgame.js";
import { other } from "./notation.js";
import { afterGame } from "./over.js";
import { button, stoneIcon } from "./parts.js";
import { shareView } from "./share.js";
import { currentNode, gameEnd, isSetUp, personMoves, showsResult } from "./state.js";
import { shownName } from "./tabletop.js";
import { noteText } from "./texts.js";
import { percentOf, valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app @param {{isFirst: () => boolean, resume: () => import("./dom.js").Content, view: () => import("./dom.js").Content}} games one's own games */
export function playView(app, games) {
  const { state } = app;
  const end = gameEnd(state);
  const begun = state.tree.length > 1;
  const free = isSetUp(state);
  const runs = !free && !end && !state.drill;
  const resume = games.resume();
  const novice = free && games.isFirst();
  return [
    runs ? gameCard(app) : resume,
    novice &&
      h("div", { class: "welcome", key: "welcome" }, captureView(state), h("p", null, t("play.goal"))),
    end &&
      !showsResult(state) &&
      h(
        "div",
        { class: "result-line", key: "result" },
        h("div", { class: "row" }, afterGame(app)),
      ),
    replyNote(app),
    begun && [historyView(app), mistakeNote(app)],
    runs && resume,
    h(
      "div",
      { id: "new", key: "new" },
      free
        ? newGameForm(app, novice && button("learn", t("play.learn"), () => openLesson(app), { class: "large" }))
        : button("set-up", t("play.new"), () => openNewGame(app)),
    ),
    playersOfGame(app),
    games.view(),
    shareView(app),
  ];
}

/** The running game: who plays which side, and at first what to do. @param {App} app */
function gameCard(app) {
  const { state } = app;
  const { toMove } = currentNode(state);
  const begins = state.tree.length === 1;
  return h(
    "div",
    { class: begins ? "game-card begins" : "game-card", id: "game-card", key: "game-card" },
    begins && h("h2", null, t("new.started")),
    h(
      "ul",
      { class: "sides" },
      .../** @type {const} */ (["white", "black"]).map((side) =>
        h(
          "li",
          { key: side, class: side === toMove ? "moves" : "" },
          stoneIcon(side),
          h("b", null, t(`side.${side}`)),
          h("span", null, shownName(app, side)),
          side === toMove && h("span", { class: "turn-mark" }, t("to_move")),
        ),
      ),
    ),
    begins && personMoves(state) && h("p", null, t("play.first_touch")),
  );
}

/** Tells the reason of the program's last turn. An estimate is never shown as a value. @param {App} app */
function replyNote({ state }) {
  const { reply } = state;
  if (!reply || !state.settings.hints) return null;
  const mover = other(currentNode(state).toMove);
  const text =
    reply.source === "estimate"
      ? t("reply.estimate", {
          side: t(`side.${mover}`),
          value: percentOf(reply.estimate ?? 0),
          depth: reply.depth,
        })
      : `${valueSentence(reply, mover)} ${t(`reply.${reply.source}`)}`;
  return h("p", { class: "quiet", key: "reply" }, text, " ", noteText(reply.note));
}
