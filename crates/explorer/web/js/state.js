// The state of the page and its reducer. Pure: no request, no document, no clock.

import { dragStone, touchPoint, walk } from "./moving.js";
import {
  lineThrough,
  newTree,
  nodeAt,
  pathTo,
  playTurn,
  promote,
  removeBranch,
  turnsOf,
  visit,
} from "./tree.js";

/** @typedef {import("./api-types").Side} Side */
/** @typedef {import("./api-types").PositionAnswer} Position */
/** How a game ends: as the server says, or by its players. @typedef {Omit<import("./api-types").End, "reason"> & {reason: import("./api-types").EndReason | "rules" | "resigned" | "agreed" | "time" | "recorded"}} End */
/** @typedef {import("./moving.js").Touch} Touch */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./card.js").Card} Card */
/** @typedef {import("./clock.js").Clock} Clock */
/** @typedef {"play" | "explore" | "edit" | "tables" | "puzzles" | "settings"} View */
/** @typedef {number | `engine:${string}`} Program a level, or an external engine by its name */
/** @typedef {"person" | Program} Player */

/**
 * @typedef {object} Settings
 * @property {"auto" | "light" | "dark"} theme
 * @property {"wood" | "cloth" | "slate"} boardStyle
 * @property {"classic" | "jewel" | "marked"} stones
 * @property {boolean} colourBlind
 * @property {boolean} sound
 * @property {boolean} coordinates
 * @property {boolean} hints show values while playing
 * @property {boolean} shortcuts single keys
 * @property {"slow" | "normal" | "fast"} pace of the program's relays
 * @property {boolean} flipped
 * @property {string} clock of new games: minutes and seconds, as in "5+3", or ""
 * @property {string} language
 */

/** @typedef {{node: number, touches: readonly Touch[]}} Snapshot */
/** `goal` is the distance to win, 0 if it is unknown; `line` has the turns of a puzzle, `shown` that they are being shown. @typedef {{kind: "win" | "draw", root: number, goal: number, lost: null | {node: number, better: string[]}, line: readonly string[] | null, turned?: boolean, shown?: boolean}} Drill */
/** @typedef {{white: Set<string>, black: Set<string>, toMove: Side, tool: "white" | "black" | "empty"}} Draft */
/** `hint` is the turn that a hint shows. @typedef {{path: string[], captured: string[], value?: import("./api-types").KnownValue, hint?: string}} Preview */
/** @typedef {{node: number, mover: Side, steps: import("./api-types").PlayedStep[], shown: number, turn: string}} Showing */
/** @typedef {{text: string, before: State}} Notice */
/** A step of the lesson. `root` is the node from which the person moves. @typedef {{step: number, root: number, done: boolean, before: State}} Lesson */
/** @typedef {{repetition: boolean, without_capture: number | null, claim: boolean}} DrawSettings */

/**
 * @typedef {object} State
 * @property {import("./api-types").AboutAnswer | null} about
 * @property {import("./api-types").BoardAnswer} info board and rules
 * @property {readonly Node[]} tree
 * @property {number} node the node on the board
 * @property {readonly Touch[]} touches
 * @property {readonly Snapshot[]} past
 * @property {readonly Snapshot[]} future
 * @property {{white: Player, black: Player}} players
 * @property {DrawSettings} draws
 * @property {{node: number, end: End} | null} ended by resignation, a claim or on time
 * @property {Card} card
 * @property {Clock | null} clock
 * @property {boolean} started by a person in the form, as long as it lasts
 * @property {boolean} paused the program waits
 * @property {View} view
 * @property {Position | null} answer for the node on the board, or null while it is on its way
 * @property {import("./api-types").GameAnswer | null} review of the line
 * @property {string} reviewed the turns that `review` is for
 * @property {{node: number, end: End | null} | null} check of the draw settings
 * @property {readonly Deep[]} deep what reviews have found, by line, the newest last
 * @property {boolean} reviewing a review of the line on the board is wanted
 * @property {import("./api-types").AnalysisAnswer | null} analysis of the position on the board
 * @property {import("./api-types").AnalysisLine | import("./api-types").TurnEntry | null} threat what the other side would play
 * @property {readonly Mark[]} marks a person's own arrows and circles
 * @property {boolean} thinking
 * @property {import("./api-types").OpponentAnswer | null} reply the program's last answer
 * @property {string | null} error
 * @property {Notice | null} notice what was done, with a way back
 * @property {boolean} offline the server does not answer
 * @property {Showing | null} showing a relay in replay
 * @property {Preview | null} preview a turn that is pointed at in a list
 * @property {{point: string} | null} stuck an own stone that was touched and cannot move
 * @property {number | null} seen the node of an end that a person has seen
 * @property {Draft | null} draft
 * @property {Drill | null} drill
 * @property {Lesson | null} lesson
 * @property {boolean} help
 * @property {Settings} settings
 */

