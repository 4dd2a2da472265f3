// "How to play": a lesson in nine steps on the board itself. A step is a real position; its legal
// turns come from the server, and the turns that count are told apart by what they capture.

import { drawing, layoutOf } from "./board.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { gameOfAddress } from "./load.js";
import { readPosition } from "./notation.js";
import { button } from "./parts.js";
import { sceneOf } from "./scene.js";
import { currentNode, DEFAULT_DRAWS, endHere, gameEnd, initialState } from "./state.js";
import { nodeAt } from "./tree.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} start
 * @property {string} [to] where the stone goes in the picture of the step
 * @property {string} [turns] what was played before the person comes
 * @property {(turn: import("./state.js").Node, state: State) => boolean} counts
 */

/** @type {readonly Step[]} */
const STEPS = [
  { name: "move", start: "B4/5/5/5/3W1 w", counts: () => true },
  { name: "approach", start: "5/5/W1BB1/5/4B w", to: "b3", counts: () => true },
  { name: "withdrawal", start: "5/5/2WBB/5/3B1 w", to: "b3", counts: () => true },
  { name: "must", start: "5/B4/1W1B1/5/W3W w", counts: () => true },
  { name: "choice", start: "5/5/BW1B1/5/5 w", counts: () => true },
  { name: "relay", start: "5/1B2B/3B1/1W3/2B2 w", counts: ({ captured }) => captured.length === 3 },
  {
    name: "direction",
    start: "1B3/5/3B1/1W3/1B3 w",
    counts: ({ captured }) => captured.length === 2,
  },
  {
    name: "end",
    start: "5/5/1W1B1/5/5 w",
    counts: (_turn, state) => state.answer?.outcome === "white",
  },
  {
    name: "draw",
    start: "4B/5/5/5/W4 b",
    turns: "e5-e4,a1-a2,e4-e5,a2-a1,e5-e4,a1-a2,e4-e5",
    counts: (_turn, state) => gameEnd(state)?.outcome === "draw",
  },
];

/** How stones are captured: a part of the board with the steps that have a picture, one after the other. @param {State} state */
export function captureView({ info, settings, players, draws }) {
  const plain = { ...settings, coordinates: false, flipped: false };
  const scene = sceneOf(initialState(info, plain, players, draws));
  const layout = layoutOf(scene);
  const turn = (/** @type {string} */ start, to = "") => {
    const { white, black } = readPosition(start);
    const from = white[0] ?? to;
    const captured = black.filter((point) => point[1] === to[1]);
    const marks = { path: [from, to], captured, tone: "unknown" };
    const shown = { ...scene, white: new Set(white), black: new Set(black), preview: marks };
    const by = layout.place(to).x - layout.place(from).x;
    return h("g", { class: "capture-turn", style: { "--by": `${by}px` } }, ...drawing(shown, layout));
  };
  const { x, y } = layout.place("b3");
  return h(
    "svg",
    { class: "capture", viewBox: `${x - 168} ${y - 115} 536 230`, "aria-hidden": "true" },
    ...STEPS.filter(({ to }) => to).map(({ start, to }) => turn(start, to)),
  );
}

/** Begins a step. @param {App} app @param {number} at @param {State} before the game to come back to */
async function begin(app, at, before) {
  const step = STEPS[at];
  if (!step) return;
  const { game } = await gameOfAddress({
    board: "5x5",
    rules: "standard",
    start: step.start,
    turns: step.turns ?? "",
    ply: null,
    view: "play",
  });
  app.dispatch({
    ...game,
    players: { white: "person", black: "person" },
    draws: DEFAULT_DRAWS,
    lesson: { step: at, root: game.node, done: false, before },
  });
  app.announce(`${t(`learn.${step.name}`)} ${t(`learn.${step.name}.text`)}`);
}

/** @param {App} app */
export function openLesson(app) {
  const { state } = app;
  app.dispatch({ type: "help", help: false });
  app.report(begin(app, 0, state.lesson?.before ?? { ...state, help: false }));
}

/** Sees whether the person has done what a step asks for. @param {App} app */
export function followLesson(app) {
  const { state } = app;
  const { lesson } = state;
  const step = lesson && STEPS[lesson.step];
  if (!lesson || !step || lesson.done || state.node === lesson.root) return;
  if (!step.counts(currentNode(state), state)) return;
  app.dispatch({ type: "lesson", lesson: { ...lesson, done: true } });
  app.announce(t(`learn.${step.name}.done`));
}

/** The step for the tests: its name, and whether it is done. @param {State} state */
export const lessonMark = ({ lesson }) =>
  lesson ? `${STEPS[lesson.step]?.name}${lesson.done ? " done" : ""}` : "";

/** @param {App} app */
export function lessonView(app) {
  const { state } = app;
  const { lesson } = state;
  const step = lesson && STEPS[lesson.step];
  if (!lesson || !step) return null;
  const { done, before } = lesson;
  const last = lesson.step === STEPS.length - 1;
  const played = state.node !== lesson.root && nodeAt(state.tree, state.node).parent !== null;
  // The last step asks for a turn and then for a claim.
  const wrong = !done && played && state.answer !== null && !(last && endHere(state) !== null);
  const again = () => app.report(begin(app, lesson.step, before));
  const close = () => app.dispatch({ type: "restore", state: before });
  return h(
    "div",
    { class: "lesson", key: "lesson", id: "lesson" },
    h(
      "ol",
      { class: "lesson-steps", "aria-hidden": "true" },
      ...STEPS.map(({ name }, i) =>
        h("li", {
          key: name,
          class: i < lesson.step || (i === lesson.step && done) ? "past" : i === lesson.step ? "now" : "",
        }),
      ),
    ),
    h(
      "div",
      { class: "lesson-head" },
      h("h2", null, t(`learn.${step.name}`)),
      h("span", { class: "quiet" }, t("learn.step", { step: lesson.step + 1, steps: STEPS.length })),
    ),
    h("p", { class: done || wrong ? "lesson-task answered" : "lesson-task" }, t(`learn.${step.name}.text`)),
    done &&
      h("p", { class: "result good", id: "lesson-done", key: "done" }, t(`learn.${step.name}.done`)),
    wrong && h("p", { class: "note", id: "lesson-wrong", key: "wrong" }, t("learn.wrong")),
    h(
      "div",
      { class: "row", key: "buttons" },
      done &&
        !last &&
        button(
          "lesson-next",
          t("learn.next"),
          () => app.report(begin(app, lesson.step + 1, before)),
          { class: "primary", key: "next" },
        ),
      done && last && button("lesson-end", t("learn.end.play"), close, { class: "primary", key: "end" }),
      (wrong || done) && button("lesson-again", t("learn.again"), again, { class: "small", key: "again" }),
      !(done && last) && button("lesson-close", t("learn.close"), close, { class: "small", key: "close" }),
    ),
  );
}
