// What the board shows, computed from the state. Pure.

import { arrowsOf } from "./arrows.js";
import { t } from "./i18n.js";
import { moveStone } from "./moving.js";
import { readPosition } from "./notation.js";
import { currentNode, currentWalk, isFlipped, personMoves } from "./state.js";
import { valueWords, verdict } from "./value.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./value.js").Valued} Valued */
/** @typedef {import("./api-types").StepKind} Kind */

/**
 * @typedef {object} Scene
 * @property {import("./api-types").BoardAnswer} info
 * @property {boolean} flipped
 * @property {boolean} upright whether it is turned by a right angle
 * @property {boolean} coordinates
 * @property {Set<string>} white
 * @property {Set<string>} black
 * @property {boolean} active whether a touch can do something
 * @property {Set<string>} movable
 * @property {string | null} selected
 * @property {Set<string>} targets
 * @property {Map<string, Kind>} choice stones to choose from, by the kind of capture that takes them
 * @property {Map<string, string[]>} captures the stones that may be taken, by the point to go to
 * @property {string[]} footprints the points visited in this turn before the present one
 * @property {string[]} trace the path of the last turn
 * @property {string[]} taken the stones that the last turn captured
 * @property {{path: string[], captured: string[], tone: string} | null} preview
 * @property {Map<string, Valued>} values by point
 * @property {import("./arrows.js").Arrow[]} arrows
 * @property {(point: string) => string} label
 */

/** @param {State} state @returns {Scene} */
export function sceneOf(state) {
  const node = currentNode(state);
  const stones = readPosition(node.position);
  /** @type {Scene} */
  const scene = {
    info: state.info,
    flipped: isFlipped(state),
    upright: state.settings.upright && state.info.width > state.info.height,
    coordinates: state.settings.coordinates,
    white: new Set(stones.white),
    black: new Set(stones.black),
    active: false,
    movable: new Set(),
    selected: null,
    targets: new Set(),
    choice: new Map(),
    captures: new Map(),
    footprints: [],
    trace: node.path,
    taken: node.captured,
    preview: null,
    values: new Map(),
    arrows: arrowsOf(state),
    label: (point) => label(scene, point),
  };
  if (state.view === "edit" && state.draft) {
    scene.white = state.draft.white;
    scene.black = state.draft.black;
    scene.trace = [];
    scene.taken = [];
    scene.active = true;
    return scene;
  }
  if (state.showing) return showing(scene, state.showing, state);
  if (state.answer) turnInTheMaking(scene, state);
  if (state.preview) {
    scene.preview = { ...state.preview, tone: state.preview.value ?? "unknown" };
    scene.values = new Map();
  }
  return scene;
}

/** @param {Scene} scene @param {NonNullable<State["showing"]>} show @param {State} state */
function showing(scene, show, state) {
  const stones = readPosition(state.tree[show.node]?.position ?? "");
  const sets = { white: new Set(stones.white), black: new Set(stones.black) };
  const steps = show.steps.slice(0, show.shown);
  for (const step of steps) moveStone(sets, show.mover, step);
  scene.white = sets.white;
  scene.black = sets.black;
  scene.footprints = steps.map((step) => step.from);
  scene.trace = [];
  scene.taken = steps.flatMap((step) => step.captured);
  scene.selected = steps.at(-1)?.to ?? show.steps[0]?.from ?? null;
  return scene;
}

/** @param {Scene} scene @param {State} state */
function turnInTheMaking(scene, state) {
  const answer = state.answer;
  const now = currentWalk(state);
  if (!answer || !now) return;
  scene.active = personMoves(state);
  scene.white = now.white;
  scene.black = now.black;
  scene.footprints = now.steps.map((step) => step.from);
  if (state.touches.length > 0) {
    scene.trace = [];
    scene.taken = now.steps.flatMap((step) => step.captured);
  }
  if (!scene.active) return;
  scene.selected = now.at;
  scene.movable = now.steps.length === 0 && now.choice.length === 0 ? now.movable : new Set();
  const withValues = state.view === "explore" || (state.view === "play" && state.settings.hints);
  const [arrival] = now.choice;
  if (arrival) {
    // The stone is drawn where it arrives while the person chooses what it takes.
    moveStone(now, answer.to_move, { from: arrival.from, to: arrival.to, captured: [] });
    scene.footprints = [...scene.footprints, arrival.from];
    scene.selected = arrival.to;
    for (const step of now.choice) {
      for (const point of step.captured) scene.choice.set(point, step.kind);
      const [first] = step.captured;
      if (withValues && first) scene.values.set(first, step);
    }
    return;
  }
  scene.targets = new Set(now.options.map((step) => step.to));
  for (const { to, captured } of now.options) {
    if (captured.length > 0)
      scene.captures.set(to, [...(scene.captures.get(to) ?? []), ...captured]);
  }
  if (!withValues) return;
  const steps = now.selected ? now.options : answer.steps;
  const place = now.selected ? "to" : "from";
  for (const point of new Set(steps.map((step) => step[place]))) {
    // Steps come best first.
    const value = steps.find((step) => step[place] === point);
    if (value && (now.selected || verdict(value) !== "unknown")) scene.values.set(point, value);
  }
}

/** Describes a point for a screen reader. @param {Scene} scene @param {string} point */
function label(scene, point) {
  const parts = [point];
  if (scene.white.has(point)) parts.push(t("point.white"));
  else if (scene.black.has(point)) parts.push(t("point.black"));
  else parts.push(t("point.empty"));
  const kind = scene.choice.get(point);
  if (kind) parts.push(t(`point.taken_by_${kind}`));
  if (scene.selected === point) parts.push(t("point.selected"));
  else if (scene.movable.has(point)) parts.push(t("point.movable"));
  if (scene.targets.has(point)) parts.push(t("point.target"));
  if (scene.footprints.includes(point)) parts.push(t("point.visited"));
  const value = scene.values.get(point);
  if (value) parts.push(valueWords(value));
  return parts.join(", ");
}

/** The stones on the board now, counted. @param {Scene} scene */
export const stoneCounts = (scene) => ({ white: scene.white.size, black: scene.black.size });
