// The panel "Settings", and what the browser keeps of them.

import { backend } from "./backend.js";
import { h } from "./dom.js";
import { currentLanguage, LANGUAGES, t, UNREVIEWED } from "./i18n.js";
import { localView } from "./local.js";
import { button, checkbox, segments, select } from "./parts.js";
import { DEFAULT_DRAWS, DEFAULT_LEVEL, DEFAULT_SETTINGS } from "./state.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").Settings} Settings */
/** @typedef {import("./state.js").State} State */

const KEY = "fanorona";

/** The storage as an object. @returns {Record<string, any>} */
function readStored() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return stored !== null && typeof stored === "object" ? stored : {};
  } catch {
    return {};
  }
}

/** The stored settings, as far as they still make sense. @returns {Pick<State, "settings" | "players" | "draws">} */
export function keptSettings() {
  /** @type {Pick<State, "settings" | "players" | "draws">} */
  const kept = {
    settings: { ...DEFAULT_SETTINGS },
    players: { white: "person", black: DEFAULT_LEVEL },
    draws: DEFAULT_DRAWS,
  };
  try {
    const stored = readStored();
    for (const [name, value] of Object.entries(stored.settings ?? {})) {
      if (
        name in kept.settings &&
        typeof value === typeof kept.settings[/** @type {keyof Settings} */ (name)]
      ) {
        Object.assign(kept.settings, { [name]: value });
      }
    }
    for (const side of /** @type {const} */ (["white", "black"])) {
      const player = stored.players?.[side];
      if (player === "person" || Number.isInteger(player)) kept.players[side] = player;
    }
    const draws = { ...kept.draws, ...stored.draws };
    if (
      typeof draws?.repetition === "boolean" &&
      typeof draws.claim === "boolean" &&
      (draws.without_capture === null || Number.isInteger(draws.without_capture))
    )
      kept.draws = draws;
  } catch {
    // A browser that keeps nothing, or something else under this name: the defaults do.
  }
  return kept;
}

/**
 * Keeps what has changed, and only that: another tab may have changed the rest.
 * @param {State} state @param {State} before
 */
export function keepSettings(state, before) {
  try {
    const stored = readStored();
    for (const part of /** @type {const} */ (["settings", "players", "draws"])) {
      /** @type {Record<string, unknown>} */
      const old = { ...before[part] };
      const changed = Object.entries(state[part]).filter(([name, value]) => value !== old[name]);
      if (changed.length > 0) stored[part] = { ...stored[part], ...Object.fromEntries(changed) };
    }
    localStorage.setItem(KEY, JSON.stringify(stored));
  } catch {
    // Without storage the settings last as long as the page.
  }
}

/** Takes over what another tab has set. @param {App} app */
export function followSettings(app) {
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    // Which way round the board lies belongs to the game of each tab.
    const settings = { ...keptSettings().settings, flipped: app.state.settings.flipped };
    app.dispatch({ type: "settings", settings });
  });
}

/** Makes the page look as the settings say. @param {Settings} settings */
export function applySettings(settings) {
  const root = document.documentElement;
  root.dataset.theme = settings.theme;
  root.dataset.board = settings.boardStyle;
  root.dataset.stones = settings.stones;
  root.dataset.colours = settings.colourBlind ? "blind" : "usual";
}

/** @param {App} app */
export function settingsView(app) {
  const { settings } = app.state;
  const set = (/** @type {Partial<Settings>} */ change) =>
    app.dispatch({ type: "settings", settings: change });
  return [
    segments(
      "theme",
      t("settings.theme"),
      settings.theme,
      [
        ["auto", t("settings.theme_auto")],
        ["light", t("settings.theme_light")],
        ["dark", t("settings.theme_dark")],
      ],
      (value) => set({ theme: value === "light" ? "light" : value === "dark" ? "dark" : "auto" }),
    ),
    segments(
      "board-style",
      t("settings.board"),
      settings.boardStyle,
      [
        ["wood", t("settings.wood")],
        ["cloth", t("settings.cloth")],
        ["slate", t("settings.slate")],
      ],
      (value) =>
        set({ boardStyle: value === "cloth" ? "cloth" : value === "slate" ? "slate" : "wood" }),
    ),
    segments(
      "stones",
      t("settings.stones"),
      settings.stones,
      [
        ["classic", t("settings.classic")],
        ["jewel", t("settings.jewel")],
        ["marked", t("settings.marked")],
      ],
      (value) =>
        set({ stones: value === "jewel" ? "jewel" : value === "marked" ? "marked" : "classic" }),
    ),
    checkbox("colour-blind", t("settings.colour_blind"), settings.colourBlind, (colourBlind) =>
      set({ colourBlind }),
    ),
    checkbox("coordinates", t("settings.coordinates"), settings.coordinates, (coordinates) =>
      set({ coordinates }),
    ),
    checkbox("flipped", t("settings.flipped"), settings.flipped, (flipped) => set({ flipped })),
    checkbox("hints", t("settings.hints"), settings.hints, (hints) => set({ hints })),
    checkbox("sound", t("settings.sound"), settings.sound, (sound) => set({ sound })),
    checkbox("shortcuts", t("settings.shortcuts"), settings.shortcuts, (shortcuts) =>
      set({ shortcuts }),
    ),
    segments(
      "pace",
      t("settings.pace"),
      settings.pace,
      [
        ["slow", t("settings.slow")],
        ["normal", t("settings.normal")],
        ["fast", t("settings.fast")],
      ],
      (value) => set({ pace: value === "slow" ? "slow" : value === "fast" ? "fast" : "normal" }),
    ),
    select(
      "language",
      t("settings.language"),
      settings.language || document.documentElement.lang,
      Object.entries(LANGUAGES),
      (language) => set({ language }),
    ),
    UNREVIEWED.includes(currentLanguage()) &&
      h("p", { class: "quiet", key: "unreviewed", id: "unreviewed" }, t("settings.unreviewed")),
    h(
      "div",
      { class: "row", key: "reset" },
      button(
        "reset",
        t("settings.reset"),
        () => set({ ...DEFAULT_SETTINGS, language: settings.language }),
        { class: "small" },
      ),
      button("help", t("help.title"), () => app.dispatch({ type: "help", help: true }), {
        class: "small",
      }),
    ),
    localView(app),
    h(
      "p",
      { class: "quiet", key: "version" },
      `fanorona ${app.state.about?.version ?? ""}`,
      !backend.local && [" · ", h("a", { href: "api/v1/openapi.json" }, "API")],
      document.documentElement.dataset.static !== undefined && [
        " · ",
        h("a", { href: `static/${location.hash}`, id: "without-server" }, t("settings.without_server")),
      ],
    ),
  ];
}
