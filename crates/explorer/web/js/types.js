// Types of the API's answers. The OpenAPI document of the server describes every field.

/** @typedef {"white" | "black"} Side */
/** @typedef {"win" | "draw" | "loss" | "unknown"} Value */
/** @typedef {"win" | "draw" | "loss"} Known */
/** @typedef {"paika" | "approach" | "withdrawal"} Kind */

/**
 * @typedef {object} Valued
 * @property {Value} value
 * @property {Known} at_least
 * @property {Known} at_most
 * @property {number | null} dtw
 */

/**
 * @typedef {object} StepPart
 * @property {string} from
 * @property {string} to
 * @property {Kind} kind
 * @property {string[]} captured
 */

/** @typedef {StepPart & Valued & {turn: string, turn_index: number | null, next: Step[]}} Step */

/**
 * @typedef {Valued & {
 *   turn: string, source: string, position: string, to_move: Side, captured: string[],
 *   path: string[], holds: boolean, replies_that_hold: number | null }} Turn
 */

/** @typedef {{white: string[], black: string[]}} Stones */

/**
 * @typedef {Valued & {
 *   board: string, rules: string, position: string, to_move: Side, width: number, height: number,
 *   stones: Stones, outcome: null | Side | "draw", source: string, basis: string,
 *   missing: null | {stones: number, slices: string[], build: Build},
 *   best: string | null, turns: Turn[], steps: Step[] }} Position
 */

/**
 * @typedef {object} BoardInfo
 * @property {string} board
 * @property {number} width
 * @property {number} height
 * @property {string[]} points
 * @property {[string, string][]} links
 * @property {string} start
 * @property {string} rules
 * @property {number} max_stones
 */

/** @typedef {{number: number, name: string, limits: string, available: boolean, missing: string | null}} Level */

/**
 * @typedef {object} About
 * @property {string} name
 * @property {string} version
 * @property {string[]} boards
 * @property {{name: string, rules: string}[]} presets
 * @property {Level[]} levels
 * @property {{name: string}[]} engines
 * @property {{search_seconds: number, opponent_seconds: number}} limits
 * @property {{board: string, rules: string, max_stones: number, metric: string}[]} tables
 * @property {{board: string, rules: string, position: string, at_least: Known, at_most: Known}[]} books
 */

/** @typedef {Valued & {position: string, to_move: Side, source: string}} GamePosition */
/** @typedef {"loses_win" | "loses_draw" | "misses_win" | "slower"} Mistake */

/**
 * @typedef {object} GameTurn
 * @property {string} turn
 * @property {string[]} captured
 * @property {string[]} path
 * @property {Value} value
 * @property {number | null} dtw
 * @property {Mistake | null} mistake
 * @property {string[]} better
 */

/** @typedef {{result: Side | "draw", reason: string}} End */

/**
 * @typedef {object} Game
 * @property {string} board
 * @property {string} rules
 * @property {string} start
 * @property {GamePosition[]} positions
 * @property {GameTurn[]} turns
 * @property {End | null} end
 * @property {string} record
 */

/** @typedef {{threefold: boolean, without_capture: number | null}} Draws */

/**
 * @typedef {Valued & {
 *   turn: string, path: string[], steps: StepPart[], position: string, basis: string,
 *   estimate: number | null, line: string[], depth: number, nodes: number, seconds: number,
 *   note: string | null }} Reply
 */

/** @typedef {{turn: string, position: string, to_move: Side, value: Value, dtw: number | null, captured: string[]}} LineTurn */
/** @typedef {{position: string, value: Value, dtw: number | null, line: LineTurn[], end: string}} Line */

/** @typedef {{attacker: Side, answer: boolean | null, proof: number | null, disproof: number | null}} Question */

/**
 * @typedef {object} Progress
 * @property {string} position
 * @property {Known} at_least
 * @property {Known} at_most
 * @property {Value} value
 * @property {number} nodes
 * @property {number} table_hits
 * @property {number} seconds
 * @property {number} memory_filled
 * @property {Question[]} questions
 * @property {{turn: string, questions: Question[], nodes: number}[]} turns
 * @property {string | null} best
 * @property {string[]} line
 * @property {null | "proved" | "nodes" | "time" | "stopped"} end
 */

/** @typedef {{file_name: string, bytes: number, base64: string, check: string}} Certificate */

/**
 * @typedef {object} Slice
 * @property {string} slice
 * @property {number} own
 * @property {number} opponent
 * @property {string} metric
 * @property {number} positions
 * @property {number} win
 * @property {number} draw
 * @property {number} loss
 * @property {number | null} [max_win]
 * @property {number | null} [max_loss]
 * @property {Record<string, number>} [win_distances]
 * @property {Record<string, number>} [loss_distances]
 * @property {number} bytes
 */

/** @typedef {{command: string, memory_bytes: number, disk_bytes: number, fits_here: boolean}} Build */

/**
 * @typedef {object} TablesAnswer
 * @property {Slice[]} available
 * @property {{slice: string, metric: string, value: Value, dtw: number, position: string}[]} extremes
 * @property {{slice: string, kind: string, count: number, position: string | null}[]} zugzwangs
 * @property {{slice: string, stones: number}[]} missing
 * @property {Build | null} build
 * @property {number} total_bytes
 * @property {number} total_positions
 */

/** @typedef {{position: string, value: Value, dtw: number | null, seed: number, board: string, rules: string}} DrillAnswer */

export {};
