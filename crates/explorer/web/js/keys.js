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
  const letter = event.key.toLowerCase();
  if (command && !typing && (letter === "z" || letter === "y")) {
    event.preventDefault();
    app.dispatch({ type: letter === "y" || event.shiftKey ? "redo" : "undo" });
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
  const view = VIEWS[Number(key) - 1];
  const action = ACTIONS.get(key.length === 1 ? key.toLowerCase() : key);
  if (view) app.dispatch({ type: "view", view });
  else action?.(app);
  return Boolean(view ?? action);
}

/** @type {Map<string, (app: App) => void>} */
const ACTIONS = new Map([
  ["a", (app) => choose(app, "approach")],
  ["w", (app) => choose(app, "withdrawal")],
  ["e", (app) => app.dispatch({ type: "end-turn" })],
  ["u", (app) => app.dispatch({ type: "undo" })],
  ["y", (app) => app.dispatch({ type: "redo" })],
  [",", (app) => go(app, "back")],
  ["ArrowLeft", (app) => go(app, "back")],
  [".", (app) => go(app, "forward")],
  ["ArrowRight", (app) => go(app, "forward")],
  ["j", (app) => goToMistake(app, 1)],
  ["k", (app) => goToMistake(app, -1)],
  ["Home", (app) => go(app, "first")],
  ["End", (app) => go(app, "last")],
  ["r", (app) => app.report(replay(app))],
  ["/", () => document.getElementById("turn-text")?.focus()],
  ["n", openNewGame],
  ["f", (app) => app.dispatch({ type: "flip" })],
  ["v", (app) => toggle(app, "colourBlind")],
  ["m", (app) => toggle(app, "sound")],
  ["?", (app) => app.dispatch({ type: "help", help: !app.state.help })],
]);

/** Takes the stones in one of two directions, where both are possible. @param {App} app @param {"approach" | "withdrawal"} kind */
function choose(app, kind) {
  const choice = currentWalk(app.state)?.choice ?? [];
  if (choice.some((step) => step.kind === kind)) app.dispatch({ type: "choose", kind });
}

/** Turns a setting on or off. @param {App} app @param {"colourBlind" | "sound"} name */
function toggle(app, name) {
  app.dispatch({ type: "settings", settings: { [name]: !app.state.settings[name] } });
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
