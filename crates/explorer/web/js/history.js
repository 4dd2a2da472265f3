// The turns of the game with their values, mistakes and variations, and the graph.

import { fullPosition } from "./api.js";
import { h } from "./dom.js";
import { hasValues, valueGraph } from "./graph.js";
import { t } from "./i18n.js";
import { button } from "./parts.js";
import { gameEnd, lineFacts } from "./state.js";
import { viewer } from "./tabletop.js";
import { lineThrough, nodeAt } from "./tree.js";
import { chip, seenBy, valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./api-types").GameTurn} GameTurn */

/** A slower turn keeps the value: it gets a note, but no mark. */
const MARKS = { loses_win: "??", loses_draw: "??", misses_win: "?", doubtful: "?!" };

/** The known values of the line, if they may be shown now. @param {App} app */
function openFacts({ state }) {
  const open =
    state.view === "explore" ||
    state.settings.hints ||
    gameEnd(state) !== null ||
    (state.drill?.lost ?? null) !== null ||
    (state.players.white !== "person" && state.players.black !== "person");
  // The values of a puzzle would tell its solution.
  if (state.drill && (state.drill.line || !(state.drill.lost || gameEnd(state)))) return null;
  return open ? lineFacts(state) : null;
}

/** The graph of the game's values. @param {App} app */
function graphView(app) {
  const { state } = app;
  const facts = openFacts(app);
  if (!facts || !(state.view === "explore" || hasValues(facts))) return null;
  const line = lineThrough(state.tree, state.node);
  const here = line.findIndex((node) => node.id === state.node);
  return h(
    "div",
    { class: "graph", key: "graph" },
    valueGraph(facts, here, (ply) => {
      const node = line[ply];
      if (node) app.dispatch({ type: "go", node: node.id });
    }),
  );
}

/** @param {App} app */
export function historyView(app) {
  const { state } = app;
  const line = lineThrough(state.tree, state.node);
  const shown = openFacts(app);
  if (line.length < 2) return null;

  /** @type {import("./dom.js").VNode[]} */
  const rows = [];
  /** @type {import("./dom.js").VNode[]} */
  let cells = [];
  let number = 1;
  const flush = () => {
    if (cells.length === 0) return;
    rows.push(
      h(
        "li",
        { class: "turn-row", key: `row${number}` },
        h("span", { class: "turn-number", "aria-hidden": "true" }, `${number}.`),
        ...cells,
      ),
    );
    number += 1;
    cells = [];
  };
  line.slice(1).forEach((node, i) => {
    const parent = nodeAt(state.tree, node.parent ?? 0);
    if (parent.toMove === "black" && cells.length === 0)
      cells.push(h("span", { class: "turn-cell none" }, "…"));
    cells.push(turnCell(app, node, shown?.[i + 1]?.turn ?? null, parent.toMove));
    const others = parent.children.filter((id) => id !== node.id);
    if (parent.toMove === "black" || others.length > 0) flush();
    if (others.length > 0) {
      if (parent.toMove === "white") number -= 1;
      rows.push(
        h(
          "li",
          { class: "variations", key: `var${node.id}` },
          ...others.map((id) => variation(app, id)),
        ),
      );
    }
  });
  flush();
  return h(
    "div",
    { class: "history", key: "history" },
    graphView(app),
    h("ol", { class: "turn-list", "aria-label": t("history.label") }, ...rows),
  );
}

/** @param {App} app @param {Node} node @param {GameTurn | null} reviewed @param {import("./api-types").Side} mover */
function turnCell(app, node, reviewed, mover) {
  const here = node.id === app.state.node;
  const mistake = reviewed?.mistake ?? null;
  return h(
    "button",
    {
      type: "button",
      class: here ? "turn-cell here" : "turn-cell",
      "data-ply": node.ply,
      key: `n${node.id}`,
      "aria-current": here ? "true" : null,
      onclick: () => app.dispatch({ type: "go", node: node.id }),
    },
    h("span", { class: "unseen" }, t(`side.${mover}`)),
    h("span", { class: "turn-name" }, node.turn),
    node.comments.length > 0 && h("span", { class: "comment" }, node.comments.join(" ")),
    mistake &&
      mistake !== "slower" &&
      h(
        "span",
        { class: `mark ${mistake}`, title: t(`mistake.${mistake}`) },
        MARKS[mistake],
        h("span", { class: "unseen" }, t(`mistake.${mistake}`)),
      ),
    reviewed &&
      reviewed.value !== "unknown" &&
      chip(seenBy(reviewed, mover, viewer(app.state)), "tiny", valueSentence(reviewed, mover)),
  );
}

/** A variation in one line, with its own variations in parentheses. @param {App} app @param {number} id */
function variation(app, id) {
  return h(
    "span",
    { class: "variation", key: `v${id}` },
    ...branch(app, id),
    button(
      "promote",
      "↑",
      () => {
        app.dispatch({ type: "promote", node: id });
        app.dispatch({ type: "go", node: id });
      },
      { class: "link", "aria-label": t("history.promote"), title: t("history.promote") },
    ),
    button("remove", "×", () => app.dispatch({ type: "remove", node: id }), {
      class: "link",
      "aria-label": t("history.remove"),
      title: t("history.remove"),
    }),
  );
}

/** The turns from a node on. @param {App} app @param {number} id @returns {import("./dom.js").Content[]} */
function branch(app, id) {
  const { tree } = app.state;
  const turns = lineThrough(tree, id).filter((node) => node.ply >= nodeAt(tree, id).ply);
  return turns.map((node) => {
    const siblings =
      node.id === id || node.parent === null ? [] : nodeAt(tree, node.parent).children;
    return [
      h(
        "button",
        {
          type: "button",
          class: node.id === app.state.node ? "link here" : "link",
          key: `n${node.id}`,
          "data-node": node.id,
          onclick: () => app.dispatch({ type: "go", node: node.id }),
        },
        node.turn ?? "",
      ),
      ...siblings
        .filter((other) => other !== node.id)
        .flatMap((other) => ["(", branch(app, other), ") "]),
    ];
  });
}

/** Explains the mistake of the turn before the board. @param {App} app */
export function mistakeNote(app) {
  const { tree, node } = app.state;
  const here = lineThrough(tree, node).findIndex(({ id }) => id === node);
  const turn = openFacts(app)?.[here]?.turn;
  // The panel of a lost drill says what was better.
  if (!turn?.mistake || app.state.drill?.lost) return null;
  return h(
    "p",
    { class: `note ${turn.mistake}`, key: "note" },
    t(`mistake.${turn.mistake}`),
    " ",
    turn.better.length > 0 && [
      t("mistake.better"),
      " ",
      ...turn.better.map((text) =>
        button("better", text, () => app.report(playBetter(app, text)), {
          class: "link",
          key: text,
        }),
      ),
    ],
  );
}

/** Plays a better turn as a variation. @param {App} app @param {string} text */
async function playBetter(app, text) {
  const node = nodeAt(app.state.tree, app.state.node);
  if (node.parent === null) return;
  const parent = nodeAt(app.state.tree, node.parent);
  const { turns } = await fullPosition(app.state.info.board, app.state.info.rules, parent.position);
  const turn = turns.find((each) => each.turn === text);
  if (!turn) return;
  if (app.state.view !== "explore") app.dispatch({ type: "view", view: "explore" });
  app.dispatch({ type: "go", node: parent.id });
  app.dispatch({ type: "play", turn });
}
