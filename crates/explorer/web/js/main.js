// The page of the explorer: starts it and joins its parts.
//
// Hooks for tests in a browser. They stay when texts and looks change.
//   body[data-ready="true"]   the first position is drawn
//   body[data-state]          "loading", "ready", "thinking", "showing", "over"
//   body[data-position]       the position on the board, as text
//   body[data-view]           the open panel
//   body[data-won]            the side of a person who has just won
//   body[data-lesson]         the step of the lesson, such as "relay" or "relay done"
//   [data-point="d3"]         a point of the board, a button
//   [data-stone="d3"]         the stone on it; class "white" or "black"
//   .movable .targets .choice .footprints .values   groups of marks on the board
//   [data-tab="explore"]      the tab of a panel
//   [data-action="end-turn"]  a button: undo, redo, first, back, forward, last, replay, end-turn,
//                             choose-approach, choose-withdrawal, resume, pause, claim, resign,
//                             agree-draw, new-game, again, look, close-result,
//                             take-back, close-notice, learn, lesson-next, lesson-again,
//                             lesson-close, lesson-end, play-text, prove, stop, check-proof, stop-check,
//                             save-certificate, refutation, all-turns, copy-…, load-record,
//                             save-svg, print, edit-…, open-position, drill-start, retry,
//                             puzzle-next, puzzle-daily, puzzle-again, puzzle-solution, help,
//                             close-help, theme, colour-blind, flip, sound, retry-request, hint,
//                             upright, open-game, delete-game, export-games, close-error, review, stop-review,
//                             mistake-next, mistake-before, try-again, end-try, threat, clock-off,
//                             set-up, board-start, resume-game
//   #turn-text #record        the fields for a turn and for a game; #turn-error #record-error what was wrong
//   #puzzle-task #puzzle-solved #puzzle-failed #puzzle-shown #puzzle-score #puzzle-about
//   #game-card #board-scroll  the running game in the panel; the place in which a large board scrolls
//   #status #value #turns #line #proof-progress[data-end] #edit-text #edit-valid #record
//   #player-white #player-black #new-board #new-rules #language #colour-blind and so on: the fields
//   [data-turn="d3-e3A"]      a turn in the list of Explore
//   [data-ply="3"]            a turn in the history
//   #evaluation #engine-lines[data-depth] #keep #openings #threat #review-summary #review-share
//   #review-try[data-try]     "open", "loading", "holds" or the mistake of the turn that was tried
//   #clock-on                 the clocks of the next game, if there are any
//   .arrow.best .good .menace .own   arrows on the board
//   #announcer                the live region
// Where no server is (see local.js):
//   body[data-loading]        whether something is on its way; #loading says how much
//   body[data-loaded-bytes]   of tables, over the network, since the page was opened
//   body[data-stored-bytes]   of tables that the browser keeps; -1 if it keeps none
//   body[data-keeping]        "", "running" or "failed": tables that were asked for
//   body[data-apart]          whether there is no network
//   #space #keep-9x5-standard #renewable #trouble, and the buttons empty-store, keep-tables,
//                             stop-keeping, renew, close-local

import { readAddress, VIEWS, writeAddress } from "./address.js";
import { announceChange } from "./announce.js";
import * as api from "./api.js";
import { createApp } from "./app.js";
import { backend } from "./backend.js";
import { createBoard } from "./board.js";
import { createClock } from "./clock.js";
import { byId, h, render } from "./dom.js";
import { createDrill } from "./drill.js";
import { createEditor } from "./editor.js";
import { createEffects } from "./effects.js";
import { createExplore } from "./explore.js";
import { createGames, firstGame } from "./games.js";
import { loadLanguage, preferredLanguage, t } from "./i18n.js";
import { icon } from "./icons.js";
import { helpView, onKey } from "./keys.js";
import { followLesson, lessonMark, lessonView } from "./lesson.js";
import { wrongText } from "./load.js";
import { apartMark, localMarks, localNotice } from "./local.js";
import { listenForMarks } from "./marking.js";
import { createOpponent } from "./opponent.js";
import { noticeView, resultSheet } from "./over.js";
import { button } from "./parts.js";
import { playView } from "./play.js";
import { listen } from "./pointer.js";
import { createPuzzles } from "./puzzles.js";
import { sceneOf, stoneCounts } from "./scene.js";
import { createRetry, untilAnswered } from "./retry.js";
import { applySettings, followSettings, keepSettings, keptSettings, settingsView } from "./settings.js";
import { currentNode, gameEnd, initialState, isFlipped, justWon, showsResult } from "./state.js";
import { action, controls, strip } from "./tabletop.js";
import { createTables } from "./tables.js";
import { nodeAt } from "./tree.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").State} State */