/** @typedef {{turn: string, path: string[], captured: string[], position: string}} PlayedTurn */
/** From a point to a point; a circle if they are the same. @typedef {{from: string, to: string}} Mark */
/** `line` is what a review is kept under. @typedef {{line: string, found: Map<number, import("./api-types").ReviewPosition>, done: import("./api-types").ReviewDone | null}} Deep */

/**
 * @typedef {{type: "touch", point: string}
 *   | {type: "drag", from: string, to: string}
 *   | {type: "choose", kind: import("./api-types").StepKind}
 *   | {type: "end-turn"} | {type: "cancel"} | {type: "undo"} | {type: "redo"}
 *   | {type: "go", node: number}
 *   | {type: "play", turn: PlayedTurn}
 *   | {type: "reply", node: number, reply: import("./api-types").OpponentAnswer}
 *   | {type: "resume"} | {type: "pause"}
 *   | {type: "remove", node: number} | {type: "promote", node: number}
 *   | {type: "game", info: import("./api-types").BoardAnswer, tree: readonly Node[], node: number, paused: boolean, started?: boolean, card?: Card, view?: View, drill?: Drill,
 *      ended?: State["ended"], clock?: Clock | null, players?: State["players"], draws?: DrawSettings, lesson?: Lesson}
 *   | {type: "lesson", lesson: Lesson}
 *   | {type: "about", about: import("./api-types").AboutAnswer}
 *   | {type: "answer", node: number, answer: Position}
 *   | {type: "review", turns: string, review: import("./api-types").GameAnswer}
 *   | {type: "judged", line: string, position: import("./api-types").ReviewPosition}
 *   | {type: "review-done", line: string, done: import("./api-types").ReviewDone}
 *   | {type: "reviewing", reviewing: boolean}
 *   | {type: "analysis", node: number, analysis: import("./api-types").AnalysisAnswer}
 *   | {type: "threat", node: number, threat: State["threat"]}
 *   | {type: "mark", mark: Mark}
 *   | {type: "check", node: number, end: End | null}
 *   | {type: "thinking", thinking: boolean}
 *   | {type: "view", view: View}
 *   | {type: "players", players: {white: Player, black: Player}}
 *   | {type: "draws", draws: DrawSettings}
 *   | {type: "end", end: End} | {type: "seen"}
 *   | {type: "clock", clock: Clock}
 *   | {type: "offline", offline: boolean}
 *   | {type: "error", error: string | null}
 *   | {type: "notice", notice: Notice | null}
 *   | {type: "restore", state: State}
 *   | {type: "flip"}
 *   | {type: "show", showing: Showing | null}
 *   | {type: "preview", preview: Preview | null}
 *   | {type: "draft", draft: Draft | null}
 *   | {type: "drill-lost", node: number, better: string[]}
 *   | {type: "help", help: boolean}
 *   | {type: "settings", settings: Partial<Settings>}} Action
 */

/** The level that plays if nothing else is chosen. */
export const DEFAULT_LEVEL = 2;

/** The draws of games for which nobody has chosen others. @type {DrawSettings} */
export const DEFAULT_DRAWS = { repetition: true, without_capture: null, claim: true };

/** @type {Settings} */
export const DEFAULT_SETTINGS = {
  theme: "auto",
  boardStyle: "wood",
  stones: "classic",
  colourBlind: false,
  sound: true,
  coordinates: true,
  hints: false,
  shortcuts: true,
  pace: "normal",
  flipped: false,
  clock: "",
  language: "",
};

