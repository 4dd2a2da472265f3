// The panel "Explore": the value of the position, every turn with its value, the line, the proof.

import { createAnalysis } from "./analysis.js";
import * as api from "./api.js";
import { h } from "./dom.js";
import { historyView } from "./history.js";
import { t } from "./i18n.js";
import { newGame } from "./load.js";
import { buildView, button, fold, section } from "./parts.js";
import { createProof } from "./proof.js";
import { createReview } from "./review.js";
import { shareView } from "./share.js";
import { currentNode, currentWalk, deepOf } from "./state.js";
import { viewer } from "./tabletop.js";
import { chip, seenBy, valueSentence, verdict } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").TurnEntry} Turn */
/** @typedef {import("./api-types").Line} Line */

const FIRST_TURNS = 24;

/** @param {App} app */
export function createExplore(app) {
  const proof = createProof(app);
  const analysis = createAnalysis(app);
  const review = createReview(app);
  /** The answers to requests; a text while there is none. @type {Map<string, any>} */
  const asked = new Map();
  /** Turns whose refutation is open. @type {Set<string>} */
  const open = new Set();
  let all = "";

  /** @param {string} position */
  const key = (position) => `${app.state.info.board} ${app.state.info.rules} ${position}`;
  const game = () => ({ board: app.state.info.board, rules: app.state.info.rules });
  const query = (/** @type {string} */ position) => ({ ...game(), position });

  /**
   * An answer that is kept, or "loading", or why there is none.
   * @template T @param {string} place @param {() => Promise<T>} ask @returns {T | string}
   */
  function kept(place, ask) {
    const known = asked.get(place);
    if (known !== undefined) return known;
    asked.set(place, "loading");
    ask()
      .then(
        (answer) => asked.set(place, answer),
        (error) => {
          asked.set(place, `! ${api.errorText(error)}`);
          app.lost(error);
        },
      )
      .finally(app.refresh);
    return "loading";
  }

  /** @param {string} position @returns {Line | string} */
  const line = (position) => kept(`line ${key(position)}`, () => api.get("line", query(position)));

  /** @param {import("./api-types").PositionAnswer} answer */
  function withReplies(answer) {
    if (answer.value === "unknown") return null;
    const asked = { ...query(answer.position), detail: "replies" };
    const found = kept(`replies ${key(answer.position)}`, () => api.get("position", asked));
    return typeof found === "string" ? null : found;
  }

  /** @param {Turn} turn @param {ReturnType<typeof withReplies>} found */
  function turnRow(turn, found) {
    const holding = found?.turns.find((other) => other.turn === turn.turn)?.replies_that_hold;
    const judged = app.state.analysis?.lines.find((line) => line.turn === turn.turn);
    const preview = { path: turn.path, captured: turn.captured, value: turn.value };
    const show = () => app.dispatch({ type: "preview", preview });
    const hide = () => app.dispatch({ type: "preview", preview: null });
    const shown = open.has(turn.turn);
    return h(
      "li",
      { class: turn.holds ? "value-row holds" : "value-row", key: turn.turn },
      h(
        "button",
        {
          type: "button",
          class: "value-turn",
          "data-turn": turn.turn,
          onpointerenter: show,
          onfocus: show,
          onpointerleave: hide,
          onblur: hide,
          onclick: () => app.dispatch({ type: "play", turn }),
        },
        chip((verdict(turn) === "unknown" && judged) || turn),
        turn.turn === found?.trickiest &&
          h("span", { class: "trickiest", title: t("explore.trickiest_about"), key: "trickiest" }, t("explore.trickiest")),
        h("span", { class: "turn-name" }, turn.turn),
        h(
          "span",
          { class: "quiet" },
          [
            turn.captured.length > 0 ? t("explore.takes", { n: turn.captured.length }) : "",
            typeof holding === "number" ? t("explore.replies", { n: holding }) : "",
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
      h(
        "button",
        {
          type: "button",
          class: "tool",
          "data-action": "refutation",
          "aria-expanded": String(shown),
          "aria-label": t("explore.refutation", { turn: turn.turn }),
          title: t("explore.refutation", { turn: turn.turn }),
          onclick: () => {
            if (shown) open.delete(turn.turn);
            else open.add(turn.turn);
            app.refresh();
          },
        },
        shown ? "▾" : "▸",
      ),
      shown && h("div", { class: "refutation" }, lineView(line(turn.position), [turn])),
    );
  }

  /**
   * A line as buttons; each plays the turns up to it.
   * @param {Line | "loading" | string} answer @param {Turn[]} before
   */
  function lineView(answer, before) {
    if (answer === "loading") return h("p", { class: "quiet" }, t("status.loading"));
    if (typeof answer === "string") return h("p", { class: "error" }, answer.slice(2));
    if (answer.line.length === 0) return h("p", { class: "quiet" }, t(`line.${answer.end}`));
    return h(
      "p",
      { class: "line" },
      ...answer.line.map((turn, i) =>
        h(
          "button",
          {
            type: "button",
            class: "link",
            key: `${i}${turn.turn}`,
            "data-line": i,
            onclick: () => playAll(before, answer.line.slice(0, i + 1)),
          },
          turn.turn,
          i === 0 || i === answer.line.length - 1 ? [" ", chip(turn, "tiny")] : null,
        ),
      ),
      h("span", { class: "quiet" }, t(`line.${answer.end}`)),
    );
  }

  /** @param {Turn[]} before @param {import("./api-types").RankedTurn[]} after */
  function playAll(before, after) {
    for (const turn of before) app.dispatch({ type: "play", turn });
    for (const turn of after) {
      const path = turn.turn.split("-").map((step) => step.replace(/[AW]$/, ""));
      app.dispatch({ type: "play", turn: { ...turn, path } });
    }
  }

  /** The value on top. */
  function headline() {
    const { answer } = app.state;
    if (!answer) return h("div", { class: "headline", key: "value" }, h("p", { class: "quiet" }, t("status.loading")));
    // A review may know more than the tables.
    const judged = deepOf(app.state)?.found.get(currentNode(app.state).ply);
    const found = (answer.value === "unknown" && judged) || answer;
    const [line] = app.state.analysis?.lines ?? [];
    const known = verdict(found) === "unknown" && line ? { ...found, ...line } : found;
    const asks = verdict(known) === "unknown" && !line && analysis.wanted();
    const seen = seenBy(known, answer.to_move, viewer(app.state));
    const source = answer.outcome ? t("source.rules") : t(`source.${asks ? "estimate" : (known.source ?? "none")}`);
    return h(
      "div",
      { class: `headline ${verdict(seen)}`, id: "value", key: "value" },
      chip(seen, "large"),
      h(
        "div",
        null,
        h(
          "strong",
          null,
          answer.outcome
            ? answer.outcome === "draw"
              ? t("end.draw")
              : t("end.wins", { side: t(`side.${answer.outcome}`) })
            : asks
              ? t("value.side_chance", { side: t(`side.${answer.to_move}`), chance: "…\u00a0%" })
              : valueSentence(known, answer.to_move),
        ),
        h("span", { class: "quiet" }, source),
      ),
    );
  }

  function turnList() {
    const { answer } = app.state;
    if (!answer || answer.turns.length === 0) return null;
    const found = withReplies(answer);
    // A stone in the hand leaves its own turns; steps made leave the turns that begin with them.
    const now = currentWalk(app.state);
    const begun = now?.steps.at(-1)?.turn ?? "";
    const fitting = answer.turns.filter(
      (turn) => turn.turn.startsWith(begun) && (!now?.selected || turn.path[0] === now.selected),
    );
    const whole = all === answer.position || fitting.length <= FIRST_TURNS + 4;
    const turns = whole ? fitting : fitting.slice(0, FIRST_TURNS);
    return section(
      t("explore.turns", { n: fitting.length }) +
        (begun ? ` · ${begun}` : now?.selected ? ` · ${now.selected}` : ""),
      h(
        "p",
        { class: "quiet small-text" },
        t("explore.turns_about", { side: t(`side.${answer.to_move}`) }),
        answer.turns.some(({ dtw }) => dtw) && ` ${t("explore.turns_numbers")}`,
      ),
      h(
        "ol",
        { class: answer.value === "unknown" ? "values-list" : "values-list with-replies", id: "turns" },
        ...turns.map((turn) => turnRow(turn, found)),
      ),
      !whole &&
        button(
          "all-turns",
          t("explore.all", { n: fitting.length }),
          () => {
            all = answer.position;
            app.refresh();
          },
          { class: "wide" },
        ),
    );
  }

  /**
   * The line of best play, where it means something: a draw has none, and without distances no turn is
   * known to make progress. Otherwise the turns that keep the value.
   * @param {import("./api-types").PositionAnswer} answer
   */
  function bestPlay(answer) {
    const found = answer.value === "draw" ? null : line(answer.position);
    if (found === "loading" || typeof found === "string") return lineView(found, []);
    if (found && (found.line.length > 1 || found.end === "finished")) {
      return [h("h2", null, t("explore.line")), lineView(found, [])];
    }
    const holding = answer.turns.filter((turn) => turn.holds);
    if (answer.value === "loss" || holding.length === 0) return null;
    const isOpen = answer.turns.some(({ holds, value }) => !holds && value === "unknown");
    const keep = isOpen ? "explore.keep_least" : "explore.keep";
    return [
      h("h2", null, t(keep, { n: holding.length, all: answer.turns.length })),
      h(
        "p",
        { class: "line", id: "keep" },
        ...holding.slice(0, FIRST_TURNS).map((turn) =>
          h(
            "button",
            {
              type: "button",
              class: "link",
              key: turn.turn,
              "data-keep": turn.turn,
              onclick: () => app.dispatch({ type: "play", turn }),
            },
            turn.turn,
          ),
        ),
        holding.length > FIRST_TURNS && "…",
      ),
    ];
  }

  /** The openings: each first turn of the game with its proved value. */
  function openings() {
    const { start } = app.state.info;
    const turns = kept(`turns ${key(start)}`, async () => {
      const answer = await api.get("position", { ...query(start), detail: "turns" });
      return answer.turns;
    });
    if (typeof turns === "string") {
      return h("p", { class: "quiet" }, turns === "loading" ? t("status.loading") : turns);
    }
    const known = turns.some(({ source }) => source === "proof" || source === "table");
    if (!known) return h("p", { class: "quiet" }, t("openings.none"));
    return [
      h("p", { class: "quiet" }, t("openings.about")),
      h(
        "ol",
        { class: "values-list", id: "openings" },
        ...turns.map((turn) =>
          h(
            "li",
            { class: "value-row", key: turn.turn },
            h(
              "button",
              {
                type: "button",
                class: "value-turn",
                "data-opening": turn.turn,
                onclick: () => playOpening(turn),
              },
              chip(turn),
              h("span", { class: "turn-name" }, turn.turn),
            ),
          ),
        ),
      ),
    ];
  }

  /** Plays a first turn of the game, in the game on the board if it began at the start. @param {Turn} turn */
  function playOpening(turn) {
    const { info, tree } = app.state;
    if (tree[0]?.position === info.start) {
      app.dispatch({ type: "go", node: 0 });
      app.dispatch({ type: "play", turn });
      return;
    }
    const played = newGame(info.board, info.rules).then((game) => {
      app.dispatch({ ...game, paused: true });
      app.dispatch({ type: "play", turn });
    });
    app.report(played);
  }

  return {
    view() {
      const { answer } = app.state;
      const turns = historyView(app);
      return [
        analysis.bar(),
        headline(),
        // What stands above the engine has one place in all positions of a game.
        turns && section(t("history.title"), turns),
        review.view(),
        h(
          "div",
          { class: "engine", key: "engine" },
          analysis.view(),
          answer &&
            !answer.outcome &&
            answer.value !== "unknown" &&
            h("div", { key: "line", id: "line" }, bestPlay(answer)),
        ),
        analysis.threatView(),
        answer?.missing &&
          h(
            "div",
            { class: "note", key: "missing" },
            h(
              "p",
              null,
              t("explore.missing", {
                n: answer.missing.stones,
                slices: answer.missing.slices.join(", "),
              }),
            ),
            buildView(answer.missing.build),
          ),
        turnList(),
        fold("openings", t("openings.title"), undefined, openings()),
        answer &&
          !answer.outcome &&
          h(
            "div",
            { key: "proof" },
            fold(
              "proof",
              t("proof.title"),
              answer.value === "unknown" || proof.active() || undefined,
              ...proof.view(),
            ),
          ),
        shareView(app),
      ];
    },
    /** Ends the search when the position changes. */
    changed: proof.changed,
    /** Lets what has failed be asked for again. */
    again() {
      for (const [place, found] of asked) if (typeof found === "string") asked.delete(place);
      analysis.again();
    },
    /** Follows each change. */
    update() {
      analysis.update();
      review.update();
    },
  };
}
