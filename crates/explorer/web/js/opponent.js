// The program's turns: asked for, shown step by step, played. And the replay of any turn.

import * as api from "./api.js";
import { t } from "./i18n.js";
import { stepsOfTurn } from "./moving.js";
import { ApiError } from "./routes.js";
import { currentNode, DEFAULT_LEVEL, drawsAtOnce, endHere, programToMove, turnsToHere } from "./state.js";
import { nodeAt } from "./tree.js";

/** @typedef {import("./app.js").App} App */

/** Milliseconds between the steps of a relay. */
export const PACE = { slow: 900, normal: 480, fast: 160 };

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export const wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    });
  });

/** Lets the strongest level below play instead of one that cannot, and says so. @param {App} app @param {number} level */
function fallBack(app, level) {
  const { about, players } = app.state;
  const levels = (about?.levels ?? []).map(({ number }) => number);
  const next = levels.filter((number) => number < level).at(-1) ?? DEFAULT_LEVEL;
  const set = (/** @type {import("./state.js").Player} */ player) => (player === level ? next : player);
  app.dispatch({ type: "players", players: { white: set(players.white), black: set(players.black) } });
  const error = `${t("level.missing", { number: level })} ${t("level.instead", { number: next })}`;
  app.dispatch({ type: "error", error });
  app.announce(error);
}

/** @param {(error: unknown) => void} failed */
export function createOpponent(failed) {
  /** @type {string | null} */
  let current = null;
  let controller = new AbortController();
  let stuck = false;

  /** @param {App} app @param {number} level @param {AbortSignal} signal */
  async function move(app, level, signal) {
    const { state } = app;
    const { board, rules } = state.info;
    const node = currentNode(state);
    const { repetition, without_capture } = state.draws;
    app.dispatch({ type: "thinking", thinking: true });
    const began = performance.now();
    const reply = await api.post(
      "opponent",
      {
        board,
        rules,
        start: nodeAt(state.tree, 0).position,
        turns: turnsToHere(state),
        level,
        seed: state.card.seed,
        ...(!drawsAtOnce(state) || state.drill ? {} : { draw_rules: { repetition, without_capture } }),
        after: { repetition, without_capture },
      },
      signal,
    );
    // Answers from tables come at once; a short rest lets a person see their own turn first.
    await wait(Math.max(0, PACE[state.settings.pace] - (performance.now() - began)), signal);
    await show(app, node.id, node.toMove, reply.turn, reply.steps, signal);
    if (reply.after?.here) api.keepPosition(reply.after.here);
    app.dispatch({ type: "reply", node: node.id, reply });
  }

  return {
    /** Lets a request that has failed begin again. */
    again() {
      if (stuck) current = null;
    },
    /** Lets the program move if it is its turn. @param {App} app */
    update(app) {
      const { state } = app;
      const { white, black } = state.players;
      const missing = state.about?.levels.find(
        ({ number, available }) => [white, black].includes(number) && !available,
      );
      if (missing) return fallBack(app, missing.number);
      const program = programToMove(state);
      const ready = program !== null && !state.paused && state.answer && endHere(state) !== undefined;
      const key = ready
        ? `${state.info.board} ${state.info.rules} ${state.node} ${program} ${turnsToHere(state).join()}`
        : null;
      if (key === current) return;
      controller.abort();
      current = key;
      stuck = false;
      if (!ready || program === null) {
        if (app.state.thinking) app.dispatch({ type: "thinking", thinking: false });
        return;
      }
      controller = new AbortController();
      const { signal } = controller;
      move(app, program, signal).catch((error) => {
        if (signal.aborted || api.isAbort(error)) return;
        if (error instanceof ApiError && error.code === "level_unavailable") return fallBack(app, program);
        // While the server does not answer, the turn is asked for again.
        if (api.isTemporary(error)) stuck = true;
        else current = null;
        app.dispatch({ type: "thinking", thinking: false });
        if (!stuck) app.dispatch({ type: "pause" });
        failed(error);
      });
    },
  };
}

/** Shows the steps of a turn before it is played. @param {App} app @param {number} node @param {import("./api-types").Side} mover @param {string} turn @param {import("./api-types").PlayedStep[]} steps @param {AbortSignal} signal */
export async function show(app, node, mover, turn, steps, signal) {
  for (let shown = 1; shown < steps.length; shown += 1) {
    app.dispatch({ type: "show", showing: { node, mover, steps, shown, turn } });
    await wait(PACE[app.state.settings.pace], signal);
  }
}

let replays = new AbortController();

/** Shows the last turn again, step by step. @param {App} app */
export async function replay(app) {
  const node = currentNode(app.state);
  if (node.parent === null || node.turn === null) return;
  replays.abort();
  replays = new AbortController();
  const { signal } = replays;
  const parent = nodeAt(app.state.tree, node.parent);
  const { board, rules } = app.state.info;
  const before = await api.fullPosition(board, rules, parent.position, signal);
  const steps = stepsOfTurn(before.steps, node.turn);
  if (!steps) return;
  const here = () => app.state.node === node.id && !signal.aborted;
  try {
    for (let shown = 0; shown <= steps.length && here(); shown += 1) {
      const showing = { node: parent.id, mover: parent.toMove, steps, shown, turn: node.turn };
      app.dispatch({ type: "show", showing });
      await wait(PACE[app.state.settings.pace], signal);
    }
  } catch (error) {
    if (!api.isAbort(error)) throw error;
  }
  if (here()) app.dispatch({ type: "show", showing: null });
}
