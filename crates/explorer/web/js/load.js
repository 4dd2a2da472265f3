// Games from addresses, records and positions, replayed by the server.

import * as api from "./api.js";
import { readBranch } from "./branch.js";
import { newCard } from "./card.js";
import { t } from "./i18n.js";
import { ApiError } from "./routes.js";
import { DEFAULT_DRAWS } from "./state.js";
import { lineThrough, newTree, nodeAt, playTurn, remark } from "./tree.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Action} Action */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./branch.js").Branch} Branch */
/** @typedef {import("./api-types").BoardAnswer} Board */
/** A game, and what was wrong with the text that it is from. @typedef {{game: Action & {type: "game"}, wrong: unknown}} Loaded */

/** A turn that cannot be played where a text has it. */
export class IllegalTurn extends Error {
  /** @param {string} turn @param {number} ply */
  constructor(turn, ply) {
    super(`turn ${ply}: ${turn} is not legal`);
    this.turn = turn;
    this.ply = ply;
  }
}

/** Explains to a person the fault of a text. @param {unknown} wrong */
export const wrongText = (wrong) =>
  wrong instanceof IllegalTurn
    ? t("load.illegal", { turn: wrong.turn, ply: wrong.ply })
    : `${t("load.wrong")} ${api.errorText(wrong)}`;

/**
 * The game that an address names, as far as it can be played.
 * @param {import("./address.js").Address} address
 * @returns {Promise<Loaded>}
 */
export async function gameOfAddress(address) {
  const { board, rules, view, turns, seed, end } = address;
  /** @type {unknown} */
  let wrong = null;
  const refused = (/** @type {unknown} */ error) => {
    if (!api.isRefusal(error)) throw error;
    wrong ??= error;
    return null;
  };
  const named = await api.get("board", { board, rules }).catch(refused);
  const info = named ?? (await api.get("board", { board: "9x5", rules: "standard" }));
  const position = named && named.start !== address.start ? address.start : "";
  const known = position
    ? await api
        .get("position", { board, rules, position, detail: "value" })
        .then((answer) => answer.position)
        .catch(refused)
    : info.start;
  const start = known ?? info.start;
  const branch = known && named ? readBranch(turns) : [];
  const read = await treeOf(info, newTree(start), 0, branch);
  const tree = mainLine(read.tree);
  wrong ??= read.wrong;
  const line = lineThrough(tree, 0);
  const node = line[Math.min(address.ply ?? line.length - 1, line.length - 1)]?.id ?? 0;
  const endNode = end && line[end.ply];
  const card = newCard(wrong ? null : (seed ?? null));
  const game = {
    type: /** @type {const} */ ("game"),
    info,
    tree,
    node,
    paused: true,
    view,
    card,
    ...(end && endNode
      ? { ended: { node: endNode.id, end: { outcome: end.outcome, reason: end.reason } } }
      : {}),
  };
  return { game, wrong };
}

/** The tree in which the first children are the ones visited last. @param {readonly Node[]} tree */
const mainLine = (tree) => tree.map((node) => ({ ...node, next: node.children[0] ?? null }));

/**
 * The tree with turns added behind a node, up to the first that is not legal; and why not all are there.
 * @param {Board} info @param {readonly Node[]} before @param {number} from @param {Branch} branch
 * @returns {Promise<{tree: readonly Node[], wrong: unknown}>}
 */
async function treeOf(info, before, from, branch) {
  let tree = before;
  /** @type {unknown} */
  let wrong = null;
  /** @param {Branch} turns @param {number} at */
  const add = async (turns, at) => {
    if (turns.length === 0) return;
    const { position, ply } = nodeAt(tree, at);
    const texts = turns.map(({ turn }) => turn);
    const game = await legalPart(info, position, texts).catch((error) => {
      if (!api.isRefusal(error)) throw error;
      wrong ??= error;
    });
    if (!game) return;
    if (game.turns.length < turns.length) {
      const illegal = texts[game.turns.length] ?? "";
      wrong ??= new IllegalTurn(illegal, ply + game.turns.length + 1);
    }
    let node = at;
    for (const [i, played] of game.turns.entries()) {
      const parent = node;
      const next = game.positions[i + 1]?.position ?? "";
      const after = playTurn(tree, node, { ...played, position: next });
      tree = after.tree;
      node = after.id;
      const { comments = [], glyphs = [], variations = [] } = turns[i] ?? {};
      if (comments.length > 0 || glyphs.length > 0) tree = remark(tree, node, comments, glyphs);
      for (const variation of variations) await add(variation, parent);
    }
  };
  await add(branch, from);
  return { tree, wrong };
}

/** The longest beginning of the turns that can be played. @param {Board} info @param {string} start @param {string[]} turns */
async function legalPart({ board, rules }, start, turns) {
  const play = (/** @type {number} */ count) =>
    api.post("game", { board, rules, start, turns: turns.slice(0, count) });
  const illegal = (/** @type {unknown} */ error) => {
    if (!(error instanceof ApiError && error.code === "bad_turn")) throw error;
    return null;
  };
  const whole = await play(turns.length).catch(illegal);
  if (whole) return whole;
  let legal = 0;
  let most = turns.length;
  while (most - legal > 1) {
    const middle = (legal + most) >> 1;
    if (await play(middle).catch(illegal)) legal = middle;
    else most = middle;
  }
  return play(legal);
}

/** A game as the server read it. @param {import("./api-types").GameAnswer} record @returns {Promise<Loaded>} */
export async function gameOfRecord(record) {
  const { board, rules, notes } = record;
  const { repetition = false, without_capture = null } = record.draw_rules;
  const drawn = repetition || without_capture !== null;
  const info = await api.get("board", { board, rules });
  const remarks = new Map(notes.remarks?.map((each) => [each.turns ?? 0, each]));
  const turns = record.turns.map(({ turn }, i) => {
    const { comments = [], glyphs = [], variations = [] } = remarks.get(i + 1) ?? {};
    return { turn, comments, glyphs, variations: variations.map(readBranch) };
  });
  const before = remarks.get(0);
  const root = remark(newTree(record.start), 0, before?.comments ?? [], before?.glyphs ?? []);
  const { tree, wrong } = await treeOf(info, root, 0, turns);
  const main = mainLine(tree);
  const node = lineThrough(main, 0)[record.turns.length]?.id ?? 0;
  const outcome = OUTCOMES[notes.result ?? ""];
  const names = { white: notes.white ?? "", black: notes.black ?? "" };
  return {
    wrong,
    game: {
      type: "game",
      info,
      tree: main,
      node,
      paused: true,
      card: { ...newCard(null), date: notes.date ?? "", names },
      // A text names the draws that come by themselves; the others can be claimed.
      draws: drawn ? { repetition, without_capture, claim: false } : DEFAULT_DRAWS,
      ...(outcome && !record.end ? { ended: { node, end: { outcome, reason: "recorded" } } } : {}),
    },
  };
}

/** @type {Record<string, import("./state.js").End["outcome"]>} */
const OUTCOMES = { "1-0": "white", "0-1": "black", "1/2-1/2": "draw" };

/**
 * A new game.
 * @param {string} board @param {string} rules @param {string} [start] the board's start if missing
 * @returns {Promise<Action & {type: "game"}>}
 */
export async function newGame(board, rules, start) {
  const info = await api.get("board", { board, rules });
  return {
    type: "game",
    info,
    tree: newTree(start ?? info.start),
    node: 0,
    paused: false,
    card: newCard(null),
  };
}
