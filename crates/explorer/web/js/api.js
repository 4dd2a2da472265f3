// The server's API: one function a route. Answers are checked for errors, not for their shape.

/** @typedef {import("./types.js").Position} Position */

/** An error of the API, with what would be right. */
export class ApiError extends Error {
  /**
   * @param {string} code @param {string} message @param {string | null} expected
   * @param {string | null} field
   */
  constructor(code, message, expected, field) {
    super(message);
    this.code = code;
    this.expected = expected;
    this.field = field;
  }
}

/** @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * The text of an error for a person.
 * @param {unknown} error
 * @returns {string}
 */
export function errorText(error) {
  if (error instanceof ApiError) {
    return error.expected ? `${error.message} — ${error.expected}` : error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

/** @param {string} route @param {Record<string, string | number | boolean | null | undefined>} [query] */
export function url(route, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `api/v1/${route}${text ? `?${text}` : ""}`;
}

/** @param {string} address @param {RequestInit} init @returns {Promise<any>} */
async function request(address, init) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(address, init);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError("offline", "The server does not answer.", null, null);
  }
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (isAbort(error)) throw error;
  }
  if (response.ok && body !== null) return body;
  const about = body?.error;
  throw new ApiError(
    about?.code ?? "internal",
    about?.message ?? `The server answered with status ${response.status}.`,
    about?.expected ?? null,
    about?.field ?? null,
  );
}

/** @param {string} route @param {Record<string, any>} query @param {AbortSignal} [signal] */
function get(route, query, signal) {
  return request(url(route, query), { signal: signal ?? null });
}

/** @param {string} route @param {object} body @param {AbortSignal} [signal] */
function post(route, body, signal) {
  return request(url(route), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

/** @returns {Promise<import("./types.js").About>} */
export const about = () => get("about", {});

/** @param {string} board @param {string} rules @param {AbortSignal} [signal] @returns {Promise<import("./types.js").BoardInfo>} */
export const board = (board, rules, signal) => get("board", { board, rules }, signal);

/** @param {{board: string, rules: string, position: string, detail?: string}} query @param {AbortSignal} [signal] @returns {Promise<Position>} */
export const position = (query, signal) => get("position", query, signal);

/** @param {{board: string, rules: string, position: string}} query @param {AbortSignal} [signal] @returns {Promise<import("./types.js").Line>} */
export const line = (query, signal) => get("line", query, signal);

/** @param {{board: string, rules: string, position: string, turn: string}} query @returns {Promise<{turn: string, position: string}>} */
export const turn = (query) => get("turn", query);

/** @param {{board: string, rules: string, start: string, turns: string[], draw_rules?: import("./types.js").Draws}} body @param {AbortSignal} [signal] @returns {Promise<import("./types.js").Game>} */
export const game = (body, signal) => post("game", body, signal);

/** @param {string} text @returns {Promise<import("./types.js").Game>} */
export const record = (text) => post("record", { text });

/** @param {{board: string, rules: string, start: string, turns: string[], draw_rules?: import("./types.js").Draws, level?: number, engine?: string}} body @param {AbortSignal} [signal] @returns {Promise<import("./types.js").Reply>} */
export const opponent = (body, signal) => post("opponent", body, signal);

/** @param {string} board @param {string} rules @param {AbortSignal} [signal] @returns {Promise<import("./types.js").TablesAnswer>} */
export const tables = (board, rules, signal) => get("tables", { board, rules }, signal);

/** @param {{board: string, rules: string, kind: string, stones: number, seed: number}} query @returns {Promise<import("./types.js").DrillAnswer>} */
export const drill = (query) => get("drill", query);

/** @type {Map<string, Position>} */
const known = new Map();
const KNOWN_POSITIONS = 400;

/** @param {string} board @param {string} rules @param {string} position */
const keyOf = (board, rules, position) => `${board} ${rules} ${position}`;

/**
 * The full answer for a position if the page has asked for it before.
 * @param {string} board @param {string} rules @param {string} text
 */
export const cachedPosition = (board, rules, text) => known.get(keyOf(board, rules, text)) ?? null;

/**
 * The full answer for a position, with its step tree. Answers are kept.
 * @param {string} board @param {string} rules @param {string} text @param {AbortSignal} [signal]
 * @returns {Promise<Position>}
 */
export async function fullPosition(board, rules, text, signal) {
  const key = keyOf(board, rules, text);
  const before = known.get(key);
  if (before) return before;
  const answer = await position({ board, rules, position: text, detail: "tree" }, signal);
  const oldest = known.keys().next().value;
  if (known.size >= KNOWN_POSITIONS && oldest !== undefined) known.delete(oldest);
  known.set(key, answer);
  return answer;
}
