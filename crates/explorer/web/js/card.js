// The card of a game, kept beside its turns: its seed, its day, the names in its text.

/**
 * @typedef {object} Card
 * @property {number} id under which this browser keeps the game
 * @property {number} seed of the program's choices
 * @property {string} date as in 2026-11-22, empty if unknown
 * @property {{white: string, black: string} | null} names from the text of the game, or null
 */

const random = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/** The card of a game that begins today. @param {number | null} seed a new one if null @returns {Card} */
export const newCard = (seed) => ({
  id: Date.now() * 1000 + (random() % 1000),
  seed: seed ?? random(),
  date: new Date().toISOString().slice(0, 10),
  names: null,
});
