// Draws a scene as SVG. One unit is a hundredth of the distance between two points.

import { drawArrows } from "./arrows.js";
import { h, render } from "./dom.js";
import { drawGround, linesOf, paints } from "./ground.js";
import { t } from "./i18n.js";
import { animateChange } from "./motion.js";
import { readPoint, readPosition } from "./notation.js";
import { boardBadge } from "./value.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {{x: number, y: number}} Place */

/** Room around the points. The names of files and ranks stand at the bottom and on the left. */
const MARGIN = { top: 58, right: 60, bottom: 86, left: 68 };
const STONE = 40;

/** @typedef {{width: number, height: number, margin: typeof MARGIN, place: (point: string) => Place}} Layout */

/** Upright, the board is turned by a right angle: White is on the left. @param {Pick<Scene, "info" | "flipped"> & {upright?: boolean}} scene @returns {Layout} */
export function layoutOf({ info, flipped, upright }) {
  const [right, low] = upright ? [info.height - 1, info.width - 1] : [info.width - 1, info.height - 1];
  return {
    width: right * 100 + MARGIN.left + MARGIN.right,
    height: low * 100 + MARGIN.top + MARGIN.bottom,
    margin: MARGIN,
    place(point) {
      const { file, rank } = readPoint(point);
      const [column, row] = upright ? [rank - 1, file] : [file, info.height - rank];
      return {
        x: MARGIN.left + (flipped ? right - column : column) * 100,
        y: MARGIN.top + (flipped ? low - row : row) * 100,
      };
    },
  };
}

/** Draws and animates. @param {SVGSVGElement} svg */
export function createBoard(svg) {
  /** @type {Scene | null} */
  let before = null;
  /** @type {string | null} */
  let focus = null;
  /** The point under the pointer or with the focus. @type {string | null} */
  let aim = null;
  let still = false;

  /** @param {Scene} scene */
  function draw(scene) {
    const layout = layoutOf(scene);
    const { info } = scene;
    const isLed = focus !== null && document.activeElement?.getAttribute("data-point") === focus;
    if (!focus || !info.points.includes(focus) || (!isLed && !isUsable(scene, focus))) {
      // The keyboard comes to a point where it can do something.
      focus = info.points.find((point) => isUsable(scene, point)) ?? focus ?? null;
      if (!focus || !info.points.includes(focus)) focus = info.points[0] ?? null;
    }
    // The layer above it shows what moves.
    for (const each of [svg, svg.nextElementSibling])
      each?.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    svg.setAttribute("aria-label", t("board.label", { board: info.board }));
    svg.classList.toggle("choosing", scene.choice.size > 0);
    svg.classList.toggle("wide", info.width > 6 && !scene.upright);
    const tall = layout.height / layout.width;
    const root = document.documentElement;
    root.style.setProperty("--tall", String(tall));
    root.style.setProperty("--units", String(layout.width / 100));
    const table = svg.closest("section");
    table?.classList.toggle("wide-board", tall < 0.7);
    table?.classList.toggle("tall-board", tall > 1.6);
    render(
      svg,
      paints(),
      ...drawing(scene, layout, aim),
      h("g", { key: "points" }, ...drawPoints(scene, layout, focus)),
    );
    const lies = /** @type {const} */ (["info", "flipped", "upright"]);
    if (before && !still && lies.every((name) => before?.[name] === scene[name])) {
      animateChange(svg, before, scene, layout);
    }
    still = false;
    const last = scene.trace.at(-1);
    if (before?.info !== info) showPart(layout);
    else if (last && last !== before.trace.at(-1)) showPart(layout, last);
    before = scene;
  }

  /** Scrolls a board that is larger than its place to a point, or to its middle. @param {Layout} layout @param {string} [point] */
  function showPart({ width, height, place }, point) {
    const box = svg.parentElement?.parentElement;
    if (!box) return;
    const scrolls = box.scrollHeight > box.clientHeight + 2 || box.scrollWidth > box.clientWidth + 2;
    box.classList.toggle("scrolls", scrolls);
    if (!scrolls) return;
    const { x, y } = point ? place(point) : { x: width / 2, y: height / 2 };
    box.scrollTo({
      left: (x / width) * box.scrollWidth - box.clientWidth / 2,
      top: (y / height) * box.scrollHeight - box.clientHeight / 2,
    });
  }

  /** @param {EventTarget | null} target */
  function aimAt(target) {
    const point =
      target instanceof Element
        ? (target.closest("[data-point]")?.getAttribute("data-point") ?? null)
        : null;
    if (point === aim) return;
    aim = point;
    if (before && (before.captures.size > 0 || before.choice.size > 0)) draw(before);
  }
  svg.addEventListener("pointerover", (event) => aimAt(event.target));
  svg.addEventListener("pointerleave", () => aimAt(null));
  svg.addEventListener("focusin", (event) => aimAt(event.target));
  window.addEventListener("resize", () => before && showPart(layoutOf(before), before.trace.at(-1)));

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
    /** The stones that move. */
    motion: () => (svg.parentElement?.getAnimations({ subtree: true }) ?? []).filter((each) => !(each instanceof CSSAnimation)),
  };
}

