// "Prove it": a search for a proof, watched as it runs.

import * as api from "./api.js";
import { backend } from "./backend.js";
import { createCheck } from "./check.js";
import { h, saveFile } from "./dom.js";
import { bytes, number, t } from "./i18n.js";
import { button, checkbox, commandLine, select } from "./parts.js";
import { createRunning } from "./running.js";
import { sideOf } from "./tree.js";
import { chip, valueSentence } from "./value.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./api-types").SearchProgress} Progress */
/** @typedef {import("./api-types").CertificateAnswer} Certificate */
/** @typedef {import("./api-types").SearchQuestion} Question */

const TIMES = [10, 30, 60, 120, 300, 600];

/** @param {App} app */
export function createProof(app) {
  const check = createCheck(app);
  const running = createRunning(app);
  /** @type {Progress | null} */
  let progress = null;
  /** @type {Certificate | null} */
  let certificate = null;
  let place = "";
  let stopped = false;
  let seconds = 30;
  /** A certificate comes from the server: the module makes none. */
  let withCertificate = !backend.local;

  const here = () => {
    const { info, tree, node } = app.state;
    return `${info.board} ${info.rules} ${tree[node]?.position}`;
  };

  function start() {
    const { info, tree, node: at } = app.state;
    seconds = Math.min(seconds, app.state.about?.limits.search_seconds ?? seconds);
    place = here();
    progress = null;
    certificate = null;
    stopped = false;
    const query = {
      board: info.board,
      rules: info.rules,
      position: tree[at]?.position ?? "",
      seconds,
      ...(withCertificate ? { certificate: true } : {}),
    };
    /** @param {AbortSignal} signal */
    const follow = async (signal) => {
      await api.follow("search", query, signal, (name, data) => {
        if (name === "progress") progress = data;
        // Proved values are known from now on.
        if (name === "position") {
          api.keepPosition(data);
          app.dispatch({ type: "answer", node: at, answer: data });
        }
        if (name === "done") {
          const last = /** @type {Progress} */ (data);
          progress = last;
          app.announce(
            `${valueSentence(last, sideOf(last.position))} ${t(`proof.end.${last.end ?? "stopped"}`)}`,
          );
          // A certificate may follow, and then the stream ends.
          if (!(withCertificate && last.end === "proved")) running.stop();
        }
        if (name === "certificate") certificate = data;
        app.refresh();
      });
      if (!progress?.end) running.message = t("proof.refused");
    };
    running.start(place, follow);
  }

  function stop() {
    running.stop();
    stopped = true;
    app.announce(t("proof.end.stopped"));
    app.refresh();
  }

  function form() {
    const most = app.state.about?.limits.search_seconds ?? 30;
    const times = TIMES.filter((time) => time < most).concat(most);
    return h(
      "div",
      { key: "form", class: "row end" },
      select(
        "proof-seconds",
        t("proof.seconds"),
        String(Math.min(seconds, most)),
        times.map((time) => [String(time), t("seconds", { n: time })]),
        (value) => {
          seconds = Number(value);
          app.refresh();
        },
      ),
      !backend.local && checkbox("proof-certificate", t("proof.certificate"), withCertificate, (checked) => {
        withCertificate = checked;
        app.refresh();
      }),
      button("prove", t("proof.start"), start, { class: "primary" }),
    );
  }

  return {
    /** Whether there is something to see of a search for the position on the board. */
    active: () => place === here() && (running.place !== null || progress !== null),
    /** A search for another position than the one on the board ends. */
    changed() {
      if (running.place !== null && running.place !== here()) running.stop();
      check.changed();
    },
    view() {
      const mine = place === here();
      return [
        h("p", { class: "quiet" }, t("proof.about")),
        running.place === here()
          ? h(
              "div",
              { key: "running", class: "row" },
              h("progress", {
                "aria-label": t("proof.running"),
                max: seconds,
                value: Math.min(progress?.seconds ?? 0, seconds),
              }),
              button("stop", t("proof.stop"), stop),
            )
          : form(),
        mine && running.message && h("p", { class: "error", key: "message", role: "alert" }, running.message),
        mine && progress && progressView(progress, running.place !== null, stopped),
        mine && certificate && certificateView(certificate),
        check.view(),
      ];
    },
  };
}

