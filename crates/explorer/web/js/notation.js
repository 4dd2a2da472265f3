// The notation of points and positions, as text. No rule of the game is here.

/** @typedef {import("./api-types").Side} Side */

/**
 * Where the stones of a position stand. The text comes from the server, which has checked it.
 * @param {string} text
 * @returns {{white: string[], black: string[], toMove: Side}}
 */
export function readPosition(text) {
  const [ranks = "", side = "w"] = text.split(" ");
  const rows = ranks.split("/");
  /** @type {{white: string[], black: string[], toMove: Side}} */
  const stones = { white: [], black: [], toMove: side === "b" ? "black" : "white" };
  rows.forEach((row, i) => {
    const rank = rows.length - i;
    let file = 0;
    for (const char of row.match(/\d+|[^\d]/g) ?? []) {
      if (/\d/.test(char)) {
        file += Number(char);
        continue;
      }
      if (char === "W") stones.white.push(pointName(file, rank));
      if (char === "B") stones.black.push(pointName(file, rank));
      file += 1;
    }
  });
  return stones;
}

/**
 * The text of a position.
 * @param {number} width @param {number} height @param {ReadonlySet<string>} white
 * @param {ReadonlySet<string>} black @param {Side} toMove
 */
export function writePosition(width, height, white, black, toMove) {
  const rows = [];
  for (let rank = height; rank >= 1; rank -= 1) {
    let row = "";
    let empty = 0;
    for (let file = 0; file < width; file += 1) {
      const point = pointName(file, rank);
      const stone = white.has(point) ? "W" : black.has(point) ? "B" : "";
      if (stone === "") {
        empty += 1;
        continue;
      }
      if (empty > 0) row += empty;
      empty = 0;
      row += stone;
    }
    rows.push(empty > 0 ? row + empty : row);
  }
  return `${rows.join("/")} ${toMove === "white" ? "w" : "b"}`;
}

/** The same position with the other side to move. @param {string} text @param {Side} side */
export const withSideToMove = (text, side) =>
  text.replace(/ [wb].*$/, side === "white" ? " w" : " b");

/** @param {number} file from 0 @param {number} rank from 1 */
export const pointName = (file, rank) => `${String.fromCharCode(97 + file)}${rank}`;

/** @param {string} point @returns {{file: number, rank: number}} file from 0, rank from 1 */
export const readPoint = (point) => ({
  file: point.charCodeAt(0) - 97,
  rank: Number(point.slice(1)),
});

/** @param {Side} side @returns {Side} */
export const other = (side) => (side === "white" ? "black" : "white");
