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
    const points = row.replace(/\d+/g, (empty) => ".".repeat(Number(empty)));
    [...points].forEach((char, file) => {
      const point = pointName(file, rows.length - i);
      if (char === "W") stones.white.push(point);
      if (char === "B") stones.black.push(point);
    });
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
    const points = Array.from({ length: width }, (_, file) => {
      const point = pointName(file, rank);
      return white.has(point) ? "W" : black.has(point) ? "B" : ".";
    });
    rows.push(points.join("").replace(/\.+/g, (empty) => String(empty.length)));
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
