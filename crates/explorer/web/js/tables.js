// The panel "Tables": what the endgame tables hold, and what is missing.

import * as api from "./api.js";
import { distances, percent, shares } from "./chart.js";
import { h } from "./dom.js";
import { bytes, compact, number, t } from "./i18n.js";
import { newGame } from "./load.js";
import { buildView, button, fold, section, select } from "./parts.js";
import { chip } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").TablesAnswer} TablesAnswer */
/** @typedef {import("./api-types").SliceStatistics} Slice */

/** @param {App} app */
export function createTables(app) {
  let place = "";
  /** @type {TablesAnswer | null} */
  let answer = null;
  let error = "";
  let controller = new AbortController();
  let chosen = "";

  function load() {
    const { board, rules } = app.state.info;
    const wanted = `${board} ${rules}`;
    if (place === wanted) return;
    place = wanted;
    answer = null;
    error = "";
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    api.get("tables", { board, rules }, signal).then(
      (tables) => {
        if (signal.aborted) return;
        answer = tables;
        app.refresh();
      },
      (reason) => {
        if (signal.aborted || api.isAbort(reason)) return;
        error = api.errorText(reason);
        app.lost(reason);
        app.refresh();
      },
    );
  }

  /** Opens a position to explore. @param {string} position */
  async function open(position) {
    const { board, rules } = app.state.info;
    const game = await newGame(board, rules, position);
    app.dispatch({ ...game, view: "explore", paused: true });
  }

  /** A row with a position to open. @param {string} key @param {string | undefined} position @param {...import("./dom.js").Content} contents */
  const row = (key, position, ...contents) =>
    h(
      "li",
      { key },
      ...contents,
      position &&
        button("open-position", t("tables.open"), () => app.report(open(position)), {
          class: "small",
          title: position,
        }),
    );

  /** @param {TablesAnswer} tables */
  function sliceTable(tables) {
    const measured = tables.slices.some(({ max_win }) => max_win !== null && max_win !== undefined);
    return h(
      "table",
      { class: "slices" },
      h("caption", { class: "quiet" }, t("tables.caption")),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("tables.stones")),
          h("th", { scope: "col" }, t("tables.shares")),
          measured && h("th", { scope: "col", class: "figure" }, t("tables.longest")),
          h("th", { scope: "col", class: "figure" }, t("tables.positions")),
        ),
      ),
      h(
        "tbody",
        null,
        ...slicesOf(tables).map((slice) =>
          h(
            "tr",
            { key: slice.slice },
            h("th", { scope: "row" }, slice.slice),
            h(
              "td",
              null,
              shares(slice),
              h(
                "span",
                { class: "shares-text" },
                h("span", null, `▲ ${percent(slice.win, slice.positions)}`),
                h("span", null, `= ${percent(slice.draw, slice.positions)}`),
                h("span", null, `▼ ${percent(slice.loss, slice.positions)}`),
              ),
            ),
            measured && h("td", { class: "figure" }, slice.max_win ?? "–"),
            h("td", { class: "figure", title: number(slice.positions) }, compact(slice.positions)),
          ),
        ),
      ),
    );
  }

  /** @param {TablesAnswer} tables */
  function distanceChart(tables) {
    const withDistances = tables.slices.filter(
      (slice) => slice.win_distances && Object.keys(slice.win_distances).length > 0,
    );
    const longest = [...withDistances].sort((a, b) => (b.max_win ?? 0) - (a.max_win ?? 0))[0];
    const slice = withDistances.find((each) => each.slice === chosen) ?? longest;
    if (!slice) return null;
    return section(
      t("tables.distances"),
      select(
        "chart-slice",
        t("tables.stones"),
        slice.slice,
        withDistances.map((each) => [each.slice, each.slice]),
        (value) => {
          chosen = value;
          app.refresh();
        },
      ),
      distances(slice),
    );
  }

  /** @param {TablesAnswer} tables */
  function extremes(tables) {
    const found = slicesOf(tables).flatMap(
      ({ slice, max_win, max_win_position, max_loss, max_loss_position }) => [
        { slice, value: /** @type {const} */ ("win"), dtw: max_win, position: max_win_position },
        { slice, value: /** @type {const} */ ("loss"), dtw: max_loss, position: max_loss_position },
      ],
    );
    const sorted = found
      .filter(({ dtw }) => dtw !== undefined)
      .sort((a, b) => (b.dtw ?? 0) - (a.dtw ?? 0));
    if (sorted.length === 0) return null;
    const rows = sorted.map((extreme) =>
      row(
        extreme.slice + extreme.value,
        extreme.position,
        chip(extreme),
        h("span", { class: "grow" }, extreme.slice),
      ),
    );
    return section(t("tables.extremes"), h("ul", { class: "rows" }, ...rows));
  }

  /** @param {TablesAnswer} tables */
  function zugzwangs(tables) {
    const rows = slicesOf(tables).flatMap(({ slice, zugzwangs: all }) =>
      (all?.examples ?? []).map(({ kind, position }) =>
        row(
          slice + kind,
          position,
          h(
            "span",
            { class: "grow" },
            `${slice}: ${number(all?.[kind] ?? 0)} `,
            h("span", { class: "quiet" }, t(`zugzwang.${kind}`)),
          ),
        ),
      ),
    );
    if (rows.length === 0) return null;
    return fold(
      "zugzwangs",
      t("tables.zugzwangs"),
      undefined,
      h("p", { class: "quiet" }, t("tables.zugzwangs_about")),
      h("ul", { class: "rows" }, ...rows),
    );
  }

  /** One row a slice: with distances where there are tables of both kinds. @param {TablesAnswer} tables */
  const slicesOf = (tables) => {
    /** @type {Map<string, Slice>} */
    const rows = new Map();
    for (const slice of tables.slices) {
      if (!rows.has(slice.slice) || slice.metric === "dtw") rows.set(slice.slice, slice);
    }
    return [...rows.values()];
  };

  return {
    load,
    /** Lets what has failed be asked for again. */
    again() {
      if (error) place = "";
    },
    view() {
      const { board, rules } = app.state.info;
      const title = h("p", { class: "lead", key: "lead" }, h("b", null, board), " · ", rules);
      if (error) return [title, h("p", { class: "error" }, error)];
      if (!answer) return [title, h("p", { class: "quiet" }, t("status.loading"))];
      const tables = answer;
      return [
        title,
        tables.slices.length > 0
          ? h(
              "p",
              { class: "quiet" },
              t("tables.total", {
                positions: number(tables.total_positions),
                size: bytes(tables.total_bytes),
              }),
            )
          : h("p", { class: "note" }, t("tables.none")),
        tables.missing.length > 0 &&
          h(
            "div",
            { class: "note", key: "missing" },
            h(
              "p",
              null,
              t("tables.missing", {
                n: tables.missing[0]?.stones ?? 0,
                slices: tables.missing.map(({ slice }) => slice).join(", "),
              }),
            ),
            buildView(tables.build),
          ),
        tables.slices.length > 0 && sliceTable(tables),
        distanceChart(tables),
        extremes(tables),
        zugzwangs(tables),
      ];
    },
  };
}
