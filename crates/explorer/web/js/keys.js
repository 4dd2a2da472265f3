// Keyboard shortcuts, and the page that lists them.

import { VIEWS } from "./address.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { openLesson } from "./lesson.js";
import { openNewGame } from "./newgame.js";
import { replay } from "./opponent.js";
import { button } from "./parts.js";
import { goToMistake } from "./review.js";
import { currentWalk, showsResult } from "./state.js";
import { go } from "./tabletop.js";

/** @typedef {import("./app.js").App} App */

/** Keys and the text of what they do. @type {readonly (readonly [string, string])[]} */
const LIST = [
  ["← ↑ ↓ →", "help.arrows"],
  ["Enter", "help.enter"],
  ["Esc", "help.escape"],
  ["A · W", "help.choose"],
  ["E", "help.end"],
  ["U · Y", "help.undo"],
  [", · . · ← · →", "help.step"],
  ["J · K", "help.mistakes"],
  ["Home · End", "help.ends"],
  ["R", "help.replay"],
  ["/", "help.text"],
  ["N", "help.new"],
  ["F", "help.flip"],
  ["V", "help.blind"],
  ["M", "help.sound"],
  ["1 – 6", "help.views"],
  ["?", "help.help"],
];

/** @param {App} app @param {KeyboardEvent} event */
export function onKey(app, event) {
  const { target } = event;
  const typing =
    (target instanceof HTMLInputElement && target.type !== "radio" && target.type !== "checkbox") ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement;
  const command = event.ctrlKey || event.metaKey;
  if (command && !typing && event.key.toLowerCase() === "z") {
    event.preventDefault();
    app.dispatch({ type: event.shiftKey ? "redo" : "undo" });
    return;
  }
  if (command && !typing && event.key.toLowerCase() === "y") {
    event.preventDefault();
    app.dispatch({ type: "redo" });
    return;
  }
  if (event.key === "Escape") {
    if (app.state.help) app.dispatch({ type: "help", help: false });
    else app.dispatch({ type: showsResult(app.state) ? "seen" : "cancel" });
    return;
  }
  if (event.defaultPrevented || command || event.altKey || typing) return;
  if (!app.state.settings.shortcuts) return;
  // Radio buttons have the arrow keys for themselves.
  if (target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
  if (act(app, event.key)) event.preventDefault();
}

/** @param {App} app @param {string} key @returns {boolean} whether the key means something */
function act(app, key) {
  const { state } = app;
  const { settings } = state;
  const set = (/** @type {Partial<typeof settings>} */ change) =>
    app.dispatch({ type: "settings", settings: change });
  const choice = currentWalk(state)?.choice ?? [];
  const view = VIEWS[Number(key) - 1];
  if (view) {
    app.dispatch({ type: "view", view });
    return true;
  }
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case "a":
    case "w": {
      const kind = key.toLowerCase() === "a" ? "approach" : "withdrawal";
      if (choice.some((step) => step.kind === kind)) app.dispatch({ type: "choose", kind });
      break;
    }
    case "e":
      app.dispatch({ type: "end-turn" });
      break;
    case "u":
      app.dispatch({ type: "undo" });
      break;
    case "y":
      app.dispatch({ type: "redo" });
      break;
    case ",":
    case "ArrowLeft":
      go(app, "back");
      break;
    case ".":
    case "ArrowRight":
      go(app, "forward");
      break;
    case "j":
      goToMistake(app, 1);
      break;
    case "k":
      goToMistake(app, -1);
      break;
    case "Home":
      go(app, "first");
      break;
    case "End":
      go(app, "last");
      break;
    case "r":
      app.report(replay(app));
      break;
    case "/":
      document.getElementById("turn-text")?.focus();
      break;
    case "n":
      openNewGame(app);
      break;
    case "f":
      app.dispatch({ type: "flip" });
      break;
    case "v":
      set({ colourBlind: !settings.colourBlind });
      break;
    case "m":
      set({ sound: !settings.sound });
      break;
    case "?":
      app.dispatch({ type: "help", help: !state.help });
      break;
    default:
      return false;
  }
  return true;
}

/** The list of keys and how to play, in the panel. @param {App} app */
export const helpView = (app) => [
  h(
    "div",
    { class: "help", key: "help", id: "help", tabindex: -1 },
    h(
      "div",
      { class: "row" },
      h("h2", null, t("help.title")),
      button("close-help", t("help.close"), () => app.dispatch({ type: "help", help: false }), {
        class: "small",
      }),
    ),
    button("learn", [icon("learn"), t("play.learn")], () => openLesson(app)),
    h("h3", null, t("help.rules")),
    h(
      "ul",
      { class: "rules-list" },
      ...[1, 2, 3, 4, 5].map((n) => h("li", { key: `${n}` }, t(`help.rule_${n}`))),
    ),
    h("h3", null, t("help.keys")),
    h(
      "dl",
      { class: "keys" },
      ...LIST.flatMap(([keys, text]) => [
        h("dt", { key: `k${keys}` }, h("kbd", null, keys)),
        h("dd", { key: `d${keys}` }, t(text)),
      ]),
    ),
    h("p", { class: "quiet" }, t("help.off")),
  ),
];
