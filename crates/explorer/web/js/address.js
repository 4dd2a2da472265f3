// The fragment of the address: board, rules, start, turns with variations, ply and view.

import { lineThrough, nodeAt, treeText } from "./tree.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").View} View */
/** @typedef {import("./state.js").End} End */

/** @type {readonly View[]} */
export const VIEWS = ["play", "explore", "edit", "tables", "puzzles", "settings"];

/**
 * @typedef {object} Address
 * @property {string} board
 * @property {string} rules
 * @property {string} start "" for the start of the board
 * @property {string} turns
 * @property {number | null} ply null for the end of the line
 * @property {number | null} [seed] of the program's choices
 * @property {{outcome: End["outcome"], reason: "resigned" | "agreed" | "time" | "recorded" | "threefold" | "without_capture", ply: number} | null} [end] that the players made
 * @property {View} view
 */

/** @param {string} fragment @returns {Address} */
export function readAddress(fragment) {
  /** @type {Map<string, string>} */
  const parts = new Map();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) parts.set(part.slice(0, at), decode(part.slice(at + 1)));
  }
  const view = VIEWS.find((name) => name === parts.get("view")) ?? "play";
  const ply = parts.get("ply") ?? "";
  const seed = parts.get("seed") ?? "";
  return {
    board: parts.get("board") ?? "9x5",
    rules: parts.get("rules") ?? "standard",
    start: (parts.get("start") ?? "").replace(/[_+]/g, " "),
    turns: parts.get("turns") ?? "",
    ply: /^\d{1,6}$/.test(ply) ? Number(ply) : null,
    seed: /^\d{1,15}$/.test(seed) ? Number(seed) : null,
    end: readEnd(parts.get("end") ?? ""),
    view,
  };
}

/** Reads an end: winner, reason and the number of turns before it. @param {string} text @returns {Address["end"]} */
function readEnd(text) {
  const [, outcome, reason, ply] = /^(white|black|draw)-([a-z_]+)-(\d{1,6})$/.exec(text) ?? [];
  const known = ENDS.find((each) => each === reason);
  return known && (outcome === "white" || outcome === "black" || outcome === "draw")
    ? { outcome, reason: known, ply: Number(ply) }
    : null;
}

/** The ends that do not follow from the turns. */
const ENDS = /** @type {const} */ ([
  "resigned",
  "agreed",
  "time",
  "recorded",
  "threefold",
  "without_capture",
]);

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Escapes only what a fragment cannot hold. @param {string} text */
const escapeText = (text) => encodeURI(text).replace(/[#&]/g, encodeURIComponent);

/**
 * The fragment for a state. The line on the board is written as the main line, so that `ply`
 * finds the position on the board again.
 * @param {State} state
 */
export function writeAddress(state) {
  const root = nodeAt(state.tree, 0);
  const parts = [`board=${state.info.board}`, `rules=${escapeText(state.info.rules)}`];
  if (root.position !== state.info.start) {
    parts.push(`start=${escapeText(root.position.replace(/ /g, "_"))}`);
  }
  const tree = [...state.tree];
  for (const { id, parent } of lineThrough(state.tree, state.node)) {
    if (parent === null) continue;
    const before = nodeAt(tree, parent);
    const others = before.children.filter((child) => child !== id);
    tree[parent] = { ...before, children: [id, ...others] };
  }
  const turns = treeText(tree);
  if (turns) parts.push(`turns=${turns}`, `ply=${nodeAt(state.tree, state.node).ply}`);
  const { ended } = state;
  const at = ended && lineThrough(state.tree, state.node).find(({ id }) => id === ended.node);
  if (ended && at) parts.push(`end=${ended.end.outcome}-${ended.end.reason}-${at.ply}`);
  parts.push(`seed=${state.card.seed}`, `view=${state.view}`);
  return `#${parts.join("&")}`;
}
