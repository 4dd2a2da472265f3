// The review of a game: judged by the server turn by turn, its mistakes, and trying again.

import * as api from "./api.js";
import { h } from "./dom.js";
import { knownOf } from "./graph.js";
import { mistakeNote } from "./history.js";
import { t } from "./i18n.js";
import { button, section } from "./parts.js";
import { createRunning } from "./running.js";
import { currentNode, deepOf, lineFacts, lineKey } from "./state.js";
import { lineThrough, nodeAt, turnsOf } from "./tree.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").ReviewTurn} ReviewTurn */
/** @typedef {import("./api-types").SideSummary} SideSummary */

/** The seconds that the server may take for a game, and for a turn that is tried. */
const SECONDS = 7;
const SECONDS_OF_A_TRY = 2;

/** The turns to look at again, as numbers of turns before them. @param {import("./state.js").State} state */
const mistakesOf = (state) => deepOf(state)?.done?.mistakes ?? [];

/** Goes to the position after the next mistake, or the one before. @param {App} app @param {1 | -1} step */
export function goToMistake(app, step) {
  const { state } = app;
  const here = currentNode(state).ply;
  const places = mistakesOf(state).map((ply) => ply + 1);
  const next =
    step > 0 ? places.find((ply) => ply > here) : places.filter((ply) => ply < here).at(-1);
  const node = lineThrough(state.tree, state.node).find(({ ply }) => ply === next);
  if (node) app.dispatch({ type: "go", node: node.id });
}

