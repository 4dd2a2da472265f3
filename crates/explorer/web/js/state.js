// The state of the page, and questions about it. Pure: no request, no document, no clock.

import { walk } from "./moving.js";
import { lineThrough, newTree, nodeAt, pathTo, turnsOf } from "./tree.js";

/** @typedef {import("./api-types").Side} Side */
/** @typedef {import("./api-types").PositionAnswer} Position */
/** How a game ends: as the server says, or by its players. @typedef {Omit<import("./api-types").End, "reason"> & {reason: import("./api-types").EndReason | "rules" | "resigned" | "agreed" | "time" | "recorded"}} End */
/** @typedef {import("./moving.js").Touch} Touch */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./card.js").Card} Card */
/** @typedef {import("./clock.js").Clock} Clock */
/** @typedef {"play" | "explore" | "edit" | "tables" | "puzzles" | "settings"} View */
/** @typedef {"person" | number} Player a person, or the program at a level */

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
 * @property {boolean} upright turn a wide board by a right angle, on a phone held upright
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
 * @property {import("./api-types").AboutAnswer | null} about with the levels of this game
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
 * @property {boolean} started by a person, before its first turn too
 * @property {boolean} paused the program waits
 * @property {View} view
 * @property {Position | null} answer for the node on the board, or null while it is on its way
 * @property {ReadonlyMap<number, Fact>} facts what was answered about nodes of the game
 * @property {readonly Deep[]} deep what reviews have found, by line, the newest last
 * @property {boolean | Side} reviewing a review of the line on the board is wanted, up to the first mistake of a side
 * @property {import("./api-types").AnalysisAnswer | null} analysis of the position on the board
 * @property {import("./api-types").ChosenTurn | import("./api-types").TurnEntry | null} threat what the other side would play
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
/** A node: its value and end, and the turn that leads there. @typedef {{position: import("./api-types").GamePosition, turn: import("./api-types").GameTurn | null}} Fact */
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
 *   | {type: "facts", node: number, line: readonly Node[], game: import("./api-types").GameAnswer}
 *   | {type: "judged", line: string, position: import("./api-types").ReviewPosition}
 *   | {type: "review-done", line: string, done: import("./api-types").ReviewDone}
 *   | {type: "reviewing", reviewing: State["reviewing"]}
 *   | {type: "analysis", node: number, analysis: import("./api-types").AnalysisAnswer}
 *   | {type: "threat", node: number, threat: State["threat"]}
 *   | {type: "mark", mark: Mark}
 *   | {type: "thinking", thinking: boolean}
 *   | {type: "view", view: View}
 *   | {type: "players", players: {white: Player, black: Player}}
 *   | {type: "draws", draws: DrawSettings}
 *   | {type: "end", end: End} | {type: "seen"}
 *   | {type: "clock", clock: Clock | null}
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
export const DEFAULT_LEVEL = 1;

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
  upright: false,
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
  facts: new Map(),
  deep: [],
  reviewing: false,
  analysis: null,
  threat: null,
  marks: [],
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

/** Whether the game on the board has no turn yet. @param {State} state */
export const hasNoTurn = ({ tree, drill, lesson }) => tree.length === 1 && !drill && !lesson;

/** Whether a game is set up and can still be chosen. @param {State} state */
export const isSetUp = (state) => hasNoTurn(state) && !state.started;

/** Whether Black is at the bottom: as set, or in a drill the person. @param {State} state */
export const isFlipped = ({ drill, tree, settings }) =>
  drill
    ? (nodeAt(tree, drill.root).toMove === "black") !== (drill.turned ?? false)
    : settings.flipped;

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

/** The level of the program if it is its turn, or null. @param {State} state @returns {number | null} */
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

/** How the rules and the draw settings end the game here, or null; undefined as long as that is not known. @param {State} state */
export const endHere = ({ node, facts, answer }) =>
  facts.has(node) || node !== 0 || answer?.outcome ? facts.get(node)?.position.end : null;

/** The line on the board, by which a review is kept. @param {State} state */
export const lineKey = ({ info, tree, node }) =>
  [info.board, info.rules, nodeAt(tree, 0).position, ...turnsOf(lineThrough(tree, node))].join(" ");

/** The findings of the review of a line, if there is one. @param {State} state */
export const deepOf = (state, key = lineKey(state)) => state.deep.find(({ line }) => line === key) ?? null;

/** The known values of each position of the line and of the turn before it, with the findings of a review. @param {State} state */
export function lineFacts(state) {
  const found = deepOf(state)?.found;
  return lineThrough(state.tree, state.node).map(({ id }, ply) => ({
    position: found?.get(ply) ?? state.facts.get(id)?.position ?? null,
    turn: found?.get(ply - 1)?.turn ?? state.facts.get(id)?.turn ?? null,
  }));
}

/** How the game ended at this node, or null. @param {State} state @returns {End | null} */
export function gameEnd(state) {
  const check = endHere(state) ?? null;
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

/** The side of a person who has just won, or null. Looking at the end of a game is no win. @param {State} state @returns {Side | null} */
export function justWon(state) {
  const outcome = gameEnd(state)?.outcome;
  if (!outcome || outcome === "draw" || state.paused || state.view === "explore") return null;
  const { drill, players } = state;
  const person = drill ? nodeAt(state.tree, drill.root).toMove === outcome : players[outcome] === "person";
  return person ? outcome : null;
}

/** Whether a draw ends the game at once: the program does not claim. @param {State} state */
export const drawsAtOnce = (state) =>
  !state.draws.claim ||
  (state.view !== "explore" &&
    state.players.white !== "person" &&
    state.players.black !== "person");

/** The draw that may be claimed now, or null. @param {State} state @returns {End | null} */
export const claimable = (state) =>
  state.view === "play" && !state.drill && !drawsAtOnce(state) && !gameEnd(state) ? (endHere(state) ?? null) : null;

/** Whether a side must capture: it can, and no turn without a capture is allowed. @param {Position} answer */
export const mustCapture = ({ steps }) =>
  steps.length > 0 && steps.every(({ kind }) => kind !== "paika");
