// Games from addresses, records and positions, replayed by the server.

import * as api from "./api.js";
import { lineThrough, newTree, playTurn, readTreeText } from "./tree.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Action} Action */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./tree.js").Branch} Branch */

/** The game that an address names. @param {import("./address.js").Address} address @returns {Promise<Action & {type: "game"}>} */
export async function gameOfAddress(address) {
  const { board, rules, view } = address;
  const info = await api.get("board", { board, rules });
  const start = address.start
    ? (await api.get("position", { board, rules, position: address.start, detail: "value" })).position
    : info.start;
  const branch = readTreeText(address.turns);
  const tree = branch.length > 0 ? await treeOf(info, start, branch) : newTree(start);
  const line = lineThrough(mainLine(tree), 0);
  const node = line[Math.min(address.ply ?? line.length - 1, line.length - 1)]?.id ?? 0;
  return { type: "game", info, tree: mainLine(tree), node, paused: true, view };
}

/** The tree in which the first children are the ones visited last. @param {readonly Node[]} tree */
const mainLine = (tree) => tree.map((node) => ({ ...node, next: node.children[0] ?? null }));

/** @param {import("./api-types").BoardAnswer} info @param {string} start @param {Branch} branch @returns {Promise<Node[]>} */
async function treeOf({ board, rules }, start, branch) {
  let tree = newTree(start);
  /** @param {Branch} turns @param {number} from */
  const add = async (turns, from) => {
    const position = tree[from]?.position ?? start;
    const game = await api.post("game", {
      board,
      rules,
      start: position,
      turns: turns.map(({ turn }) => turn),
    });
    let at = from;
    for (const [i, played] of game.turns.entries()) {
      const before = at;
      const after = playTurn(tree, at, {
        ...played,
        position: game.positions[i + 1]?.position ?? "",
      });
      tree = after.tree;
      at = after.id;
      for (const variation of turns[i]?.variations ?? []) await add(variation, before);
    }
  };
  await add(branch, 0);
  return tree;
}

/** A game as the server read it. @param {import("./api-types").GameAnswer} game @returns {Promise<Action & {type: "game"}>} */
export async function gameOfRecord(game) {
  const info = await api.get("board", { board: game.board, rules: game.rules });
  let tree = newTree(game.start);
  let at = 0;
  game.turns.forEach((played, i) => {
    const after = playTurn(tree, at, {
      ...played,
      position: game.positions[i + 1]?.position ?? "",
    });
    tree = after.tree;
    at = after.id;
  });
  return { type: "game", info, tree, node: at, paused: true };
}

/**
 * A new game.
 * @param {string} board @param {string} rules @param {string} [start] the board's start if missing
 * @returns {Promise<Action & {type: "game"}>}
 */
export async function newGame(board, rules, start) {
  const info = await api.get("board", { board, rules });
  return { type: "game", info, tree: newTree(start ?? info.start), node: 0, paused: false };
}
