// Share: the address, the text of the game, the board as SVG, print.

import * as api from "./api.js";
import { h, saveFile } from "./dom.js";
import { t } from "./i18n.js";
import { gameOfRecord, wrongText } from "./load.js";
import { recordBody } from "./notes.js";
import { button, copyButton, fold } from "./parts.js";

/** @typedef {import("./app.js").App} App */

/** The last line whose text was asked for, and the text. */
let asked = "";
let record = "";
/** The text of a person, as long as the game stays, and whether it was refused. */
let written = { of: "", text: "", refused: false };

/** The text in the field, which is asked for while a person looks at it. @param {App} app @param {ReturnType<typeof recordBody>} body @param {string} line */
function recordOf(app, body, line) {
  if (written.of === line) return written.text;
  if (asked === line) return record;
  if (body.from === 0 || !document.querySelector("#fold-share[open]")) return "";
  asked = line;
  record = "";
  const answered = api.post("game", body).then((game) => {
    if (asked === line) ({ record } = game);
  });
  const lost = (/** @type {unknown} */ error) => {
    asked = "";
    app.lost(error);
  };
  answered.catch(lost).finally(app.refresh);
  return "";
}

/** @param {App} app */
export function shareView(app) {
  const { state } = app;
  const body = recordBody(state);
  const line = JSON.stringify(body);
  const refused = written.refused && written.of === line;
  const view = fold(
    "share",
    t("share.title"),
    undefined,
    h(
      "div",
      { class: "row" },
      copyButton("copy-link", () => location.href, t("share.link")),
      copyButton(
        "copy-position",
        () => state.tree[state.node]?.position ?? "",
        t("share.position"),
      ),
      button("save-svg", t("share.svg"), saveBoard, { class: "small" }),
      button("print", t("share.print"), () => window.print(), { class: "small" }),
    ),
    h("label", { for: "record" }, t("share.record")),
    h("textarea", {
      id: "record",
      rows: 7,
      spellcheck: "false",
      value: recordOf(app, body, line),
      "aria-invalid": refused ? "true" : null,
      "aria-describedby": refused ? "record-error" : null,
      oninput: () => write(app, false),
    }),
    refused && h("p", { id: "record-error", class: "error", key: "refused" }, t("share.refused")),
    h(
      "div",
      { class: "row" },
      copyButton("copy-record", recordText),
      button("load-record", t("share.load"), () => app.report(load(app)), { class: "small" }),
    ),
  );
  view.props.ontoggle = app.refresh;
  return view;
}

/** Keeps what a person wrote. @param {App} app @param {boolean} refused */
function write(app, refused) {
  written = { of: JSON.stringify(recordBody(app.state)), text: recordText(), refused };
  app.refresh();
}

/** The text in the field, which a person may have changed. */
function recordText() {
  const area = document.getElementById("record");
  return area instanceof HTMLTextAreaElement ? area.value : "";
}

/** @param {App} app */
async function load(app) {
  const read = await api.post("record", { text: recordText() }).catch((error) => {
    if (!api.isRefusal(error)) throw error;
    write(app, true);
    app.announce(t("share.refused"));
    document.getElementById("record")?.focus();
  });
  if (!read) return;
  const { game, wrong } = await gameOfRecord(read);
  app.dispatch(game);
  if (wrong) app.dispatch({ type: "error", error: wrongText(wrong) });
}

/** Properties of the drawing that come from the style sheets, and what they are without them. */
const PAINT = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "stop-color": "rgb(0, 0, 0)",
  "stop-opacity": "1",
  transform: "none",
};
const TYPE = { "font-size": "", "font-family": "", "font-weight": "400", "text-anchor": "start" };

/** The board as a file of its own: the styles become attributes. */
export function boardSvg() {
  const board = document.getElementById("board");
  if (!board) return "";
  const copy = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  const shown = [...copy.querySelectorAll("*")];
  const originals = [...board.querySelectorAll("*")];
  shown.forEach((element, i) => {
    const original = originals[i];
    if (!original) return;
    const style = getComputedStyle(original);
    const names =
      element.tagName === "text"
        ? { ...PAINT, ...TYPE }
        : element.tagName === "g"
          ? { opacity: "1" }
          : PAINT;
    for (const [name, usual] of Object.entries(names)) {
      const value = style.getPropertyValue(name).replace(/"/g, "'");
      const unseen = name.startsWith("stroke-") && style.stroke === "none";
      if (value && value !== usual && !unseen) element.setAttribute(name, value);
      else element.removeAttribute(name);
    }
    for (const name of ["class", "data-stone"]) element.removeAttribute(name);
  });
  copy.querySelectorAll("[data-point]").forEach((element) => element.remove());
  copy.querySelectorAll("g:empty").forEach((element) => element.remove());
  const [, , width = "0", height = "0"] = (copy.getAttribute("viewBox") ?? "").split(" ");
  for (const name of ["id", "class", "style"]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("role", "img");
  copy.setAttribute("aria-label", `Fanorona: ${document.body.dataset.position ?? ""}`);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

const saveBoard = () => saveFile("fanorona.svg", boardSvg(), "image/svg+xml");
