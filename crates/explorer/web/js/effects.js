// Requests that follow from the state: the position on the board, the review of the line, the
// draw settings. A request whose answer is no longer wanted is aborted, and a late answer ignored.

import * as api from "./api.js";
import { drawRulesOf, notesOf } from "./notes.js";
import { currentNode, turnsToHere } from "./state.js";
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
  const reviews = latest(temporary);
  const checks = latest(temporary);

  const update = (/** @type {App} */ app) => {
    const { state } = app;
    const { board, rules } = state.info;
    const node = currentNode(state);
    const place = `${board} ${rules} ${node.id} ${node.position}`;

    answers.want(place + (state.answer ? " here" : ""), async (signal) => {
      if (state.answer) return;
      const answer = await api.fullPosition(board, rules, node.position, signal);
      if (!signal.aborted) app.dispatch({ type: "answer", node: node.id, answer });
    });

    const start = nodeAt(state.tree, 0).position;
    const turns = turnsOf(lineThrough(state.tree, state.node));
    const line = reviewKey(app.state);
    reviews.want(turns.length > 0 ? line : null, async (signal) => {
      const notes = notesOf(state);
      const game = { board, rules, start, turns, draw_rules: drawRulesOf(state), notes };
      const review = await api.post("game", game, signal);
      if (!signal.aborted) app.dispatch({ type: "review", turns: line, review });
    });

    const { repetition, without_capture } = state.draws;
    const wanted = repetition || without_capture !== null;
    const here = turnsToHere(state);
    checks.want(
      `${place} ${repetition} ${without_capture} ${here.join()} ${state.answer?.outcome}`,
      async (signal) => {
        const draw_rules = { repetition, without_capture };
        const { end } =
          (wanted && here.length > 0) || state.answer?.outcome
            ? await api.post("game", { board, rules, start, turns: here, draw_rules }, signal)
            : { end: null };
        if (!signal.aborted) app.dispatch({ type: "check", node: node.id, end });
      },
    );
  };
  const again = () => {
    for (const work of [answers, reviews, checks]) work.again();
  };
  return { update, again };
}

/** The key of the review of the line on the board. @param {import("./state.js").State} state */
export const reviewKey = (state) =>
  [
    state.info.board,
    state.info.rules,
    nodeAt(state.tree, 0).position,
    ...turnsOf(lineThrough(state.tree, state.node)),
    JSON.stringify([drawRulesOf(state), notesOf(state)]),
  ].join(" ");
