// The routes of the API: their addresses, types and errors. The npm package has this file too.

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

/** The error of an answer. @param {any} body @param {number} status */
export const errorOf = (body, status) =>
  new ApiError(
    body?.error?.code ?? (status >= 502 ? "offline" : "internal"),
    body?.error?.message ?? `The server answered with status ${status}.`,
    body?.error?.expected ?? null,
    body?.error?.field ?? null,
  );

/** @typedef {import("./api-types.js").operations} Routes */
/** @typedef {{[R in keyof Routes]: Routes[R] extends {requestBody: object} ? R : never}[keyof Routes]} PostRoute */
/** @typedef {Exclude<keyof Routes, PostRoute>} GetRoute */
/** @template {GetRoute} R @typedef {Routes[R]["parameters"]["query"]} Query */
/** @template {PostRoute} R @typedef {Routes[R]["requestBody"]["content"]["application/json"]} Body */
/** @template {keyof Routes} R @typedef {Routes[R]["responses"][200]["content"] extends {"application/json": infer A} ? A : never} Answer */

/** The address of a request. @template {GetRoute} R @param {R} route @param {Query<R>} [query] */
export function url(route, query) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `api/v1/${route}${text ? `?${text}` : ""}`;
}
