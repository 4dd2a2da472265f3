// The explorer of Fanorona for programs: its API, answered by the WebAssembly module.

import load, { Site } from "./module/fanorona.js";
import { ApiError, errorOf, url } from "./web/js/routes.js";
import { ask } from "./web/static/loop.js";
import { ShardError, Shards } from "./web/static/shards.js";

export { ApiError };

/** @typedef {import("./web/js/routes.js").Routes} Routes */
/** @typedef {import("./web/js/routes.js").GetRoute} GetRoute */
/** @typedef {import("./web/js/routes.js").PostRoute} PostRoute */
/** @template {GetRoute} R @typedef {import("./web/js/routes.js").Query<R>} Query */
/** @template {PostRoute} R @typedef {import("./web/js/routes.js").Body<R>} Body */
/** @template {keyof Routes} R @typedef {import("./web/js/routes.js").Answer<R>} Answer */
/** The routes that answer by events. @typedef {{[R in keyof Routes]: Routes[R]["responses"][200]["content"] extends {"text/event-stream": any} ? R : never}[keyof Routes]} StreamRoute */
/** @template {StreamRoute} R @typedef {R extends PostRoute ? Body<R> : R extends GetRoute ? Query<R> : never} StreamInput */
/** Takes an event. @typedef {(name: string, data: any) => void} Listener */

/** A module of Node; nothing in a browser. @param {string} name */
const ofNode = (name) => /** @type {any} */ (globalThis).process?.getBuiltinModule?.(`node:${name}`);
const files = ofNode("fs/promises");

// Bundlers find addresses only as a whole.
const moduleAddress = new URL("./module/fanorona_bg.wasm", import.meta.url);

/** A site without tables and certificates. */
const NOTHING = {
  format: 1,
  program: "",
  version: "0000000000000000",
  shard: 32768,
  assets: [],
  tables: [],
  proofs: [],
  answers: [],
};

/** The routes with events, and how they are asked. @type {Record<StreamRoute, "GET" | "POST">} */
const STREAMS = { analysis: "GET", check: "GET", review: "POST", search: "GET" };

/** Who listens to the events of requests. @type {Map<number, Listener>} */
const listeners = new Map();
let ids = 0;

/** @type {any} */ (globalThis).fanoronaEvent = (/** @type {number} */ id, /** @type {string} */ name, /** @type {string} */ json) =>
  listeners.get(id)?.(name, JSON.parse(json));

/** The address of a site, with a slash at its end. @param {URL | string} site */
function addressOf(site) {
  const isAddress = site instanceof URL || /^(https?|file):/.test(site);
  const base = files && !isAddress ? ofNode("url").pathToFileURL(site) : new URL(site, globalThis.document?.baseURI ?? globalThis.location?.href);
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return base.href;
}

/** @param {string} address @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function read(address) {
  const isFile = files && address.startsWith("file:");
  const failed = (/** @type {string} */ code, /** @type {string} */ why) => new ApiError(code, `${address}: ${why}`, null, null);
  let response;
  try {
    if (isFile) return new Uint8Array(await files.readFile(new URL(address)));
    response = await fetch(address);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    const { cause, message } = /** @type {any} */ (error);
    throw failed(isFile ? "missing" : "offline", cause?.message ?? message);
  }
  throw failed(response.status < 500 ? "missing" : "offline", `status ${response.status}`);
}

/** Shards on a disk or a host. */
class Parts extends Shards {
  /** @override @param {string} checksum @param {boolean} again @returns {Promise<Uint8Array | "missing" | "offline">} */
  async ask(checksum, again) {
    if (!this.base.startsWith("file:")) return super.ask(checksum, again);
    return read(this.addressOf(checksum)).catch((error) => error.code);
  }
}

/** Rules, engine and proof search, and the tables and certificates of a site if one is given. */
export class Fanorona {
  /** @type {Site} */
  #site;
  /** @type {Parts} */
  #shards;

  /** @param {Site} site @param {Parts} shards @private */
  constructor(site, shards) {
    this.#site = site;
    this.#shards = shards;
  }

  /**
   * Loads the module. `site` is a folder that `fanorona site` has written: an address, or a directory in
   * Node. Its tables are read in parts, when a request needs them, and kept in memory as long as the
   * program runs: open a site once.
   * @param {{site?: URL | string}} [options]
   * @returns {Promise<Fanorona>}
   */
  static async open({ site } = {}) {
    await load({ module_or_path: files ? await read(moduleAddress.href) : moduleAddress });
    const base = site === undefined ? "" : addressOf(site);
    const manifest = base ? new TextDecoder().decode(await read(`${base}manifest.json`)) : JSON.stringify(NOTHING);
    try {
      const made = new Site(manifest);
      return new Fanorona(made, new Parts(base, JSON.parse(manifest).shard, null, () => {}));
    } catch (error) {
      throw typeof error === "string" ? new ApiError("manifest", error, null, null) : error;
    }
  }

  /**
   * Asks for an answer. An error is an {@link ApiError}.
   * @template {Exclude<GetRoute, StreamRoute>} R
   * @param {R} route @param {Query<R>} [query]
   * @returns {Promise<Answer<R>>}
   */
  get(route, query) {
    return this.#ask(url(route, query), undefined, null);
  }

  /**
   * The same by POST.
   * @template {Exclude<PostRoute, StreamRoute>} R
   * @param {R} route @param {Body<R>} body
   * @returns {Promise<Answer<R>>}
   */
  post(route, body) {
    return this.#ask(`api/v1/${route}`, body, null);
  }

  /**
   * Asks for events until their end. The module calls `event` from the midst of its work, which blocks
   * the thread.
   * @template {StreamRoute} R
   * @param {R} route @param {StreamInput<R>} input the query, or what is posted @param {Listener} event
   * @returns {Promise<void>}
   */
  async stream(route, input, event) {
    /** @type {ApiError | null} */
    let failed = null;
    /** @type {Listener} */
    const listen = (name, data) => {
      if (name === "failed") failed = errorOf(data, 200);
      else event(name, data);
    };
    const isPosted = STREAMS[route] === "POST";
    const address = url(/** @type {any} */ (route), isPosted ? {} : input);
    await this.#ask(address, isPosted ? input : undefined, listen);
    if (failed) throw failed;
  }

  /**
   * @param {string} address @param {object | undefined} body @param {Listener | null} listen
   * @returns {Promise<any>}
   */
  async #ask(address, body, listen) {
    ids += 1;
    const id = ids;
    if (listen) listeners.set(id, listen);
    const method = body === undefined ? "GET" : "POST";
    const request = { id, method, address, body: body && JSON.stringify(body) };
    try {
      const text = await ask(this.#site, request, {
        load: (checksum, accept) => this.#shards.load(checksum, accept, null),
      });
      const answer = JSON.parse(text ?? "null");
      if (answer.status >= 400) throw errorOf(answer.body, answer.status);
      return answer.body;
    } catch (error) {
      throw error instanceof ShardError ? new ApiError(error.code, error.message, null, null) : error;
    } finally {
      listeners.delete(id);
    }
  }
}
