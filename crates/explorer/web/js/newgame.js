// A new game: level and colour, and behind "More" board, rules, who moves first, draws. As long as no
// turn is played, each choice changes the game on the board at once.

import { clockSelect } from "./clock.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { gameOfAddress } from "./load.js";
import { keepForLevel } from "./local.js";
import { withSideToMove } from "./notation.js";
import { button, checkbox, field, fold, segments, select, stoneIcon } from "./parts.js";
import { OPTIONS, readRules, VELA_OPTIONS, writeRules } from "./rules.js";
import { DEFAULT_LEVEL, isSetUp } from "./state.js";
import { levelName, levelTitle } from "./tabletop.js";
import { levelNote } from "./texts.js";
import { nodeAt } from "./tree.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").Side} Side */
/** @typedef {import("./state.js").Player} Player */
/** @typedef {import("./state.js").State} State */

/** Whether the colour of each new game is drawn by lot. */
let random = false;

const isProgram = (/** @type {Player} */ player) => player !== "person";

/** The program of the game, or the usual level. @param {State["players"]} players */
const programOf = ({ white, black }) => [white, black].find(isProgram) ?? DEFAULT_LEVEL;

/** @param {Player} opponent @param {boolean} white whether the person has White @returns {State["players"]} */
const playersFor = (opponent, white) =>
  white ? { white: "person", black: opponent } : { white: opponent, black: "person" };

/** Sets opponent and colour; the person's side is turned to the person. @param {App} app @param {Player} opponent @param {string} colour */
function choose(app, opponent, colour) {
  const white = random ? coin() : colour !== "black";
  app.dispatch({ type: "players", players: playersFor(opponent, white) });
  app.dispatch({ type: "settings", settings: { flipped: !white && opponent !== "person" } });
}

/** @param {App} app @param {import("./dom.js").Content} beside what stands beside Start */
export function newGameForm(app, beside) {
  const { state } = app;
  const { info, players } = state;
  const boards = state.about?.boards ?? [info.board];
  const { position, toMove } = nodeAt(state.tree, 0);
  const withProgram = isProgram(players.white) || isProgram(players.black);
  const colour = isProgram(players.white) && !isProgram(players.black) ? "black" : "white";
  return h(
    "div",
    { class: "new-game", key: "new-game" },
    segments(
      "opponent",
      t("new.opponent"),
      withProgram ? "program" : "person",
      [
        ["program", t("new.program")],
        ["person", t("new.person")],
      ],
      (value) => choose(app, value === "person" ? value : DEFAULT_LEVEL, colour),
    ),
    withProgram && levelChoice(app),
    withProgram &&
      segments(
        "colour",
        t("new.colour"),
        random ? "random" : colour,
        [
          ["white", [stoneIcon("white"), " ", t("side.white")]],
          ["random", t("new.random")],
          ["black", [stoneIcon("black"), " ", t("side.black")]],
        ],
        (value) => {
          random = value === "random";
          choose(app, programOf(players), value);
        },
      ),
    state.settings.clock &&
      h(
        "div",
        { class: "row", id: "clock-on", key: "clock" },
        h("span", { class: "quiet" }, t("clock.on", { clock: state.settings.clock })),
        button("clock-off", t("clock.off"), () => app.dispatch({ type: "settings", settings: { clock: "" } }), {
          class: "small",
        }),
      ),
    h("div", { class: "start" }, button("new-game", t("new.start"), () => begin(app), { class: "primary large" }), beside),
    ![info.start, withSideToMove(info.start, toMove)].includes(position) &&
      button("board-start", t("edit.start"), () => app.report(setUp(app, {})), { class: "small" }),
    fold(
      "more",
      t("new.more"),
      undefined,
      h(
        "div",
        { class: "two" },
        select(
          "new-board",
          t("new.board"),
          info.board,
          withCurrent(boards, info.board).map((name) => [name, boardName(name)]),
          (board) => app.report(setUp(app, { board })),
        ),
        ruleSelect(app),
      ),
      ruleOptions(app),
      segments(
        "first",
        t("new.first"),
        toMove,
        [
          ["white", t("side.white")],
          ["black", t("side.black")],
        ],
        (value) =>
          app.report(setUp(app, { start: withSideToMove(position, value === "black" ? "black" : "white") })),
      ),
      drawOptions(app),
      clockSelect(app),
    ),
  );
}

