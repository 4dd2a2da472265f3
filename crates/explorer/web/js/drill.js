// The second half of the panel "Puzzles": hold the win or the draw of a random table position against best play.

import * as api from "./api.js";
import { h } from "./dom.js";
import { historyView } from "./history.js";
import { t } from "./i18n.js";
import { newGame } from "./load.js";
import { button, segments, select } from "./parts.js";
import { keepDrill, kept } from "./puzzlescore.js";
import { currentNode, gameEnd } from "./state.js";
import { nodeAt, pathTo } from "./tree.js";
import { valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */

/** How many turns of one's own a draw has to be held. */
const HOLD_DRAW = 20;

/** A task or how it went. @param {string} id @param {"" | "good" | "bad"} look @param {string} words @param {...import("./dom.js").Content} more */
export const result = (id, look, words, ...more) =>
  h("div", { class: `result ${look}`, key: id, id }, h("strong", null, words), ...more);

/** @param {App} app */
export function createDrill(app) {
  /** @type {"win" | "draw"} */
  let kind = "win";
  let stones = 4;
  /** Whether the result of this drill is kept already. */
  let counted = true;
  let error = "";

  async function start() {
    error = "";
    const { board, rules } = app.state.info;
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    try {
      const found = await api.get("drill", { board, rules, kind, stones, seed });
      const game = await newGame(board, rules, found.position);
      const person = game.tree[0]?.toMove ?? "white";
      counted = false;
      app.dispatch({
        ...game,
        view: "puzzles",
        drill: { kind, root: 0, goal: found.dtw ?? 0, lost: null, line: null },
      });
      app.announce(t(`drill.task_${kind}`, { side: t(`side.${person}`) }));
    } catch (reason) {
      error = api.errorText(reason);
      app.announce(error);
    }
    app.refresh();
  }

  /** Takes the mistake back. */
  function retry() {
    const { drill, info, tree } = app.state;
    if (!drill?.lost) return;
    const node = nodeAt(tree, drill.lost.node).parent ?? 0;
    app.dispatch({ type: "game", info, tree, node, paused: false, drill: { ...drill, lost: null } });
  }

  /** How the drill stands. @param {import("./state.js").Drill} drill */
  function outcome(drill) {
    const { state } = app;
    const person = nodeAt(state.tree, drill.root).toMove;
    const draw = drill.kind === "draw";
    const end = gameEnd(state);
    if (drill.lost) return "lost";
    if (end) return end.outcome === person || (draw && end.outcome === "draw") ? "done" : "lost";
    const own = pathTo(state.tree, state.node).filter(({ turn, toMove }) => turn !== null && toMove !== person);
    return draw && own.length >= HOLD_DRAW ? "done" : "running";
  }

  /** @param {boolean} good */
  function count(good) {
    if (counted) return;
    counted = true;
    keepDrill(good);
  }

  /** The task, or how it ended. @param {import("./state.js").Drill} drill @param {ReturnType<typeof outcome>} stands */
  function resultView({ kind, goal, lost, root }, stands) {
    const { tree, answer } = app.state;
    if (stands === "done") return result("drill-done", "good", t("drill.done"));
    if (stands === "lost") {
      const better = lost && [
        h(
          "p",
          null,
          answer && valueSentence(answer, answer.to_move),
          ` ${t("mistake.better")} ${lost.better.join(", ")}`,
        ),
        h("div", { class: "row" }, button("retry", t("drill.retry"), retry, { class: "primary" })),
      ];
      return result("drill-lost", "bad", t(`drill.lost_${kind}`), better);
    }
    const side = t(`side.${nodeAt(tree, root).toMove}`);
    const turns = kind === "draw" ? t("drill.turns", { n: HOLD_DRAW }) : goal > 0 && t("drill.distance", { n: goal });
    const task = t(`drill.task_${kind}`, { side });
    return result("drill-task", "", task, turns && h("span", { class: "quiet" }, turns));
  }

  return {
    /**
     * Judges the person's turn: does it keep the value?
     * @param {import("./state.js").State} before
     */
    judge(before) {
      const { state } = app;
      const { drill } = state;
      if (!drill || drill.line || drill.lost) return;
      if (outcome(drill) === "done") count(true);
      if (state.node === before.node || !before.answer) return;
      const node = currentNode(state);
      const person = nodeAt(state.tree, drill.root).toMove;
      if (node.parent !== before.node || nodeAt(state.tree, before.node).toMove !== person) return;
      const turn = before.answer.turns.find((each) => each.turn === node.turn);
      if (!turn || turn.holds || turn.value === "unknown") return;
      const better = before.answer.turns.filter((each) => each.holds).slice(0, 3);
      count(false);
      app.dispatch({ type: "drill-lost", node: node.id, better: better.map((each) => each.turn) });
      app.dispatch({ type: "pause" });
      app.announce(t(`drill.lost_${drill.kind}`));
    },
    view() {
      const { state } = app;
      const drill = state.drill?.line ? null : state.drill;
      const stands = drill ? outcome(drill) : null;
      const { streak, best } = kept().drill;
      return [
        !drill && h("p", { class: "quiet", key: "about" }, t("drill.about")),
        drill && stands && resultView(drill, stands),
        h(
          "div",
          { class: "form", key: "form" },
          segments(
            "drill-kind",
            t("drill.kind"),
            kind,
            [
              ["win", t("drill.win")],
              ["draw", t("drill.draw")],
            ],
            (value) => {
              kind = value === "draw" ? "draw" : "win";
              app.refresh();
            },
          ),
          select(
            "drill-stones",
            t("drill.stones"),
            String(stones),
            counts(app).map((n) => [String(n), t("stones", { n })]),
            (value) => {
              stones = Number(value);
              app.refresh();
            },
          ),
          button(
            "drill-start",
            drill ? t("drill.next") : t("drill.start"),
            () => app.report(start()),
            { class: stands === "running" ? "wide" : "primary wide" },
          ),
        ),
        error && h("p", { class: "error", key: "error", role: "alert" }, error),
        h("p", { class: "quiet", key: "streak" }, t("drill.streak", { streak, best })),
        drill && historyView(app),
      ];
    },
  };
}

/** The numbers of stones that the tables of this board go up to. @param {App} app @returns {number[]} */
function counts({ state }) {
  const most = Math.max(
    4,
    ...(state.about?.tables ?? [])
      .filter(({ board, rules }) => board === state.info.board && rules === state.info.rules)
      .map(({ max_stones }) => max_stones),
  );
  return Array.from({ length: most - 1 }, (_, i) => i + 2);
}