/** @param {import("./api-types").BoardAnswer} info @param {Settings} settings @param {{white: Player, black: Player}} players @param {DrawSettings} draws @returns {State} */
export const initialState = (info, settings, players, draws) => ({
  about: null,
  info,
  tree: newTree(info.start),
  node: 0,
  touches: [],
  past: [],
  future: [],
  players,
  draws,
  ended: null,
  card: { id: 0, seed: 0, date: "", names: null },
  clock: null,
  started: false,
  paused: true,
  view: "play",
  answer: null,
  review: null,
  reviewed: "",
  deep: [],
  reviewing: false,
  analysis: null,
  threat: null,
  marks: [],
  check: null,
  thinking: false,
  reply: null,
  error: null,
  notice: null,
  offline: false,
  showing: null,
  preview: null,
  stuck: null,
  seen: null,
  draft: null,
  drill: null,
  lesson: null,
  help: false,
  settings,
});

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
      return { ...play(remember(state), { ...action.reply, captured }), reply: action.reply };
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
        review: null,
        reviewed: "",
        draft: null,
        drill: action.drill ?? null,
        notice: null,
        lesson: action.lesson ?? null,
        view: action.view ?? state.view,
        error: null,
      };
    case "about":
      return { ...state, about: action.about, players: offered(action.about, state.players) };
    case "answer":
      return action.node === state.node ? { ...state, answer: action.answer } : state;
    case "review":
      return withDeep({ ...state, review: action.review, reviewed: action.turns });
    case "judged": {
      const before = state.deep.find(({ line }) => line === action.line);
      const found = new Map(before?.found).set(action.position.ply, action.position);
      return keepDeep(state, { line: action.line, found, done: null });
    }
    case "review-done": {
      const before = state.deep.find(({ line }) => line === action.line);
      const found = before?.found ?? new Map();
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
    case "check":
      return { ...state, check: { node: action.node, end: action.end } };
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
      return { ...state, draws: action.draws, check: null };
    case "end":
      return { ...state, ended: { node: state.node, end: action.end }, touches: [], preview: null, seen: null };
    case "seen":
      return { ...state, seen: state.node };
    case "lesson":
      return { ...state, lesson: action.lesson };
    case "notice":
      return { ...state, notice: action.notice };
    case "restore":
      return { ...state, ...gameOf(action.state), lesson: null, notice: null, error: null, thinking: false };
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
        ? {
            ...state,
            drill: { ...state.drill, lost: { node: action.node, better: action.better } },
          }
        : state;
    case "help":
      return { ...state, help: action.help };
    case "settings":
      return { ...state, settings: { ...state.settings, ...action.settings } };
  }
}

/** The parts of the state that a game needs, to come back to it. @param {State} state */
const gameOf = ({
  info, tree, node, touches, past, future, players, draws, ended, answer, review, reviewed, check, reply, drill, view,
  card, clock, started,
}) => ({
  info, tree, node, touches, past, future, players, draws, ended, answer, review, reviewed, check, reply, drill, view,
  card, clock, started,
  paused: true,
  showing: null,
  preview: null,
  draft: null,
});

/** Whether Black is at the bottom: as set, or in a drill the person. @param {State} state */
export const isFlipped = ({ drill, tree, settings }) =>
  drill
    ? (nodeAt(tree, drill.root).toMove === "black") !== (drill.turned ?? false)
    : settings.flipped;
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
  return withDeep({ ...state, deep: [...others, deep] });
}

/** The state with what a review has found in its judgement of the line. @param {State} state @returns {State} */
function withDeep(state) {
  const { review } = state;
  const deep = state.deep.find(({ line }) => line === state.reviewed);
  if (!review || !deep) return state;
  const positions = review.positions.map((known, ply) => deep.found.get(ply) ?? known);
  const turns = review.turns.map((known, ply) => deep.found.get(ply)?.turn ?? known);
  return { ...state, review: { ...review, positions, turns } };
}

/** How an external engine begins as a player. */
const ENGINE = "engine:";

