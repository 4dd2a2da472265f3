// The games that this browser keeps, in its IndexedDB.

/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} KeptGame
 * @property {number} id
 * @property {number} seed
 * @property {number} updated in milliseconds
 * @property {string} fragment of the address, without the view
 * @property {string} board
 * @property {string} rules
 * @property {string} date
 * @property {number} turns
 * @property {string} result as the text of a game has it
 * @property {State["players"]} players
 * @property {State["draws"]} draws
 * @property {State["card"]["names"]} names
 * @property {State["clock"]} clock
 * @property {[path: string, comments: readonly string[], glyphs: readonly number[]][]} remarks
 */

const NAME = "fanorona";
const STORE = "games";

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      const games = request.result.createObjectStore(STORE, { keyPath: "id" });
      games.createIndex("seed", "seed");
      games.createIndex("updated", "updated");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** @template T @param {IDBTransactionMode} mode @param {(games: IDBObjectStore) => IDBRequest<T>} work @returns {Promise<T>} */
async function on(mode, work) {
  return done(work((await open()).transaction(STORE, mode).objectStore(STORE)));
}

/** All games, the last one first. @returns {Promise<KeptGame[]>} */
export async function allGames() {
  const games = await on("readonly", (store) => store.getAll());
  return games.sort((a, b) => b.updated - a.updated);
}

/** The games with a seed. @param {number} seed @returns {Promise<KeptGame[]>} */
export const gamesOfSeed = (seed) => on("readonly", (store) => store.index("seed").getAll(seed));

/** The game that was changed last, if there is one. @returns {Promise<KeptGame | null>} */
export async function lastGame() {
  const cursor = await on("readonly", (store) => store.index("updated").openCursor(null, "prev"));
  return cursor ? cursor.value : null;
}

/** @param {KeptGame} game */
export const putGame = (game) => on("readwrite", (store) => store.put(game));

/** @param {number} id */
export const deleteGame = (id) => on("readwrite", (store) => store.delete(id));
