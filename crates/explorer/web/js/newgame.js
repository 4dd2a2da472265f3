// A new game: level and colour, and behind "More" board, rules, who moves first, draws. The form
// takes effect when the game is started.

import { clockSelect, newClock } from "./clock.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { newGame } from "./load.js";
import { withSideToMove } from "./notation.js";
import { button, checkbox, field, fold, segments, select, stoneIcon } from "./parts.js";
import { OPTIONS, readRules, VELA_OPTIONS, writeRules } from "./rules.js";
import { DEFAULT_LEVEL, gameEnd } from "./state.js";
import { levelTitle } from "./tabletop.js";
import { levelNote } from "./texts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").Side} Side */
/** @typedef {import("./state.js").Player} Player */

/**
 * The form before the game begins; null for what the game on the board has.
 * @type {{opponent: Player | null, colour: Side | "random" | null, board: string | null, rules: string | null, first: Side, turn: boolean, draws: import("./state.js").DrawSettings | null}}
 */
const form = {
  opponent: null,
  colour: null,
  board: null,
  rules: null,
  first: "white",
  turn: true,
  draws: null,
};

/** The player against whom the form offers to play. @param {App} app @returns {Player} */
function opponentOf({ state }) {
  if (form.opponent !== null) return form.opponent;
  const { white, black } = state.players;
  return white !== "person" ? white : black;
}

/** @param {App} app */
function colourOf({ state }) {
  const { white, black } = state.players;
  return form.colour ?? (white !== "person" && black === "person" ? "black" : "white");
}

/** @param {App} app */
export function newGameForm(app) {
  const { state } = app;
  const board = form.board ?? state.info.board;
  const rules = form.rules ?? state.info.rules;
  const boards = state.about?.boards ?? [board];
  const opponent = opponentOf(app);
  return h(
    "div",
    { class: "new-game", key: "new-game" },
    segments(
      "opponent",
      t("new.opponent"),
      opponent === "person" ? "person" : "program",
      [
        ["program", t("new.program")],
        ["person", t("new.person")],
      ],
      (value) => {
        form.opponent = value === "person" ? "person" : programOf(app);
        app.refresh();
      },
    ),
    opponent !== "person" && levelChoice(app, opponent),
    opponent !== "person" &&
      segments(
        "colour",
        t("new.colour"),
        colourOf(app),
        [
          ["white", [stoneIcon("white"), " ", t("side.white")]],
          ["random", t("new.random")],
          ["black", [stoneIcon("black"), " ", t("side.black")]],
        ],
        (value) => {
          form.colour = value === "black" || value === "random" ? value : "white";
          app.refresh();
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
    button("new-game", t("new.start"), () => app.report(start(app)), {
      class: "primary wide large",
    }),
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
          board,
          withCurrent(boards, board).map((name) => [name, boardName(name)]),
          (value) => {
            form.board = value;
            app.refresh();
          },
        ),
        ruleSelect(app, rules),
      ),
      ruleOptions(app, rules, board),
      segments(
        "first",
        t("new.first"),
        form.first,
        [
          ["white", t("side.white")],
          ["black", t("side.black")],
        ],
        (value) => {
          form.first = value === "black" ? "black" : "white";
          app.refresh();
        },
      ),
      drawOptions(app),
      clockSelect(app),
      checkbox("new-turn", t("new.turn_board"), form.turn, (checked) => {
        form.turn = checked;
        app.refresh();
      }),
    ),
  );
}

/** A program to play against: the one of the game, or the usual level. @param {App} app @returns {Player} */
function programOf({ state }) {
  const { white, black } = state.players;
  return [black, white].find((player) => player !== "person") ?? DEFAULT_LEVEL;
}

/** The levels. @param {App} app @param {Player} opponent */
function levelChoice({ state, refresh }, opponent) {
  const levels = state.about?.levels ?? [];
  const level = levels.find(({ number }) => number === opponent);
  const title = level ? levelTitle(level.name) : "";
  return h(
    "div",
    { class: "levels", key: "levels" },
    segments(
      "level",
      [t("new.level"), h("span", { class: "wide-only" }, " · "), h("b", { id: "level-name" }, title)],
      String(opponent),
      levels.map(({ number }) => [String(number), String(number)]),
      (value) => {
        form.opponent = Number(value);
        refresh();
      },
    ),
    level &&
      !level.available &&
      h("p", { class: "note", key: "missing" }, levelNote(level)),
  );
}

