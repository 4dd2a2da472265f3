// The reducer: the next state after an action. Pure, as the state is. Undo and redo go back and forth
// in the places where the person has been.

import { dragStone, touchPoint, walk } from "./moving.js";
import { currentWalk, deepOf, personMoves } from "./state.js";
import { lineThrough, nodeAt, pathTo, playTurn, promote, removeBranch, visit } from "./tree.js";

/** @typedef {import("./state.js").Action} Action */
/** @typedef {import("./state.js").Deep} Deep */
/** @typedef {import("./state.js").Drill} Drill */
/** @typedef {import("./state.js").Player} Player */
/** @typedef {import("./state.js").PlayedTurn} PlayedTurn */
/** @typedef {import("./state.js").Snapshot} Snapshot */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./moving.js").Touch} Touch */
/** @typedef {import("./tree.js").Node} Node */

/** @param {State} state @param {Action} action @returns {State} */
export function reduce(state, action) {
  switch (action.type) {
    case "touch": {
      const touches = state.answer && touchPoint(state.answer, state.touches, action.point);
      const next = touched(state, touches);
      return isStuck(state, action.point) ? { ...next, stuck: { point: action.point } } : next;
    }
    case "drag":
      return touched(
        state,
        state.answer && dragStone(state.answer, state.touches, action.from, action.to),
      );
    case "choose":
      return touched(state, [...state.touches, { type: "choose", kind: action.kind }]);
    case "cancel":
      return state.answer && walk(state.answer, state.touches).steps.length === 0
        ? touched(state, [])
        : state;
    case "end-turn": {
      const ending = currentWalk(state)?.mayEnd;
      return typeof ending === "number" ? commit(remember(state), ending) : state;
    }
    case "undo":
      return undo(state);
    case "redo":
      return redo(state);
    case "go":
      return action.node === state.node && state.touches.length === 0 && !state.showing
        ? state
        : {
            ...moveTo(remember(state), visit(state.tree, action.node), action.node),
            paused: true,
            notice: null,
            seen: action.node,
          };
    case "play":
      return play(remember(state), action.turn);
    case "reply": {
      if (action.node !== state.node) return state;
      const captured = action.reply.steps.flatMap((step) => step.captured);
      const next = play(remember(state), { ...action.reply, captured });
      const { reply } = action;
      const after = reply.after ? known(next, [state.node, next.node], reply.after) : next;
      // What a person was told stays until the person's turn.
      return { ...after, reply, error: state.error };
    }
    case "resume":
      return { ...state, paused: false, error: null };
    case "pause":
      return { ...state, paused: true, showing: null };
    case "remove": {
      const parent = nodeAt(state.tree, action.node).parent ?? 0;
      const inside = pathTo(state.tree, state.node).some((node) => node.id === action.node);
      const tree = removeBranch(state.tree, action.node);
      const next = { ...state, tree, past: [], future: [] };
      return inside ? moveTo(next, tree, parent) : next;
    }
    case "promote":
      return { ...state, tree: promote(state.tree, action.node) };
    case "game":
      return {
        ...moveTo(state, action.tree, action.node),
        info: action.info,
        ...turnsAround(action.tree, action.node),
        started: action.started ?? false,
        paused: action.paused,
        seen: action.paused ? action.node : null,
        players: action.players ?? state.players,
        draws: action.draws ?? state.draws,
        card: action.card ?? state.card,
        clock: action.clock ?? null,
        ended: action.ended ?? null,
        facts: new Map(),
        draft: null,
        drill: action.drill ?? null,
        notice: null,
        lesson: action.lesson ?? null,
        view: action.view ?? state.view,
        error: null,
      };
    case "about":
      return { ...state, about: action.about };
    case "answer":
      return action.node === state.node ? { ...state, answer: action.answer } : state;
    case "facts": {
      const next = known(state, action.line.map(({ id }) => id), action.game);
      return action.node === state.node ? next : { ...next, answer: state.answer };
    }
    case "judged": {
      const found = new Map(deepOf(state, action.line)?.found).set(action.position.ply, action.position);
      return keepDeep(state, { line: action.line, found, done: null });
    }
    case "review-done": {
      const found = deepOf(state, action.line)?.found ?? new Map();
      return keepDeep(state, { line: action.line, found, done: action.done });
    }
    case "reviewing":
      return { ...state, reviewing: action.reviewing };
    case "analysis":
      return action.node === state.node ? { ...state, analysis: action.analysis } : state;
    case "threat":
      return action.node === state.node ? { ...state, threat: action.threat } : state;
    case "mark": {
      const { from, to } = action.mark;
      const others = state.marks.filter((mark) => mark.from !== from || mark.to !== to);
      const gone = others.length < state.marks.length;
      return { ...state, marks: gone ? others : [...others, action.mark] };
    }
    case "thinking":
      return { ...state, thinking: action.thinking };
    case "view":
      return {
        ...state,
        view: action.view,
        notice: null,
        preview: null,
        showing: null,
        paused: state.paused || action.view === "explore" || action.view === "edit",
      };
    case "players":
      return { ...state, players: action.players };
    case "draws":
      return { ...state, draws: action.draws, facts: new Map() };
    case "end":
      return { ...state, ended: { node: state.node, end: action.end }, touches: [], preview: null, seen: null };
    case "seen":
      return { ...state, seen: state.node };
    case "lesson":
      return { ...state, lesson: action.lesson };
    case "notice":
      return { ...state, notice: action.notice };
    case "restore":
      return { ...moveTo(state, action.state.tree, action.state.node), ...gameOf(action.state), notice: null, error: null };
    case "flip":
      return state.drill
        ? { ...state, drill: { ...state.drill, turned: !state.drill.turned } }
        : { ...state, settings: { ...state.settings, flipped: !state.settings.flipped } };
    case "clock":
      return { ...state, clock: action.clock };
    case "offline":
      return action.offline === state.offline ? state : { ...state, offline: action.offline };
    case "error":
      return { ...state, error: action.error };
    case "show":
      return { ...state, showing: action.showing };
    case "preview":
      return { ...state, preview: action.preview };
    case "draft":
      return { ...state, draft: action.draft };
    case "drill-lost":
      return state.drill
        ? { ...state, drill: { ...state.drill, lost: { node: action.node, better: action.better } } }
        : state;
    case "help":
      return { ...state, help: action.help };
    case "settings":
      return { ...state, settings: { ...state.settings, ...action.settings } };
  }
}

