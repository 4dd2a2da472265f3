// The shards that the browser keeps: their bytes in its Cache Storage, when each was last used in its
// IndexedDB. All tabs and workers of this host share them.

const NAME = "fanorona-shards";

/** Milliseconds between two notes of what was used. */
const PAUSE = 5000;

/** So many shards are kept between two counts. */
const BETWEEN_COUNTS = 32;

/** Shards that are kept together at most: far less than any limit has room for. */
const TOGETHER = 128;

/** The part of the limit that is left after shards were removed. */
const LEFT = 0.9;

/**
 * A shard that is kept.
 * @typedef {object} Note
 * @property {string} checksum
 * @property {number} bytes
 * @property {number} used in milliseconds
 * @property {string | null} root of the file that is kept as a whole, if it is part of one
 */

/** A shard to keep. @typedef {{checksum: string, bytes: Uint8Array, root: string | null}} Shard */

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
const ended = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/** A shard's key does not depend on the folder: its checksum says what it is. @param {string} checksum */
const keyOf = (checksum) => `/${NAME}/${checksum}`;

/**
 * Opens the store; `null` where the browser keeps nothing, as in some private windows and on hosts
 * without encryption.
 * @param {number} limit in bytes
 * @returns {Promise<Store | null>}
 */
export async function openStore(limit) {
  try {
    const cache = await caches.open(NAME);
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("shards", { keyPath: "checksum" });
      request.result.createObjectStore("files", { keyPath: "root" });
    };
    const store = new Store(cache, await done(request), limit);
    await store.count();
    return store;
  } catch {
    return null;
  }
}

export class Store {
  /** @param {Cache} cache @param {IDBDatabase} database @param {number} limit */
  constructor(cache, database, limit) {
    this.cache = cache;
    this.database = database;
    this.limit = limit;
    this.bytes = 0;
    /** Whether the browser has refused more. */
    this.full = false;
    /** @type {Map<string, number>} */
    this.touched = new Map();
    this.timer = 0;
    /** Shards that are kept next. @type {Shard[]} */
    this.next = [];
    /** The end of what is being kept: one thing after another, so that the limit holds. @type {Promise<void>} */
    this.turn = Promise.resolve();
    /** Shards that were kept since the last count. */
    this.puts = 0;
  }

  /** @param {IDBTransactionMode} mode */
  begin(mode) {
    const transaction = this.database.transaction(["shards", "files"], mode);
    return {
      shards: transaction.objectStore("shards"),
      files: transaction.objectStore("files"),
      end: ended(transaction),
    };
  }

  /** @returns {Promise<Note[]>} */
  notes() {
    return done(this.begin("readonly").shards.getAll());
  }

  /** Counts what is kept, by this worker and others. */
  async count() {
    this.bytes = sum(await this.notes());
    this.puts = 0;
    return this.bytes;
  }

  /** The roots of the files that are kept as a whole. @returns {Promise<string[]>} */
  async whole() {
    return (await done(this.begin("readonly").files.getAllKeys())).map(String);
  }

  /** @param {string} root */
  async setWhole(root) {
    const { files, end } = this.begin("readwrite");
    files.put({ root });
    await end;
  }

  /** @param {string} checksum @returns {Promise<Uint8Array | null>} */
  async get(checksum) {
    try {
      const response = await this.cache.match(keyOf(checksum));
      if (!response) return null;
      this.touched.set(checksum, Date.now());
      if (!this.timer) {
        this.timer = setTimeout(() => {
          this.timer = 0;
          this.noteUse().catch(() => {});
        }, PAUSE);
      }
      return new Uint8Array(await response.arrayBuffer());
    } catch {
      return null;
    }
  }

  async noteUse() {
    const { shards, end } = this.begin("readwrite");
    const touched = [...this.touched];
    this.touched.clear();
    for (const [checksum, used] of touched) {
      const request = shards.get(checksum);
      request.onsuccess = () => {
        if (request.result) shards.put({ ...request.result, used });
      };
    }
    await end;
  }

