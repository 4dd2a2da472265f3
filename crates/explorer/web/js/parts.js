// Small parts that several views use.

import { h } from "./dom.js";
import { bytes, t } from "./i18n.js";

/** @typedef {import("./dom.js").VNode} VNode */
/** @typedef {import("./dom.js").Content} Content */
/** Value and text, and whether it cannot be chosen. @template {Content} [T=string] @typedef {readonly [value: string, text: T, disabled?: boolean]} Option */

/**
 * A button with a text.
 * @param {string} action for `data-action` @param {Content} text @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, any>} [props]
 */
export const button = (action, text, onclick, props = {}) =>
  h("button", { type: "button", "data-action": action, onclick, ...props }, text);

/** A row of a form: label and control. @param {string} id @param {string} label @param {VNode} control */
export const field = (id, label, control) =>
  h("div", { class: "field" }, h("label", { for: id }, label), {
    ...control,
    props: { ...control.props, id },
  });

/**
 * A list to choose from.
 * @param {string} id @param {string} label @param {string} value
 * @param {readonly Option[]} options
 * @param {(value: string) => void} change
 */
export const select = (id, label, value, options, change) =>
  field(
    id,
    label,
    h(
      "select",
      {
        value,
        onchange: (/** @type {Event} */ event) =>
          change(/** @type {HTMLSelectElement} */ (event.target).value),
      },
      ...options.map(([name, text, disabled]) => h("option", { value: name, key: name, disabled }, text)),
    ),
  );

/** @param {string} id @param {string} label @param {boolean} checked @param {(checked: boolean) => void} change */
export const checkbox = (id, label, checked, change) =>
  h(
    "div",
    { class: "field check" },
    h("input", {
      type: "checkbox",
      id,
      checked,
      onchange: (/** @type {Event} */ event) =>
        change(/** @type {HTMLInputElement} */ (event.target).checked),
    }),
    h("label", { for: id }, label),
  );

/**
 * A few exclusive choices side by side, as radio buttons.
 * @param {string} name @param {Content} legend @param {string} value
 * @param {readonly Option<Content>[]} options @param {(value: string) => void} change
 */
export const segments = (name, legend, value, options, change) =>
  h(
    "fieldset",
    { class: "segments" },
    h("legend", null, legend),
    h(
      "div",
      { class: "segment-row" },
      ...options.map(([option, text, disabled]) =>
        h(
          "label",
          { key: option, class: option === value ? "segment on" : "segment" },
          h("input", {
            type: "radio",
            name,
            value: option,
            checked: option === value,
            disabled,
            onchange: () => change(option),
          }),
          text,
        ),
      ),
    ),
  );

/** How missing tables can be built. @param {import("./api-types").Build | null} build */
export const buildView = (build) =>
  build === null
    ? h("p", null, t("build.none"))
    : h(
        "div",
        { class: "build" },
        h("p", null, t("build.command")),
        commandLine(build.command),
        h(
          "p",
          { class: "quiet" },
          t(build.fits_here ? "build.needs" : "build.too_large", {
            memory: bytes(build.memory_bytes),
            disk: bytes(build.disk_bytes),
          }),
        ),
      );

/** A command to copy. @param {string} command */
export const commandLine = (command) =>
  h(
    "div",
    { class: "command" },
    h("code", null, command),
    copyButton("copy-command", () => command),
  );

/** @param {string} action @param {() => string} text @param {string} [label] */
export const copyButton = (action, text, label = t("copy")) =>
  button(
    action,
    label,
    () => {
      const button = document.activeElement;
      void copyText(text()).then((done) => {
        if (!(button instanceof HTMLButtonElement)) return;
        button.dataset.done = done ? t("copied") : t("copy_failed");
        setTimeout(() => delete button.dataset.done, 1500);
      });
    },
    { class: "small copy" },
  );

/** @param {string} text @returns {Promise<boolean>} */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without a secure context have no clipboard. The old way works there.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** @param {string} title @param {...Content} contents */
export const section = (title, ...contents) =>
  h("section", { class: "part" }, h("h2", null, title), ...contents);

/** A part that can be folded away. @param {string} key @param {string} title @param {boolean | undefined} open @param {...Content} contents */
export const fold = (key, title, open, ...contents) =>
  h(
    "details",
    { class: "fold", key, id: `fold-${key}`, ...(open === undefined ? {} : { open }) },
    h("summary", null, title),
    h("div", { class: "fold-body" }, ...contents),
  );

/** @param {import("./api-types").Side} side */
export const stoneIcon = (side) =>
  h(
    "svg",
    { class: `stone-icon ${side}`, viewBox: "0 0 20 20", "aria-hidden": "true" },
    h("circle", { cx: 10, cy: 10, r: 8.5 }),
    h("circle", { class: "rim", cx: 10, cy: 10, r: 5 }),
  );