/** Who plays the game on the board. Unlike the form, this takes effect at once. @param {App} app */
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
  /** @type {[string, string][]} */
  const options = [["person", t("player.person")]];
  for (const level of state.about?.levels ?? []) {
    const name = t("player.level", { number: level.number, name: levelTitle(level.name) });
    options.push([String(level.number), level.available ? name : `${name} *`]);
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

/** Notes on the chosen levels: their limits, and what they lack. @param {App} app */
function playerNotes({ state }) {
  const chosen = new Set([state.players.white, state.players.black]);
  return (state.about?.levels ?? [])
    .filter((level) => chosen.has(level.number))
    .map((level) =>
      h(
        "p",
        { class: level.available ? "quiet" : "note", key: `level${level.number}` },
        h("b", null, t("player.level", { number: level.number, name: levelTitle(level.name) })),
        " ",
        levelNote(level),
      ),
    );
}

/** @param {App} app @param {string} rules */
function ruleSelect(app, rules) {
  const { preset } = readRules(rules);
  const presets = app.state.about?.presets ?? [];
  return select(
    "new-rules",
    t("new.rules"),
    preset,
    withCurrent(presets, preset).map((name) => [name, t(`rules.${name}`)]),
    (value) => {
      form.rules = writeRules({ ...readRules(rules), preset: value, options: {} });
      app.refresh();
    },
  );
}

/** @param {App} app @param {string} rules @param {string} board */
function ruleOptions(app, rules, board) {
  const choice = readRules(rules);
  const kinds = /** @type {import("./rules.js").OptionKind[]} */ (Object.keys(OPTIONS)).filter(
    (kind) => choice.preset === "vela" || !VELA_OPTIONS.includes(kind),
  );
  const set = (/** @type {Partial<typeof choice>} */ change) => {
    form.rules = writeRules({ ...choice, ...change });
    app.refresh();
  };
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
          oninput: (/** @type {Event} */ event) => {
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
  const draws = form.draws ?? app.state.draws;
  const set = (/** @type {Partial<typeof draws>} */ change) => {
    form.draws = { ...draws, ...change };
    app.refresh();
  };
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

/** @param {App} app */
async function start(app) {
  const before = app.state;
  const board = form.board ?? before.info.board;
  const rules = form.rules ?? before.info.rules;
  const opponent = opponentOf(app);
  const colour = colourOf(app);
  const white = colour === "random" ? coin() : colour === "white";
  const action = await newGame(board, rules);
  const { position } = action.tree[0] ?? { position: action.info.start };
  const game =
    form.first === "black" && position === action.info.start
      ? await newGame(board, rules, withSideToMove(position, "black"))
      : action;
  const players = white
    ? { white: /** @type {Player} */ ("person"), black: opponent }
    : { white: opponent, black: /** @type {Player} */ ("person") };
  if (form.turn) {
    const flipped = players.black === "person" && players.white !== "person";
    app.dispatch({ type: "settings", settings: { flipped } });
  }
  app.dispatch({
    ...game,
    started: true,
    view: "play",
    players,
    draws: form.draws ?? before.draws,
    clock: newClock(before.settings.clock),
  });
  Object.assign(form, { board: null, rules: null, draws: null, opponent: null });
  // Random stays random for the next game.
  if (form.colour !== "random") form.colour = null;
  if (before.tree.length > 1 && !gameEnd(before))
    app.dispatch({ type: "notice", notice: { text: t("new.started"), before } });
  document.getElementById("fold-new")?.removeAttribute("open");
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
export const startAgain = (app) => app.report(start(app));

/** Opens the form, so that a person can change it and start. @param {App} app */
export function openNewGame(app) {
  app.dispatch({ type: "help", help: false });
  app.dispatch({ type: "view", view: "play" });
  requestAnimationFrame(() => {
    const card = document.getElementById("fold-new");
    card?.setAttribute("open", "");
    card?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (document.querySelector("#fold-new input:checked"))?.focus();
  });
}