/** All but what can be touched. A mere picture needs the paints of the board. @param {Scene} scene @param {Layout} layout @param {string | null} [aim] undefined in a picture */
export const drawing = (scene, layout, aim) => [
  ...drawGround(scene, layout),
  ...drawTraces(scene, layout),
  ...drawMarks(scene, layout),
  h("g", { key: "stones" }, ...drawStones(scene, layout, aim !== undefined)),
  ...drawOver(scene, layout, aim ?? null),
];

/** A small picture of a position. @param {Pick<Scene, "info" | "flipped">} scene @param {string} position */
export function picture(scene, position) {
  const layout = layoutOf(scene);
  const { width, height } = layout;
  const stones = readPosition(position);
  return h(
    "svg",
    { class: "picture", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    h("rect", { class: "ground", width, height }),
    h("path", { class: "lines", d: linesOf(scene, layout) }),
    .../** @type {const} */ (["white", "black"]).map((side) =>
      h("g", { class: side }, ...stones[side].map((point) => h("circle", { ...centre(point, layout), r: STONE }))),
    ),
  );
}

/** @param {Scene} scene @param {string} point */
const isUsable = (scene, point) =>
  scene.movable.has(point) || scene.targets.has(point) || scene.choice.has(point);

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
        r: 13,
      }),
    steps.length > 1 && h("path", { key: "way", class: "way", d: polyline(steps, layout) }),
    h(
      "g",
      { key: "taken", class: "taken" },
      ...scene.taken
        .filter((point) => !scene.white.has(point) && !scene.black.has(point))
        .map((point) => cross(point, layout, 10)),
    ),
    h(
      "g",
      { key: "footprints", class: "footprints" },
      ...scene.footprints.map((point) => h("circle", { ...centre(point, layout), r: 11 })),
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
        .map((point) => h("circle", { ...centre(point, layout), r: STONE + 4 })),
    ),
    scene.selected &&
      h("circle", {
        key: "selected",
        class: "selected",
        ...centre(scene.selected, layout),
        r: STONE + 6,
      }),
    h(
      "g",
      { key: "targets", class: "targets" },
      ...[...scene.targets]
        .filter((point) => !scene.values.has(point))
        .map((point) => h("circle", { class: "target-dot", ...centre(point, layout), r: 15 })),
    ),
  ];
}

/** A brilliant's facets in a circle of this radius. @param {number} x @param {number} y @param {number} r */
function facets(x, y, r) {
  const corner = (/** @type {number} */ i, /** @type {number} */ radius, turn = 0) => {
    const angle = ((i + turn) * Math.PI) / 4 + Math.PI / 8;
    return `${(x + radius * Math.cos(angle)).toFixed(1)} ${(y + radius * Math.sin(angle)).toFixed(1)}`;
  };
  const eight = [0, 1, 2, 3, 4, 5, 6, 7];
  const table = eight.map((i) => `${i ? "L" : "M"}${corner(i, r * 0.52)}`).join("");
  const crown = eight
    .map((i) => `M${corner(i, r * 0.52)}L${corner(i, r, 0.5)}M${corner(i, r * 0.52)}L${corner(i, r, -0.5)}`)
    .join("");
  return `${table}Z${crown}`;
}

