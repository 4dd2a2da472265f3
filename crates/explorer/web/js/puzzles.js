// The panel "Puzzles": find the one turn that keeps the win or the draw. The puzzles are a file, read when the panel
// opens; the server knows the rules. The second half of the panel is the drill.

import * as api from "./api.js";
import { h } from "./dom.js";
import { result } from "./drill.js";
import { historyView } from "./history.js";
import { t } from "./i18n.js";
import { newGame } from "./load.js";
import { stepsOfTurn } from "./moving.js";
import { PACE, show, wait } from "./opponent.js";
import { button, segments } from "./parts.js";
import { dayOf, expectedNext, kept, keepResult, puzzleOfDay, turnsToGo } from "./puzzlescore.js";
import { errorOf } from "./routes.js";
import { currentNode } from "./state.js";
import { nodeAt, pathTo, turnsOf } from "./tree.js";
import { valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./puzzlescore.js").Puzzle} Puzzle */

/** The puzzles once they are read. @type {Promise<Puzzle[]> | null} */
let reading = null;

/** Reads the file of the puzzles, once. @returns {Promise<Puzzle[]>} */
function read() {
  reading ??= fetch("assets/data/puzzles.json").catch(() => null).then(async (response) => {
    if (!response?.ok) throw errorOf(null, response?.status ?? 502);
    const { board, rules, puzzles } = await response.json();
    return puzzles.map((/** @type {any} */ puzzle) => ({ board, rules, ...puzzle, line: puzzle.line.split(" ") }));
  });
  reading.catch(() => {
    reading = null;
  });
  return reading;
}

/**
 * @typedef {object} Attempt
 * @property {Puzzle} puzzle
 * @property {number | null} day of a daily puzzle
 * @property {boolean} counted whether the result is kept already
 * @property {number} change of the rating by it
 * @property {boolean} shown whether the solution was asked for
 * @property {boolean} solved
 */

/** @param {App} app @param {{view: () => any[]}} drill */
export function createPuzzles(app, drill) {
  /** @type {"puzzles" | "drill"} */
  let part = "puzzles";
  /** The attempts of this page by their lines. @type {Map<readonly string[] | null | undefined, Attempt>} */
  const attempts = new Map();
  /** @type {Puzzle[] | null} */
  let puzzles = null;
  let error = "";
  let opening = false;
  /** The node whose next turn is on its way, and what stops it. @type {number | null} */
  let playing = null;
  let controller = new AbortController();

  /** The attempt on the board. */
  const current = () => attempts.get(app.state.drill?.line) ?? null;

  function load() {
    if (puzzles || error) return;
    read().then(
      (list) => {
        puzzles = list;
        resume();
        app.refresh();
      },
      (reason) => {
        error = api.errorText(reason);
        app.lost(reason);
        app.refresh();
      },
    );
  }

  /** @param {Puzzle} puzzle @param {number | null} day @param {import("./card.js").Card} [card] */
  async function open(puzzle, day, card) {
    const game = await newGame(puzzle.board, puzzle.rules, puzzle.position);
    const person = game.tree[0]?.toMove ?? "white";
    attempts.set(puzzle.line, { puzzle, day, counted: false, change: 0, shown: false, solved: false });
    app.dispatch({
      ...game,
      ...(card && { card }),
      view: "puzzles",
      drill: { kind: puzzle.value, root: 0, goal: 0, lost: null, line: puzzle.line },
    });
    app.announce(t(`drill.task_${puzzle.value}`, { side: t(`side.${person}`) }));
  }

  /** Opens the puzzle that a link or a page loaded again begins with. */
  function resume() {
    const { tree, info, drill, view, card } = app.state;
    if (view !== "puzzles" || drill || opening) return;
    const puzzle = puzzles?.find(
      ({ board, rules, position }) =>
        position === tree[0]?.position && board === info.board && rules === info.rules,
    );
    if (!puzzles || !puzzle) return;
    opening = true;
    const today = dayOf(new Date());
    const done = open(puzzle, puzzle === puzzleOfDay(puzzles, today) ? today : null, card);
    app.report(done.finally(() => (opening = false)));
  }

  /** A puzzle of one's own strength, or the one of the day. @param {MouseEvent} event @param {boolean} daily */
  function start(event, daily) {
    if (!puzzles) return;
    const day = daily ? dayOf(new Date()) : null;
    const puzzle = day === null ? expectedNext(puzzles) : puzzleOfDay(puzzles, day);
    app.report(open(puzzle, day).then(() => toBoard(event)));
  }

  /** @param {Attempt} attempt @param {boolean} solved */
  function count(attempt, solved) {
    if (attempt.counted) return;
    attempt.counted = true;
    attempt.change = keepResult(attempt.puzzle, solved, attempt.day);
  }

  /** How many turns of the solution stand on the board, or null off its line. @param {Attempt} attempt */
  function progress({ puzzle }) {
    const turns = turnsOf(pathTo(app.state.tree, app.state.node));
    return turns.every((turn, i) => turn === puzzle.line[i]) ? turns.length : null;
  }

  /** Plays the turn of the line that is due: shows its steps first. @param {string} text @param {AbortSignal} signal */
  async function playNext(text, signal) {
    const { node, answer } = app.state;
    const turn = answer?.turns.find((each) => each.turn === text);
    if (!turn || !answer) return;
    await wait(PACE[app.state.settings.pace], signal);
    await show(app, node, answer.to_move, text, stepsOfTurn(answer.steps, text) ?? [], signal);
    app.dispatch({ type: "play", turn });
  }

  /** Lets the turn of the line be played that is due at a node, or none. @param {number | null} node @param {string} text */
  function due(node, text) {
    if (node === playing) return;
    controller.abort();
    playing = node;
    if (node === null) return;
    controller = new AbortController();
    playNext(text, controller.signal).catch((reason) => {
      if (!api.isAbort(reason)) throw reason;
    });
  }

  /** Back to the last position on the line in which the person moves. @param {MouseEvent} event */
  function again(event) {
    const attempt = current();
    const { drill, tree, node } = app.state;
    if (!attempt || !drill) return;
    const path = pathTo(tree, node);
    const own = nodeAt(tree, drill.root).toMove;
    const wrong = path.findIndex((each, i) => i > 0 && each.turn !== attempt.puzzle.line[i - 1]);
    const right = wrong < 0 ? path : path.slice(0, wrong);
    const good = right.reverse().find((each) => each.toMove === own);
    goOn(good?.id ?? drill.root, { ...drill, lost: null, shown: attempt.shown });
    toBoard(event);
  }

  /** @param {MouseEvent} event */
  function solution(event) {
    const attempt = current();
    if (!attempt) return;
    count(attempt, false);
    attempt.shown = true;
    again(event);
  }

  /** Goes on from here against the program. */
  function playOn() {
    const { drill, node } = app.state;
    if (!drill) return;
    part = "drill";
    goOn(node, { ...drill, lost: null, line: null });
  }

  /** @param {number} node @param {import("./state.js").Drill} drill */
  function goOn(node, drill) {
    const { info, tree } = app.state;
    app.dispatch({ type: "game", info, tree, node, paused: false, drill });
  }

  return {
    load,
    /** Lets the puzzles be read again. */
    again() {
      error = "";
    },
    /** Judges the person's turn, and plays the other side's. @param {import("./state.js").State} before */
    watch(before) {
      resume();
      const attempt = current();
      const { state } = app;
      const { drill } = state;
      if (!attempt || !drill || drill.lost || state.view !== "puzzles") return due(null, "");
      const node = currentNode(state);
      const own = nodeAt(state.tree, drill.root).toMove;
      const done = progress(attempt);
      const { line, value } = attempt.puzzle;
      const text = line[done ?? line.length];
      const plays = text !== undefined && state.answer && (attempt.shown || node.toMove !== own);
      due(plays ? node.id : null, text ?? "");
      if (done === null) {
        if (node.parent !== before.node || nodeAt(state.tree, before.node).toMove !== own) return;
        count(attempt, false);
        app.dispatch({ type: "drill-lost", node: node.id, better: [] });
        app.announce(t(`drill.lost_${value}`));
      } else if (done === line.length && !attempt.solved && !attempt.shown) {
        attempt.solved = true;
        count(attempt, true);
        app.announce(t("puzzle.solved"));
      } else if (app.state.node !== before.node && node.toMove !== own && done > 0 && !attempt.shown) {
        app.announce(t("puzzle.right", { n: turnsToGo(line, done) }));
      }
    },
    view() {
      const parts = segments(
        "puzzle-part",
        t("puzzle.part"),
        part,
        [
          ["puzzles", t("view.puzzles")],
          ["drill", t("puzzle.drill")],
        ],
        (value) => {
          part = value === "drill" ? "drill" : "puzzles";
          app.refresh();
        },
      );
      return [{ ...parts, key: "parts" }, ...(part === "drill" ? drill.view() : puzzleView())];
    },
  };

  /** The task and its outcome. @param {Attempt} attempt */
  function taskView(attempt) {
    const { tree, answer, drill } = app.state;
    const { puzzle, solved, shown } = attempt;
    const done = progress(attempt);
    const back = (/** @type {string} */ text) => button("puzzle-again", text, again, { class: "primary" });
    if (drill?.lost) {
      return result(
        "puzzle-failed",
        "bad",
        t(`drill.lost_${puzzle.value}`),
        answer && answer.value !== "unknown" && h("span", null, valueSentence(answer, answer.to_move)),
        rated(attempt),
        h("div", { class: "row" }, back(t("retry")), button("puzzle-solution", t("puzzle.solution"), solution)),
      );
    }
    if (done === puzzle.line.length) {
      const explore = () => app.dispatch({ type: "view", view: "explore" });
      return result(
        solved ? "puzzle-solved" : "puzzle-shown",
        solved ? "good" : "",
        t(solved ? "puzzle.solved" : "puzzle.shown"),
        h("span", null, puzzle.line.join(" ")),
        farAway(puzzle),
        rated(attempt),
        about(puzzle),
        h(
          "div",
          { class: "row" },
          button("puzzle-play-on", t("puzzle.play_on"), playOn, { class: "small" }),
          button("look", t("edit.explore"), explore, { class: "small" }),
        ),
      );
    }
    const right = done && !shown ? t("puzzle.right", { n: turnsToGo(puzzle.line, done) }) : null;
    return result(
      "puzzle-task",
      "",
      t(`drill.task_${puzzle.value}`, { side: t(`side.${nodeAt(tree, 0).toMove}`) }),
      (puzzle.distance ?? SHORT + 1) <= SHORT && farAway(puzzle),
      h("span", { class: "quiet" }, t("puzzle.one_turn")),
      right && h("b", { key: "right" }, right),
      done === null && h("div", { class: "row" }, back(t("puzzle.back"))),
      !shown &&
        h("div", { class: "row" }, button("puzzle-solution", t("puzzle.solution"), solution, { class: "small" })),
    );
  }

  function puzzleView() {
    load();
    const { rating, streak, best, done, day } = kept();
    const attempt = current();
    const today = dayOf(new Date());
    const solved = Object.values(done).filter((result) => result === 1).length;
    const over = attempt && progress(attempt) === attempt.puzzle.line.length;
    return [
      !attempt && h("p", { class: "quiet", key: "about" }, t("puzzle.about")),
      attempt && taskView(attempt),
      error && h("p", { class: "error", key: "error", role: "alert" }, error),
      h(
        "div",
        { class: "row", key: "start" },
        button("puzzle-next", t(attempt ? "puzzle.next" : "puzzle.start"), (event) => start(event, false), {
          class: !attempt || over ? "primary" : "",
          disabled: !puzzles,
        }),
        button(
          "puzzle-daily",
          [t("puzzle.daily"), day === today && [" ✓", h("span", { class: "unseen" }, t("puzzle.daily_done"))]],
          (event) => start(event, true),
          { disabled: !puzzles },
        ),
      ),
      h(
        "p",
        { class: "quiet", key: "score", id: "puzzle-score" },
        t("puzzle.rating", { rating: String(rating) }),
        " · ",
        t("puzzle.count", { n: solved, all: puzzles?.length ?? 0 }),
        " · ",
        t("drill.streak", { streak, best }),
      ),
      attempt && over && attempt.solved && historyView(app),
    ];
  }
}

/** The change of the rating by an attempt. @param {Attempt} attempt */
const rated = ({ change }) =>
  change !== 0 &&
  h("span", { class: "quiet" }, t("puzzle.change", { change: `${change > 0 ? "+" : "−"}${Math.abs(change)}` }));

/** Up to which distance a win is told before it is solved: one can see it to its end. */
const SHORT = 9;

/** How far the end of the game is from the start of a puzzle. @param {Puzzle} puzzle */
const farAway = ({ distance }) =>
  distance !== undefined && h("span", { class: "quiet" }, t("drill.distance", { n: distance }));

/** Grade and themes, which would give too much away before. @param {Puzzle} puzzle */
const about = ({ grade, themes }) =>
  h(
    "span",
    { class: "quiet", id: "puzzle-about" },
    t("puzzle.grade", { grade }),
    ...themes.map((theme) => ` · ${t(`theme.${theme}`)}`),
  );

/** Leads a keyboard from a button that goes away to the board. @param {MouseEvent} event */
function toBoard(event) {
  if (event.detail !== 0) return;
  queueMicrotask(() => {
    const point = document.querySelector('[data-point][tabindex="0"]');
    if (point instanceof SVGElement) point.focus();
  });
}
