// A hint: the turn that the program would play, shown on the board.

import * as api from "./api.js";
import { t } from "./i18n.js";
import { personMoves, turnsToHere } from "./state.js";
import { nodeAt } from "./tree.js";

/** @typedef {import("./app.js").App} App */

/** Whether a hint can be asked for. @param {import("./state.js").State} state */
export const canHint = (state) =>
  state.view === "play" && !state.drill && state.answer !== null && personMoves(state);

/** Shows a good turn: the best one if that is known, else the choice of the strongest level. @param {App} app */
export async function hint(app) {
  const { state } = app;
  const { answer } = state;
  if (!answer || !canHint(state)) return;
  const known = answer.turns.find(({ turn }) => turn === answer.best);
  const turn = known && known.value !== "unknown" ? known : await strongest(app);
  if (!turn || app.state.node !== state.node || !canHint(app.state)) return;
  const { path, captured } = turn;
  app.dispatch({ type: "cancel" });
  app.dispatch({ type: "preview", preview: { path, captured, value: turn.value, hint: turn.turn } });
  app.announce(t("hint.turn", { turn: turn.turn }));
}

/** @param {App} app */
async function strongest({ state }) {
  const levels = (state.about?.levels ?? []).filter(({ available }) => available);
  const level = levels.at(-1)?.number;
  if (level === undefined) return null;
  const { board, rules } = state.info;
  const reply = await api.post("opponent", {
    board,
    rules,
    start: nodeAt(state.tree, 0).position,
    turns: turnsToHere(state),
    level,
    seed: state.card.seed,
    seconds: 1,
  });
  return { ...reply, captured: reply.steps.flatMap(({ captured }) => captured) };
}
