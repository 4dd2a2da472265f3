// Fetching shards: each is asked for once, checked by its checksum, and kept by the browser. The npm
// package has this file too.

/** @typedef {import("./store.js").Store} Store */
/** A file that is cut into shards. @typedef {{name: string, bytes: number, root: string}} CutFile */
/** Whether the bytes have the checksum. @typedef {(checksum: string, bytes: Uint8Array) => boolean} Accept */

/** Requests at a time: more than a host of either kind answers at once. */
const AT_ONCE = 24;

/** Milliseconds for which a shard that arrived damaged is not asked for again. */
const REST = 60_000;

/** A shard that cannot be had. */
export class ShardError extends Error {
  /** @param {"damaged" | "missing" | "offline"} code @param {string} checksum */
  constructor(code, checksum) {
    super(`${pathOf(checksum)}: ${code}`);
    this.code = code;
  }
}

/** @param {string} checksum */
const pathOf = (checksum) => `shards/${checksum.slice(0, 2)}/${checksum.slice(2)}`;

/**
 * Does some work for each item, several at a time. Ends with the first failure.
 * @template T @param {T[]} items @param {(item: T) => Promise<void>} work
 */
export async function each(items, work) {
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const item = /** @type {T} */ (items[next]);
      next += 1;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
}

/** Where shards come from. */
export class Shards {
  /** @param {string} base the address of the folder @param {number} size of a shard @param {Store | null} store @param {(bytes: number) => void} arrived called with what came over the network */
  constructor(base, size, store, arrived) {
    this.base = base;
    this.size = size;
    this.store = store;
    this.arrived = arrived;
    /** Those that are being fetched. @type {Map<string, Promise<Uint8Array>>} */
    this.coming = new Map();
    /** Those that the host does not have, or has damaged. @type {Map<string, {error: ShardError, until: number}>} */
    this.bad = new Map();
  }

  /**
   * A shard: from the store, else from the network.
   * @param {string} checksum @param {Accept} accept @param {string | null} root of the file to keep as a whole
   */
  async load(checksum, accept, root) {
    const bad = this.bad.get(checksum);
    if (bad && performance.now() < bad.until) throw bad.error;
    const kept = await this.store?.get(checksum);
    if (kept && accept(checksum, kept)) {
      if (root) await this.store?.hold(checksum, root);
      return kept;
    }
    // Bytes that are damaged here may be so in the browser's other cache too.
    if (kept) await this.store?.remove(checksum);
    const before = this.coming.get(checksum);
    if (before) {
      const bytes = await before;
      if (accept(checksum, bytes)) return bytes;
    }
    const coming = this.fetch(checksum, accept, Boolean(kept), root);
    this.coming.set(checksum, coming);
    try {
      return await coming;
    } finally {
      this.coming.delete(checksum);
    }
  }

  /** @param {string} checksum @param {Accept} accept @param {boolean} again past the browser's cache @param {string | null} root @returns {Promise<Uint8Array>} */
  async fetch(checksum, accept, again, root) {
    const found = await this.ask(checksum, again);
    if (typeof found !== "string" && accept(checksum, found)) {
      this.arrived(found.length);
      const kept = this.store?.put(checksum, found, root);
      // An answer does not wait for it.
      if (root) await kept;
      return found;
    }
    if (found === "offline") throw new ShardError("offline", checksum);
    if (!again) return this.fetch(checksum, accept, true, root);
    const error = new ShardError(found === "missing" ? "missing" : "damaged", checksum);
    this.bad.set(checksum, { error, until: performance.now() + REST });
    throw error;
  }

  /** @param {string} checksum */
  addressOf(checksum) {
    return this.base + pathOf(checksum);
  }

  /** @param {string} checksum @param {boolean} again @returns {Promise<Uint8Array | "missing" | "offline">} */
  async ask(checksum, again) {
    try {
      const response = await fetch(this.addressOf(checksum), {
        cache: again ? "reload" : "force-cache",
      });
      // A host that is busy or broken may answer later.
      if (response.status >= 500 || response.status === 429) return "offline";
      const type = response.headers.get("content-type") ?? "";
      // Some hosts send a page where there is no file.
      if (!response.ok || type.startsWith("text/html")) return "missing";
      return new Uint8Array(await response.arrayBuffer());
    } catch {
      return "offline";
    }
  }

  /**
   * Fetches a whole file, to be kept.
   * @param {CutFile} file @param {Accept} accept @param {(bytes: number) => void} arrived @param {AbortSignal} signal
   */
  async keep(file, accept, arrived, signal) {
    let level = levelsOf(file.bytes, this.size) - 1;
    let row = [file.root];
    for (; ; level -= 1) {
      /** @type {Map<string, Uint8Array>} */
      const bytes = new Map();
      await each([...new Set(row)], async (checksum) => {
        signal.throwIfAborted();
        const shard = await this.load(checksum, accept, file.root);
        if (level > 0) bytes.set(checksum, shard);
        else arrived(shard.length);
      });
      if (level === 0) break;
      row = row.flatMap((checksum) => checksumsIn(bytes.get(checksum) ?? new Uint8Array()));
    }
    // A store that became full on the way lacks some.
    if (!this.store?.full) await this.store?.setWhole(file.root);
  }
}

/** The levels of a file: its shards, their checksums, and so on up to a single shard. @param {number} bytes @param {number} size */
export function levelsOf(bytes, size) {
  let levels = 1;
  for (let shards = Math.ceil(bytes / size); shards > 1; levels += 1) {
    shards = Math.ceil((shards * 8) / size);
  }
  return levels;
}

/** The checksums that a shard of a level above the file holds. @param {Uint8Array} bytes */
function checksumsIn(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length >> 3 }, (_, i) =>
    view.getBigUint64(8 * i, true).toString(16).padStart(16, "0"),
  );
}
