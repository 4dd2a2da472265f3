// Who answers the page: the server that sent it, or, in a folder without a server, the module in a
// web worker. That one is loaded by a script of its own (`static/client.js`), which leaves it in
// `globalThis.fanoronaBackend`.

/** A request: with a body, by POST. @typedef {{body?: string, signal?: AbortSignal | undefined}} Init */
/** An answer. One that never came has the status 504 and no body. @typedef {{status: number, body: any}} Reply */

/**
 * @typedef {object} Backend
 * @property {(address: string, init: Init) => Promise<Reply>} request
 * @property {(address: string, init: Init, event: (name: string, data: any) => void) => Promise<Reply>} events
 *   asks for a stream and reads it to its end; the reply has no body unless it is an error
 * @property {Local | null} local what there is besides where no server is
 */

/**
 * Tables that the browser keeps, and versions of the page.
 * @typedef {object} Local
 * @property {() => LocalState} state
 * @property {(changed: () => void) => void} watch
 * @property {(bytes: number) => void} setLimit
 * @property {() => void} empty
 * @property {(variant: Variant, stones: number) => void} keep fetches all tables up to so many stones
 * @property {() => void} stop ends that
 * @property {() => void} renew goes on with the new version, in all tabs
 * @property {(notice: "renewable" | "trouble") => void} dismiss
 */

/** @typedef {{board: string, rules: string}} Variant */

/**
 * @typedef {object} LocalState
 * @property {{shards: number, bytes: number} | null} loading what is on its way for an answer
 * @property {number} loadedBytes all that came over the network for tables since the page was opened
 * @property {{bytes: number, limit: number} | null} store `null` where the browser keeps nothing
 * @property {"full" | "damaged" | "missing" | null} trouble that was not dismissed
 * @property {(Variant & {stones: number, bytes: number, missing: number})[]} offers
 *   the tables of each variant up to each number of stones, and how much of them is not here
 * @property {(Variant & {stones: number, done: number, bytes: number, failed: boolean}) | null} keeping
 * @property {boolean} apart whether there is no network, so that only what is kept is known
 * @property {"" | "now" | "before"} kept when this page was kept, so that it opens without a network
 * @property {boolean} renewable whether a new version of the page is there
 */

/** @type {Reply} */
const NO_ANSWER = { status: 504, body: null };

/** @type {Backend} */
const server = {
  async request(address, init) {
    const response = await ask(address, init);
    return response ? { status: response.status, body: await bodyOf(response, init) } : NO_ANSWER;
  },
  async events(address, init, event) {
    const response = await ask(address, init);
    if (!response) return NO_ANSWER;
    if (!response.ok || !response.body) {
      return { status: response.status, body: await bodyOf(response, init) };
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      /** @type {ReadableStreamReadResult<string>} */
      let part;
      try {
        part = await reader.read();
      } catch (error) {
        if (init.signal?.aborted) throw error;
        return NO_ANSWER;
      }
      if (part.done) return { status: response.status, body: null };
      text += part.value;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const name = /^event: ?(.*)$/m.exec(block)?.[1];
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (name && data) event(name, JSON.parse(data));
      }
    }
  },
  local: null,
};

/** @param {string} address @param {Init} init @returns {Promise<Response | null>} */
async function ask(address, { body, signal }) {
  try {
    return await fetch(address, {
      signal: signal ?? null,
      ...(body === undefined
        ? {}
        : { method: "POST", body, headers: { "content-type": "application/json" } }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    return null;
  }
}

/** @param {Response} response @param {Init} init */
async function bodyOf(response, { signal }) {
  try {
    return await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    return null;
  }
}

/** @type {Backend} */
export const backend = /** @type {any} */ (globalThis).fanoronaBackend ?? server;
