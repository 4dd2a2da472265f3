// Speaks to screen readers, with the sounds that go with it.

import { t } from "./i18n.js";
import { other } from "./notation.js";
import * as sound from "./sound.js";
import { currentNode, currentWalk, gameEnd, justWon } from "./state.js";
import { endText, statusText } from "./tabletop.js";
import { valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").State} State */

/** Whose turns a side makes. @param {State} state @param {import("./api-types").Side} side @returns {sound.By} */
const whose = (state, side) =>
  state.view === "explore" || state.players[side] === "person" ? "person" : "program";

/** Says and sounds what has changed. @param {App} app @param {State} before */
export function announceChange(app, before) {
  const { state } = app;
  const noise = state.settings.sound;
  const node = currentNode(state);
  /** @type {string[]} */
  const said = [];

  const steps = currentWalk(state)?.steps ?? [];
  const stepsBefore = before.node === state.node ? (currentWalk(before)?.steps ?? []) : [];
  if (state.node === before.node && steps.length > stepsBefore.length) {
    const step = steps.at(-1);
    if (step) {
      said.push(t("say.step", { from: step.from, to: step.to }));
      if (step.captured.length > 0)
        said.push(t("say.taken", { n: step.captured.length, points: step.captured.join(" ") }));
      if (noise) sound.click("person", step.captured.length);
    }
  }
  const selected = state.node === before.node && steps.length === 0 && currentWalk(state)?.selected;
  if (selected && selected !== currentWalk(before)?.selected) {
    const points = [...new Set(currentWalk(state)?.options.map((step) => step.to))];
    said.push(t("say.selected", { point: selected, points: points.join(" ") }));
  }
  if (state.stuck && state.stuck !== before.stuck) said.push(statusText(app));
  if (state.showing && state.showing !== before.showing && state.showing.shown > 0) {
    const step = state.showing.steps[state.showing.shown - 1];
    if (step && noise) sound.click(whose(state, state.showing.mover), step.captured.length);
  }
  if (state.node !== before.node && node.turn !== null) {
    const mover = other(node.toMove);
    said.push(t("say.turn", { side: t(`side.${mover}`), turn: node.turn }));
    if (node.captured.length > 0)
      said.push(t("say.taken", { n: node.captured.length, points: node.captured.join(" ") }));
    if (noise && stepsBefore.length === 0)
      sound.click(whose(state, mover), node.captured.length);
  }
  const choice = currentWalk(state)?.choice ?? [];
  if (choice.length > 0 && (currentWalk(before)?.choice ?? []).length === 0) {
    said.push(
      t("status.choose_capture"),
      ...choice.map((step) => `${t(`kind.${step.kind}`)}: ${step.captured.join(" ")}`),
    );
  }
  const end = gameEnd(state);
  if (end && !(before.node === state.node && gameEnd(before))) {
    said.push(endText(state, end));
    if (noise && justWon(state)) sound.celebrate();
  } else if (state.answer && state.answer !== before.answer && state.view === "explore") {
    said.push(valueSentence(state.answer, state.answer.to_move));
  }
  if (said.length > 0) app.announce(said.join(" "));
}
