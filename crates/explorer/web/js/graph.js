// The values of a game as a graph: White's view, one column a turn.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { chanceOfWhite, seenBy } from "./value.js";

/** @typedef {ReturnType<typeof import("./state.js").lineFacts>} Line */

const WIDTH = 400;
const HEIGHT = 72;
const MIDDLE = HEIGHT / 2;

/**
 * How high a value or an estimate is drawn: wins at the top, the nearer the higher; null if neither
 * is known.
 * @param {Line[number]} fact
 */
function level({ position }) {
  if (!position) return null;
  const value = seenBy(position, position.to_move, "white");
  if (value.value === "unknown") {
    const chance = chanceOfWhite(position);
    return chance === null ? null : MIDDLE - (MIDDLE - 8) * (2 * chance - 1);
  }
  if (value.value === "draw") return MIDDLE;
  const far = Math.min(value.dtw ?? 30, 60) / 60;
  const height = (MIDDLE - 6) * (1 - far * 0.5);
  return value.value === "win" ? MIDDLE - height : MIDDLE + height;
}

/** Neighbouring known values. @param {(number | null)[]} levels @returns {[number, number][][]} */
function runs(levels) {
  /** @type {[number, number][][]} */
  const found = [];
  levels.forEach((y, i) => {
    if (y === null) return;
    if (i === 0 || levels[i - 1] === null) found.push([]);
    found.at(-1)?.push([i, y]);
  });
  return found;
}

/** How many positions have a known value. @param {Line} line */
export const knownOf = (line) => line.filter(({ position }) => position && position.value !== "unknown").length;

/** Whether the graph has something to show. @param {Line} line */
export const hasValues = (line) => line.filter((fact) => level(fact) !== null).length > 1;

/** @param {Line} line @param {number} ply the position on the board @param {(ply: number) => void} go */
export function valueGraph(line, ply, go) {
  const count = line.length;
  const step = count > 1 ? (WIDTH - 12) / (count - 1) : 0;
  const x = (/** @type {number} */ i) => 6 + i * step;
  const levels = line.map(level);
  const areas = runs(levels).map((run, i) => {
    const points = run.flatMap(([at, y], j) => {
      const before = run[j - 1];
      // Where the graph changes sides it passes the middle.
      if (!before || (before[1] - MIDDLE) * (y - MIDDLE) >= 0) return [[x(at), y]];
      const part = (MIDDLE - before[1]) / (y - before[1]);
      return [
        [x(before[0] + part), MIDDLE],
        [x(at), y],
      ];
    });
    const area = (/** @type {(y: number) => number} */ side) =>
      `M${x(run[0]?.[0] ?? 0)} ${MIDDLE}${points.map(([px, py]) => `L${px} ${side(py ?? MIDDLE)}`).join("")}L${x(run.at(-1)?.[0] ?? 0)} ${MIDDLE}Z`;
    return h(
      "g",
      { key: `run${i}` },
      h("path", { class: "graph-white", d: area((y) => Math.min(y, MIDDLE)) }),
      h("path", { class: "graph-black", d: area((y) => Math.max(y, MIDDLE)) }),
    );
  });
  let drawing = false;
  const path = levels
    .map((y, i) => {
      if (y === null) {
        drawing = false;
        return "";
      }
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${x(i)} ${y}`;
    })
    .join("");
  return h(
    "svg",
    {
      class: "value-graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": t("graph.label", { n: knownOf(line), all: count }),
      onclick: (/** @type {MouseEvent} */ event) => {
        const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
        const at = ((event.clientX - box.left) / box.width) * WIDTH;
        go(Math.max(0, Math.min(count - 1, Math.round((at - 6) / (step || 1)))));
      },
    },
    h("line", { class: "graph-zero", x1: 0, x2: WIDTH, y1: MIDDLE, y2: MIDDLE }),
    ...areas,
    h("path", { class: "graph-line", d: path || "M0 0" }),
    ...line.map(({ turn }, i) => {
      const y = levels[i];
      return turn?.mistake && turn.mistake !== "slower" && typeof y === "number"
        ? h("path", {
            class: turn.mistake === "doubtful" ? "graph-doubt" : "graph-mistake",
            d: `M${x(i)} ${y - 5}V${y + 5}`,
            key: `m${i}`,
          })
        : null;
    }),
    h("line", { class: "graph-now", key: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }),
  );
}
