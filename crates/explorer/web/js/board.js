// Draws a scene as SVG. One unit is a hundredth of the distance between two points.

import { h, render } from "./dom.js";
import { t } from "./i18n.js";
import { readPoint } from "./notation.js";
import { boardBadge } from "./value.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {{x: number, y: number}} Place */

const MARGIN = 62;
const EDGE = 30;
const STONE = 37;

/** @typedef {{width: number, height: number, place: (point: string) => Place}} Layout */

/** @param {Scene} scene @returns {Layout} */
export function layoutOf({ info, flipped, coordinates }) {
  const label = coordinates ? EDGE : 0;
  return {
    width: (info.width - 1) * 100 + 2 * MARGIN + label,
    height: (info.height - 1) * 100 + 2 * MARGIN + label,
    place(point) {
      const { file, rank } = readPoint(point);
      const column = flipped ? info.width - 1 - file : file;
      const row = flipped ? rank - 1 : info.height - rank;
      return { x: MARGIN + label + column * 100, y: MARGIN + row * 100 };
    },
  };
}

/** Draws and animates. @param {SVGSVGElement} svg */
export function createBoard(svg) {
  /** @type {Scene | null} */
  let before = null;
  /** @type {string | null} */
  let focus = null;
  let still = false;

  /** @param {Scene} scene */
  function draw(scene) {
    const layout = layoutOf(scene);
    if (!focus || !scene.info.points.includes(focus)) focus = scene.info.points[0] ?? null;
    svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    svg.setAttribute("aria-label", t("board.label", { board: scene.info.board }));
    svg.classList.toggle("choosing", scene.choice.size > 0);
    const tall = layout.height / layout.width;
    const table = svg.closest("section");
    table?.style.setProperty("--tall", String(tall));
    table?.classList.toggle("wide-board", tall < 0.7);
    render(
      svg,
      ...drawBoard(scene, layout),
      ...drawTraces(scene, layout),
      ...drawMarks(scene, layout),
      h("g", { key: "stones" }, ...drawStones(scene, layout)),
      ...drawOver(scene, layout),
      h("g", { key: "points" }, ...drawPoints(scene, layout, focus)),
    );
    if (before && !still && before.info === scene.info && before.flipped === scene.flipped) {
      animateChange(svg, before, scene, layout);
    }
    still = false;
    before = scene;
  }

  return {
    draw,
    /** @param {string} point */
    focusPoint(point) {
      focus = point;
      if (before) draw(before);
      /** @type {SVGGElement | null} */ (svg.querySelector(`[data-point="${point}"]`))?.focus();
    },
    focused: () => focus,
    /** The next change is drawn without moving stones: a hand has just put one down. */
    still() {
      still = true;
    },
    scene: () => before,
  };
}

/** @param {Scene} scene @param {Layout} layout */
function drawBoard(scene, layout) {
  const { info } = scene;
  const at = (/** @type {string} */ point) => {
    const { x, y } = layout.place(point);
    return `${x} ${y}`;
  };
  const diagonals = new Set();
  for (const [a, b] of info.links) {
    const from = readPoint(a);
    const to = readPoint(b);
    if (from.file !== to.file && from.rank !== to.rank) diagonals.add(a).add(b);
  }
  const label = scene.coordinates ? EDGE : 0;
  const left = MARGIN + label;
  const corner = { x: left - 50, y: MARGIN - 50 };
  const size = { width: (info.width - 1) * 100 + 100, height: (info.height - 1) * 100 + 100 };
  return [
    h(
      "defs",
      { key: "defs" },
      h(
        "pattern",
        { id: "grain", width: 640, height: 90, patternUnits: "userSpaceOnUse" },
        h("path", {
          class: "grain",
          d: "M0 12C160 4 300 22 640 12M0 34C200 44 380 26 640 34M0 58C120 52 420 68 640 58M0 79C260 86 420 72 640 79",
        }),
      ),
      h(
        "pattern",
        { id: "weave", width: 8, height: 8, patternUnits: "userSpaceOnUse" },
        h("path", { class: "weave", d: "M0 2H4M4 6H8M2 4V8M6 0V4" }),
      ),
    ),
    h("rect", {
      key: "ground",
      class: "ground",
      width: layout.width,
      height: layout.height,
      rx: 16,
    }),
    h("rect", {
      key: "texture",
      class: "texture",
      width: layout.width,
      height: layout.height,
      rx: 16,
    }),
    h("rect", { key: "hem", class: "hem", ...corner, ...size, rx: 10 }),
    h("path", {
      key: "lines",
      class: "lines",
      d: info.links.map(([a, b]) => `M${at(a)}L${at(b)}`).join(""),
    }),
    h(
      "g",
      { key: "strong", class: "strong" },
      ...[...diagonals].map((point) => {
        const { x, y } = layout.place(point);
        return h("circle", { cx: x, cy: y, r: 8 });
      }),
    ),
    scene.coordinates &&
      h(
        "g",
        { key: "coordinates", class: "coordinates", "aria-hidden": "true" },
        ...info.points.flatMap((point) => {
          const { file, rank } = readPoint(point);
          const { x, y } = layout.place(point);
          return [
            rank === 1 && h("text", { x, y: layout.height - 12 }, point[0]),
            file === 0 && h("text", { x: 20, y: y + 9 }, rank),
          ];
        }),
      ),
  ];
}

