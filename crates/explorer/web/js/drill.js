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
    const lost = app.state.drill?.lost;
    if (!lost) return;
    const parent = nodeAt(app.state.tree, lost.node).parent ?? 0;
    const { drill, info, tree } = app.state;
    if (!drill) return;
    app.dispatch({
      type: "game",
      info,
      tree,
      node: parent,
      paused: false,
      drill: { ...drill, lost: null },
    });
  }

  /** How the drill stands. @param {import("./state.js").Drill} drill */
  function outcome(drill) {
    const { state } = app;
    if (drill.lost) return "lost";
    const person = nodeAt(state.tree, drill.root).toMove;
    const end = gameEnd(state);
    if (end)
      return end.outcome === person || (drill.kind === "draw" && end.outcome === "draw")
        ? "done"
        : "lost";
    const own = pathTo(state.tree, state.node).filter(
      (node) => node.turn !== null && node.toMove !== person,
    ).length;
    return drill.kind === "draw" && own >= HOLD_DRAW ? "done" : "running";
  }

  /** @param {boolean} good */
  function count(good) {
    if (counted) return;
    counted = true;
    keepDrill(good);
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
      const state_ = drill ? outcome(drill) : null;
      const { streak, best } = kept().drill;
      const side = drill ? t(`side.${nodeAt(state.tree, drill.root).toMove}`) : "";
      return [
        !drill && h("p", { class: "quiet", key: "about" }, t("drill.about")),
        drill &&
          state_ === "running" &&
          h(
            "div",
            { class: "result", key: "task", id: "drill-task" },
            h("strong", null, t(`drill.task_${drill.kind}`, { side })),
            (drill.kind === "draw" || drill.goal > 0) &&
              h(
                "span",
                { class: "quiet" },
                drill.kind === "draw"
                  ? t("drill.turns", { n: HOLD_DRAW })
                  : t("drill.distance", { n: drill.goal }),
              ),
          ),
        drill &&
          state_ === "done" &&
          h(
            "div",
            { class: "result good", key: "done", id: "drill-done" },
            h("strong", null, t("drill.done")),
          ),
        drill &&
          state_ === "lost" &&
          h(
            "div",
            { class: "result bad", key: "lost", id: "drill-lost" },
            h("strong", null, t(`drill.lost_${drill.kind}`)),
            drill.lost &&
              h(
                "p",
                null,
                state.answer && valueSentence(state.answer, state.answer.to_move),
                " ",
                t("mistake.better"),
                " ",
                drill.lost.better.join(", "),
              ),
            drill.lost &&
              h(
                "div",
                { class: "row" },
                button("retry", t("drill.retry"), retry, { class: "primary" }),
              ),
          ),
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
            { class: drill && state_ === "running" ? "wide" : "primary wide" },
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