/** The levels. Those that cannot play have no use for a touch. @param {App} app */
function levelChoice({ state, dispatch }) {
  const { white, black } = state.players;
  const levels = state.about?.levels ?? [];
  const chosen = programOf(state.players);
  const title = levels.find(({ number }) => number === chosen)?.name ?? "";
  return h(
    "div",
    { class: "levels", key: "levels" },
    segments(
      "level",
      [t("new.level"), h("span", { class: "wide-only" }, " · "), h("b", { id: "level-name" }, levelTitle(title))],
      String(chosen),
      levels.map((level) => {
        const number = String(level.number);
        const name = h("span", { class: "unseen" }, levelName(state, level.number));
        return [number, [h("span", { "aria-hidden": "true" }, number), name], !level.available];
      }),
      (value) => {
        const set = (/** @type {Player} */ player) => (isProgram(player) ? Number(value) : player);
        dispatch({ type: "players", players: { white: set(white), black: set(black) } });
      },
    ),
    levels
      .filter(({ available }) => !available)
      .map(({ number }) => h("p", { class: "quiet small-text", key: `missing${number}` }, t("level.missing", { number }))),
    title === "unbeatable" && keepForLevel(state.info),
  );
}

/** Who plays the game on the board. @param {App} app */
export const playersOfGame = (app) =>
  fold(
    "players",
    t("play.players"),
    undefined,
    h("div", { class: "two" }, playerSelect(app, "white"), playerSelect(app, "black")),
    ...playerNotes(app),
  );

/** @param {readonly string[]} names @param {string} name */
const withCurrent = (names, name) => (names.includes(name) ? names : [name, ...names]);

/** @param {string} name */
function boardName(name) {
  const traditional = { "9x5": "Tsivy", "5x5": "Dimy", "3x3": "Telo" }[name];
  return traditional ? `${name} ${traditional}` : name;
}

/** @param {App} app @param {Side} side */
function playerSelect(app, side) {
  const { state } = app;
  /** @type {import("./parts.js").Option[]} */
  const options = [["person", t("player.person")]];
  for (const level of state.about?.levels ?? []) {
    options.push([String(level.number), levelName(state, level.number), !level.available]);
  }
  return select(
    `player-${side}`,
    t(`side.${side}`),
    String(state.players[side]),
    options,
    (value) => {
      /** @type {Player} */
      const player = value === "person" ? value : Number(value);
      app.dispatch({ type: "players", players: { ...state.players, [side]: player } });
    },
  );
}

/** Notes on the chosen levels: their limits. @param {App} app */
function playerNotes({ state }) {
  const chosen = new Set([state.players.white, state.players.black]);
  return (state.about?.levels ?? [])
    .filter((level) => chosen.has(level.number))
    .map((level) =>
      h(
        "p",
        { class: "quiet", key: `level${level.number}` },
        h("b", null, levelName(state, level.number)),
        " ",
        levelNote(level),
      ),
    );
}

/** @param {App} app */
function ruleSelect(app) {
  const choice = readRules(app.state.info.rules);
  const { preset } = choice;
  const presets = app.state.about?.presets ?? [];
  return select(
    "new-rules",
    t("new.rules"),
    preset,
    withCurrent(presets, preset).map((name) => [name, t(`rules.${name}`)]),
    (value) => app.report(setUp(app, { rules: writeRules({ ...choice, preset: value, options: {} }) })),
  );
}

/** @param {App} app */
function ruleOptions(app) {
  const { board, rules } = app.state.info;
  const choice = readRules(rules);
  const kinds = /** @type {import("./rules.js").OptionKind[]} */ (Object.keys(OPTIONS)).filter(
    (kind) => choice.preset === "vela" || !VELA_OPTIONS.includes(kind),
  );
  const set = (/** @type {Partial<typeof choice>} */ change) =>
    app.report(setUp(app, { rules: writeRules({ ...choice, ...change }) }));
  return fold(
    "rule-options",
    t("new.rule_options"),
    undefined,
    h("p", { class: "quiet" }, t(`rules.${choice.preset}.about`)),
    ...kinds.map((kind) =>
      select(
        `option-${kind}`,
        t(`option.${kind}`),
        choice.options[kind] ?? "",
        [
          ["", t("option.preset")],
          ...OPTIONS[kind].map((name) => /** @type {const} */ ([name, t(`option.${name}`)])),
        ],
        (value) => {
          const { [kind]: _old, ...others } = choice.options;
          set({ options: value ? { ...others, [kind]: value } : others });
        },
      ),
    ),
    choice.preset === "vela" &&
      field(
        "vela-stones",
        t("option.stones"),
        h("input", {
          type: "number",
          min: 1,
          max: 30,
          value: choice.stones === null ? "" : String(choice.stones),
          placeholder: board === "9x5" ? "5" : "",
          onchange: (/** @type {Event} */ event) => {
            const { value } = /** @type {HTMLInputElement} */ (event.target);
            set({ stones: /^\d+$/.test(value) ? Number(value) : null });
          },
        }),
      ),
    h("p", { class: "quiet" }, h("code", null, rules)),
  );
}