/** The parts of the state that a game needs, to come back to it. @param {State} state */
const gameOf = ({
  info, tree, node, touches, past, future, players, draws, ended, answer, facts, reply, drill, view, card, clock, started, lesson,
}) => ({
  info, tree, node, touches, past, future, players, draws, ended, answer, facts, reply, drill, view, card, clock, started, lesson,
  paused: true,
  seen: node,
});

/** Past and future for undo and redo in a game that was not played in this page: its turns. @param {readonly Node[]} tree @param {number} node @returns {Pick<State, "past" | "future">} */
function turnsAround(tree, node) {
  const line = lineThrough(tree, node).map(({ id }) => ({ node: id, touches: [] }));
  const here = line.findIndex((each) => each.node === node);
  return { past: line.slice(0, here), future: line.slice(here + 1) };
}

const KEPT_REVIEWS = 8;

/** @param {State} state @param {Deep} deep @returns {State} */
function keepDeep(state, deep) {
  const others = state.deep.filter(({ line }) => line !== deep.line).slice(1 - KEPT_REVIEWS);
  return { ...state, deep: [...others, deep] };
}

/** The state with what was answered about the last nodes of a line. @param {State} state @param {number[]} line @param {import("./api-types").GameAnswer} game @returns {State} */
function known(state, line, { positions, turns, here }) {
  const facts = new Map(state.facts);
  const first = line.length - positions.length;
  positions.forEach((position, i) => {
    const id = line[first + i] ?? 0;
    // The turn to the first of them was not asked about.
    facts.set(id, { position, turn: turns[i - 1] ?? facts.get(id)?.turn ?? null });
  });
  return { ...state, facts, answer: here ?? state.answer };
}

