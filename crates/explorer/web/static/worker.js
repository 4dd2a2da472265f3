// The worker that answers the page where no server is: it holds the module, and gives it the shards
// that it asks for. The page (client.js) tells it so:
//   start    the module, the manifest, where the folder is        → ready or unable
//   request  an address and a body                                → answer, failed or broken; event, wanted and loaded before
//   drop     nobody waits for a request any more                  → dropped
//   keep     files that the browser is to keep as a whole          → kept now and then, then keeps
//   limit, empty   the space for shards                           → stored

import { ask as askUntilAnswered } from "./loop.js";
import { ShardError, Shards } from "./shards.js";
import { openStore } from "./store.js";

/** @typedef {import("./shards.js").CutFile} CutFile */

/** @typedef {import("./loop.js").Site & {resident: () => number}} Site */
/** @typedef {import("./loop.js").Request} Request */
/** @typedef {{script: string, module: WebAssembly.Module, manifest: string, base: string, limit: number}} Start */

const scope = /** @type {any} */ (self);

/** Milliseconds for which the network is taken to be gone. */
const APART = 10_000;

/** @param {object} message */
const tell = (message) => scope.postMessage(message);

/** @typedef {{Site: new (manifest: string) => Site, site: Site, manifest: any, shards: Shards, sum: ((bytes: Uint8Array) => string) | null}} World */

/** @type {Promise<World>} */
let world = Promise.reject(new Error("not started"));
world.catch(() => {});

/** @param {Start} start @returns {Promise<World>} */
async function begin({ script, module, manifest: text, base, limit }) {
  const [store, code] = await Promise.all([openStore(limit), import(script)]);
  await code.default({ module_or_path: module });
  const manifest = JSON.parse(text);
  const shards = new Shards(base, manifest.shard, store, (bytes) => tell({ type: "arrived", bytes }));
  return { Site: code.Site, site: new code.Site(text), manifest, shards, sum: code.checksum ?? null };
}

scope.fanoronaEvent = (/** @type {number} */ id, /** @type {string} */ name, /** @type {string} */ json) =>
  tell({ type: "event", id, name, json });

/** Requests for which nobody waits any more. @type {Set<number>} */
const dropped = new Set();
/** @type {Set<number>} */
const running = new Set();

/** @param {Request} request */
async function answer(request) {
  const { id } = request;
  running.add(id);
  try {
    const { site } = await world;
    const text = await answered(await world, request);
    if (text !== null) tell({ type: "answer", id, text, resident: site.resident() });
  } catch (error) {
    if (error instanceof ShardError) tell({ type: "failed", id, code: error.code });
    // The module's memory cannot be trusted after it has stopped in the midst of its work.
    else tell({ type: "broken", id, message: String(error) });
  } finally {
    running.delete(id);
    if (dropped.delete(id)) tell({ type: "dropped", id });
  }
}

/**
 * The site that answers where shards cannot be had: with the files that are kept as a whole, and without the others.
 * @type {Site | null}
 */
let apart = null;
/** Until when the network is taken to be gone. */
let apartUntil = 0;

/** The answer's text, `null` if nobody waits for it. @param {World} world @param {Request} request */
async function answered(world, request) {
  const isApart = apartUntil > 0;
  if (apart && performance.now() < apartUntil) return ask(world, apart, request, false);
  try {
    const text = await ask(world, world.site, request, true);
    if (isApart) {
      apartUntil = 0;
      tell({ type: "apart", apart: false });
    }
    return text;
  } catch (error) {
    if (!(error instanceof ShardError)) throw error;
    const { code } = error;
    if (code === "offline") apartUntil = performance.now() + APART;
    tell(code === "offline" ? { type: "apart", apart: true } : { type: "trouble", code });
    const whole = new Set(await world.shards.store?.whole().catch(() => []));
    /** @type {{heads?: CutFile, tables: CutFile[], proofs: CutFile[]}} */
    const { heads, tables, proofs } = world.manifest;
    const known = heads && whole.has(heads.root);
    const manifest = {
      ...world.manifest,
      ...(known ? {} : { heads: undefined }),
      // The heads are in the order of all tables.
      tables: known ? tables.map((table) => ({ ...table, absent: !whole.has(table.root) })) : [],
      proofs: proofs.filter(({ root }) => whole.has(root)),
    };
    apart = new world.Site(JSON.stringify(manifest));
    return ask(world, apart, request, false);
  }
}

