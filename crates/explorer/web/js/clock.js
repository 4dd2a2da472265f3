// The clocks of a game: a time for each side, and seconds that each turn adds.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { other } from "./notation.js";
import { select } from "./parts.js";
import { currentNode, gameEnd, hasNoTurn } from "./state.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./api-types").Side} Side */

/**
 * @typedef {object} Clock
 * @property {number} increment in milliseconds
 * @property {{white: number, black: number}} left in milliseconds, when `running` began
 * @property {Side | null} running
 * @property {number} since when `running` began, in milliseconds
 */

/** The choices: minutes for each side, and seconds that each turn adds. */
const CHOICES = ["1+0", "3+2", "5+5", "10+10", "30+0"];

/** The clock of a new game. @param {string} choice as in "5+3", or "" @returns {Clock | null} */
export function newClock(choice) {
  const [, minutes, seconds] = /^(\d{1,3})\+(\d{1,3})$/.exec(choice) ?? [];
  if (!minutes || !seconds) return null;
  const time = Number(minutes) * 60_000;
  return {
    increment: Number(seconds) * 1000,
    left: { white: time, black: time },
    running: null,
    since: 0,
  };
}

/** The choice of the clocks of the next game. @param {App} app */
export const clockSelect = ({ state, dispatch }) =>
  select(
    "new-clock",
    t("clock.label"),
    state.settings.clock,
    [["", t("clock.none")], ...CHOICES.map((name) => /** @type {[string, string]} */ ([name, name]))],
    (clock) => dispatch({ type: "settings", settings: { clock } }),
  );

/** The clock with its times of now, standing. @param {Clock} clock @param {number} now @returns {Clock} */
export function stopped(clock, now) {
  const { running, left, since } = clock;
  if (!running) return clock;
  const rest = Math.max(0, left[running] - (now - since));
  return { ...clock, left: { ...left, [running]: rest }, running: null };
}

/** Whose clock runs: it stands before the first turn, and while one looks back or elsewhere. @param {State} state @returns {Side | null} */
function running(state) {
  const node = currentNode(state);
  const plays = state.view === "play" && !state.drill && !gameEnd(state) && !state.offline;
  if (!plays || node.ply === 0 || node.children.length > 0) return null;
  const waits = state.paused && state.players[node.toMove] !== "person";
  return waits ? null : node.toMove;
}

/** Keeps the clock of the game. @param {App} app */
export function createClock(app) {
  let timer = 0;

  function tick() {
    const { clock } = app.state;
    const side = clock?.running;
    if (!clock || !side) return;
    if (stopped(clock, Date.now()).left[side] === 0) {
      app.dispatch({ type: "end", end: { outcome: other(side), reason: "time" } });
    } else app.refresh();
  }

  /** @param {State} before */
  return function update(before) {
    const { state } = app;
    const { clock } = state;
    // A game without a turn has the clock that is chosen.
    const chosen = hasNoTurn(state) ? newClock(state.settings.clock) : clock;
    if (JSON.stringify(chosen) !== JSON.stringify(clock)) return app.dispatch({ type: "clock", clock: chosen });
    if (!clock) {
      window.clearInterval(timer);
      timer = 0;
      return;
    }
    const side = running(state);
    const node = currentNode(state);
    const turn = state.node !== before.node && node.parent === before.node && state.tree !== before.tree;
    if (clock.running === side && !turn) return;
    const now = Date.now();
    const next = stopped(clock, now);
    const mover = other(node.toMove);
    const left =
      turn && clock.running === mover
        ? { ...next.left, [mover]: next.left[mover] + next.increment }
        : next.left;
    window.clearInterval(timer);
    timer = side ? window.setInterval(tick, 200) : 0;
    app.dispatch({ type: "clock", clock: { ...next, left, running: side, since: now } });
  };
}

/** The time that a side has left. @param {State} state @param {Side} side */
export function clockView({ clock }, side) {
  if (!clock) return null;
  const left = stopped(clock, Date.now()).left[side];
  const seconds = Math.ceil(left / 1000);
  const text =
    left < 10_000
      ? (Math.ceil(left / 100) / 10).toFixed(1)
      : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return h(
    "span",
    {
      class: clock.running === side ? "clock running" : "clock",
      "data-clock": side,
      role: "timer",
      "aria-live": "off",
      key: "clock",
    },
    text,
  );
}
