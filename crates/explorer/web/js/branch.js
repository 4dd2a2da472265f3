// Lines of turns with variations, as links and texts of games write them.

import { lineThrough, nodeAt } from "./tree.js";

/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {{turn: string, variations: Branch[], comments: string[], glyphs: number[]}} BranchTurn */
/** @typedef {BranchTurn[]} Branch */

const GLYPHS = ["!", "?", "!!", "??", "!?", "?!"];
const RESULTS = new Set(["1-0", "0-1", "1/2-1/2", "*"]);

/**
 * Reads turns with variations in parentheses behind the turn that they replace. Turns are separated
 * by commas, as `treeText` writes them, or by blanks with numbers, glyphs and comments in braces, as
 * the text of a game has them. Whether the turns are legal is not checked.
 * @param {string} text
 * @returns {Branch}
 */
export function readBranch(text) {
  const tokens = text.match(/\{[^}]*\}|[()]|[^(){},\s]+/g) ?? [];
  let at = 0;
  /** @returns {Branch} */
  const branch = () => {
    /** @type {Branch} */
    const turns = [];
    while (at < tokens.length) {
      const token = tokens[at] ?? "";
      at += 1;
      const last = turns.at(-1);
      if (token === ")") break;
      if (token === "(") {
        const variation = branch();
        if (variation.length > 0) last?.variations.push(variation);
      } else if (token.startsWith("{")) last?.comments.push(token.slice(1, -1));
      else if (/^\$\d{1,3}$/.test(token)) last?.glyphs.push(Number(token.slice(1)));
      else if (!RESULTS.has(token)) {
        const turn = token.replace(/^\d+[.…]*/, "");
        const [, bare = "", glyph = ""] = /^(.*?)([!?]*)$/.exec(turn) ?? [];
        const number = GLYPHS.indexOf(glyph) + 1;
        if (bare) {
          turns.push({ turn: bare, variations: [], comments: [], glyphs: number ? [number] : [] });
        }
      }
    }
    return turns;
  };
  return branch();
}

/**
 * A variation as the text of a game has it, from its first turn on.
 * @param {Tree} tree @param {number} id
 * @returns {string}
 */
export function branchText(tree, id) {
  const first = nodeAt(tree, id);
  const blackFirst = nodeAt(tree, 0).toMove === "black" ? 1 : 0;
  /** @type {string[]} */
  const words = [];
  let numbered = false;
  for (const node of lineThrough(tree, id).slice(first.ply)) {
    const half = node.ply - 1 + blackFirst;
    const number = Math.floor(half / 2) + 1;
    if (half % 2 === 0) words.push(`${number}. ${node.turn}`);
    else words.push(numbered ? `${node.turn}` : `${number}... ${node.turn}`);
    const others = node.id === id ? [] : siblings(tree, node.id);
    words.push(
      ...node.glyphs.map((glyph) => `$${glyph}`),
      ...node.comments.map((comment) => `{${comment}}`),
      ...others.map((other) => `(${branchText(tree, other)})`),
    );
    numbered = node.comments.length === 0 && others.length === 0;
  }
  return words.join(" ");
}

/** The other turns at the parent of a node. @param {Tree} tree @param {number} id */
export function siblings(tree, id) {
  const { parent } = nodeAt(tree, id);
  return parent === null ? [] : nodeAt(tree, parent).children.filter((child) => child !== id);
}