scope.addEventListener("online", () => {
  if (apartUntil === 0) return;
  apartUntil = 0;
  tell({ type: "apart", apart: false });
});

/** @param {World} world @param {Site} site @param {Request} request @param {boolean} online whether shards may be fetched */
function ask({ shards }, site, request, online) {
  const { id } = request;
  return askUntilAnswered(site, request, {
    isDropped: () => dropped.has(id),
    wanted: (count) => tell({ type: "wanted", id, shards: count }),
    async load(checksum, accept) {
      if (online) await shards.load(checksum, accept, null);
      else {
        const kept = await shards.store?.get(checksum);
        if (!kept || !accept(checksum, kept)) throw new ShardError("offline", checksum);
      }
      tell({ type: "loaded", id });
      if (shards.store?.full) tell({ type: "trouble", code: "full" });
      reportLater();
    },
  });
}

/** @type {AbortController | null} */
let keeping = null;
/** The bytes that arrived for it. */
let kept = 0;

/** Fetches files to keep them as a whole. @param {{files: CutFile[]}} order */
async function keep({ files }) {
  keeping?.abort();
  const controller = new AbortController();
  keeping = controller;
  kept = 0;
  let failed = null;
  try {
    const { shards, sum } = await world;
    const { store } = shards;
    if (!store) throw new Error("nothing can be kept");
    const accept = (/** @type {string} */ checksum, /** @type {Uint8Array} */ bytes) => !sum || sum(bytes) === checksum;
    const whole = new Set(await store.whole());
    for (const file of files) {
      if (whole.has(file.root)) continue;
      const arrived = (/** @type {number} */ bytes) => {
        kept += bytes;
        reportLater();
      };
      await shards.keep(file, accept, arrived, controller.signal);
      if (store.full) throw new Error("full");
      await report();
    }
  } catch (error) {
    failed = error instanceof ShardError ? error.code : "full";
  }
  if (controller.signal.aborted) return;
  keeping = null;
  tell({ type: "keeps", failed });
  await report();
}

/** Milliseconds after which the page learns what was kept. */
const PAUSE = 1000;
let timer = 0;

function reportLater() {
  if (timer) return;
  timer = setTimeout(() => {
    timer = 0;
    report().catch(() => {});
  }, PAUSE);
}

/** Tells the page what the browser keeps. */
async function report() {
  const { store } = (await world).shards;
  const state = store && { bytes: await store.count(), limit: store.limit, whole: await store.whole() };
  if (keeping) tell({ type: "kept", bytes: kept });
  tell({ type: "stored", state, full: store?.full ?? false });
}

/** @type {Record<string, (data: any) => unknown>} */
const TASKS = {
  start(/** @type {Start} */ data) {
    world = begin(data);
    return world.then(
      () => {
        tell({ type: "ready" });
        return report();
      },
      // A module script that does not arrive is a TypeError.
      (error) => tell({ type: "unable", code: error instanceof TypeError ? "offline" : "module", message: String(error) }),
    );
  },
  request: answer,
  drop({ id }) {
    if (running.has(id)) dropped.add(id);
    else tell({ type: "dropped", id });
  },
  keep,
  stop() {
    keeping?.abort();
    keeping = null;
    return report();
  },
  async limit({ bytes }) {
    await (await world).shards.store?.setLimit(bytes);
    return report();
  },
  async empty() {
    await (await world).shards.store?.empty();
    return report();
  },
  report,
};

scope.addEventListener("message", (/** @type {MessageEvent} */ { data }) => {
  Promise.resolve(TASKS[data.type]?.(data)).catch(() => {});
});