/** Whether a player is an external engine. @param {unknown} player @returns {player is `engine:${string}`} */
export const isEngine = (player) => typeof player === "string" && player.startsWith(ENGINE);

/** The name of an external engine. @param {`engine:${string}`} engine */
export const engineName = (engine) => engine.slice(ENGINE.length);

/**
 * The players, with a level in the place of each engine that the server no longer has.
 * @param {import("./api-types").AboutAnswer} about @param {State["players"]} players
 * @returns {State["players"]}
 */
function offered(about, players) {
  const known = (/** @type {Player} */ player) =>
    isEngine(player) && !about.engines.some(({ name }) => name === engineName(player))
      ? DEFAULT_LEVEL
      : player;
  return { white: known(players.white), black: known(players.black) };
}

/** The turn in the making. @param {State} state */
export const currentWalk = (state) => (state.answer ? walk(state.answer, state.touches) : null);

/** @param {State} state @returns {Node} */
export const currentNode = (state) => nodeAt(state.tree, state.node);

/** @param {State} state @returns {string[]} */
export const turnsToHere = (state) => turnsOf(pathTo(state.tree, state.node));

/** Whether a person may move the stones now. @param {State} state */
export function personMoves(state) {
  if (state.view === "edit" || state.showing || gameEnd(state)) return false;
  if (state.view === "explore") return true;
  if (state.lesson) return !state.lesson.done && currentNode(state).toMove === "white";
  if (state.drill) return currentNode(state).toMove === nodeAt(state.tree, state.drill.root).toMove;
  return state.players[currentNode(state).toMove] === "person";
}

/** The program whose turn it is, or null. @param {State} state @returns {Program | null} */
export function programToMove(state) {
  if (state.view === "explore" || state.view === "edit" || gameEnd(state)) return null;
  if (state.drill) {
    const person = nodeAt(state.tree, state.drill.root).toMove;
    if (state.drill.line || currentNode(state).toMove === person) return null;
    const levels = (state.about?.levels ?? []).filter((level) => level.name !== "unbeatable");
    return levels.at(-1)?.number ?? null;
  }
  const player = state.players[currentNode(state).toMove];
  return player === "person" ? null : player;
}

/** How the game ended at this node, or null. @param {State} state @returns {End | null} */
export function gameEnd(state) {
  const check = state.check?.node === state.node ? state.check.end : null;
  if (state.answer?.outcome) return check ?? { outcome: state.answer.outcome, reason: "rules" };
  // Whoever explores goes on after resignations and claims.
  if (state.view === "explore") return null;
  if (state.ended?.node === state.node) return state.ended.end;
  return check && drawsAtOnce(state) ? check : null;
}

/** Whether the result lies over the board: not where a person looks back at an end. @param {State} state */
export const showsResult = (state) =>
  state.view === "play" &&
  !state.lesson &&
  !state.showing &&
  state.seen !== state.node &&
  currentNode(state).children.length === 0 &&
  gameEnd(state) !== null;

/** Whether a person has won, and against whom does not matter. @param {State} state @param {End} end */
export const personWon = (state, { outcome }) =>
  outcome !== "draw" &&
  (state.drill
    ? nodeAt(state.tree, state.drill.root).toMove === outcome
    : state.players[outcome] === "person");

/** Whether a draw ends the game at once: the program does not claim. @param {State} state */
export const drawsAtOnce = (state) =>
  !state.draws.claim ||
  (state.view !== "explore" &&
    state.players.white !== "person" &&
    state.players.black !== "person");

/** The draw that may be claimed now, or null. @param {State} state @returns {End | null} */
export const claimable = (state) =>
  state.view === "play" &&
  !state.drill &&
  !drawsAtOnce(state) &&
  !gameEnd(state) &&
  state.check?.node === state.node
    ? state.check.end
    : null;

/** Whether a side must capture: it can, and no turn without a capture is allowed. @param {Position} answer */
export const mustCapture = ({ steps }) =>
  steps.length > 0 && steps.every(({ kind }) => kind !== "paika");

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
  check: state.check?.node === node ? state.check : null,
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