/** Whether a point has a stone of the person who moves, with which no turn can begin. @param {State} state @param {string} point */
function isStuck(state, point) {
  const now = currentWalk(state);
  if (!state.answer || !now || !personMoves(state)) return false;
  const free = now.steps.length === 0 && now.choice.length === 0;
  return free && now[state.answer.to_move].has(point) && !now.movable.has(point);
}

/** @param {State} state @returns {Snapshot} */
const snapshot = (state) => ({ node: state.node, touches: state.touches });

/** @param {State} state @returns {State} */
const remember = (state) => ({ ...state, past: [...state.past, snapshot(state)], future: [] });

/** @param {State} state @param {Touch[] | null} touches @returns {State} */
function touched(state, touches) {
  if (!touches || !state.answer || !personMoves(state)) return state;
  if (touches.length === 0 && state.touches.length === 0)
    return state.stuck ? { ...state, stuck: null } : state;
  const next = { ...remember(state), touches, preview: null, stuck: null };
  const now = walk(state.answer, touches);
  return now.complete && now.mayEnd !== null ? commit(next, now.mayEnd) : next;
}

/** @param {State} state @param {number} index @returns {State} */
function commit(state, index) {
  const turn = state.answer?.turns[index];
  return turn ? play(state, turn) : state;
}

/** @param {State} state @param {PlayedTurn} turn @returns {State} */
function play(state, turn) {
  const { tree, id } = playTurn(state.tree, state.node, turn);
  return { ...moveTo(state, tree, id), paused: false, error: null, notice: null };
}

/** @param {State} state @param {readonly Node[]} tree @param {number} node @param {readonly Touch[]} [touches] @returns {State} */
const moveTo = (state, tree, node, touches = []) => ({
  ...state,
  tree,
  node,
  touches,
  answer: null,
  thinking: false,
  showing: null,
  preview: null,
  stuck: null,
  seen: null,
  analysis: null,
  threat: null,
  marks: [],
  reply: null,
  draft: null,
  drill: state.drill && keepLoss(state.drill, tree, node),
});

/** A mistake counts as long as it is on the path to the board. @param {Drill} drill @param {readonly Node[]} tree @param {number} at @returns {Drill} */
const keepLoss = (drill, tree, at) =>
  drill.lost && !pathTo(tree, at).some((node) => node.id === drill.lost?.node)
    ? { ...drill, lost: null }
    : drill;

/** Whether undo stops at this snapshot: not where the program moves at once. @param {State} state @param {Snapshot} at */
function isStop(state, at) {
  if (state.view === "explore" || at.touches.length > 0) return true;
  const { toMove } = nodeAt(state.tree, at.node);
  if (state.drill) return toMove === nodeAt(state.tree, state.drill.root).toMove;
  return (
    state.players[toMove] === "person" ||
    (state.players.white !== "person" && state.players.black !== "person")
  );
}

/** @param {State} state @returns {State} */
function undo(state) {
  let index = state.past.length - 1;
  while (index >= 0 && !isStop(state, /** @type {Snapshot} */ (state.past[index]))) index -= 1;
  const target = state.past[index];
  if (!target) return state;
  const future = [...state.past.slice(index + 1), snapshot(state), ...state.future];
  return restore({ ...state, past: state.past.slice(0, index), future, ended: null }, target);
}

/** @param {State} state @returns {State} */
function redo(state) {
  let index = 0;
  while (
    index < state.future.length - 1 &&
    !isStop(state, /** @type {Snapshot} */ (state.future[index]))
  )
    index += 1;
  const target = state.future[index];
  if (!target) return state;
  const past = [...state.past, snapshot(state), ...state.future.slice(0, index)];
  return restore({ ...state, past, future: state.future.slice(index + 1) }, target);
}

/** @param {State} state @param {Snapshot} target @returns {State} */
function restore(state, target) {
  const same = target.node === state.node;
  const next = moveTo(state, visit(state.tree, target.node), target.node, target.touches);
  return { ...next, answer: same ? state.answer : null, paused: true };
}

/** @param {State} state */
export const canUndo = (state) => state.past.some((at) => isStop(state, at));
/** @param {State} state */
export const canRedo = (state) => state.future.length > 0;
