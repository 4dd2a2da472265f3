// How well one solves puzzles, kept in the browser; which puzzle comes next, and which one is that of the day.

/**
 * A puzzle of the file: `line` has the turns of both sides.
 * @typedef {object} Puzzle
 * @property {string} board
 * @property {string} rules
 * @property {string} position
 * @property {readonly string[]} line
 * @property {"win" | "draw"} value
 * @property {number} [distance] turns of both sides to the end of a win, if it is known
 * @property {number} rating
 * @property {number} grade from 1, easy, to 5
 * @property {readonly string[]} themes
 */

/** The solver's turns that are left of a puzzle. @param {readonly string[]} line @param {number} done turns of both sides */
export const turnsToGo = (line, done) => Math.ceil((line.length - done) / 2);

/** @typedef {{streak: number, best: number}} Row results in a row */
/**
 * `done` has 1 for solved puzzles and 0 for failed ones, by position; `day` is that of the last daily puzzle that
 * was solved.
 * @typedef {Row & {rating: number, done: Record<string, 0 | 1>, day: number, drill: Row}} Score
 */

const KEY = "fanorona-puzzles";
/** A beginner's rating, how much a result can change it at first and later, and how many results "first" are. */
const [BEGIN, FIRST, LATER, SETTLED] = [700, 64, 24, 20];
/** The next puzzle is one of this many whose ratings are nearest. */
const NEAREST = 15;

/** Whether something read from the storage is a whole number. @param {unknown} value */
const count = (value) => (Number.isSafeInteger(value) ? Number(value) : null);

/** The score kept in the browser. @returns {Score} */
export function kept() {
  /** @type {any} */
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    // A browser that keeps nothing, or something else under this name: one begins anew.
  }
  const row = (/** @type {any} */ from) => ({ streak: count(from?.streak) ?? 0, best: count(from?.best) ?? 0 });
  const done = Object.entries(stored?.done ?? {}).filter(([, result]) => result === 0 || result === 1);
  return {
    ...row(stored),
    rating: count(stored?.rating) ?? BEGIN,
    day: count(stored?.day) ?? -1,
    done: /** @type {Record<string, 0 | 1>} */ (Object.fromEntries(done)),
    drill: row(stored?.drill),
  };
}

/** @param {Score} score */
function keep(score) {
  try {
    localStorage.setItem(KEY, JSON.stringify(score));
  } catch {
    // Without storage, each result is forgotten.
  }
}

/** @param {Row} row @param {boolean} good @returns {Row} */
const next = ({ streak, best }, good) => {
  const now = good ? streak + 1 : 0;
  return { streak: now, best: Math.max(best, now) };
};

/**
 * Keeps the result of a first attempt. A puzzle that was done before changes nothing but the day.
 * @param {Puzzle} puzzle @param {boolean} solved @param {number | null} day
 * @returns {number} the change of the rating
 */
export function keepResult({ position, rating }, solved, day) {
  // What another tab has kept meanwhile counts.
  const score = kept();
  if (day !== null && solved) score.day = day;
  const isNew = !(position in score.done);
  const results = Object.keys(score.done).length;
  const expected = 1 / (1 + 10 ** ((rating - score.rating) / 400));
  const change = isNew ? Math.round((results < SETTLED ? FIRST : LATER) * (Number(solved) - expected)) : 0;
  const row = isNew ? next(score, solved) : {};
  const result = solved ? 1 : 0;
  const done = isNew ? { ...score.done, [position]: /** @type {0 | 1} */ (result) } : score.done;
  keep({ ...score, ...row, rating: score.rating + change, done });
  return change;
}

/** Keeps the result of a drill. @param {boolean} good */
export function keepDrill(good) {
  const score = kept();
  keep({ ...score, drill: next(score.drill, good) });
}

/** The number of a day, by the date on the person's calendar. @param {Date} date */
export const dayOf = (date) =>
  Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);

/** The puzzle of a day, the same for everybody: a prime step through the list meets each before one comes again. @param {readonly Puzzle[]} puzzles @param {number} day */
export const puzzleOfDay = (puzzles, day) => /** @type {Puzzle} */ (puzzles[(day * 7919) % puzzles.length]);

/** A puzzle that is new, if one is left, and about as hard as one can solve. @param {readonly Puzzle[]} puzzles */
export function expectedNext(puzzles) {
  const { rating, done } = kept();
  const fresh = puzzles.filter(({ position }) => !(position in done));
  const from = fresh.length > 0 ? fresh : puzzles;
  const near = [...from].sort((a, b) => Math.abs(a.rating - rating) - Math.abs(b.rating - rating));
  const chosen = near[Math.floor(Math.random() * Math.min(NEAREST, near.length))];
  return /** @type {Puzzle} */ (chosen);
}
