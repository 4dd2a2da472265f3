// The page's side of a folder without a server: asks the module in workers, tells what the browser
// keeps, and follows the versions of the page. It runs before the page's own script, which finds it in
// `globalThis.fanoronaBackend`.

import { Lanes } from "./lanes.js";
import { createVersions } from "./versions.js";

/** @typedef {import("../js/backend.js").Backend} Backend */
/** @typedef {import("../js/backend.js").Init} Init */
/** @typedef {import("../js/backend.js").Reply} Reply */
/** @typedef {import("../js/backend.js").LocalState} LocalState */
/** @typedef {import("../js/backend.js").Variant} Variant */
/** @typedef {import("./shards.js").CutFile} CutFile */

/**
 * @typedef {object} Manifest
 * @property {string} version
 * @property {number} shard
 * @property {CutFile[]} tables
 * @property {CutFile[]} proofs
 * @property {{bytes: number, root: string}} [heads] the heads of all tables
 * @property {{request: string, path: string}[]} answers
 */

/** Where the folder is, and its files. */
const BASE = new URL(".", document.baseURI).href;
const ASSETS = `${BASE}assets/`;

/** The routes that can take long. */
const LONG = /^api\/v1\/(search|analysis|check|review|opponent)\b/;
/** Workers for them: the program's turn does not wait for an analysis. */
const LONG_WORKERS = 2;

/** Where the browser keeps the limit, and what it is at first. */
const LIMIT = "fanorona.space";
const FIRST_LIMIT = 200e6;

/** Tables and certificates that are kept without being asked for, in bytes, and milliseconds before. */
const UNASKED = 2e6;
const REST = 4000;
const LATEST = 20_000;

/** Milliseconds for which the page says that it needs no network any more. */
const SHOWN = 8000;

/** @type {LocalState} */
let state = {
  loading: null,
  loadedBytes: 0,
  store: null,
  trouble: null,
  offers: [],
  keeping: null,
  apart: false,
  kept: navigator.serviceWorker?.controller ? "before" : "",
  renewable: false,
};
/** @type {(() => void)[]} */
const watchers = [];

/** Milliseconds between two changes that the page is told: it draws for each, and shards come in thousands. */
const BETWEEN = 100;
let timer = 0;

/** @param {Partial<LocalState>} change */
function set(change) {
  state = { ...state, ...change };
  timer ||= setTimeout(() => {
    timer = 0;
    for (const watcher of watchers) watcher();
  }, BETWEEN);
}

function limit() {
  try {
    const kept = Number(localStorage.getItem(LIMIT) ?? FIRST_LIMIT);
    return Number.isFinite(kept) && kept >= 0 ? kept : FIRST_LIMIT;
  } catch {
    return FIRST_LIMIT;
  }
}

/** A promise that is made again after it has failed. @template T @param {() => Promise<T>} make */
function once(make) {
  /** @type {Promise<T> | null} */
  let made = null;
  return () => {
    if (!made) {
      made = make();
      made.catch(() => {
        made = null;
      });
    }
    return made;
  };
}

/** @param {string} address @returns {Promise<Response>} */
async function file(address) {
  document.querySelector(`link[href="${address.slice(BASE.length)}"]`)?.setAttribute("data-taken", "");
  const response = await fetch(address).catch(() => null);
  if (!response?.ok) throw "offline";
  return response;
}

const manifest = once(async () => {
  const text = await (await file(`${BASE}manifest.json`)).text();
  try {
    return { text, files: /** @type {Manifest} */ (JSON.parse(text)) };
  } catch {
    throw "module";
  }
});

/** The module, compiled once for all workers. */
const compiled = once(async () => {
  const { body } = await file(`${ASSETS}fanorona_bg.packed`);
  const bytes = body?.pipeThrough(new DecompressionStream("gzip")) ?? null;
  const response = new Response(bytes, { headers: { "content-type": "application/wasm" } });
  return WebAssembly.compileStreaming(response).catch((error) => {
    throw error instanceof WebAssembly.CompileError ? "module" : "offline";
  });
});

const startMessage = once(async () => {
  const [module, { text }] = await Promise.all([compiled(), manifest()]);
  return { script: `${ASSETS}fanorona.js`, module, manifest: text, base: BASE, limit: limit() };
});