/** A phone that is held upright. */
const PHONE = matchMedia("(max-width: 900px) and (orientation: portrait)");

async function start() {
  const kept = keptSettings();
  applySettings(kept.settings);
  const waiting = (/** @type {unknown} */ error) => {
    byId("notice").textContent = api.errorText(error);
  };
  const language = loadLanguage(kept.settings.language || preferredLanguage());
  const about = api.get("about");
  const { game, wrong } = await untilAnswered(() => firstGame(location.hash), waiting);
  // Its answer is awaited here, so that the first drawing is the whole one.
  const { info, tree, node } = game;
  const here = api.fullPosition(info.board, info.rules, nodeAt(tree, node).position);
  // What the index has asked for ahead and nobody wants is taken too, or the browser complains.
  for (const link of document.querySelectorAll("link[as=fetch]:not([data-taken])"))
    fetch(link.getAttribute("href") ?? "").catch(() => {});
  await Promise.all([language, here.catch(() => {})]);

  const board = createBoard(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId("board"))));
  const failed = (/** @type {unknown} */ error) => {
    if (api.isAbort(error)) return;
    if (api.isTemporary(error)) {
      if (!app.state.offline) app.announce(t("offline"));
      app.dispatch({ type: "offline", offline: true });
      retry.later();
      return;
    }
    const text = api.errorText(error);
    app.dispatch({ type: "error", error: text });
    app.announce(text);
  };
  const effects = createEffects(failed);
  const opponent = createOpponent(failed);
  const retry = createRetry(() => {
    for (const part of [effects, opponent, explore, tables, editor, puzzles]) part.again();
    app.dispatch({ type: "offline", offline: false });
    effects.update(app);
    opponent.update(app);
  });

  const app = createApp(initialState(game.info, kept.settings, kept.players, kept.draws), {
    changed(app, before, action) {
      if (app.state === before) return;
      const { view, card, node, paused } = app.state;
      // Who steps through turns is paused, who plays one is not.
      const plays = view === "explore" && node !== before.node && !paused;
      if (view !== before.view || card.id !== before.card.id || plays) leaves = true;
      announceChange(app, before);
      drill.judge(before);
      puzzles.watch(before);
      followLesson(app);
      settle(app, before);
      games.update(before, action);
      clock(before);
      effects.update(app);
      opponent.update(app);
      explore.update();
    },
    draw,
    announce(text) {
      const region = byId("announcer");
      region.textContent = region.textContent === text ? `${text} ` : text;
    },
    failed,
  });
  const games = createGames(app);
  const clock = createClock(app);
  const explore = createExplore(app);
  const editor = createEditor(app);
  const tables = createTables(app);
  const drill = createDrill(app);
  const puzzles = createPuzzles(app, drill);

  /** The players and draws of a lesson are not those that a person chose. @param {State} state */
  const withoutLesson = (state) => {
    if (!state.lesson) return state;
    const { players, draws } = state.lesson.before;
    return { ...state, players, draws };
  };

  /** Follows a change, but for requests. @param {App} app @param {State} before */
  function settle(app, before) {
    const { state } = app;
    const { settings } = state;
    const [now, last] = [withoutLesson(state), withoutLesson(before)];
    if (settings !== last.settings || now.players !== last.players || now.draws !== last.draws) {
      keepSettings(now, last);
      applySettings(settings);
    }
    if (settings.language !== before.settings.language) {
      loadLanguage(settings.language || preferredLanguage()).then(app.refresh, failed);
    }
    if (state.info !== before.info) app.report(askLevels());
    if (state.view === "edit") editor.open();
    if (state.view === "tables") tables.load();
    if (state.node !== before.node || state.info !== before.info || state.answer !== before.answer) explore.changed();
  }

  /** Asks which levels can play this game. Without an answer they are those of the usual game. */
  async function askLevels() {
    const { info } = app.state;
    const { board, rules } = info;
    const known = await about;
    const isUsual = board === known.boards[0] && rules === known.presets[0];
    const { levels } = isUsual ? known : await api.get("levels", { board, rules }).catch(() => known);
    if (app.state.info === info) app.dispatch({ type: "about", about: { ...known, levels } });
  }

  /** @param {App} app */
  function draw(app) {
    const { state } = app;
    editor.check();
    const scene = sceneOf(state);
    scene.upright &&= PHONE.matches;
    board.draw(scene);
    const counts = stoneCounts(scene);
    const far = scene.flipped ? "white" : "black";
    const near = scene.flipped ? "black" : "white";
    // Who explores plays no side: both have one place.
    const player = (/** @type {typeof far} */ side) =>
      h("div", { class: "player", key: side }, ...strip(app, side, counts));
    const isShared = state.view === "explore";
    render(byId("strip-far"), player(far), isShared && player(near));
    render(byId("strip-near"), !isShared && player(near));
    // The last capture is seen before the result.
    const motion = showsResult(state) ? board.motion() : [];
    if (motion.length > 0) Promise.allSettled(motion.map(({ finished }) => finished)).then(app.refresh);
    render(byId("action"), (motion.length === 0 && resultSheet(app)) || action(app));
    render(byId("controls"), ...controls(app));
    render(byId("notice"), noticeView(app, () => void retry.now()), localNotice());
    render(byId("top"), ...header(app));
    render(byId("tabs"), ...VIEWS.map((view) => tab(app, view)));
    const panel = byId("panel");
    panel.setAttribute("aria-labelledby", `tab-${state.view}`);
    render(
      panel,
      h(
        "div",
        { key: state.help ? "help" : state.view, class: `view ${state.view}` },
        state.help ? helpView(app) : panelOf(app),
      ),
    );
    leadFocus(document.getElementById(state.help ? "help" : "result"));
    showCurrentTurn();
    document.title = `Fanorona ${state.info.board}`;
    Object.assign(document.body.dataset, {
      view: state.view,
      help: String(state.help),
      lesson: lessonMark(state),
      won: (motion.length === 0 && justWon(state)) || "",
      position: currentNode(state).position,
      state: state.showing
        ? "showing"
        : state.thinking
          ? "thinking"
          : gameEnd(state)
            ? "over"
            : state.answer
              ? "ready"
              : "loading",
      ...(state.answer ? { ready: "true" } : {}),
      ...localMarks(),
    });
    const fragment = writeAddress(state);
    // An address that is being opened, or could not be read as a whole, stays until the game goes on.
    if (opening || wrongAddress?.tree === state.tree) return;
    const entry = { game: state.card.id, node: state.node };
    // A tab, a game and an explored position are pages for the browser: "back" leads to the one before.
    if (leaves && written !== "" && location.hash !== fragment) history.pushState(entry, "", fragment);
    else if (location.hash !== fragment || JSON.stringify(history.state) !== JSON.stringify(entry))
      history.replaceState(entry, "", fragment);
    leaves = false;
    written = location.hash;
  }

  /** Help and the result take the focus, and give it back when they go. @param {HTMLElement | null} layer */
  function leadFocus(layer) {
    const { activeElement, body } = document;
    if (layer === leads) return;
    if (layer) {
      if (!leads) led = /** @type {HTMLElement | null} */ (activeElement);
      layer.focus();
    } else if (activeElement === body) {
      if (led?.isConnected && led !== body) led.focus();
      else board.focusPoint(board.focused() ?? "a1");
    }
    leads = layer;
  }

  /** Scrolls the list of turns, and nothing else, to the turn on the board. */
  function showCurrentTurn() {
    const cell = document.querySelector(".turn-cell.here");
    const list = cell?.closest(".turn-list");
    // Values that arrive make rows higher.
    const shown = `${cell?.getAttribute("data-ply")} ${list?.scrollHeight}`;
    if (!cell || !list || shown === list.getAttribute("data-shown")) return;
    list.setAttribute("data-shown", shown);
    const box = list.getBoundingClientRect();
    const place = cell.getBoundingClientRect();
    if (place.top < box.top || place.bottom > box.bottom) {
      list.scrollTop += place.top - box.top - box.height / 2;
    }
  }

  /** @param {App} app */
  function panelOf(app) {
    switch (app.state.view) {
      case "play":
        return lessonView(app) ?? playView(app, games);
      case "explore":
        return explore.view();
      case "edit":
        return editor.view();
      case "tables":
        return tables.view();
      case "puzzles":
        return puzzles.view();
      case "settings":
        return settingsView(app);
    }
  }

  /** @type {{tree: readonly import("./tree.js").Node[]} | null} */
  let wrongAddress = wrong ? { tree: game.tree } : null;
  let written = "";
  let opening = "";
  let leaves = false;
  /** The help or the result, if it has taken the focus, and what had it before. @type {HTMLElement | null} */
  let leads = null;
  /** @type {HTMLElement | null} */
  let led = null;
  listen({
    svg: /** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId("board"))),
    board,
    touch: (point) => app.dispatch({ type: "touch", point }),
    paint: (point, goesOn) => app.state.view === "edit" && editor.paint(point, goesOn),
    drop: (from, to) => {
      board.still();
      app.dispatch({ type: "drag", from, to });
    },
    swipe: (direction) => {
      if (app.state.view !== "edit")
        app.dispatch({ type: direction === "left" ? "undo" : "redo" });
    },
  });
  listenForMarks(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId("board"))), app);
  document.addEventListener("keydown", (event) => onKey(app, event));
  window.addEventListener("popstate", () => {
    const { hash } = location;
    if (hash === written) return;
    const { view } = readAddress(hash);
    const { game, node } = history.state ?? {};
    const explored = [view, app.state.view].includes("explore");
    if (games.comeBack(game)) {
      if (app.state.help) app.dispatch({ type: "help", help: false });
      if (view !== app.state.view) app.dispatch({ type: "view", view });
      // Elsewhere the game may have gone on meanwhile.
      if (explored && app.state.tree[node]) app.dispatch({ type: "go", node });
      leaves = false;
      return;
    }
    opening = hash;
    const opened = firstGame(hash).finally(() => opening === hash && (opening = "")).then(({ game, wrong }) => {
      if (location.hash !== hash) return;
      wrongAddress = wrong ? { tree: game.tree } : null;
      app.dispatch(game);
      leaves = false;
      if (wrong) app.dispatch({ type: "error", error: wrongText(wrong) });
    });
    app.report(opened);
  });

  let apart = false;
  backend.local?.watch(() => {
    const before = apart;
    apart = backend.local?.state().apart ?? false;
    // With the network more may be known than without.
    if (before && !apart) {
      api.forgetPositions();
      const { info, node } = app.state;
      const here = api.fullPosition(info.board, info.rules, currentNode(app.state).position);
      app.report(here.then((answer) => app.dispatch({ type: "answer", node, answer })));
    }
    app.refresh();
  });
  app.dispatch(game);
  app.refresh();
  effects.update(app);
  followSettings(app);
  PHONE.addEventListener("change", app.refresh);
  window.addEventListener("pagehide", () => games.leave());
  if (wrong) {
    app.dispatch({ type: "error", error: wrongText(wrong) });
    app.announce(wrongText(wrong));
  }
  app.report(askLevels());
}

/** @param {App} app */
function header(app) {
  const { state } = app;
  const { settings } = state;
  const set = (/** @type {Partial<typeof settings>} */ change) =>
    app.dispatch({ type: "settings", settings: change });
  const dark =
    settings.theme === "dark" ||
    (settings.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const tool = (
    /** @type {string} */ name,
    /** @type {Parameters<typeof icon>[0]} */ picture,
    /** @type {() => void} */ onclick,
    /** @type {boolean | null} */ pressed = null,
    only = "",
  ) =>
    button(name, icon(picture), onclick, {
      class: `tool ${only}`,
      "aria-label": t(`top.${name}`),
      title: t(`top.${name}`),
      "aria-pressed": pressed === null ? null : String(pressed),
    });
  return [
    h("h1", null, "Fanorona"),
    h(
      "p",
      { class: "game-name" },
      state.info.board,
      h("span", { class: "wide-only" }, ` · ${state.info.rules}`),
      apartMark(),
    ),
    h(
      "div",
      { class: "tools", role: "group", "aria-label": t("top.group") },
      state.info.width > state.info.height &&
        tool("upright", "upright", () => set({ upright: !settings.upright }), settings.upright, "upright-only"),
      tool("flip", "flip", () => app.dispatch({ type: "flip" }), isFlipped(state)),
      tool(
        "colour-blind",
        "eye",
        () => set({ colourBlind: !settings.colourBlind }),
        settings.colourBlind,
        "wide-only",
      ),
      tool(
        "sound",
        settings.sound ? "sound" : "mute",
        () => set({ sound: !settings.sound }),
        settings.sound,
      ),
      tool("theme", dark ? "sun" : "moon", () => set({ theme: dark ? "light" : "dark" })),
      tool("help", "help", () => app.dispatch({ type: "help", help: !state.help }), state.help),
    ),
  ];
}

/** @param {App} app @param {import("./state.js").View} view */
function tab(app, view) {
  const selected = app.state.view === view;
  const open = (/** @type {import("./state.js").View} */ next) => {
    if (app.state.help) app.dispatch({ type: "help", help: false });
    app.dispatch({ type: "view", view: next });
  };
  return h(
    "button",
    {
      type: "button",
      role: "tab",
      id: `tab-${view}`,
      "data-tab": view,
      "aria-selected": String(selected),
      "aria-controls": "panel",
      tabindex: selected ? 0 : -1,
      onclick: () => open(view),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = VIEWS[(VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length];
        if (!next) return;
        open(next);
        queueMicrotask(() => document.getElementById(`tab-${next}`)?.focus());
      },
    },
    icon(view),
    h("span", null, t(`view.${view}`)),
  );
}

start().catch((error) => {
  const notice = document.getElementById("notice");
  if (notice) notice.textContent = api.errorText(error);
});
