// What stands around the board: the players, what to do now, undo and redo, the turn as text.

import * as api from "./api.js";
import { clockView } from "./clock.js";
import { h } from "./dom.js";
import { t, tOr } from "./i18n.js";
import { icon } from "./icons.js";
import { other } from "./notation.js";
import { replay } from "./opponent.js";
import { button, stoneIcon } from "./parts.js";
import { turnsToGo } from "./puzzlescore.js";
import { canRedo, canUndo } from "./reducer.js";
import {
  claimable,
  currentNode,
  currentWalk,
  gameEnd,
  isFlipped,
  mustCapture,
  personMoves,
  programToMove,
  turnsToHere,
} from "./state.js";
import { lineThrough, nodeAt } from "./tree.js";
import { chip } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").Side} Side */

/** The name of a player. @param {{state: import("./state.js").State}} app @param {Side} side */
export function playerName({ state }, side) {
  if (state.drill) {
    const person = nodeAt(state.tree, state.drill.root).toMove;
    return side === person ? t("player.you") : t("player.best_play");
  }
  const named = state.card.names?.[side];
  if (named) return named;
  const player = state.players[side];
  return player === "person" ? t("player.person") : levelName(state, player);
}

/** @param {import("./state.js").State} state @param {number} number */
export function levelName(state, number) {
  const level = state.about?.levels.find((each) => each.number === number);
  return t("player.level", { number, name: levelTitle(level?.name ?? "") });
}

/** The name of a player, or "You" for the only person at the board. @param {App} app @param {Side} side */
export const shownName = (app, side) =>
  onlyPerson(app.state) === side && !app.state.card.names?.[side]
    ? t("player.you")
    : playerName(app, side);

/** @param {App} app @param {Side} side @param {number} stones */
export function strip(app, side, stones) {
  const { state } = app;
  const moves = currentNode(state).toMove === side && !gameEnd(state);
  return [
    stoneIcon(side),
    h("span", { class: "strip-side" }, t(`side.${side}`)),
    state.view === "explore" || state.view === "edit"
      ? null
      : h("span", { class: "strip-name" }, shownName(app, side)),
    moves && h("span", { class: "turn-mark" }, state.thinking && !state.showing ? t("thinking") : t("to_move")),
    clockView(state, side),
    h("span", { class: "strip-count", title: t("stones", { n: stones }) }, state.view === "explore" ? stones : t("stones", { n: stones })),
  ];
}

/**
 * The only person at the board, or null: with two people or two programs nobody is "you".
 * @param {import("./state.js").State} state @returns {Side | null}
 */
export function onlyPerson(state) {
  if (state.drill) return nodeAt(state.tree, state.drill.root).toMove;
  const { white, black } = state.players;
  if ((white === "person") === (black === "person")) return null;
  return white === "person" ? "white" : "black";
}

/** The side from which values are shown: the person's, or the one at the bottom. @param {import("./state.js").State} state @returns {Side} */
export const viewer = (state) => onlyPerson(state) ?? (isFlipped(state) ? "black" : "white");

/** The result as the person sees it. @param {import("./state.js").State} state @param {import("./state.js").End} end */
export function resultText(state, end) {
  const person = onlyPerson(state);
  if (end.outcome === "draw") return t("end.draw");
  if (person === null || state.view === "explore")
    return t("end.wins", { side: t(`side.${end.outcome}`) });
  return t(end.outcome === person ? "end.you_won" : "end.you_lost");
}

/** Why the game ended, as the person sees it. @param {import("./state.js").State} state @param {import("./state.js").End} end */
export const reasonText = (state, end) =>
  end.reason === "resigned" && end.outcome !== "draw" && onlyPerson(state) === other(end.outcome)
    ? t("play.resigned")
    : t(`end.${end.reason}`);

/** Result and reason. @param {import("./state.js").State} state @param {import("./state.js").End} end */
export const endText = (state, end) => `${resultText(state, end)} ${reasonText(state, end)}`;

/** The name of a level in the language of the page. @param {string} name */
export const levelTitle = (name) => tOr(`level.${name}`, name);

