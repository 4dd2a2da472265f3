// Arrows on the board: the best turns, the threat, and a person's own arrows and circles.

import { h } from "./dom.js";

/** @typedef {import("./state.js").State} State */
/** `tone` is a class: best, good, menace (the threat) or own. @typedef {{path: string[], tone: string}} Arrow */

const MOST_BEST = 3;

/** The arrows of a state. Pure. @param {State} state @returns {Arrow[]} */
export function arrowsOf(state) {
  if (state.view !== "explore" || state.showing) return [];
  const own = state.marks.map(({ from, to }) => ({ path: [from, to], tone: "own" }));
  if (state.preview || state.touches.length > 0) return own;
  const threat = state.threat ? [{ path: state.threat.path, tone: "menace" }] : [];
  return [...bestTurns(state), ...threat, ...own];
}

/** @param {State} state @returns {Arrow[]} */
function bestTurns({ answer, analysis }) {
  if (!answer || answer.outcome || answer.value === "loss") return [];
  const holding = answer.turns.filter((turn) => turn.holds);
  // If many turns are as good, none needs an arrow.
  const known = holding.length <= MOST_BEST ? holding : answer.dtw ? holding.slice(0, 1) : [];
  const shown = answer.value === "unknown" ? (analysis?.lines ?? []) : known;
  return shown
    .slice(0, MOST_BEST)
    .map(({ path }, i) => ({ path, tone: i === 0 ? "best" : "good" }));
}

/** How far an arrow ends before the middle of its point. */
const GAP = 26;

/** @param {readonly Arrow[]} arrows @param {(point: string) => {x: number, y: number}} place */
export const drawArrows = (arrows, place) =>
  h(
    "g",
    { key: "arrows", class: "arrows", "aria-hidden": "true" },
    // The best one is drawn last, over the others.
    ...[...arrows].reverse().map(({ path, tone }) => {
      const points = path.map(place);
      const last = points.at(-1);
      const before = points.at(-2);
      const key = `${tone} ${path.join()}`;
      if (!last || !before) return null;
      const length = Math.hypot(last.x - before.x, last.y - before.y);
      if (length === 0) {
        return h("circle", { key, class: `arrow ${tone}`, cx: last.x, cy: last.y, r: 44 });
      }
      const [dx, dy] = [(last.x - before.x) / length, (last.y - before.y) / length];
      const at = (/** @type {number} */ back, /** @type {number} */ side) =>
        `${last.x - dx * back - dy * side} ${last.y - dy * back + dx * side}`;
      const way = points.slice(0, -1).map(({ x, y }, i) => `${i ? "L" : "M"}${x} ${y}`);
      return h(
        "g",
        { key, class: `arrow ${tone}` },
        h("path", { class: "arrow-way", d: `${way.join("")}L${at(GAP + 12, 0)}` }),
        h("path", { class: "arrow-head", d: `M${at(GAP - 14, 0)}L${at(GAP + 18, 20)}L${at(GAP + 18, -20)}Z` }),
      );
    }),
  );
