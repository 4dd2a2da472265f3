// Pointer and keyboard on the board: clicks, drags, swipes, arrow keys.

import { layoutOf } from "./board.js";

/**
 * @typedef {object} BoardInput
 * @property {SVGSVGElement} svg
 * @property {ReturnType<typeof import("./board.js").createBoard>} board
 * @property {(point: string) => void} touch
 * @property {(point: string, goesOn: boolean) => boolean} paint sets up a position instead, if one is set up
 * @property {(from: string, to: string) => void} drop
 * @property {(direction: "left" | "right") => void} swipe
 */

const DRAG_DISTANCE = 8;
/** How far a finger goes in a swipe, in pixels. */
const SWIPE_DISTANCE = 50;

/** @param {BoardInput} input */
export function listen({ svg, board, touch, paint, drop, swipe }) {
  /** @type {{point: string, x: number, y: number, moving: boolean, id: number, stone?: SVGElement, held?: SVGElement} | null} */
  let drag = null;
  /** @type {{x: number, y: number, id: number} | null} */
  let finger = null;
  /** A stroke that paints, and where it is. @type {{id: number, point: string | null} | null} */
  let stroke = null;
  let suppressClick = false;

  svg.addEventListener("pointerdown", (event) => {
    suppressClick = false;
    finger = null;
    const point = pointOf(event.target);
    // A finger scrolls a board that is larger than its place.
    const scrolls = event.pointerType === "touch" && svg.closest("[class~=scrolls]");
    if (point && event.button === 0 && !scrolls && paint(point, false)) {
      stroke = { id: event.pointerId, point };
      suppressClick = true;
      return;
    }
    const scene = board.scene();
    const holds =
      point && scene?.active && (scene.movable.has(point) || scene.selected === point);
    if (!holds || event.button !== 0) {
      if (event.pointerType === "touch" && event.isPrimary)
        finger = { x: event.clientX, y: event.clientY, id: event.pointerId };
      return;
    }
    drag = { point, x: event.clientX, y: event.clientY, moving: false, id: event.pointerId };
  });

  // A finger that holds a stone or paints does not scroll the page.
  svg.addEventListener(
    "touchmove",
    (event) => {
      if ((drag || stroke) && event.cancelable) event.preventDefault();
    },
    { passive: false },
  );

  window.addEventListener("pointermove", (event) => {
    for (const { clientX, clientY } of stroke?.id === event.pointerId ? event.getCoalescedEvents() : []) {
      const point = pointOf(document.elementFromPoint(clientX, clientY));
      if (stroke && point && point !== stroke.point) paint((stroke.point = point), true);
    }
    if (!drag || event.pointerId !== drag.id) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moving && Math.hypot(dx, dy) < DRAG_DISTANCE) return;
    if (!drag.moving) {
      drag.moving = true;
      svg.classList.add("dragging");
      if (board.scene()?.selected !== drag.point) touch(drag.point);
      // A copy over all else follows the hand.
      const stone = /** @type {SVGElement | null} */ (svg.querySelector(`[data-stone="${drag.point}"]`));
      const held = /** @type {SVGElement | undefined} */ (stone?.cloneNode(true));
      if (stone && held) {
        held.removeAttribute("data-stone");
        svg.nextElementSibling?.append(held);
        stone.style.visibility = "hidden";
        Object.assign(drag, { stone, held });
      }
    }
    const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
    drag.held?.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
  });

  /** @param {PointerEvent} event */
  const finish = (event) => {
    if (event.pointerId === stroke?.id) stroke = null;
    if (!drag || event.pointerId !== drag.id) return;
    const { point, moving, stone, held } = drag;
    drag = null;
    if (!moving) return;
    svg.classList.remove("dragging");
    held?.remove();
    stone?.style.removeProperty("visibility");
    suppressClick = true;
    const target =
      event.type === "pointerup"
        ? pointOf(document.elementFromPoint(event.clientX, event.clientY))
        : null;
    if (target && target !== point) drop(point, target);
  };
  window.addEventListener("pointerup", finish);
  window.addEventListener("pointerup", (event) => {
    if (!finger || event.pointerId !== finger.id) return;
    const dx = event.clientX - finger.x;
    const dy = event.clientY - finger.y;
    finger = null;
    if (Math.abs(dx) < SWIPE_DISTANCE || Math.abs(dx) < 2 * Math.abs(dy)) return;
    suppressClick = true;
    swipe(dx < 0 ? "left" : "right");
  });
  window.addEventListener("pointercancel", finish);

  svg.addEventListener("click", (event) => {
    if (suppressClick) {
      suppressClick = false;
      return;
    }
    const point = pointOf(event.target);
    // The second click of a double click does not let go of the stone.
    if (point && !paint(point, false) && !(event.detail > 1 && board.scene()?.selected === point)) touch(point);
  });

  svg.addEventListener("keydown", (event) => {
    const point = pointOf(event.target);
    const scene = board.scene();
    if (!point || !scene || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      if (!paint(point, false)) touch(point);
      return;
    }
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    event.stopPropagation();
    const { place } = layoutOf(scene);
    const { x, y } = place(point);
    const next = scene.info.points.find((candidate) => {
      const there = place(candidate);
      return there.x - x === arrow[0] * 100 && there.y - y === arrow[1] * 100;
    });
    if (next) board.focusPoint(next);
  });

  svg.addEventListener("focusin", (event) => {
    const point = pointOf(event.target);
    if (point && point !== board.focused()) board.focusPoint(point);
  });
}

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {EventTarget | null} target @returns {string | null} */
const pointOf = (target) =>
  target instanceof Element
    ? (target.closest("[data-point]")?.getAttribute("data-point") ?? null)
    : null;
