// The parts of a game's text beside its turns: the players, the day, the result, the remarks, the draws.

import { branchText, siblings } from "./branch.js";
import { currentNode, gameEnd } from "./state.js";
import { playerName } from "./tabletop.js";
import { lineThrough, nodeAt, turnsOf } from "./tree.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./api-types").GameNotes} GameNotes */

const RESULTS = { white: "1-0", black: "0-1", draw: "1/2-1/2" };

/** The notes of the line through the position on the board. @param {State} state @returns {GameNotes} */
export function notesOf(state) {
  const { tree, card, ended } = state;
  const line = lineThrough(tree, state.node);
  const last = line.at(-1);
  const name = (/** @type {"white" | "black"} */ side) =>
    card.names?.[side] ?? (state.view === "explore" ? "" : playerName({ state }, side));
  const result = ended && ended.node === last?.id ? RESULTS[ended.end.outcome] : resultHere(state);
  const remarks = line.flatMap(({ id, comments, glyphs }, turns) => {
    const variations = siblings(tree, id).map((other) => branchText(tree, other));
    return comments.length + glyphs.length + variations.length > 0
      ? [{ turns, comments: [...comments], glyphs: [...glyphs], variations }]
      : [];
  });
  return { white: name("white"), black: name("black"), date: card.date, result, remarks };
}

/** The request for the text of the line through the position on the board. @param {State} state */
export function recordBody(state) {
  const { board, rules } = state.info;
  const turns = turnsOf(lineThrough(state.tree, state.node));
  const start = nodeAt(state.tree, 0).position;
  return { board, rules, start, turns, draw_rules: drawRulesOf(state), notes: notesOf(state), from: turns.length };
}

/** The draws that come by themselves. One that was claimed is a result. @param {State} state @returns {import("./api-types").DrawRules | null} */
const drawRulesOf = ({ draws: { repetition, without_capture, claim } }) =>
  claim ? null : { repetition, without_capture };

/** The result if the game has ended on the board, or nothing. @param {State} state */
function resultHere(state) {
  const end = state.view === "explore" ? null : gameEnd(state);
  return end && currentNode(state).children.length === 0 ? RESULTS[end.outcome] : "";
}