/** @param {App} app */
export function createReview(app) {
  /** A line that is judged. */
  const running = createRunning(app);
  /** The node before a mistake, where another turn is tried. @type {{node: number, result: Map<number, ReviewTurn | "loading">} | null} */
  let trying = null;

  const game = () => ({ board: app.state.info.board, rules: app.state.info.rules });

  /** @param {import("./state.js").State["reviewing"]} [side] whose first mistake is shown then */
  function start(side) {
    const { state } = app;
    const line = lineKey(state);
    const nodes = lineThrough(state.tree, state.node);
    const body = {
      ...game(),
      start: nodeAt(state.tree, 0).position,
      turns: turnsOf(nodes),
      seconds: Math.min(SECONDS, state.about?.limits.search_seconds ?? SECONDS),
    };
    running.start(line, (signal) =>
      api.review(body, signal, (name, data) => {
        if (name === "judged") app.dispatch({ type: "judged", line, position: data });
        if (name === "done") {
          app.dispatch({ type: "review-done", line, done: data });
          app.announce(summaryText("white", data.white) + summaryText("black", data.black));
          // Whoever has gone elsewhere meanwhile stays there.
          if (typeof side !== "string" || app.state.node !== state.node) return;
          const after = nodes.find(({ ply, toMove }) => toMove !== side && data.mistakes.includes(ply - 1));
          if (after) app.dispatch({ type: "go", node: after.id });
          requestAnimationFrame(() => document.querySelector(".review-turn")?.scrollIntoView({ block: "nearest" }));
        }
      }),
    );
  }

  /** Goes back to before the mistake. @param {number} node */
  function tryAgain(node) {
    trying = { node, result: new Map() };
    app.dispatch({ type: "go", node });
    app.announce(t("review.try"));
  }

  /** Asks how good the turn is that was tried. @param {import("./tree.js").Node} node */
  function judgeTry(node) {
    if (!trying || trying.result.has(node.id) || node.turn === null) return;
    const { result } = trying;
    result.set(node.id, "loading");
    const body = {
      ...game(),
      start: nodeAt(app.state.tree, trying.node).position,
      turns: [node.turn],
      seconds: SECONDS_OF_A_TRY,
    };
    api
      .review(body, new AbortController().signal, (name, data) => {
        if (name !== "judged" || data.turn === null) return;
        result.set(node.id, data.turn);
        app.announce(t(tryText(data.turn)));
      })
      .catch((reason) => {
        result.delete(node.id);
        running.message = api.errorText(reason);
      })
      .finally(app.refresh);
  }

  function tryView() {
    if (!trying) return null;
    const { state } = app;
    const found = trying.result.get(state.node);
    const root = trying.node;
    const again = state.node !== root;
    return h(
      "div",
      {
        class: `result ${typeof found === "object" ? (found.mistake ? "bad" : "good") : ""}`,
        key: "try",
        id: "review-try",
        "data-try":
          typeof found === "object" ? (found.mistake ?? "holds") : (found ?? "open"),
      },
      h(
        "strong",
        null,
        found === undefined
          ? t("review.try")
          : found === "loading"
            ? t("review.judging")
            : t(tryText(found)),
      ),
      h(
        "div",
        { class: "row" },
        again &&
          button("try-again", t("review.again"), () => tryAgain(root), { class: "primary" }),
        button("end-try", t("help.close"), () => {
          trying = null;
          app.refresh();
        }),
      ),
    );
  }

  /** The turn on the board: how hard it was, and trying it again. */
  function turnView() {
    const { state } = app;
    const node = currentNode(state);
    const turn = node.ply > 0 ? deepOf(state)?.found.get(node.ply - 1)?.turn : null;
    if (!turn || trying) return null;
    const parent = node.parent ?? 0;
    return h(
      "div",
      { class: "review", key: "turn" },
      // Where every turn kept it, that is no feat.
      turn.share &&
        turn.share.holding < turn.share.turns &&
        h("p", { class: "quiet", id: "review-share" }, t("review.share", { n: turn.share.holding, all: turn.share.turns })),
      turn.mistake &&
        button("try-again", t("review.try_again"), () => tryAgain(parent), { class: "primary" }),
    );
  }

  function summary() {
    const { state } = app;
    const deep = deepOf(state);
    if (!deep?.done) return null;
    const here = currentNode(state).ply;
    const facts = lineFacts(state);
    const places = deep.done.mistakes.map((ply) => ply + 1);
    return h(
      "div",
      { class: "review", key: "summary", id: "review-summary" },
      h(
        "dl",
        { class: "review-sums" },
        ...(/** @type {const} */ (["white", "black"])).flatMap((side) => [
          h("dt", { key: side }, t(`side.${side}`)),
          h("dd", { key: `${side}s` }, sums(deep.done?.[side])),
        ]),
      ),
      h("p", { class: "quiet" }, t("review.settled", { n: knownOf(facts), all: facts.length })),
      places.length > 0 &&
        h(
          "div",
          { class: "row" },
          button("mistake-before", t("review.before"), () => goToMistake(app, -1), {
            disabled: !places.some((ply) => ply < here),
          }),
          button("mistake-next", t("review.next"), () => goToMistake(app, 1), {
            disabled: !places.some((ply) => ply > here),
          }),
        ),
    );
  }

  return {
    /** Starts what is wanted, ends what is not. */
    update() {
      const { state } = app;
      const { place } = running;
      if (place !== null && place !== lineKey(state) && state.view !== "explore") running.stop();
      if (state.reviewing) {
        app.dispatch({ type: "reviewing", reviewing: false });
        start(state.reviewing);
      }
      if (!trying) return;
      const node = currentNode(state);
      const known = trying.node < state.tree.length && nodeAt(state.tree, trying.node);
      if (!known || state.view !== "explore" || (node.id !== trying.node && node.parent !== trying.node)) {
        trying = null;
      } else if (node.parent === trying.node) {
        judgeTry(node);
      }
    },
    view() {
      const { state } = app;
      if (lineThrough(state.tree, state.node).length < 2 && !trying) return null;
      const deep = deepOf(state);
      const all = lineThrough(state.tree, state.node).length;
      const isRunning = running.place === lineKey(state);
      const part = section(
        t("review.title"),
        isRunning
          ? h(
              "div",
              { class: "row", key: "running" },
              h("progress", { "aria-label": t("review.judging"), max: all, value: deep?.found.size ?? 0 }),
              button("stop-review", t("proof.stop"), () => {
                running.stop();
                app.refresh();
              }),
            )
          : !deep?.done &&
              button("review", t("review.start"), () => start(), { class: "primary wide", key: "start" }),
        running.message && h("p", { class: "error", key: "error", role: "alert" }, running.message),
        summary(),
      );
      return [part, h("div", { class: "review-turn", key: "review-turn" }, mistakeNote(app), turnView(), tryView())];
    },
  };
}

/** The verdict on a turn that was tried. @param {ReviewTurn} turn */
const tryText = (turn) =>
  turn.mistake
    ? `review.try_${turn.mistake}`
    : turn.value === "unknown"
      ? "review.try_seems"
      : "review.try_holds";

/** @param {SideSummary | undefined} sum */
const sums = (sum) =>
  sum
    ? [
        t("review.mistakes", { n: sum.mistakes }),
        sum.doubtful > 0 && t("review.doubtful", { n: sum.doubtful }),
        sum.turns_lost > 0 && t("review.slow", { n: sum.turns_lost }),
      ]
        .filter(Boolean)
        .join(", ")
    : "";

/** @param {import("./api-types").Side} side @param {SideSummary} sum */
const summaryText = (side, sum) => `${t(`side.${side}`)}: ${sums(sum)}. `;
