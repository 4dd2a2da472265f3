// Asking for answers, which are checked for errors, not for their shape.

import { backend } from "./backend.js";
import { currentLanguage, t, tOr } from "./i18n.js";
import { ApiError, errorOf, url } from "./routes.js";

/** @typedef {import("./api-types").PositionAnswer} Position */

/** @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Whether the same request may succeed later. @param {unknown} error */
export const isTemporary = (error) =>
  error instanceof ApiError && ["offline", "busy", "timeout"].includes(error.code);

/** Errors that the page finds by itself. */
const OWN = ["offline", "damaged", "missing", "module"];

/** Whether something cannot be read, in contrast to not being answered. @param {unknown} error */
export const isRefusal = (error) =>
  error instanceof ApiError && !isTemporary(error) && !OWN.includes(error.code);

/**
 * The text of an error for a person. Answers are in English; other languages have a text for each code.
 * @param {unknown} error
 * @returns {string}
 */
export function errorText(error) {
  if (error instanceof ApiError) {
    if (OWN.includes(error.code) || currentLanguage() !== "en") return tOr(`error.${error.code}`, t("error.internal"));
    return error.expected ? `${error.message} — ${error.expected}` : error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

/** @typedef {import("./routes.js").PostRoute} PostRoute */
/** @typedef {import("./routes.js").GetRoute} GetRoute */
/** @template {GetRoute} R @typedef {import("./routes.js").Query<R>} Query */
/** @template {PostRoute} R @typedef {import("./routes.js").Body<R>} Body */
/** @template {keyof import("./routes.js").Routes} R @typedef {import("./routes.js").Answer<R>} Answer */

/** @param {string} address @param {import("./backend.js").Init} init @returns {Promise<any>} */
async function request(address, init) {
  document.querySelector(`link[href="${address}"]`)?.setAttribute("data-taken", "");
  const { status, body } = await backend.request(address, init);
  if (status < 400 && body !== null) return body;
  throw errorOf(body, status);
}

/**
 * Asks for a stream of events, and reads it to its end.
 * @param {string} address @param {object | null} body what is posted, if anything is
 * @param {AbortSignal} signal @param {(name: string, data: any) => void} event
 */
async function stream(address, body, signal, event) {
  const init = body ? { body: JSON.stringify(body), signal } : { signal };
  /** @type {unknown} */
  let failed = null;
  const reply = await backend.events(address, init, (name, data) => {
    if (name === "failed") failed = errorOf(data, 200);
    else if (!signal.aborted) event(name, data);
  });
  if (failed) throw failed;
  if (reply.status >= 400) throw errorOf(reply.body, reply.status);
}

/** @template {"analysis" | "check" | "search"} R @param {R} route @param {Query<R>} query @param {AbortSignal} signal @param {(name: string, data: any) => void} event */
export const follow = (route, query, signal, event) => stream(url(route, query), null, signal, event);

/** @param {import("./api-types").ReviewRequest} body @param {AbortSignal} signal @param {(name: string, data: any) => void} event */
export const review = (body, signal, event) => stream("api/v1/review", body, signal, event);

/** @template {GetRoute} R @param {R} route @param {Query<R>} [query] @param {AbortSignal} [signal] @returns {Promise<Answer<R>>} */
export function get(route, query, signal) {
  return request(url(route, query), { signal });
}

/** @template {PostRoute} R @param {R} route @param {Body<R>} body @param {AbortSignal} [signal] @returns {Promise<Answer<R>>} */
export function post(route, body, signal) {
  return request(`api/v1/${route}`, { body: JSON.stringify(body), signal });
}

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
  const answer = await get("position", { board, rules, position: text, detail: "tree" }, signal);
  keepPosition(answer);
  return answer;
}

/** Forgets what was answered. */
export const forgetPositions = () => known.clear();

/** Keeps a full answer, also one that knows more than before. @param {Position} answer */
export function keepPosition(answer) {
  const oldest = known.keys().next().value;
  if (known.size >= KNOWN_POSITIONS && oldest !== undefined) known.delete(oldest);
  known.set(keyOf(answer.board, answer.rules, answer.position), answer);
}
