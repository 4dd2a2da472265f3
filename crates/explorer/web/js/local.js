// A page without a server speaks of itself: what it loads, which tables the browser keeps, and that
// a new version is ready.

import { backend } from "./backend.js";
import { h } from "./dom.js";
import { bytes, t } from "./i18n.js";
import { icon } from "./icons.js";
import { button, section, select } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./backend.js").LocalState} LocalState */
/** @typedef {import("./backend.js").Local} Local */

const { local } = backend;

/** The limits to choose from, in bytes. */
const LIMITS = [0, 20e6, 50e6, 100e6, 200e6, 500e6, 1e9, 2e9, 5e9];

/** So much is offered if nothing else is chosen. */
const USUAL = 20e6;

/** The number of stones that is chosen for each variant. @type {Map<string, number>} */
const chosen = new Map();

/** For tests, as attributes of the page. @returns {Record<string, string>} */
export function localMarks() {
  if (!local) return {};
  const { loading, loadedBytes, store, keeping, apart, kept } = local.state();
  return {
    loading: String(loading !== null),
    loadedBytes: String(loadedBytes),
    storedBytes: String(store?.bytes ?? -1),
    keeping: keeping ? (keeping.failed ? "failed" : "running") : "",
    apart: String(apart),
    kept,
  };
}

/** Behind the name of the game. */
export const apartMark = () =>
  local?.state().apart && h("span", { key: "apart", id: "apart" }, ` · ${t("local.apart")}`);

/** Beside the other notices: a quiet line, or something to decide. */
export function localNotice() {
  if (!local) return null;
  const { loading, trouble, renewable, kept } = local.state();
  return [
    // Lines that come and go stand above boxes, which stay where they are.
    loading &&
      h(
        "p",
        { key: "loading", id: "loading", class: "loading" },
        t("local.loading", { n: loading.shards, size: bytes(loading.bytes) }),
      ),
    kept === "now" && h("p", { key: "kept", id: "kept", class: "loading", role: "status" }, t("local.kept")),
    renewable &&
      notice(local, "renewable", t("local.renewable"), [
        button("renew", t("local.renew"), local.renew, { class: "small" }),
      ]),
    trouble && notice(local, "trouble", t(trouble === "full" ? "local.full" : `error.${trouble}`), []),
  ];
}

/** @param {Local} local @param {"renewable" | "trouble"} name @param {string} text @param {import("./dom.js").VNode[]} buttons */
const notice = (local, name, text, buttons) =>
  h(
    "div",
    { class: "notice undoable", role: "status", key: name, id: name },
    h("p", null, text),
    ...buttons,
    button("close-local", icon("close"), () => local.dismiss(name), {
      class: "tool",
      "aria-label": t("help.close"),
    }),
  );

/** The part of the settings about tables. @param {App} app */
export function localView(app) {
  if (!local) return null;
  const state = local.state();
  const { store, apart } = state;
  if (!store) {
    return section(t("local.title"), h("p", { class: "quiet", id: "store" }, t("local.none")));
  }
  const limits = [...new Set([...LIMITS, store.limit])].sort((a, b) => a - b);
  return section(
    t("local.title"),
    apart && h("p", { class: "note", key: "apart" }, t("local.apart_about")),
    h("p", { class: "quiet small-text", key: "about" }, state.kept && `${t("local.kept")} `, t("local.about")),
    select(
      "space",
      t("local.space"),
      String(store.limit),
      limits.map((limit) => [String(limit), limit === 0 ? t("local.no_space") : bytes(limit)]),
      (value) => local.setLimit(Number(value)),
    ),
    h(
      "div",
      { class: "row", key: "store", id: "store" },
      h("span", { class: "quiet" }, t("local.used", { size: bytes(store.bytes) })),
      button("empty-store", t("local.empty"), local.empty, {
        class: "small",
        disabled: store.bytes === 0,
      }),
    ),
    ...variantsOf(state).map((variant) => offerView(app, local, state, variant)),
  );
}

/** @param {LocalState} state */
const variantsOf = ({ offers }) => [...new Set(offers.map(({ board, rules }) => `${board} ${rules}`))];

/** The tables of a variant, to keep them. @param {App} app @param {Local} local @param {LocalState} state @param {string} variant */
function offerView(app, local, { offers }, variant) {
  const mine = offers.filter(({ board, rules }) => `${board} ${rules}` === variant);
  const usual = mine.filter(({ bytes }) => bytes <= USUAL).at(-1) ?? mine[0];
  const stones = chosen.get(variant) ?? usual?.stones;
  const offer = mine.find((each) => each.stones === stones);
  if (!offer) return null;
  return h(
    "div",
    { class: "keep", key: variant },
    select(
      idOf(variant),
      t("local.offer", { variant: variant.replace(" ", " · ") }),
      String(offer.stones),
      mine.map((each) => [
        String(each.stones),
        t("local.to", { n: each.stones, size: bytes(each.bytes) }),
      ]),
      (value) => {
        chosen.set(variant, Number(value));
        app.refresh();
      },
    ),
    ...keepRow(local, offer),
  );
}

const idOf = (/** @type {string} */ variant) => `keep-${variant.replace(/[^a-z0-9]/g, "-")}`;

/** The button that keeps tables, and how far it has come. @param {Local} local @param {LocalState["offers"][number]} offer */
function keepRow(local, offer) {
  const { keeping } = local.state();
  const variant = `${offer.board} ${offer.rules}`;
  const isComing = keeping && `${keeping.board} ${keeping.rules}` === variant;
  return [
    isComing && !keeping.failed
      ? h(
          "div",
          { class: "row", key: "running" },
          h("progress", {
            "aria-label": t("local.keeping"),
            max: keeping.bytes,
            value: Math.min(keeping.done, keeping.bytes),
          }),
          h("span", { class: "quiet" }, `${bytes(keeping.done)} / ${bytes(keeping.bytes)}`),
          button("stop-keeping", t("proof.stop"), local.stop, { class: "small" }),
        )
      : h(
          "div",
          { class: "row", key: "offer" },
          offer.missing > 0
            ? button(
                "keep-tables",
                t("local.keep", { size: bytes(offer.missing) }),
                () => local.keep(offer, offer.stones),
                { class: "small", disabled: keeping !== null && !keeping.failed, "data-variant": variant },
              )
            : h("span", { class: "quiet", id: `${idOf(variant)}-whole` }, t("local.whole")),
        ),
    isComing && keeping.failed && h("p", { class: "error", role: "alert", key: "failed" }, t("local.failed")),
  ];
}

/** The tables that the level that cannot lose needs without a network. @param {{board: string, rules: string}} game */
export function keepForLevel({ board, rules }) {
  const offer = local?.state().offers.filter((each) => each.board === board && each.rules === rules).at(-1);
  if (!local?.state().store || !offer) return null;
  return h(
    "div",
    { class: "keep", key: "keep-level" },
    h("p", { class: "quiet small-text" }, t("local.level")),
    ...keepRow(local, offer),
  );
}
