// Values as shape, colour, number and words. The side that a value is for is always named.

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** The knowledge, and where there is none, the estimate of the engine. @typedef {import("./api-types").Assessment & {estimate?: number}} Valued */
/** @typedef {import("./api-types").Side} Side */
/** @typedef {"win" | "draw" | "loss" | "unknown" | "draw-or-win" | "draw-or-loss"} Verdict */

/** The known value, or a bound if only that is proved. @param {Valued} valued @returns {Verdict} */
export function verdict({ value, at_least, at_most }) {
  if (value !== "unknown") return value;
  if (at_least === "draw" && at_most === "win") return "draw-or-win";
  if (at_most === "draw" && at_least === "loss") return "draw-or-loss";
  return "unknown";
}

/** The same value seen from the other side. @param {Valued} valued @returns {Valued} */
export function reverse({ value, at_least, at_most, dtw, estimate }) {
  const turned = /** @type {const} */ ({ win: "loss", draw: "draw", loss: "win" });
  return {
    value: value === "unknown" ? "unknown" : turned[value],
    ...(at_most && { at_least: turned[at_most] }),
    ...(at_least && { at_most: turned[at_least] }),
    ...(dtw !== undefined && { dtw }),
    ...(estimate !== undefined && { estimate: -estimate }),
  };
}

/** The value for a side that is not always the one it was told for. @param {Valued} valued @param {Side} side @param {Side} other */
export const seenBy = (valued, side, other) => (side === other ? valued : reverse(valued));

/** The chance to win by an estimate. @param {number} estimate */
const chanceOf = (estimate) => 1 / (1 + Math.exp(-estimate / 100));

/** The same in words. @param {number} estimate */
export const percentOf = (estimate) => `${Math.round(100 * chanceOf(estimate))}\u00a0%`;

/**
 * The chance of White by a value or an estimate, from 0 to 1; null if neither is known.
 * @param {Valued & {to_move: Side}} position
 */
export function chanceOfWhite({ value, estimate, to_move }) {
  const known = { win: 1, draw: 0.5, loss: 0, unknown: null }[value];
  const mover = known ?? (estimate === undefined ? null : chanceOf(estimate));
  return mover === null || to_move === "white" ? mover : 1 - mover;
}

/** A value in words, without naming the side. @param {Valued} valued */
export function valueWords(valued) {
  const kind = verdict(valued);
  const known =
    typeof valued.dtw === "number" && valued.dtw > 0 && (kind === "win" || kind === "loss");
  return known ? t(`value.${kind}_in`, { n: valued.dtw ?? 0 }) : chance(valued) || t(`value.${kind}`);
}

/** A value in words for a side, such as "White wins in 17 turns". @param {Valued} valued @param {Side} side */
export function valueSentence(valued, side) {
  const kind = verdict(valued);
  const name = t(`side.${side}`);
  const winner = t(`side.${kind === "loss" ? (side === "white" ? "black" : "white") : side}`);
  if (kind === "win" || kind === "loss") {
    return typeof valued.dtw === "number" && valued.dtw > 0
      ? t("value.side_wins_in", { side: winner, n: valued.dtw })
      : t("value.side_wins", { side: winner });
  }
  return chance(valued) ? t("value.side_chance", { side: name, chance: chance(valued) }) : t(`value.side_${kind}`, { side: name });
}

/**
 * The shape of a value in a box of 20 by 20 around a centre.
 * @param {Verdict} kind @param {number} x @param {number} y @param {number} [scale]
 */
function shape(kind, x, y, scale = 1) {
  const at = (/** @type {number} */ dx, /** @type {number} */ dy) =>
    `${x + dx * scale} ${y + dy * scale}`;
  const bars = (/** @type {number} */ dx) =>
    `M${at(dx - 6, -3.5)}L${at(dx + 6, -3.5)}M${at(dx - 6, 3.5)}L${at(dx + 6, 3.5)}`;
  const stroke = { class: "shape-line", "stroke-width": 3.2 * scale };
  switch (kind) {
    case "win":
      return h("path", { class: "shape", d: `M${at(0, -8)}L${at(9, 7)}L${at(-9, 7)}Z` });
    case "loss":
      return h("path", { class: "shape", d: `M${at(0, 8)}L${at(9, -7)}L${at(-9, -7)}Z` });
    case "draw":
      return h("path", { ...stroke, d: bars(0) });
    case "draw-or-win":
      return h("path", {
        ...stroke,
        d: `M${at(-6, -8)}L${at(6, -3)}L${at(-6, 2)}M${at(-6, 7)}L${at(6, 7)}`,
      });
    case "draw-or-loss":
      return h("path", {
        ...stroke,
        d: `M${at(6, -8)}L${at(-6, -3)}L${at(6, 2)}M${at(-6, 7)}L${at(6, 7)}`,
      });
    default:
      return h("path", {
        ...stroke,
        d: `M${at(-5, -4)}C${at(-5, -11)} ${at(6, -11)} ${at(5, -4)}C${at(4, -1)} ${at(0, -1)} ${at(0, 3)}M${at(0, 7.4)}L${at(0, 7.6)}`,
      });
  }
}

/** The estimate in the place of a value, or "". @param {Valued} valued */
const chance = (valued) =>
  verdict(valued) === "unknown" && valued.estimate !== undefined ? percentOf(valued.estimate) : "";

/** The number beside a shape, or "". @param {Valued} valued */
const distance = (valued) =>
  typeof valued.dtw === "number" && valued.dtw > 0 && valued.value !== "draw"
    ? String(valued.dtw)
    : "";

/**
 * A value in a list: shape and number, or an estimate, with its words for a screen reader.
 * @param {Valued} valued @param {string} [extra] @param {string} [words]
 */
export function chip(valued, extra = "", words = valueWords(valued)) {
  const kind = verdict(valued);
  return h(
    "span",
    { class: `chip ${kind} ${extra}`, title: words },
    !chance(valued) && h("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, shape(kind, 10, 10)),
    h("span", { class: "chip-number", "aria-hidden": "true" }, chance(valued) || distance(valued)),
    h("span", { class: "unseen" }, words),
  );
}

/** A value on the board. @param {Valued} valued @param {number} x @param {number} y @param {string} key @param {number} [size] */
export function boardBadge(valued, x, y, key, size = 1) {
  const kind = verdict(valued);
  const text = distance(valued);
  const width = text ? 40 + text.length * 16 : 42;
  return h(
    "g",
    {
      class: `badge ${kind}`,
      key,
      transform: `translate(${x * (1 - size)} ${y * (1 - size)}) scale(${size})`,
    },
    h("rect", { x: x - width / 2, y: y - 19, width, height: 38, rx: kind === "draw" ? 9 : 19 }),
    shape(kind, text ? x - width / 2 + 19 : x, y, 1.15),
    text ? h("text", { x: x - width / 2 + 34, y: y + 10 }, text) : null,
  );
}
