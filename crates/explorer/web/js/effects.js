// Requests that follow from the state: the position on the board, and what is not yet known of the
// line. A request whose answer is no longer wanted is aborted, and a late answer ignored.

import * as api from "./api.js";
import { currentNode } from "./state.js";
import { lineThrough, nodeAt, turnsOf } from "./tree.js";

/** @typedef {import("./app.js").App} App */

/**
 * Work that is wanted for one key at a time.
 * @param {(error: unknown) => void} failed
 */
function latest(failed) {
  /** @type {string | null} */
  let current = null;
  let controller = new AbortController();
  let stuck = false;
  const want = (
    /** @type {string | null} */ key,
    /** @type {(signal: AbortSignal) => Promise<void>} */ work,
  ) => {
    if (key === current) return;
    controller.abort();
    current = key;
    stuck = false;
    if (key === null) return;
    controller = new AbortController();
    const { signal } = controller;
    work(signal).catch((error) => {
      if (signal.aborted || api.isAbort(error)) return;
      stuck = true;
      failed(error);
    });
  };
  /** Lets work that has failed begin again. */
  const again = () => {
    if (stuck) current = null;
  };
  return { want, again };
}

/** @param {(error: unknown) => void} failed */
export function createEffects(failed) {
  const temporary = (/** @type {unknown} */ error) => {
    if (api.isTemporary(error)) failed(error);
  };
  const answers = latest(failed);
  const facts = latest(temporary);

  const update = (/** @type {App} */ app) => {
    const { state } = app;
    const { board, rules } = state.info;
    const node = currentNode(state);
    const line = lineThrough(state.tree, state.node);
    const isUnknown = line.map(({ id }) => !state.facts.has(id));
    const last = line.length > 1 || state.answer?.outcome ? isUnknown.lastIndexOf(true) : -1;
    // A new turn is one request, with the answer about the position.
    const isNew = line[last] === node && !state.answer && !api.cachedPosition(board, rules, node.position);
    const { repetition, without_capture } = state.draws;
    const body = {
      board,
      rules,
      start: nodeAt(state.tree, 0).position,
      turns: turnsOf(line.slice(0, last + 1)),
      draw_rules: { repetition, without_capture },
      // What comes before the first unknown node is only replayed.
      from: Math.max(0, isUnknown.indexOf(true) - 1),
      ...(isNew ? { detail: "tree" } : {}),
    };
    const key = last < 0 ? null : JSON.stringify(body);
    const learn = async (/** @type {AbortSignal} */ signal) => {
      const game = await api.post("game", body, signal);
      if (signal.aborted) return;
      if (game.here) api.keepPosition(game.here);
      app.dispatch({ type: "facts", node: node.id, line: line.slice(0, last + 1), game });
    };
    const look = async (/** @type {AbortSignal} */ signal) => {
      if (state.answer) return;
      const answer = await api.fullPosition(board, rules, node.position, signal);
      if (!signal.aborted) app.dispatch({ type: "answer", node: node.id, answer });
    };
    facts.want(isNew ? null : key, learn);
    const place = `${board} ${rules} ${node.id} ${node.position}${state.answer ? " here" : ""}`;
    answers.want(isNew ? key : place, isNew ? learn : look);
  };
  return { update, again: () => [answers, facts].forEach((work) => work.again()) };
}
