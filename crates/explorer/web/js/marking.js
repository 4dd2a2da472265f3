// The right button draws arrows and circles on the board; the wheel goes through the game.

import { go } from "./tabletop.js";

/** @typedef {import("./app.js").App} App */

/** The pixels of the wheel that are a turn: a notch of a mouse, a short stroke of a trackpad. */
const NOTCH = 60;

/** @param {EventTarget | null} target */
const pointOf = (target) =>
  target instanceof Element
    ? (target.closest("[data-point]")?.getAttribute("data-point") ?? null)
    : null;

/** @param {SVGSVGElement} svg @param {App} app */
export function listenForMarks(svg, app) {
  /** @type {string | null} */
  let from = null;
  let turned = 0;
  const exploring = () => app.state.view === "explore";
  svg.addEventListener("contextmenu", (event) => {
    if (exploring()) event.preventDefault();
  });
  // The focus stays where it is, so that the arrow keys still go through the game.
  svg.addEventListener("mousedown", (event) => {
    if (event.button === 2 && exploring()) event.preventDefault();
  });
  svg.addEventListener("pointerdown", (event) => {
    from = event.button === 2 && exploring() ? pointOf(event.target) : null;
  });
  window.addEventListener("pointerup", (event) => {
    if (!from || event.button !== 2) return;
    const to = pointOf(document.elementFromPoint(event.clientX, event.clientY));
    if (to) app.dispatch({ type: "mark", mark: { from, to } });
    from = null;
  });
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!exploring() || event.ctrlKey || app.state.tree.length < 2) return;
      event.preventDefault();
      turned += event.deltaY;
      while (Math.abs(turned) >= NOTCH) {
        go(app, turned > 0 ? "forward" : "back");
        turned -= Math.sign(turned) * NOTCH;
      }
    },
    { passive: false },
  );
}