/** @param {App} app */
function drawOptions(app) {
  const { draws } = app.state;
  const set = (/** @type {Partial<typeof draws>} */ change) =>
    app.dispatch({ type: "draws", draws: { ...draws, ...change } });
  return fold(
    "draw-options",
    t("new.draws"),
    undefined,
    checkbox("draw-threefold", t("draws.threefold"), draws.repetition, (repetition) =>
      set({ repetition }),
    ),
    checkbox(
      "draw-without",
      t("draws.without_capture"),
      draws.without_capture !== null,
      (checked) => set({ without_capture: checked ? 50 : null }),
    ),
    draws.without_capture !== null &&
      field(
        "draw-turns",
        t("draws.turns"),
        h("input", {
          type: "number",
          min: 1,
          max: 1000,
          value: String(draws.without_capture),
          onchange: (/** @type {Event} */ event) => {
            const { value } = /** @type {HTMLInputElement} */ (event.target);
            if (/^[1-9]\d{0,3}$/.test(value)) set({ without_capture: Number(value) });
          },
        }),
      ),
    segments(
      "claim",
      t("draws.how"),
      draws.claim ? "claim" : "auto",
      [
        ["claim", t("draws.claim")],
        ["auto", t("draws.auto")],
      ],
      (value) => set({ claim: value === "claim" }),
    ),
  );
}

/**
 * Sets up a game on this board under these rules, or as they were, from the start of the board or another one.
 * @param {App} app @param {{board?: string, rules?: string, start?: string}} change
 */
async function setUp(app, change) {
  const { board, rules } = app.state.info;
  const asked = { board, rules, start: "", turns: "", ply: null, view: /** @type {const} */ ("play") };
  const { game, wrong } = await gameOfAddress({ ...asked, ...change });
  if (wrong) throw wrong;
  const { state } = app;
  const { players, draws } = state.lesson?.before ?? state;
  app.dispatch({ ...game, players, draws, ...(isSetUp(state) ? { card: state.card } : {}) });
}

/** Begins the game on the board. @param {App} app */
function begin(app) {
  const { info, tree } = app.state;
  app.dispatch({ type: "game", info, tree, node: 0, paused: false, started: true, view: "play" });
  app.announce(t("new.started"));
  showBoard();
  toBoard();
}

/** Brings the board into sight, where the stones are set up. */
function showBoard() {
  window.scrollTo({ top: 0 });
  for (const id of ["panel", "side"]) document.getElementById(id)?.scrollTo({ top: 0 });
  const board = document.getElementById("board");
  board?.classList.add("dealt");
  setTimeout(() => board?.classList.remove("dealt"), 900);
}

const coin = () => ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) & 1) === 1;

/** Leads the keyboard to the board, once it is drawn. */
export const toBoard = () =>
  requestAnimationFrame(() => {
    const point = document.querySelector('[data-point][tabindex="0"]');
    if (point instanceof SVGElement) point.focus({ preventScroll: true });
  });

/** Starts again with the same players, board and rules. @param {App} app */
export function startAgain(app) {
  if (random) choose(app, programOf(app.state.players), "random");
  const { tree, drill } = app.state;
  app.report(setUp(app, { start: drill ? "" : nodeAt(tree, 0).position }).then(() => begin(app)));
}

/** Sets up a new game, whose choices a person can change. @param {App} app */
export const openNewGame = (app) => app.report(openNew(app));

/** @param {App} app */
async function openNew(app) {
  app.dispatch({ type: "help", help: false });
  if (isSetUp(app.state)) app.dispatch({ type: "view", view: "play" });
  else {
    await setUp(app, {});
    if (random) choose(app, programOf(app.state.players), "random");
  }
  requestAnimationFrame(() => {
    document.getElementById("new")?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (document.querySelector("#new input:checked"))?.focus();
  });
}
