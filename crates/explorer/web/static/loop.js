// How the module is asked: it names the shards that it lacks, gets them, and is asked again. The npm
// package has this file too.

import { each } from "./shards.js";

/** @typedef {import("./shards.js").Accept} Accept */

/**
 * The module's interface.
 * @typedef {object} Site
 * @property {(id: number, method: string, address: string, body: string | undefined) => string | undefined} request
 * @property {() => string[]} wanted
 * @property {(checksum: string, bytes: Uint8Array) => void} put
 */

/** @typedef {{id: number, method: string, address: string, body: string | undefined}} Request */

/**
 * @typedef {object} Around
 * @property {(checksum: string, accept: Accept) => Promise<unknown>} load gets a shard, and lets it be accepted
 * @property {(shards: number) => void} [wanted] is told how many shards are fetched now
 * @property {() => boolean} [isDropped] whether nobody waits any more
 */

/**
 * The text of the module's answer, `null` if nobody waits for it.
 * @param {Site} site @param {Request} request @param {Around} around
 */
export async function ask(site, { id, method, address, body }, { load, wanted, isDropped }) {
  /** @type {Accept} */
  const accept = (checksum, bytes) => {
    try {
      site.put(checksum, bytes);
      return true;
    } catch {
      return false;
    }
  };
  let before = "";
  for (;;) {
    if (isDropped?.()) return null;
    const text = site.request(id, method, address, body);
    if (text !== undefined) return text;
    const missing = site.wanted();
    const now = missing.join();
    if (now === before || missing.length === 0) throw new Error(`still wanted: ${now}`);
    before = now;
    wanted?.(missing.length);
    await each(missing, async (checksum) => {
      await load(checksum, accept);
    });
  }
}
