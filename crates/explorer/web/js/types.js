// Types of the API's answers. The OpenAPI document of the server describes every field.

/** @typedef {"white" | "black"} Side */
/** @typedef {"win" | "draw" | "loss" | "unknown"} Value */
/** @typedef {"win" | "draw" | "loss"} Known */
/** @typedef {"paika" | "approach" | "withdrawal"} Kind */

/**
 * @typedef {object} Valued
 * @property {Value} value
 * @property {Known} [at_least]
 * @property {Known} [at_most]
 * @property {number} [dtw]
 * @property {"rules" | "table" | "proof" | "search" | "estimate"} [source]
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
 *   turn: string, position: string, to_move: Side, captured: string[],
 *   path: string[], holds: boolean, replies_that_hold: number | null }} Turn
 */

/** @typedef {{white: string[], black: string[]}} Stones */

/**
 * @typedef {Valued & {
 *   board: string, rules: string, position: string, to_move: Side, width: number, height: number,
 *   stones: Stones, outcome: null | Side | "draw",
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
 * @property {{board: string, rules: string, position: string, source: string}[]} books
 */

/** @typedef {Valued & {position: string, to_move: Side}} GamePosition */
/** @typedef {"loses_win" | "loses_draw" | "misses_win" | "slower"} Mistake */

/**
 * @typedef {Valued & {
 *   turn: string, captured: string[], path: string[], mistake: Mistake | null, better: string[] }} GameTurn
 */

/** @typedef {{outcome: Side | "draw", reason: string}} End */

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

/** @typedef {{repetition: boolean, without_capture: number | null}} Draws */

/**
 * @typedef {Valued & {
 *   turn: string, path: string[], steps: StepPart[], position: string,
 *   estimate?: number, line: string[], depth: number, nodes: number, seconds: number,
 *   note: string | null }} Reply
 */

/** @typedef {Valued & {turn: string, position: string, captured: string[]}} LineTurn */
/** @typedef {Valued & {position: string, line: LineTurn[], end: string}} Line */

/** @typedef {{attacker: Side, answer: boolean | null, proof: number | null, disproof: number | null}} Question */

/**
 * @typedef {Valued & {
 *   position: string, nodes: number, table_hits: number, seconds: number, memory_filled: number,
 *   questions: Question[], turns: {turn: string, questions: Question[], nodes: number}[],
 *   best: string | null, line: string[],
 *   end: null | "proved" | "nodes" | "time" | "stopped" }} Progress
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
 * @property {number} [max_win]
 * @property {number} [max_loss]
 * @property {string} [max_win_position]
 * @property {string} [max_loss_position]
 * @property {Record<string, number>} [win_distances]
 * @property {Record<string, number>} [loss_distances]
 * @property {Zugzwangs} [zugzwangs]
 * @property {number} bytes
 */

/** @typedef {"full" | "draw_to_loss" | "win_to_draw"} ZugzwangKind */
/** @typedef {Record<ZugzwangKind, number> & {total: number, examples: {kind: ZugzwangKind, position: string}[]}} Zugzwangs */

/** @typedef {{command: string, memory_bytes: number, disk_bytes: number, fits_here: boolean}} Build */

/**
 * @typedef {object} TablesAnswer
 * @property {Slice[]} slices
 * @property {{slice: string, stones: number}[]} missing
 * @property {Build | null} build
 * @property {number} total_bytes
 * @property {number} total_positions
 */

/** @typedef {Valued & {position: string, seed: number, board: string, rules: string}} DrillAnswer */

export {};