/** @param {Scene} scene @param {Layout} layout @param {boolean} named whether the stones can be found by their points */
function drawStones(scene, layout, named) {
  const stone = (/** @type {string} */ side) => (/** @type {string} */ point) => {
    const { x, y } = layout.place(point);
    return h(
      "g",
      { key: side + point, class: `stone ${side}`, "data-stone": named && point },
      h("circle", { class: "shadow", cx: x + 2.5, cy: y + 5.5, r: STONE + 5 }),
      h("circle", { class: "body", cx: x, cy: y, r: STONE }),
      h("path", { class: "facets", d: facets(x, y, STONE - 1) }),
      h("circle", { class: "rim", cx: x, cy: y, r: STONE * 0.5 }),
    );
  };
  return [...[...scene.white].map(stone("white")), ...[...scene.black].map(stone("black"))];
}

/** The stones that the touch that is aimed at would take, or all that may be taken. @param {Scene} scene @param {string | null} aim */
function threatened({ captures, choice }, aim) {
  const kind = aim && choice.get(aim);
  if (kind) return [...choice].filter(([, other]) => other === kind).map(([point]) => point);
  return (aim && captures.get(aim)) || [];
}

/** The layer over the stones: threats, choices, previews, values. @param {Scene} scene @param {Layout} layout @param {string | null} aim */
function drawOver(scene, layout, aim) {
  const { preview } = scene;
  const may = new Set([...scene.captures.values()].flat());
  return [
    drawArrows(scene.arrows, layout.place),
    h(
      "g",
      { key: "may-take", class: "may-take" },
      ...[...may].map((point) => h("circle", { ...centre(point, layout), r: STONE + 3 })),
    ),
    h(
      "g",
      { key: "threat", class: "threat" },
      ...threatened(scene, aim).flatMap((point) => [
        h("circle", { ...centre(point, layout), r: STONE - 1 }),
        scene.choice.has(point) ? null : cross(point, layout, 12),
      ]),
    ),
    h(
      "g",
      { key: "choice", class: "choice" },
      ...[...scene.choice].map(([point, kind]) => {
        const { x, y } = layout.place(point);
        return h(
          "g",
          { class: kind },
          h("circle", { class: "choice-ring", cx: x, cy: y, r: STONE - 3 }),
          h("circle", { class: "choice-disc", cx: x, cy: y, r: 20 }),
          h("text", { x, y: y + 10 }, t(`letter.${kind}`)),
        );
      }),
    ),
    preview &&
      h(
        "g",
        { key: "preview", class: `preview ${preview.tone}` },
        h("path", { class: "preview-way", d: polyline(preview.path, layout) }),
        h("circle", { ...centre(preview.path.at(-1) ?? "a1", layout), r: 18 }),
        ...preview.captured.map((point) => cross(point, layout, 15)),
      ),
    h(
      "g",
      { key: "values", class: "values", "aria-hidden": "true" },
      ...[...scene.values].map(([point, value]) => {
        const { x, y } = layout.place(point);
        // At the lower edge, so that the stone and its mark stay in sight.
        const onStone = scene.white.has(point) || scene.black.has(point);
        return onStone ? boardBadge(value, x, y + 38, point, 0.74) : boardBadge(value, x, y, point);
      }),
    ),
  ];
}

/** The buttons, one a point. @param {Scene} scene @param {Layout} layout @param {string | null} focus */
function drawPoints(scene, layout, focus) {
  return scene.info.points.map((point) => {
    const { x, y } = layout.place(point);
    const usable = isUsable(scene, point);
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
      h("circle", { class: "focus-ring", cx: x, cy: y, r: STONE + 5 }),
    );
  });
}
