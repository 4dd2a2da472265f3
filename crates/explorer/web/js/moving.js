// A turn in the making: the touches of a person, followed through the step tree of the API.
// The tree says what can be moved, where to, what is captured, and where the turn may end.

/** @typedef {import("./api-types").PositionAnswer} Position */
/** @typedef {import("./api-types").Step} Step */
/** @typedef {import("./api-types").StepKind} Kind */

/**
 * @typedef {{type: "select", point: string} | {type: "to", point: string}
 *   | {type: "choose", kind: Kind}} Touch
 */

/**
 * @typedef {object} Walk
 * @property {string | null} selected the point where the selected stone began this turn
 * @property {string | null} at the point where it stands now
 * @property {Step[]} steps the steps made so far
 * @property {Step[]} options the steps that are open to the selected stone
 * @property {Step[]} choice the steps to choose from, if the arrival point leaves a choice
 * @property {Set<string>} movable the points whose stones can be selected
 * @property {Set<string>} white
 * @property {Set<string>} black
 * @property {number | null} mayEnd the index in `turns` of the turn, if it may end here
 * @property {boolean} complete whether the turn has to end here
 */

/** @param {Position} answer @param {readonly Touch[]} touches @returns {Walk} */
export function walk(answer, touches) {
  const stones = { white: new Set(answer.stones.white), black: new Set(answer.stones.black) };
  /** @type {Walk} */
  const walk = {
    selected: null,
    at: null,
    steps: [],
    options: [],
    choice: [],
    movable: new Set(answer.steps.map((step) => step.from)),
    ...stones,
    mayEnd: null,
    complete: false,
  };
  for (const touch of touches) {
    if (touch.type === "select") {
      walk.selected = touch.point;
      walk.at = touch.point;
      walk.options = answer.steps.filter((step) => step.from === touch.point);
    } else if (touch.type === "to") {
      const fitting = walk.options.filter((step) => step.to === touch.point);
      if (fitting.length === 1 && fitting[0]) makeStep(walk, answer, fitting[0]);
      else walk.choice = fitting;
    } else {
      const chosen = walk.choice.find((step) => step.kind === touch.kind);
      if (chosen) makeStep(walk, answer, chosen);
    }
  }
  return walk;
}

/** @param {Walk} walk @param {Position} answer @param {Step} step */
function makeStep(walk, answer, step) {
  moveStone(walk, answer.to_move, step);
  walk.steps.push(step);
  walk.at = step.to;
  walk.choice = [];
  walk.options = step.next;
  walk.movable = new Set(step.next.length > 0 ? [step.to] : []);
  walk.mayEnd = step.turn_index;
  walk.complete = step.next.length === 0;
}

/**
 * Draws one step: the stone moves, the captured stones leave.
 * @param {{white: Set<string>, black: Set<string>}} stones
 * @param {"white" | "black"} mover
 * @param {{from: string, to: string, captured: string[]}} step
 */
export function moveStone(stones, mover, step) {
  const [own, enemy] =
    mover === "white" ? [stones.white, stones.black] : [stones.black, stones.white];
  own.delete(step.from);
  own.add(step.to);
  for (const point of step.captured) enemy.delete(point);
}

/**
 * The touches after a person touches a point, or null if the point means nothing now.
 * @param {Position} answer @param {readonly Touch[]} touches @param {string} point
 * @returns {Touch[] | null}
 */
export function touchPoint(answer, touches, point) {
  const now = walk(answer, touches);
  if (now.choice.length > 0) {
    const chosen = now.choice.find((step) => step.captured.includes(point));
    if (chosen) return [...touches, { type: "choose", kind: chosen.kind }];
    // Any other point takes the arrival back.
    const before = touches.slice(0, -1);
    return point === now.choice[0]?.to ? before : (touchPoint(answer, before, point) ?? before);
  }
  if (now.options.some((step) => step.to === point)) return [...touches, { type: "to", point }];
  if (now.steps.length > 0) return null;
  if (now.selected === point) return [];
  if (now.movable.has(point)) return [{ type: "select", point }];
  return now.selected ? [] : null;
}

/**
 * The touches after a stone is dragged from one point to another, or null.
 * @param {Position} answer @param {readonly Touch[]} touches @param {string} from @param {string} to
 * @returns {Touch[] | null}
 */
export function dragStone(answer, touches, from, to) {
  const now = walk(answer, touches);
  const base =
    now.at === from ? touches : now.steps.length === 0 ? touchPoint(answer, [], from) : null;
  if (!base) return null;
  const ready = walk(answer, base);
  return ready.options.some((step) => step.to === to) ? [...base, { type: "to", point: to }] : null;
}

/**
 * The steps of a whole turn, from the tree.
 * @param {readonly Step[]} tree @param {string} turn
 * @returns {Step[] | null}
 */
export function stepsOfTurn(tree, turn) {
  for (const step of tree) {
    if (step.turn === turn && step.turn_index !== null) return [step];
    if (turn.startsWith(step.turn)) {
      const rest = stepsOfTurn(step.next, turn);
      if (rest) return [step, ...rest];
    }
  }
  return null;
}
