// The panel "Edit": a position set up by hand. Whether it is valid is asked of the server.

import * as api from "./api.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { newGame } from "./load.js";
import { other, pointName, readPoint, readPosition, writePosition } from "./notation.js";
import { button, copyButton, field, section, segments, stoneIcon } from "./parts.js";
import { currentNode } from "./state.js";
import { valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").Draft} Draft */

/** @param {App} app */
export function createEditor(app) {
  /** @type {{text: string, error: string | null, answer: import("./api-types").PositionAnswer | null}} */
  let checked = { text: "", error: null, answer: null };
  let controller = new AbortController();
  /** The text that a person types, while it is not a position. @type {string | null} */
  let typed = null;
  let textError = "";
  /** Whether a stroke takes stones away, because it began on one of its own. */
  let erases = false;

  /** @param {Draft} draft */
  function text(draft) {
    const { width, height } = app.state.info;
    return writePosition(width, height, draft.white, draft.black, draft.toMove);
  }

  /** @param {Partial<Draft>} change */
  function set(change) {
    const { draft } = app.state;
    if (!draft) return;
    typed = null;
    textError = "";
    app.dispatch({ type: "draft", draft: { ...draft, ...change } });
  }

  /** Opens the position on the board for editing, if none is open. */
  function open() {
    if (app.state.draft) return;
    const { white, black, toMove } = readPosition(currentNode(app.state).position);
    app.dispatch({
      type: "draft",
      draft: { white: new Set(white), black: new Set(black), toMove, tool: "white" },
    });
  }

  /** Asks whether the draft is a position. */
  function check() {
    const { draft, info } = app.state;
    if (!draft || app.state.view !== "edit") return;
    const position = text(draft);
    const key = `${info.board} ${info.rules} ${position}`;
    if (key === checked.text) return;
    checked = { text: key, error: null, answer: null };
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    api.get("position", { board: info.board, rules: info.rules, position, detail: "value" }, signal).then(
      (answer) => {
        if (signal.aborted) return;
        checked = { text: key, error: null, answer };
        app.refresh();
      },
      (error) => {
        if (signal.aborted || api.isAbort(error)) return;
        checked = { text: key, error: api.errorText(error), answer: null };
        app.announce(checked.error ?? "");
        app.lost(error);
        app.refresh();
      },
    );
  }

  /** Moves every stone. @param {(file: number, rank: number) => [number, number]} move */
  function transform(move) {
    const { draft } = app.state;
    if (!draft) return;
    const moved = (/** @type {Set<string>} */ stones) =>
      new Set(
        [...stones].map((point) => {
          const { file, rank } = readPoint(point);
          return pointName(...move(file, rank));
        }),
      );
    set({ white: moved(draft.white), black: moved(draft.black) });
  }

  /** @param {string} value */
  function readText(value) {
    typed = value;
    const { board, rules } = app.state.info;
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    api.get("position", { board, rules, position: value, detail: "value" }, signal).then(
      (answer) => {
        if (signal.aborted) return;
        const { white, black, toMove } = readPosition(answer.position);
        set({ white: new Set(white), black: new Set(black), toMove });
      },
      (error) => {
        if (signal.aborted || api.isAbort(error)) return;
        textError = api.errorText(error);
        app.refresh();
      },
    );
  }

  /** @param {"play" | "explore"} view */
  async function use(view) {
    const { draft, info } = app.state;
    if (!draft) return;
    const game = await newGame(info.board, info.rules, checked.answer?.position ?? text(draft));
    app.dispatch({ ...game, view, paused: view === "explore", started: view === "play" });
  }

  return {
    open,
    /** Lets a check that has failed be made again. */
    again() {
      if (checked.error) checked.text = "";
    },
    /** A touch of a point, or a stroke that goes on there as it began. @param {string} point @param {boolean} goesOn */
    paint(point, goesOn) {
      const { draft } = app.state;
      if (!draft) return true;
      const stones = { white: new Set(draft.white), black: new Set(draft.black), empty: new Set() };
      const { white, black, [draft.tool]: tool } = stones;
      if (!goesOn) erases = tool.has(point);
      white.delete(point);
      black.delete(point);
      if (!erases) tool.add(point);
      set({ white, black });
      return true;
    },
    check,
    view() {
      const { draft, info } = app.state;
      if (!draft) return [];
      const square = info.width === info.height;
      const valid = checked.error === null && checked.answer !== null;
      const start = readPosition(info.start);
      const small = { class: "small" };
      return [
        segments(
          "tool",
          t("edit.tool"),
          draft.tool,
          [
            ["white", t("edit.white")],
            ["black", t("edit.black")],
            ["empty", t("edit.erase")],
          ],
          (tool) => set({ tool: /** @type {Draft["tool"]} */ (tool) }),
        ),
        segments(
          "edit-side",
          t("edit.to_move"),
          draft.toMove,
          [
            ["white", t("side.white")],
            ["black", t("side.black")],
          ],
          (side) => set({ toMove: side === "black" ? "black" : "white" }),
        ),
        h(
          "div",
          { class: "row grid-buttons", key: "tools" },
          button(
            "edit-clear",
            t("edit.clear"),
            () => set({ white: new Set(), black: new Set() }),
            small,
          ),
          button(
            "edit-start",
            t("edit.start"),
            () => set({ white: new Set(start.white), black: new Set(start.black), toMove: start.toMove }),
            small,
          ),
          button(
            "edit-swap",
            t("edit.swap"),
            () => set({ white: draft.black, black: draft.white, toMove: other(draft.toMove) }),
            small,
          ),
          button(
            "edit-mirror",
            t("edit.mirror"),
            () => transform((file, rank) => [info.width - 1 - file, rank]),
            small,
          ),
          button(
            "edit-upside",
            t("edit.upside"),
            () => transform((file, rank) => [file, info.height + 1 - rank]),
            small,
          ),
          button(
            "edit-half",
            t("edit.half"),
            () => transform((file, rank) => [info.width - 1 - file, info.height + 1 - rank]),
            small,
          ),
          square &&
            button(
              "edit-quarter",
              t("edit.quarter"),
              () => transform((file, rank) => [rank - 1, info.width - file]),
              { ...small, key: "quarter" },
            ),
        ),
        field(
          "edit-text",
          t("edit.text"),
          h("input", {
            type: "text",
            spellcheck: "false",
            value: typed ?? text(draft),
            "aria-invalid": textError ? "true" : null,
            "aria-describedby": "edit-valid",
            oninput: (/** @type {Event} */ event) =>
              readText(/** @type {HTMLInputElement} */ (event.target).value),
          }),
        ),
        h(
          "div",
          { class: "validity", id: "edit-valid", key: "valid" },
          textError
            ? h("p", { class: "error" }, textError)
            : checked.error
              ? h("p", { class: "error" }, checked.error)
              : checked.answer
                ? h(
                    "p",
                    { class: "fine" },
                    t("edit.valid"),
                    " ",
                    checked.answer.outcome
                      ? t("edit.over")
                      : checked.answer.value === "unknown"
                        ? ""
                        : valueSentence(checked.answer, checked.answer.to_move),
                  )
                : h("p", { class: "quiet" }, t("status.loading")),
        ),
        h(
          "p",
          { class: "counts", key: "counts" },
          stoneIcon("white"),
          ` ${draft.white.size}  `,
          stoneIcon("black"),
          ` ${draft.black.size}`,
        ),
        h(
          "div",
          { class: "row", key: "use" },
          button("edit-play", t("edit.play"), () => app.report(use("play")), {
            class: "primary",
            disabled: !valid,
          }),
          button("edit-explore", t("edit.explore"), () => app.report(use("explore")), {
            class: "primary",
            disabled: !valid,
          }),
          copyButton("edit-copy", () => text(draft)),
        ),
        section(t("edit.help"), h("p", { class: "quiet" }, t("edit.help_text"))),
      ];
    },
  };
}
