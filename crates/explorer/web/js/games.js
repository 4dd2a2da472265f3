// The running game and the list of one's own games, kept in this browser.

import { readAddress, writeAddress } from "./address.js";
import * as api from "./api.js";
import { picture } from "./board.js";
import { stopped } from "./clock.js";
import { h, saveFile } from "./dom.js";
import { currentLanguage, t } from "./i18n.js";
import { allGames, deleteGame, putGame, putRunning, runningGames } from "./kept.js";
import { gameOfAddress } from "./load.js";
import { notesOf, recordBody } from "./notes.js";
import { other } from "./notation.js";
import { button, fold } from "./parts.js";
import { currentNode, gameEnd, initialState } from "./state.js";
import { onlyPerson, playerName } from "./tabletop.js";
import { lineThrough, pathTo, turnsOf } from "./tree.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./kept.js").KeptGame} KeptGame */
/** @typedef {import("./load.js").Loaded} Loaded */

/** The fragment of a game, whatever view is open. @param {State} state */
const fragmentOf = (state) => writeAddress({ ...state, view: "play" });

/** @param {State} state @param {number} id */
const pathText = (state, id) => turnsOf(pathTo(state.tree, id)).join(",");

/** Whether a game is on the board, and no drill and no lesson. @param {State} state */
const isGame = (state) => !state.drill && !state.lesson && state.tree.length > 1;

/** @param {State} state @returns {KeptGame} */
function keptGame(state) {
  const { info, card, players, draws, clock } = state;
  return {
    id: card.id,
    seed: card.seed,
    updated: Date.now(),
    fragment: fragmentOf(state),
    board: info.board,
    rules: info.rules,
    date: card.date,
    turns: lineThrough(state.tree, state.node).length - 1,
    position: currentNode(state).position,
    result: notesOf(state).result || "*",
    players,
    draws,
    names: card.names,
    clock: clock && stopped(clock, Date.now()),
    remarks: state.tree
      .filter(({ comments, glyphs }) => comments.length + glyphs.length > 0)
      .map(({ id, comments, glyphs }) => [pathText(state, id), comments, glyphs]),
  };
}

/** A kept game, ready to go on with. @param {KeptGame} kept @returns {Promise<Loaded>} */
async function openKept(kept) {
  const { game, wrong } = await gameOfAddress(readAddress(kept.fragment));
  const remarks = new Map(kept.remarks.map(([path, ...rest]) => [path, rest]));
  const tree = game.tree.map((node) => {
    const [comments = [], glyphs = []] = remarks.get(turnsOf(pathTo(game.tree, node.id)).join()) ?? [];
    return { ...node, comments, glyphs };
  });
  const { id, seed, date, names, players, draws, clock } = kept;
  return {
    wrong,
    game: { ...game, tree, card: { id, seed, date, names }, players, draws, clock },
  };
}

/**
 * The game that the page begins with: that of the address, with what this browser keeps of it; or
 * the one that was on the board last if it goes on and the address names none.
 * @param {string} hash
 * @returns {Promise<Loaded>}
 */
export async function firstGame(hash) {
  const { tab, last } = runningGames();
  if (hash.length <= 1) {
    if (last?.result === "*") return openKept(last);
  } else {
    const same = [tab, last].find((game) => game && sameGame(game.fragment, hash));
    if (same) return openKept({ ...same, fragment: hash });
  }
  return gameOfAddress(readAddress(hash));
}

/** Whether two fragments name the same turns, whichever are on the board. @param {string} a @param {string} b */
function sameGame(a, b) {
  const bare = (/** @type {string} */ text) => {
    const { board, rules, start, turns, end, seed } = readAddress(text);
    return JSON.stringify([board, rules, start, turns, end, seed]);
  };
  return bare(a) === bare(b);
}

/** A result from one side. @param {import("./api-types").Side} side @param {string} result as in the text of a game */
function outcomeFor(side, result) {
  if (result === "*") return "open";
  if (result === "1/2-1/2") return "draw";
  return (result === "1-0") === (side === "white") ? "won" : "lost";
}

