// The engine's view of positions that nothing decides: a stream that ends when one leaves, and what
// the other side threatens.

import * as api from "./api.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { wait } from "./opponent.js";
import { button, section } from "./parts.js";
import { currentNode } from "./state.js";
import { chanceOfWhite, chip } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").AnalysisAnswer} Analysis */

const LINES = 3;
const SECONDS = 20;
/** Who goes through a game asks for nothing, in milliseconds. */
const MOMENT = 250;

/** @param {App} app */
export function createAnalysis(app) {
  let controller = new AbortController();
  let place = "";
  /** Whether the server did not answer. */
  let stuck = false;
  /** Whether the threat is wanted, and for which place it was asked. */
  let threat = false;
  let threatened = "";

  const here = () => {
    const { info, node } = app.state;
    return `${info.board} ${info.rules} ${node} ${currentNode(app.state).position}`;
  };

  /** @param {string} position @param {number} lines @param {number} seconds @param {AbortSignal} signal @param {(found: Analysis) => void} found */
  function open(position, lines, seconds, signal, found) {
    const { board, rules } = app.state.info;
    const query = { board, rules, position, lines, seconds };
    const read = (/** @type {string} */ _, /** @type {Analysis} */ analysis) => {
      // A deeper search of the first lines may have put them below the others.
      analysis.lines.sort((a, b) => goodness(b) - goodness(a));
      found(analysis);
    };
    // Where no engine can be had at the moment, there is no estimate.
    api.follow("analysis", query, signal, read).catch((error) => {
      stuck = !signal.aborted && error.code === "offline";
      if (stuck) app.lost(error);
    });
  }

  /** Whether nothing decides the position, and the server lends an engine. */
  function wanted() {
    const { answer, about } = app.state;
    return answer !== null && !answer.outcome && answer.value === "unknown" && (about?.limits.searches ?? 0) > 0;
  }

  /** The best turn of the other side if this one passed. */
  async function findThreat() {
    const { state } = app;
    const { board, rules } = state.info;
    const { id, position } = currentNode(state);
    const passed = position.replace(/ [wb]/, (side) => (side === " w" ? " b" : " w"));
    const answer = await api.get("position", { board, rules, position: passed, detail: "turns" });
    const best = answer.turns.find(({ turn }) => turn === answer.best);
    if (best) app.dispatch({ type: "threat", node: id, threat: best });
    else if (answer.turns.length > 0) {
      open(passed, 1, 1, new AbortController().signal, ({ lines }) => {
        const [line] = lines;
        if (line && threat) app.dispatch({ type: "threat", node: id, threat: line });
      });
    }
  }

  return {
    wanted,
    /** Lets an analysis that has failed begin again. */
    again() {
      if (stuck) place = "";
      stuck = false;
    },
    /** Follows the position on the board. */
    update() {
      const { state } = app;
      const searching = state.view === "explore" && wanted();
      const now = searching ? here() : "";
      if (now !== place) {
        controller.abort();
        controller = new AbortController();
        place = now;
        const { node } = state;
        if (searching) {
          const { position } = currentNode(state);
          const seconds = Math.min(SECONDS, state.about?.limits.search_seconds ?? SECONDS);
          const { signal } = controller;
          const found = (/** @type {Analysis} */ analysis) => app.dispatch({ type: "analysis", node, analysis });
          wait(MOMENT, signal).then(() => open(position, LINES, seconds, signal, found), () => {});
        }
      }
      if (threat && state.view === "explore" && state.answer && !state.answer.outcome) {
        if (threatened !== here()) {
          threatened = here();
          app.report(findThreat());
        }
      }
    },
    /** The bar of White's chances. Its place is kept until there is an estimate. */
    bar() {
      const { answer, analysis } = app.state;
      const estimate = analysis?.lines[0]?.estimate;
      const chance = answer && chanceOfWhite({ ...answer, ...(estimate === undefined ? {} : { estimate }) });
      if (chance === null) return h("div", { class: "evaluation", key: "evaluation", "aria-hidden": "true" });
      const percent = Math.round(chance * 100);
      return h(
        "div",
        { class: "evaluation", key: "evaluation", id: "evaluation", role: "img", "aria-label": t("engine.bar", { percent }) },
        h("div", { style: { width: `${percent}%` } }),
      );
    },
    /** The engine's lines. They have their place before they come, so that nothing below them jumps. */
    view() {
      const { answer, analysis } = app.state;
      if (!answer || !wanted()) return null;
      return section(
        t("engine.title", { n: analysis?.depth ?? 0 }),
        h("p", { class: "quiet small-text" }, t("engine.about", { side: t(`side.${answer.to_move}`) })),
        h(
          "div",
          { id: "engine-lines", "data-depth": analysis?.depth ?? 0, style: { "--lines": Math.min(LINES, answer.turns.length) } },
          ...(analysis?.lines ?? []).map((line) =>
            h(
              "div",
              { class: "engine-line", key: line.turn },
              chip(line, "tiny"),
              h(
                "button",
                {
                  type: "button",
                  class: "link",
                  "data-engine-turn": line.turn,
                  onclick: () => app.dispatch({ type: "play", turn: line }),
                },
                line.turn,
              ),
              h("span", { class: "quiet" }, line.line.slice(1, 8).join(" ")),
            ),
          ),
        ),
      );
    },
    /** The switch for the threat. */
    threatView() {
      const { answer, threat: found } = app.state;
      if (!answer || answer.outcome) return null;
      return h(
        "div",
        { class: "row", key: "threat" },
        button(
          "threat",
          t("threat.show"),
          () => {
            threat = !threat;
            threatened = "";
            if (!threat) app.dispatch({ type: "threat", node: app.state.node, threat: null });
            app.refresh();
            this.update();
          },
          { class: "small", "aria-pressed": String(threat) },
        ),
        threat && found && h("span", { class: "quiet", id: "threat" }, t("threat.is", { turn: found.turn })),
      );
    },
  };
}

/** A number that is larger for better lines. @param {Analysis["lines"][number]} line */
const goodness = ({ value, estimate }) =>
  value === "win" ? 1e9 : value === "loss" ? -1e9 : (estimate ?? 0);
