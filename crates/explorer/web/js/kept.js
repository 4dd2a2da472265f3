// The games that this browser keeps: all of them in its IndexedDB, and the running one where it is
// found at once: in the storage of the tab for a reload, in that of the browser for a restart.

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
 * @property {string} [position] after these; games of earlier versions of the page have none
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
      request.result.createObjectStore(STORE, { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

// A page that is left, and may be kept by the browser to come back to, must not hold the database.
window.addEventListener("pagehide", () => {
  opened?.then(
    (database) => database.close(),
    () => {},
  );
  opened = null;
});

/** @template T @param {IDBTransactionMode} mode @param {(games: IDBObjectStore) => IDBRequest<T>} work @returns {Promise<T>} */
async function on(mode, work) {
  return done(work((await open()).transaction(STORE, mode).objectStore(STORE)));
}

/** All games, the last one first. @returns {Promise<KeptGame[]>} */
export async function allGames() {
  const games = await on("readonly", (store) => store.getAll());
  return games.sort((a, b) => b.updated - a.updated);
}

const RUNNING = "fanorona.game";

/** The games that were on the board last: in this tab, and in any. @returns {{tab: KeptGame | null, last: KeptGame | null}} */
export function runningGames() {
  const read = (/** @type {() => Storage} */ storage) => {
    try {
      return JSON.parse(storage().getItem(RUNNING) ?? "null");
    } catch {
      return null;
    }
  };
  return { tab: read(() => sessionStorage), last: read(() => localStorage) };
}

/** @param {KeptGame} game */
export function putRunning(game) {
  const text = JSON.stringify(game);
  try {
    sessionStorage.setItem(RUNNING, text);
    localStorage.setItem(RUNNING, text);
  } catch {
    // Without storage the address holds the game.
  }
}

/** @param {KeptGame} game */
export const putGame = (game) => on("readwrite", (store) => store.put(game));

/** @param {number} id */
export const deleteGame = (id) => on("readwrite", (store) => store.delete(id));