/** Tells the person to move, and how. @param {App} app */
export function statusText(app) {
  const { state } = app;
  if (state.view === "edit") return t("status.edit");
  if (state.showing) return t("status.showing", { turn: state.showing.turn });
  // A touch has an answer of its own.
  const idle = state.touches.length === 0 && !state.stuck;
  const puzzle = idle ? puzzleText(state) : "";
  if (puzzle) return puzzle;
  const end = gameEnd(state);
  if (end) return endText(state, end);
  if (idle && state.preview?.hint) return t("hint.turn", { turn: state.preview.hint });
  const node = currentNode(state);
  const side = t(`side.${node.toMove}`);
  if (!state.answer) return t("status.loading");
  if (state.thinking) return t("status.thinking", { side });
  if (programToMove(state) !== null) return t("status.paused", { side });
  const now = currentWalk(state);
  if (!now || !personMoves(state)) return t("status.to_move", { side });
  if (now.choice.length > 0) return t("status.choose_capture");
  if (now.steps.length > 0)
    return now.mayEnd === null ? t("status.must_continue") : t("status.may_continue");
  if (now.selected) return t("status.choose_point", { point: now.selected });
  const must = mustCapture(state.answer);
  if (state.stuck) {
    const points = [...now.movable].join(" ");
    return t(must ? "status.cannot_capture" : "status.cannot_move", { ...state.stuck, points });
  }
  return t(must ? "status.must_capture" : "status.choose_stone", { side, n: now.movable.size });
}

/** How a puzzle goes, or "". @param {import("./state.js").State} state */
function puzzleText(state) {
  const { drill } = state;
  if (!drill?.line || drill.shown || state.view !== "puzzles") return "";
  if (drill.lost) return t(`drill.lost_${drill.kind}`);
  const turns = turnsToHere(state);
  if (turns.length === 0 || turns.some((turn, i) => turn !== drill.line?.[i])) return "";
  const left = turnsToGo(drill.line, turns.length);
  return left > 0 ? t("puzzle.right", { n: left }) : t("puzzle.solved");
}

/** A keyboard that pressed a button which now goes away is led back to the board. @param {() => void} act */
const thenBoard = (act) => (/** @type {MouseEvent} */ event) => {
  act();
  if (event.detail !== 0) return;
  const point = document.querySelector('[data-point][tabindex="0"]');
  if (point instanceof SVGElement) point.focus();
};

/** @param {App} app */
export function action(app) {
  const { state } = app;
  const now = currentWalk(state);
  const choosing = now !== null && now.choice.length > 0 && personMoves(state);
  const relay = now !== null && now.steps.length > 0 && personMoves(state) && !choosing;
  const claim = claimable(state);
  const ending = relay && now.mayEnd !== null ? state.answer?.turns[now.mayEnd] : undefined;
  const withValues = state.view === "explore" || (state.view === "play" && state.settings.hints);
  return [
    h("p", { id: "status", class: gameEnd(state) ? "status over" : "status" }, statusText(app)),
    choosing &&
      h(
        "div",
        { class: "choices", key: "choices" },
        ...now.choice.map((step) =>
          button(
            `choose-${step.kind}`,
            [t(`kind.${step.kind}`), " ", h("b", null, step.captured.length)],
            thenBoard(() => app.dispatch({ type: "choose", kind: step.kind })),
            { class: `choose ${step.kind}`, key: step.kind, title: step.captured.join(" ") },
          ),
        ),
      ),
    ending &&
      button(
        "end-turn",
        [t("end_turn"), withValues && [" ", chip(ending)]],
        thenBoard(() => app.dispatch({ type: "end-turn" })),
        { class: "primary", key: "end" },
      ),
    programToMove(state) !== null &&
      state.paused &&
      !state.thinking &&
      state.answer &&
      !state.showing &&
      button(
        "resume",
        t("resume"),
        thenBoard(() => app.dispatch({ type: "resume" })),
        { class: "primary", key: "resume" },
      ),
    state.paused === false &&
      state.players.white !== "person" &&
      state.players.black !== "person" &&
      !state.drill &&
      !gameEnd(state) &&
      programToMove(state) !== null &&
      button("pause", t("pause"), () => app.dispatch({ type: "pause" }), { key: "pause" }),
    claim &&
      button("claim", t("claim_draw"), () => app.dispatch({ type: "end", end: claim }), {
        class: "primary",
        key: "claim",
        title: t(`end.${claim.reason}`),
      }),
  ];
}

/** A button with a picture; on a phone also with a short name, if there is one. @param {App} app @param {string} action @param {Parameters<typeof icon>[0]} name @param {boolean} enabled @param {() => void} onclick @param {string} keys @param {string} [short] */
const tool = (app, action, name, enabled, onclick, keys, short) => {
  const label = tOr(`tool.${action}`, short ?? action);
  return button(action, [icon(name), short && h("span", { class: "tool-name" }, short)], onclick, {
    class: "tool",
    disabled: !enabled,
    "aria-label": label,
    key: action,
    title: app.state.settings.shortcuts ? `${label} (${keys})` : label,
  });
};

