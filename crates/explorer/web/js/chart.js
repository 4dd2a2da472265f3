// Charts of the tables: shares of wins, draws and losses, and how the distances are spread.

import { h } from "./dom.js";
import { number, t } from "./i18n.js";

/** @typedef {import("./api-types").SliceStatistics} Slice */

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => {
  const value = whole > 0 ? (100 * part) / whole : 0;
  return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
};

/** The share of each value as one bar. @param {Slice} slice */
export function shares(slice) {
  const { win, draw, loss } = slice;
  const all = win + draw + loss;
  let x = 0;
  const part = (/** @type {string} */ kind, /** @type {number} */ count) => {
    const width = all > 0 ? (200 * count) / all : 0;
    const rect = h("rect", { class: `bar ${kind}`, x, y: 0, width, height: 14, key: kind });
    x += width;
    return rect;
  };
  return h(
    "svg",
    {
      class: "shares",
      viewBox: "0 0 200 14",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${t("value.win")} ${percent(win, all)}, ${t("value.draw")} ${percent(draw, all)}, ${t("value.loss")} ${percent(loss, all)}`,
    },
    part("win", win),
    part("draw", draw),
    part("loss", loss),
  );
}

/** How many positions have each distance: wins upwards, losses downwards. @param {Slice} slice */
export function distances(slice) {
  const wins = entries(slice.win_distances);
  const losses = entries(slice.loss_distances);
  const furthest = Math.max(1, ...wins.map(([d]) => d), ...losses.map(([d]) => d));
  const most = Math.max(1, ...wins.map(([, n]) => n), ...losses.map(([, n]) => n));
  const width = 360;
  const middle = 70;
  const step = (width - 34) / (furthest + 1);
  const x = (/** @type {number} */ d) => 28 + d * step;
  // Counts differ by orders of magnitude, so heights are logarithms.
  const height = (/** @type {number} */ n) => (62 * Math.log(1 + n)) / Math.log(1 + most);
  const bar =
    (/** @type {"win" | "loss"} */ kind) =>
    (/** @type {[number, number]} */ [d, n]) => {
      const tall = height(n);
      return h(
        "rect",
        {
          class: `bar ${kind}`,
          key: `${kind}${d}`,
          x: x(d),
          y: kind === "win" ? middle - tall : middle,
          width: Math.max(1, step * (step > 3 ? 1.6 : 1.9)),
          height: tall,
        },
        h("title", null, `${t(`value.${kind}_in`, { n: d })}: ${number(n)}`),
      );
    };
  const marks = [1, Math.round(furthest / 2), furthest].filter((d, i, all) => all.indexOf(d) === i);
  return h(
    "figure",
    { class: "chart" },
    h(
      "svg",
      {
        viewBox: `0 0 ${width} 158`,
        style: { "--chart-width": width },
        role: "img",
        "aria-label": t("chart.label", { slice: slice.slice, longest: furthest }),
      },
      ...wins.map(bar("win")),
      ...losses.map(bar("loss")),
      h("line", { class: "axis", x1: 24, x2: width, y1: middle, y2: middle }),
      h("text", { x: 0, y: middle - 30, class: "chart-text" }, "▲"),
      h("text", { x: 0, y: middle + 42, class: "chart-text" }, "▼"),
      ...marks.map((d) =>
        h(
          "text",
          {
            class: "chart-text middle",
            x: Math.min(x(d) + step, width - 10),
            y: 154,
            key: `m${d}`,
          },
          d,
        ),
      ),
    ),
    h("figcaption", { class: "quiet" }, t("chart.caption")),
  );
}

/** @param {Record<string, number> | undefined} counts @returns {[number, number][]} */
const entries = (counts) =>
  Object.entries(counts ?? {})
    .map(/** @returns {[number, number]} */ ([d, n]) => [Number(d), n])
    .filter(([, n]) => n > 0);
