// Share: the address, the text of the game, the board as SVG, print.

import * as api from "./api.js";
import { h, saveFile } from "./dom.js";
import { reviewKey } from "./effects.js";
import { t } from "./i18n.js";
import { gameOfRecord } from "./load.js";
import { button, copyButton, fold } from "./parts.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function shareView(app) {
  const { state } = app;
  const review = state.reviewed === reviewKey(state) ? state.review : null;
  return fold("share", t("share.title"), undefined,
    h("div", { class: "row" },
      copyButton("copy-link", () => location.href, t("share.link")),
      copyButton("copy-position", () => state.tree[state.node]?.position ?? "", t("share.position")),
      button("save-svg", t("share.svg"), saveBoard, { class: "small" }),
      button("print", t("share.print"), () => window.print(), { class: "small" })),
    h("label", { for: "record" }, t("share.record")),
    h("textarea", { id: "record", rows: 7, spellcheck: "false", value: review?.record ?? "" }),
    h("div", { class: "row" },
      copyButton("copy-record", recordText),
      button("load-record", t("share.load"), () => app.report(load(app)), { class: "small" })));
}

/** The text in the field, which a person may have changed. */
function recordText() {
  const area = document.getElementById("record");
  return area instanceof HTMLTextAreaElement ? area.value : "";
}

/** @param {App} app */
async function load(app) {
  app.dispatch(await gameOfRecord(await api.record(recordText())));
}

/** Properties of the drawing that come from the style sheets. */
const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];

/** The board as a file of its own: the styles become attributes. */
export function boardSvg() {
  const board = document.getElementById("board");
  if (!board) return "";
  const copy = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  const originals = [...board.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((element, i) => {
    const original = originals[i];
    if (!original) return;
    const style = getComputedStyle(original);
    for (const name of PAINT) {
      const value = style.getPropertyValue(name);
      if (value) element.setAttribute(name, value.replace(/"/g, "'"));
    }
    element.removeAttribute("class");
  });
  copy.querySelectorAll("[data-point]").forEach((element) => element.remove());
  const [, , width = "0", height = "0"] = (copy.getAttribute("viewBox") ?? "").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.removeAttribute("id");
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  copy.setAttribute("role", "img");
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

const saveBoard = () => saveFile("fanorona.svg", boardSvg(), "image/svg+xml");