  /**
   * Keeps a shard if there is room. Some of those that come while others are being kept are kept together.
   * @param {string} checksum @param {Uint8Array} bytes @param {string | null} root
   * @returns {Promise<void>}
   */
  put(checksum, bytes, root) {
    this.next.push({ checksum, bytes, root });
    if (this.next.length === 1) this.turn = this.turn.then(() => this.putNext());
    return this.turn;
  }

  async putNext() {
    while (this.next.length > 0) await this.putAll(this.next.splice(0, TOGETHER));
  }

  /** @param {Shard[]} shards */
  async putAll(shards) {
    /** @type {Note[]} */
    const notes = shards.map(({ checksum, bytes, root }) => ({ checksum, bytes: bytes.length, used: Date.now(), root }));
    const more = sum(notes);
    if (this.full || more > this.limit) return;
    try {
      // Other workers keep shards too.
      this.puts += shards.length;
      if (this.puts >= BETWEEN_COUNTS || this.bytes + more > this.limit) await this.count();
      if (this.bytes + more > this.limit) await this.shrink(this.limit * LEFT - more);
      await this.write(shards, notes);
    } catch {
      // The disk is full, or the browser gives no more: less of what was used long ago may do.
      try {
        await this.shrink(this.bytes / 2);
        await this.write(shards, notes);
      } catch {
        this.full = true;
        await this.removeAll(notes).catch(() => {});
        await this.count().catch(() => {});
      }
    }
  }

  /** @param {Shard[]} shards @param {Note[]} notes */
  async write(shards, notes) {
    const headers = { "content-type": "application/octet-stream" };
    await Promise.all(
      shards.map(({ checksum, bytes }) =>
        this.cache.put(keyOf(checksum), new Response(/** @type {BlobPart} */ (bytes), { headers })),
      ),
    );
    const { shards: noted, end } = this.begin("readwrite");
    for (const note of notes) noted.put(note);
    await end;
    this.bytes += sum(notes);
  }

  /** Notes that a shard is part of a file that is to be kept; whether it is there. @param {string} checksum @param {string} root */
  async hold(checksum, root) {
    const { shards, end } = this.begin("readwrite");
    const note = /** @type {Note | undefined} */ (await done(shards.get(checksum)));
    if (note && note.root !== root) shards.put({ ...note, root });
    await end;
    return note !== undefined;
  }

  /** Removes a shard that is damaged. @param {string} checksum */
  async remove(checksum) {
    const note = await done(this.begin("readonly").shards.get(checksum));
    await this.removeAll([note ?? { checksum, bytes: 0, used: 0, root: null }]);
  }

  /** Removes what was used longest ago, files that are kept as a whole last. @param {number} limit */
  async shrink(limit) {
    const notes = await this.notes();
    notes.sort((a, b) => Number(a.root !== null) - Number(b.root !== null) || a.used - b.used);
    let bytes = sum(notes);
    let count = 0;
    for (; count < notes.length && bytes > limit; count += 1) bytes -= notes[count]?.bytes ?? 0;
    await this.removeAll(notes.slice(0, count));
    this.bytes = bytes;
  }

  /** @param {Note[]} notes */
  async removeAll(notes) {
    const { shards, files, end } = this.begin("readwrite");
    for (const { checksum, root } of notes) {
      shards.delete(checksum);
      if (root !== null) files.delete(root);
    }
    await end;
    await Promise.all(notes.map(({ checksum }) => this.cache.delete(keyOf(checksum))));
    this.bytes = Math.max(0, this.bytes - sum(notes));
  }

  /** @param {number} limit */
  async setLimit(limit) {
    this.limit = limit;
    if ((await this.count()) > limit) await this.shrink(limit);
  }

  async empty() {
    const { shards, files, end } = this.begin("readwrite");
    shards.clear();
    files.clear();
    await end;
    const keys = await this.cache.keys();
    await Promise.all(keys.map((key) => this.cache.delete(key)));
    this.bytes = 0;
    this.full = false;
  }
}

/** @param {Note[]} notes */
const sum = (notes) => notes.reduce((all, { bytes }) => all + bytes, 0);