/** @param {string[]} path @param {Layout} layout */
const polyline = (path, layout) =>
  path
    .map((point, i) => `${i ? "L" : "M"}${layout.place(point).x} ${layout.place(point).y}`)
    .join("");

/** The path of the last turn, the footprints of this one. @param {Scene} scene @param {Layout} layout */
function drawTraces(scene, layout) {
  const steps =
    scene.selected && scene.footprints.length > 0 ? [...scene.footprints, scene.selected] : [];
  return [
    scene.trace.length > 1 &&
      h("path", { key: "trace", class: "trace", d: polyline(scene.trace, layout) }),
    scene.trace[0] &&
      h("circle", {
        key: "trace-from",
        class: "trace-from",
        ...centre(scene.trace[0], layout),
        r: 15,
      }),
    steps.length > 1 && h("path", { key: "way", class: "way", d: polyline(steps, layout) }),
    h(
      "g",
      { key: "taken", class: "taken" },
      ...scene.taken
        .filter((point) => !scene.white.has(point) && !scene.black.has(point))
        .flatMap((point) => [
          h("circle", { ...centre(point, layout), r: STONE - 8 }),
          cross(point, layout, 11),
        ]),
    ),
    h(
      "g",
      { key: "footprints", class: "footprints" },
      ...scene.footprints.map((point) => h("circle", { ...centre(point, layout), r: 17 })),
    ),
  ];
}

/** @param {string} point @param {Layout} layout */
function centre(point, layout) {
  const { x, y } = layout.place(point);
  return { cx: x, cy: y };
}