/** @param {App} app @param {"first" | "back" | "forward" | "last"} where */
export function go(app, where) {
  const { state } = app;
  const line = lineThrough(state.tree, state.node);
  const at = line.findIndex((node) => node.id === state.node);
  const target = { first: line[0], back: line[at - 1], forward: line[at + 1], last: line.at(-1) }[
    where
  ];
  if (target) app.dispatch({ type: "go", node: target.id });
}

/** Tells the mistake in the field's text, with a turn as an example. */
const typed = { error: "", busy: false, example: "" };

/** A turn that can be typed here, and that tells nothing of its value: the shortest. @param {App} app */
function exampleTurn({ state }) {
  const turns = (state.answer?.turns ?? []).map(({ turn }) => turn).sort();
  return (typed.example = turns.sort((a, b) => a.length - b.length)[0] ?? typed.example);
}

/** Reads a turn from the text field and plays it. @param {App} app @param {HTMLInputElement} input */
async function playText(app, input) {
  const { state } = app;
  const text = input.value.trim();
  if (!text || typed.busy || !personMoves(state)) return;
  typed.busy = true;
  try {
    const { board, rules } = state.info;
    const node = currentNode(state);
    const found = await api.get("turn", { board, rules, position: node.position, turn: text });
    const turn = app.state.answer?.turns.find((each) => each.turn === found.turn);
    if (turn && app.state.node === node.id) {
      typed.error = "";
      input.value = "";
      app.dispatch({ type: "play", turn });
    }
  } catch (error) {
    typed.error = api.errorText(error);
    app.announce(typed.error);
  } finally {
    typed.busy = false;
    app.refresh();
  }
}

/** @param {App} app @param {() => void} openNew */
export function controls(app, openNew) {
  const { state } = app;
  const node = currentNode(state);
  const line = lineThrough(state.tree, state.node);
  const ahead = line.at(-1)?.id !== node.id;
  const behind = node.parent !== null;
  const example = exampleTurn(app);
  const show = (/** @type {import("./state.js").View} */ view) =>
    app.dispatch({ type: "view", view });
  return [
    h(
      "div",
      { class: "tools", role: "group", "aria-label": t("tool.group_touches") },
      tool(app, "undo", "undo", canUndo(state), () => app.dispatch({ type: "undo" }), "U", t("tool.short_undo")),
      tool(app, "redo", "redo", canRedo(state), () => app.dispatch({ type: "redo" }), "Y", t("tool.short_redo")),
    ),
    h(
      "div",
      { class: "tools steps", role: "group", "aria-label": t("tool.group_game") },
      tool(app, "first", "first", behind, () => go(app, "first"), "Home"),
      tool(app, "back", "back", behind, () => go(app, "back"), ",", t("tool.short_back")),
      tool(app, "forward", "forward", ahead, () => go(app, "forward"), ".", t("tool.short_forward")),
      tool(app, "last", "last", ahead, () => go(app, "last"), "End"),
      tool(app, "replay", "replay", behind, () => app.report(replay(app)), "R"),
    ),
    h(
      "div",
      { class: "tools more narrow-only", role: "group", "aria-label": t("tool.group_more") },
      tool(app, "open-new", "plus", true, openNew, "N", t("tool.short_new")),
      state.view === "explore"
        ? tool(app, "open-play", "play", true, () => show("play"), "1", t("view.play"))
        : tool(app, "open-explore", "explore", true, () => show("explore"), "2", t("view.explore")),
      tool(app, "open-help", "help", true, () => app.dispatch({ type: "help", help: true }), "?", t("help.title")),
    ),
    h(
      "form",
      {
        class: "turn-form",
        autocomplete: "off",
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          const input = document.getElementById("turn-text");
          if (input instanceof HTMLInputElement) app.report(playText(app, input));
        },
      },
      h("label", { for: "turn-text", class: "unseen" }, t("turn_text", { turn: example })),
      h("input", {
        id: "turn-text",
        type: "text",
        spellcheck: "false",
        autocapitalize: "none",
        placeholder: example,
        disabled: !personMoves(state),
        "aria-describedby": typed.error ? "turn-error" : null,
        "aria-invalid": typed.error ? "true" : null,
        oninput: () => {
          if (typed.error) {
            typed.error = "";
            app.refresh();
          }
        },
      }),
      h(
        "button",
        { type: "submit", "data-action": "play-text", disabled: !personMoves(state) },
        t("play_text"),
      ),
    ),
    typed.error && h("p", { id: "turn-error", class: "error", key: "turn-error" }, typed.error),
  ];
}