/** So many games are there to come back to as they were left. */
const KEPT_STATES = 20;

/** @param {App} app */
export function createGames(app) {
  const { tab, last } = runningGames();
  /** The last games, and soon all of them. */
  let list = [last, ...(tab?.id === last?.id ? [] : [tab])].filter((game) => game !== null);
  /** Whether a person looks at the list. */
  let looked = false;
  /** The boards of the games. @type {Map<string, import("./api-types").BoardAnswer | null>} */
  const boards = new Map();
  let kept = "";
  /** The games of this page as they were left. @type {Map<number, State>} */
  const left = new Map();

  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement && target.id === "fold-games")) return;
      looked = target.open;
      if (looked) refresh();
      app.refresh();
    },
    true,
  );

  function refresh() {
    allGames().then(
      (games) => {
        list = games;
        app.refresh();
      },
      () => {
        // A browser that keeps nothing.
      },
    );
  }

  // A browser that has kept no game has no list.
  if (last) refresh();

  /** The picture of the end of a game, from the person's side. @param {KeptGame} game @param {boolean} flipped */
  function pictureOf({ board, rules, position }, flipped) {
    const key = `${board} ${rules}`;
    const info = boards.get(key);
    if (info === undefined) {
      boards.set(key, null);
      const found = api.get("board", { board, rules }).then((answer) => boards.set(key, answer));
      found.then(app.refresh, () => boards.delete(key));
    }
    return h("span", { class: "game-picture" }, info && position && picture({ info, flipped }, position));
  }

  /** Whether the game on the board is one's own. */
  const isOwn = () => list.some(({ id }) => id === app.state.card.id);

  /** @param {State} state */
  function keep(state) {
    const game = keptGame(state);
    const text = JSON.stringify({ ...game, updated: 0 });
    if (text === kept) return;
    kept = text;
    putRunning(game);
    list = [game, ...list.filter(({ id }) => id !== game.id)];
    putGame(game).catch(() => {
      // A browser that keeps nothing: the address holds the game.
    });
  }

  async function exportAll() {
    const texts = [];
    for (const game of (await allGames()).reverse()) texts.push(await textOf(game));
    saveFile("fanorona-games.txt", texts.join("\n"), "text/plain");
  }

  /** @param {KeptGame} kept */
  async function textOf(kept) {
    const { game } = await openKept(kept);
    const { settings, about } = app.state;
    const { players, draws, clock } = kept;
    const state = {
      ...initialState(game.info, settings, players, draws),
      ...game,
      about,
      clock,
      view: /** @type {const} */ ("play"),
      ended: game.ended ?? null,
      card: game.card ?? app.state.card,
      drill: null,
      draws,
      players,
    };
    const body = recordBody(state);
    const result = kept.result === "*" ? "" : kept.result;
    const { record } = await api.post("game", { ...body, notes: { ...body.notes, result } });
    return record;
  }

  /** Comes back to a game of this page, if it is one. @param {number} id */
  function comeBack(id) {
    const state = left.get(id);
    if (!state || id === app.state.card.id) return id === app.state.card.id;
    app.dispatch({ type: "restore", state });
    if (!state.paused) app.dispatch({ type: "resume" });
    return true;
  }

  /** Opens a game of the list where it was; it goes on if it is not over. @param {KeptGame} game */
  async function openAgain(game) {
    if (comeBack(game.id)) app.dispatch({ type: "view", view: "play" });
    else app.dispatch({ ...(await openKept(game)).game, view: "play" });
    if (game.result === "*") app.dispatch({ type: "resume" });
  }

  /** The time and the sides of a game, and how it went for the only person. @param {KeptGame} game */
  function describe(game) {
    const state = { ...app.state, drill: null, players: game.players };
    const name = (/** @type {"white" | "black"} */ side) => game.names?.[side] || playerName({ state }, side);
    const person = game.names ? null : onlyPerson(state);
    const time = new Date(game.updated).toLocaleString(currentLanguage(), { dateStyle: "medium", timeStyle: "short" });
    const sides = person
      ? t("games.as", { side: t(`side.${person}`), opponent: name(other(person)) })
      : `${name("white")} – ${name("black")}`;
    const outcome = outcomeFor(person ?? "white", game.result);
    const winner = t(`side.${outcome === "won" ? "white" : "black"}`);
    const result = person || !["won", "lost"].includes(outcome) ? t(`games.${outcome}`) : t("end.wins", { side: winner });
    return { person, result, sides, what: `${time} · ${game.board} · ${sides}`, time };
  }

  /** @param {KeptGame} game */
  function row(game) {
    const { person, result, sides, what, time } = describe(game);
    const goesOn = game.result === "*";
    return h(
      "li",
      { key: `g${game.id}`, class: game.id === app.state.card.id ? "game here" : "game" },
      button(
        "open-game",
        [
          pictureOf(game, person === "black"),
          h(
            "span",
            { class: "game-text" },
            h("span", { class: "game-result" }, h("b", null, result), goesOn && [" ", h("span", { class: "turn-mark" }, t("games.resume"))]),
            h("span", null, sides),
            h("span", { class: "quiet" }, `${game.board} · ${t("games.turns", { n: game.turns })}`),
            h("span", { class: "quiet" }, time),
          ),
        ],
        () => app.report(openAgain(game)),
        { class: "link" },
      ),
      button(
        "delete-game",
        "×",
        () => {
          if (game.id === app.state.card.id) kept = "";
          void deleteGame(game.id).then(refresh);
        },
        { class: "link", "aria-label": `${t("games.delete")}: ${what}`, title: t("games.delete") },
      ),
    );
  }

  return {
    /** Keeps the game on the board if it is one's own. @param {State} before @param {import("./state.js").Action} action */
    update(before, action) {
      const { state } = app;
      // Who looks back changes nothing.
      const goesOn = isGame(state) && currentNode(state).children.length === 0;
      if (state.card.id !== before.card.id) {
        const clock = before.clock && stopped(before.clock, Date.now());
        left.delete(before.card.id);
        left.set(before.card.id, { ...before, clock });
        for (const id of left.keys()) if (left.size > KEPT_STATES) left.delete(id);
        // What is only looked at is not one's own game, but a text that was loaded is.
        kept = "";
        if (goesOn && (isOwn() ? !gameEnd(state) : action.type === "game" && state.card.names)) keep(state);
        return;
      }
      if (!goesOn) return;
      const ends = state.ended !== before.ended;
      const changed = ends || state.tree !== before.tree || state.facts !== before.facts;
      const plays = ends || !state.paused || kept !== "";
      if (state.view === "play" && changed && plays) keep(state);
    },
    /** Before the page goes: the clock. */
    leave() {
      const { state } = app;
      const plays = kept !== "" && state.view === "play" && isGame(state);
      if (plays && currentNode(state).children.length === 0) putRunning(keptGame(state));
    },
    comeBack,
    /** Whether a person has played no game yet. */
    isFirst: () => list.length === 0,
    /** The last game that goes on, if it is not on the board. */
    resume() {
      const game = list.find(({ result }) => result === "*");
      if (!game || isOwn()) return null;
      const text = [h("b", null, t("games.resume")), h("span", null, describe(game).what)];
      return button("resume-game", text, () => app.report(openAgain(game)), { class: "wide resume", key: "resume-game" });
    },
    view() {
      // Those that go on come first.
      const goesOn = (/** @type {KeptGame} */ { result }) => Number(result === "*");
      const games = [...list].sort((a, b) => goesOn(b) - goesOn(a));
      return fold(
        "games",
        t("games.title"),
        undefined,
        h(
          "div",
          { key: "games" },
          games.length === 0
            ? h("p", { class: "quiet" }, t("games.none"))
            : h("ul", { class: "games" }, ...(looked ? games : []).map(row)),
          games.length > 0 &&
            button("export-games", t("games.export"), () => app.report(exportAll()), { class: "small" }),
        ),
      );
    },
  };
}
