// The ground of the board: surface, lines, coordinates, and the paints that stones use.

import { h } from "./dom.js";
import { readPoint } from "./notation.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./board.js").Layout} Layout */

/** @param {string} id @param {Record<string, any>} place @param {readonly (readonly [number, string])[]} stops offset and class */
const ball = (id, place, stops) =>
  h(
    "radialGradient",
    { id, key: id, ...place },
    ...stops.map(([offset, name]) => h("stop", { offset, class: name })),
  );

const LIGHT = { cx: 0.5, cy: 0.5, r: 0.62, fx: 0.34, fy: 0.26 };

/** Gradients and patterns. Their colours are in the style sheets. */
export const paints = () =>
  h(
    "defs",
    { key: "defs" },
    ...["white", "black"].map((side) =>
      ball(`stone-${side}`, LIGHT, [
        [0, `${side}-light`],
        [0.5, `${side}-middle`],
        [1, `${side}-dark`],
      ]),
    ),
    ball("stone-shadow", { cx: 0.5, cy: 0.5, r: 0.5 }, [
      [0.55, "shadow-in"],
      [1, "shadow-out"],
    ]),
    ball("ground-light", { cx: 0.4, cy: 0.3, r: 0.9 }, [
      [0, "ground-bright"],
      [1, "ground-deep"],
    ]),
    h(
      "pattern",
      { id: "grain", key: "grain", width: 900, height: 132, patternUnits: "userSpaceOnUse" },
      h("path", {
        class: "grain",
        d: "M0 9C150 2 330 19 520 8S780 3 900 9M0 27C220 36 400 19 610 30S820 33 900 27M0 43C130 38 300 52 480 44S800 36 900 43M0 66C260 74 430 58 650 69S860 70 900 66M0 84C180 76 380 95 560 82S790 80 900 84M0 103C240 111 370 96 590 106S830 108 900 103M0 120C120 116 320 128 500 119S810 115 900 120",
      }),
    ),
    h(
      "pattern",
      { id: "weave", key: "weave", width: 8, height: 8, patternUnits: "userSpaceOnUse" },
      h("path", { class: "weave", d: "M0 2H4M4 6H8M2 4V8M6 0V4" }),
    ),
  );

/** @param {Pick<Scene, "info">} scene @param {Layout} layout */
export function linesOf({ info }, layout) {
  const at = (/** @type {string} */ point) => {
    const { x, y } = layout.place(point);
    return `${x} ${y}`;
  };
  return info.links.map(([a, b]) => `M${at(a)}L${at(b)}`).join("");
}

/** @param {Scene} scene @param {Layout} layout */
export function drawGround(scene, layout) {
  const { info } = scene;
  const { margin } = layout;
  const diagonals = new Set();
  for (const [a, b] of info.links) {
    const from = readPoint(a);
    const to = readPoint(b);
    if (from.file !== to.file && from.rank !== to.rank) diagonals.add(a).add(b);
  }
  const whole = { width: layout.width, height: layout.height };
  const lines = linesOf(scene, layout);
  return [
    h("rect", { key: "ground", class: "ground", ...whole }),
    h("rect", { key: "texture", class: "texture", ...whole }),
    h("rect", { key: "sheen", class: "sheen", ...whole }),
    h("rect", {
      key: "hem",
      class: "hem",
      x: 4,
      y: 4,
      width: whole.width - 8,
      height: whole.height - 8,
      rx: 12,
    }),
    h("path", { key: "groove", class: "groove", d: lines }),
    h("path", { key: "lines", class: "lines", d: lines }),
    h(
      "g",
      { key: "strong", class: "strong" },
      ...[...diagonals].map((point) => {
        const { x, y } = layout.place(point);
        return h("circle", { cx: x, cy: y, r: 4.5 });
      }),
    ),
    scene.coordinates &&
      h(
        "g",
        { key: "coordinates", class: "coordinates", "aria-hidden": "true" },
        ...info.points.flatMap((point) => {
          const names = [point[0], readPoint(point).rank];
          const [below, beside] = scene.upright ? names.reverse() : names;
          const { x, y } = layout.place(point);
          return [
            y === layout.height - margin.bottom && h("text", { class: "file", x, y: y + 0.75 * margin.bottom }, below),
            x === margin.left && h("text", { class: "rank", x: margin.left / 5, y }, beside),
          ];
        }),
      ),
  ];
}