const create = () => new Worker(`${ASSETS}worker.js`, { type: "module" });
const quick = new Lanes(1, false, create, startMessage, heard);
const long = new Lanes(LONG_WORKERS, true, create, startMessage, heard);

/** Shards that requests wait for: the requests, each with how many. @type {Map<number, number>} */
const awaited = new Map();
let burst = 0;

/** Workers that have no network. @type {Set<object>} */
const apart = new Set();

/** @type {string[]} */
let whole = [];
/** Whether the module answers. */
let isReady = false;

/** @param {import("./lanes.js").Message} message @param {object} lane */
function heard(message, lane) {
  const { type, id } = message;
  switch (type) {
    case "ready":
      isReady = true;
      later().catch(() => {});
      return;
    case "wanted":
      awaited.set(id, message.shards);
      break;
    case "loaded":
      // Some arrive after their request has failed.
      if (awaited.has(id)) awaited.set(id, (awaited.get(id) ?? 0) - 1);
      break;
    case "arrived":
      burst += message.bytes;
      set({ loadedBytes: state.loadedBytes + message.bytes });
      return;
    case "answer":
    case "failed":
    case "dropped":
      awaited.delete(id);
      break;
    case "ended":
      awaited.clear();
      apart.delete(lane);
      if (apart.size === 0 && state.apart) set({ apart: false });
      if (lane === quick.first && state.keeping) set({ keeping: { ...state.keeping, failed: true } });
      break;
    case "trouble":
      told(message.code);
      return;
    case "apart":
      if (message.apart) apart.add(lane);
      else apart.delete(lane);
      set({ apart: apart.size > 0 });
      return;
    case "stored":
      if (lane !== quick.first) return;
      if (state.offers.length === 0 || whole.join() !== message.state?.whole.join()) {
        whole = message.state?.whole ?? [];
        void offer();
      }
      set({ store: message.state && { bytes: message.state.bytes, limit: message.state.limit } });
      if (message.full) told("full");
      return;
    case "kept":
      if (state.keeping) set({ keeping: { ...state.keeping, done: message.bytes } });
      return;
    case "keeps":
      if (!state.keeping) return;
      set({ keeping: message.failed ? { ...state.keeping, failed: true } : null });
      return;
    default:
      return;
  }
  const shards = [...awaited.values()].reduce((all, count) => all + count, 0);
  if (shards === 0) burst = 0;
  set({ loading: shards === 0 ? null : { shards, bytes: burst } });
}

/** Troubles that were told: each is told once. @type {Set<string>} */
const troubles = new Set();

/** @param {"full" | "damaged" | "missing"} trouble */
function told(trouble) {
  if (troubles.has(trouble)) return;
  troubles.add(trouble);
  set({ trouble });
  // The tables of a newer version may have taken the place of this one's.
  if (trouble !== "full") void versions.look();
}

const versions = createVersions(
  (renewable) => set({ renewable }),
  () => {
    if (state.kept) return;
    set({ kept: "now" });
    setTimeout(() => set({ kept: "before" }), SHOWN);
  },
);

/** Work that can wait until the first answers are there. */
const later = once(async () => {
  const { version } = (await manifest()).files;
  long.first.start();
  // Tables are kept also while a version of the page is being fetched.
  void versions.start(version);
  await new Promise((resolve) => setTimeout(resolve, REST));
  const connection = /** @type {any} */ (navigator).connection;
  if (!state.store || connection?.saveData || state.keeping) return;
  const { heads, tables, proofs } = (await manifest()).files;
  let bytes = 0;
  const bySize = [...tables, ...proofs].sort((a, b) => a.bytes - b.bytes);
  const small = [...headsOf(heads), ...bySize].filter((each) => (bytes += each.bytes) <= Math.min(UNASKED, state.store?.limit ?? 0));
  if (small.every(({ root }) => whole.includes(root))) return;
  quick.first.send({ type: "keep", files: small });
});

/** @type {Map<string, (Variant & {stones: number}) | null>} */
const named = new Map();