/** @param {string} point @param {Layout} layout @param {number} r */
function cross(point, layout, r) {
  const { x, y } = layout.place(point);
  return h("path", {
    d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`,
  });
}

/** Rings under and around stones. @param {Scene} scene @param {Layout} layout */
function drawMarks(scene, layout) {
  return [
    h(
      "g",
      { key: "movable", class: "movable" },
      ...[...scene.movable]
        .filter((point) => point !== scene.selected)
        .map((point) => h("circle", { ...centre(point, layout), r: STONE + 7 })),
    ),
    scene.selected &&
      h("circle", {
        key: "selected",
        class: "selected",
        ...centre(scene.selected, layout),
        r: STONE + 8,
      }),
    h(
      "g",
      { key: "targets", class: "targets" },
      ...[...scene.targets]
        .filter((point) => !scene.values.has(point))
        .flatMap((point) => [
          h("circle", { class: "target-ring", ...centre(point, layout), r: 27 }),
          h("circle", { class: "target-dot", ...centre(point, layout), r: 14 }),
        ]),
    ),
  ];
}

/** @param {Scene} scene @param {Layout} layout */
function drawStones(scene, layout) {
  const stone = (/** @type {string} */ side) => (/** @type {string} */ point) =>
    h(
      "g",
      { key: side + point, class: `stone ${side}`, "data-stone": point },
      h("circle", { class: "body", ...centre(point, layout), r: STONE }),
      h("circle", { class: "rim", ...centre(point, layout), r: STONE - 9 }),
    );
  return [...[...scene.white].map(stone("white")), ...[...scene.black].map(stone("black"))];
}

/** What lies over the stones: choices, previews, values. @param {Scene} scene @param {Layout} layout */
function drawOver(scene, layout) {
  const { preview } = scene;
  return [
    h(
      "g",
      { key: "choice", class: "choice" },
      ...[...scene.choice].map(([point, kind]) => {
        const { x, y } = layout.place(point);
        const letter = t(`letter.${kind}`);
        return h(
          "g",
          { class: kind },
          h("circle", { cx: x, cy: y, r: STONE - 2 }),
          h("text", { x, y: y + 13 }, letter),
        );
      }),
    ),
    preview &&
      h(
        "g",
        { key: "preview", class: `preview ${preview.tone}` },
        h("path", { class: "preview-way", d: polyline(preview.path, layout) }),
        h("circle", { ...centre(preview.path.at(-1) ?? "a1", layout), r: 20 }),
        ...preview.captured.map((point) => cross(point, layout, 18)),
      ),
    h(
      "g",
      { key: "values", class: "values", "aria-hidden": "true" },
      ...[...scene.values].map(([point, value]) => {
        const { x, y } = layout.place(point);
        const onStone = scene.white.has(point) || scene.black.has(point);
        return boardBadge(value, x, onStone ? y + 27 : y, point);
      }),
    ),
  ];
}

/** The buttons, one a point. @param {Scene} scene @param {Layout} layout @param {string | null} focus */
function drawPoints(scene, layout, focus) {
  return scene.info.points.map((point) => {
    const { x, y } = layout.place(point);
    const usable = scene.movable.has(point) || scene.targets.has(point) || scene.choice.has(point);
    return h(
      "g",
      {
        key: point,
        class: usable ? "point usable" : "point",
        role: "button",
        "data-point": point,
        tabindex: point === focus ? 0 : -1,
        "aria-label": scene.label(point),
        "aria-pressed": scene.selected === point ? "true" : null,
      },
      h("rect", { class: "hit", x: x - 50, y: y - 50, width: 100, height: 100, rx: 14 }),
      h("circle", { class: "focus-ring", cx: x, cy: y, r: 46 }),
    );
  });
}

/** Moves the stone that changed its place, and lets captured stones fade. @param {SVGSVGElement} svg @param {Scene} old @param {Scene} now @param {Layout} layout */
function animateChange(svg, old, now, layout) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [side, enemy] of /** @type {const} */ ([
    ["white", "black"],
    ["black", "white"],
  ])) {
    const gone = [...old[side]].filter((point) => !now[side].has(point));
    const come = [...now[side]].filter((point) => !old[side].has(point));
    const [from] = gone;
    const [to] = come;
    if (gone.length !== 1 || come.length !== 1 || !from || !to) continue;
    if ([...now[enemy]].some((point) => !old[enemy].has(point))) continue;
    const a = layout.place(from);
    const b = layout.place(to);
    svg
      .querySelector(`[data-stone="${to}"]`)
      ?.animate(
        [{ transform: `translate(${a.x - b.x}px, ${a.y - b.y}px)` }, { transform: "none" }],
        { duration: 190, easing: "ease-out" },
      );
    for (const point of old[enemy]) {
      if (now[enemy].has(point)) continue;
      fade(svg, enemy, layout.place(point));
    }
    return;
  }
}

/** @param {SVGSVGElement} svg @param {string} side @param {Place} place */
function fade(svg, side, { x, y }) {
  const layer = svg.nextElementSibling;
  if (!(layer instanceof SVGSVGElement)) return;
  layer.setAttribute("viewBox", svg.getAttribute("viewBox") ?? "");
  const ghost = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ghost.setAttribute("class", `ghost ${side}`);
  ghost.setAttribute("cx", String(x));
  ghost.setAttribute("cy", String(y));
  ghost.setAttribute("r", String(STONE));
  layer.append(ghost);
  const fading = ghost.animate([{ opacity: 1 }, { opacity: 0 }], {
    duration: 320,
    easing: "ease-in",
  });
  fading.onfinish = fading.oncancel = () => ghost.remove();
}
