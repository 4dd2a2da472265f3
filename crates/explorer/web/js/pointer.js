// Pointer and keyboard on the board: clicks, drags, arrow keys.

import { readPoint } from "./notation.js";

/**
 * @typedef {object} BoardInput
 * @property {SVGSVGElement} svg
 * @property {ReturnType<typeof import("./board.js").createBoard>} board
 * @property {(point: string) => void} touch
 * @property {(from: string, to: string) => void} drop
 */

const DRAG_DISTANCE = 8;

/** @param {BoardInput} input */
export function listen({ svg, board, touch, drop }) {
  /** @type {{point: string, x: number, y: number, moving: boolean, id: number} | null} */
  let drag = null;
  let suppressClick = false;

  svg.addEventListener("pointerdown", (event) => {
    suppressClick = false;
    const point = pointOf(event.target);
    const scene = board.scene();
    if (!point || !scene?.active || event.button !== 0) return;
    if (!scene.movable.has(point) && scene.selected !== point) return;
    drag = { point, x: event.clientX, y: event.clientY, moving: false, id: event.pointerId };
  });

  window.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moving && Math.hypot(dx, dy) < DRAG_DISTANCE) return;
    if (!drag.moving) {
      drag.moving = true;
      svg.classList.add("dragging");
      if (board.scene()?.selected !== drag.point) touch(drag.point);
    }
    const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
    stoneAt(drag.point)?.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
  });

  /** @param {PointerEvent} event */
  const finish = (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { point, moving } = drag;
    drag = null;
    if (!moving) return;
    svg.classList.remove("dragging");
    stoneAt(point)?.removeAttribute("transform");
    suppressClick = true;
    const target =
      event.type === "pointerup"
        ? pointOf(document.elementFromPoint(event.clientX, event.clientY))
        : null;
    if (target && target !== point) drop(point, target);
  };
  window.addEventListener("pointerup", finish);
  window.addEventListener("pointercancel", finish);

  svg.addEventListener("click", (event) => {
    if (suppressClick) {
      suppressClick = false;
      return;
    }
    const point = pointOf(event.target);
    if (point) touch(point);
  });

  svg.addEventListener("keydown", (event) => {
    const point = pointOf(event.target);
    const scene = board.scene();
    if (!point || !scene || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      touch(point);
      return;
    }
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    event.stopPropagation();
    const turned = scene.flipped ? -1 : 1;
    const { file, rank } = readPoint(point);
    const next = scene.info.points.find((candidate) => {
      const place = readPoint(candidate);
      return place.file === file + arrow[0] * turned && place.rank === rank + arrow[1] * turned;
    });
    if (next) board.focusPoint(next);
  });

  svg.addEventListener("focusin", (event) => {
    const point = pointOf(event.target);
    if (point && point !== board.focused()) board.focusPoint(point);
  });

  /** @param {string} point */
  const stoneAt = (point) => svg.querySelector(`[data-stone="${point}"]`);
}

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @param {EventTarget | null} target @returns {string | null} */
const pointOf = (target) =>
  target instanceof Element
    ? (target.closest("[data-point]")?.getAttribute("data-point") ?? null)
    : null;