/** @param {Progress} progress @param {boolean} running @param {boolean} stopped */
function progressView(progress, running, stopped) {
  const side = sideOf(progress.position);
  const end = progress.end ?? (stopped ? "stopped" : null);
  return h(
    "div",
    { class: "proof", key: "progress", id: "proof-progress", "data-end": end ?? "running" },
    h(
      "p",
      { class: "proof-value" },
      chip(progress, "large"),
      h(
        "span",
        null,
        h("strong", null, valueSentence(progress, side)),
        " ",
        end ? t(`proof.end.${end}`) : running ? t("proof.running") : "",
      ),
    ),
    h(
      "dl",
      { class: "figures" },
      figure(t("proof.nodes"), number(progress.nodes)),
      figure(t("proof.hits"), number(progress.table_hits)),
      figure(t("proof.time"), t("seconds", { n: Math.round(progress.seconds * 10) / 10 })),
      figure(t("proof.memory"), `${Math.round(progress.memory_filled * 100)} %`),
    ),
    ...progress.questions.map((question) => questionView(question)),
    progress.line.length > 0 &&
      h(
        "p",
        { class: "line" },
        h("span", { class: "quiet" }, t("proof.line")),
        " ",
        progress.line.join("  "),
      ),
    progress.turns.length > 0 && turnsView(progress.turns.slice(0, 8)),
  );
}

/** The numbers of both questions for each turn. @param {Progress["turns"]} turns */
const turnsView = (turns) =>
  h(
    "table",
    { class: "numbers" },
    h("caption", { class: "unseen" }, t("proof.turns")),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        ...["turn", "white", "black", "nodes"].map((name) => h("th", { scope: "col" }, t(`proof.${name}`))),
      ),
    ),
    h(
      "tbody",
      null,
      ...turns.map(({ turn, questions, nodes }) =>
        h(
          "tr",
          { key: turn },
          h("th", { scope: "row" }, turn),
          ...["white", "black"].flatMap((side) =>
            questions.filter(({ attacker }) => attacker === side).map((question) => h("td", null, numbers(question))),
          ),
          h("td", null, number(nodes)),
        ),
      ),
    ),
  );

/** @param {string} name @param {string} value */
const figure = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));

/** The answer, or the numbers of proof and disproof. @param {Question} question @param {(proof: string, disproof: string) => string} [words] */
const numbers = ({ answer, proof, disproof }, words = (yes, no) => `${yes} / ${no}`) =>
  answer === undefined ? words(short(proof), short(disproof)) : t(answer ? "yes" : "no");

/** @param {number} value */
const short = (value) => (value >= 1e6 ? value.toExponential(1).replace("e+", "e") : number(value));

/** @param {Question} question */
const questionView = (question) =>
  h(
    "p",
    { class: "question", key: question.attacker },
    h("span", null, t("proof.question", { side: t(`side.${question.attacker}`) })),
    h("b", null, numbers(question, (proof, disproof) => t("proof.numbers", { proof, disproof }))),
  );

/** @param {Certificate} certificate */
function certificateView(certificate) {
  const save = () => {
    const text = atob(certificate.base64);
    saveFile(
      certificate.file_name,
      Uint8Array.from(text, (char) => char.charCodeAt(0)),
      "application/octet-stream",
    );
  };
  return h(
    "div",
    { class: "certificate", key: "certificate" },
    button(
      "save-certificate",
      t("proof.save", { name: certificate.file_name, size: bytes(certificate.bytes) }),
      save,
      { class: "primary" },
    ),
    h("p", { class: "quiet" }, t("proof.check")),
    commandLine(certificate.check),
  );
}
