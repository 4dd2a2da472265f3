// Motion on the board: the stone that changed its place, and captured stones that leave.

const SLIDE = 230;
const LEAVE = 340;
/** Captured stones leave one after the other, as a hand would take them. */
const STAGGER = 55;

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./board.js").Layout} Layout */

/** @param {SVGSVGElement} svg @param {Scene} old @param {Scene} now @param {Layout} layout */
export function animateChange(svg, old, now, layout) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [side, enemy] of /** @type {const} */ ([
    ["white", "black"],
    ["black", "white"],
  ])) {
    const gone = [...old[side]].filter((point) => !now[side].has(point));
    const come = [...now[side]].filter((point) => !old[side].has(point));
    const [from] = gone;
    const [to] = come;
    if (gone.length > 1 || come.length > 1 || (gone.length === 0) !== (come.length === 0)) continue;
    if ([...now[enemy]].some((point) => !old[enemy].has(point))) continue;
    const taken = [...old[enemy]].filter((point) => !now[enemy].has(point));
    if (!to && taken.length === 0) continue;
    if (from && to) slide(svg, to, layout.place(from), layout.place(to));
    const start = layout.place(to ?? taken[0] ?? "a1");
    const distance = (/** @type {string} */ point) => {
      const { x, y } = layout.place(point);
      return Math.hypot(x - start.x, y - start.y);
    };
    taken.sort((a, b) => distance(a) - distance(b));
    taken.forEach((point, i) => leave(svg, enemy, layout.place(point), SLIDE / 2 + i * STAGGER));
    return;
  }
}

/** @param {SVGSVGElement} svg @param {string} to @param {{x: number, y: number}} a @param {{x: number, y: number}} b */
function slide(svg, to, a, b) {
  svg.querySelector(`[data-stone="${to}"]`)?.animate(
    [
      { transform: `translate(${a.x - b.x}px, ${a.y - b.y}px)` },
      { transform: "none" },
    ],
    { duration: SLIDE, easing: "cubic-bezier(0.3, 0.7, 0.3, 1)" },
  );
}

/** @param {SVGSVGElement} svg @param {string} side @param {{x: number, y: number}} place @param {number} delay */
function leave(svg, side, { x, y }, delay) {
  const layer = svg.nextElementSibling;
  if (!(layer instanceof SVGSVGElement)) return;
  const ghost = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ghost.setAttribute("class", `ghost ${side}`);
  ghost.setAttribute("cx", String(x));
  ghost.setAttribute("cy", String(y));
  ghost.setAttribute("r", "40");
  layer.append(ghost);
  const fading = ghost.animate(
    [
      { opacity: 1, transform: "none" },
      { opacity: 0, transform: "scale(0.55)" },
    ],
    { duration: LEAVE, delay, easing: "ease-in", fill: "backwards" },
  );
  const remove = () => ghost.remove();
  fading.finished.then(remove, remove);
}
