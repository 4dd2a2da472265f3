// Words for what the server says in codes.

import { t } from "./i18n.js";

/** @typedef {import("./api-types").LevelEntry} Level */
/** @typedef {import("./api-types").Note} Note */

/** How a level is limited. @param {Level} level */
export function levelNote({ depth, nodes, noise }) {
  const limits = [
    depth !== null && t("limit.depth", { n: depth }),
    nodes !== null && t("limit.nodes", { n: nodes }),
    // So much noise changes no chance by more.
    noise > 0 && t("limit.noise", { value: Math.round(100 * Math.tanh(noise / 400)) }),
  ].filter(Boolean);
  return limits.length > 0 ? limits.join(", ") : t("limit.none");
}

/** A remark on the program's turn, or "". @param {Note | null} note */
export function noteText(note) {
  switch (note?.code) {
    case undefined:
      return "";
    case "at_most":
      return t("note.at_most", { n: note.turns });
    case "by_book":
      return t("note.by_book");
  }
}