/** A table's variant and number of stones, by the name of its file. @param {string} name */
function tableOf(name) {
  let table = named.get(name);
  if (table === undefined) {
    const [, board, rules, own, other] = /^(\d+x\d+)_(.+)_(\d+)v(\d+)\./.exec(name) ?? [];
    table = board && rules ? { board, rules, stones: Number(own) + Number(other) } : null;
    named.set(name, table);
  }
  return table;
}

/** @param {Manifest["heads"]} heads @returns {CutFile[]} */
const headsOf = (heads) => (heads ? [{ name: "heads", ...heads }] : []);

/** The files that a variant needs up to a number of stones. @param {Manifest} manifest @param {Variant} variant @param {number} stones */
const filesOf = ({ heads, tables, proofs }, { board, rules }, stones) => [
  ...headsOf(heads),
  ...proofs.filter(({ name }) => name === `${board}-${rules}.proof`),
  ...tables.filter(({ name }) => {
    const table = tableOf(name);
    return table?.board === board && table.rules === rules && table.stones <= stones;
  }),
];

/** @param {CutFile[]} files */
const sum = (files) => files.reduce((all, { bytes }) => all + bytes, 0);

/** Says which tables can be kept, and how much of them is not here. */
async function offer() {
  const { files } = await manifest();
  /** @type {Map<string, LocalState["offers"][number]>} */
  const offers = new Map();
  for (const { name } of files.tables) {
    const table = tableOf(name);
    if (!table) continue;
    const needed = filesOf(files, table, table.stones);
    const missing = sum(needed.filter(({ root }) => !whole.includes(root)));
    offers.set(`${table.board} ${table.rules} ${table.stones}`, { ...table, bytes: sum(needed), missing });
  }
  set({ offers: [...offers.values()].sort((a, b) => a.stones - b.stones) });
}

/** @type {Backend} */
const backend = {
  async request(address, init) {
    if (!isReady && init.body === undefined) {
      const made = await prepared(address);
      if (made) return made;
    }
    return (LONG.test(address) ? long : quick).ask(address, init, null);
  },
  events: (address, init, event) => long.ask(address, init, event),
  local: {
    state: () => state,
    watch(changed) {
      watchers.push(changed);
    },
    setLimit,
    empty() {
      troubles.delete("full");
      set({ trouble: null });
      quick.first.send({ type: "empty" });
    },
    async keep(variant, stones) {
      const { files } = await manifest();
      const wanted = filesOf(files, variant, stones).filter(({ root }) => !whole.includes(root));
      const { store } = state;
      if (!store) return;
      // Whoever asks for so much wants room for it.
      if (store.bytes + sum(wanted) > store.limit) setLimit(store.bytes + sum(wanted) + UNASKED);
      void navigator.storage?.persist?.();
      set({ keeping: { ...variant, stones, done: 0, bytes: sum(wanted), failed: false }, trouble: null });
      quick.first.send({ type: "keep", files: wanted });
    },
    stop() {
      quick.first.send({ type: "stop" });
      set({ keeping: null });
    },
    renew: versions.renew,
    dismiss: (notice) => set(notice === "trouble" ? { trouble: null } : { renewable: false }),
  },
};

/** @param {number} bytes */
function setLimit(bytes) {
  try {
    localStorage.setItem(LIMIT, String(bytes));
  } catch {
    // Without storage the limit lasts as long as the page.
  }
  tellLimit(bytes);
}

/** @param {number} bytes */
function tellLimit(bytes) {
  for (const lane of [...quick.lanes, ...long.lanes]) {
    if (lane.worker) lane.send({ type: "limit", bytes });
  }
}

window.addEventListener("storage", ({ key }) => {
  if (key === LIMIT) tellLimit(limit());
});

/** The answer that was made when the folder was written. @param {string} address @returns {Promise<Reply | null>} */
async function prepared(address) {
  try {
    const { files } = await manifest();
    const made = files.answers.find(({ request }) => request === address);
    return made ? { status: 200, body: await (await file(BASE + made.path)).json() } : null;
  } catch {
    return null;
  }
}

/** @type {any} */ (globalThis).fanoronaBackend = backend;
// The board comes before the module.
addEventListener("DOMContentLoaded", () => quick.first.start());
// A version whose module does not start has to make room for a later one too.
setTimeout(() => later().catch(() => {}), LATEST);
