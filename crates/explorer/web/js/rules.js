// The text of a rule set: a preset and options, composed and taken apart. What the options mean is
// the server's business.

/** Options by kind: the names that exclude each other. */
export const OPTIONS = /** @type {const} */ ({
  direction: ["direction-strict", "direction-free"],
  no_turns: ["no-turns-draw"],
  victor: ["victor-black"],
  must_capture: ["must-capture"],
});

/** @typedef {keyof typeof OPTIONS} OptionKind */
/** Options that only the revenge game has. @type {readonly OptionKind[]} */
export const VELA_OPTIONS = ["victor", "must_capture"];

/**
 * @typedef {object} RuleChoice
 * @property {string} preset
 * @property {Partial<Record<OptionKind, string>>} options
 * @property {number | null} stones of the vela
 */

/** @param {string} text @returns {RuleChoice} */
export function readRules(text) {
  const [preset = "standard", ...parts] = text.split("+");
  /** @type {RuleChoice} */
  const choice = { preset, options: {}, stones: null };
  for (const part of parts) {
    const kind = /** @type {OptionKind[]} */ (Object.keys(OPTIONS)).find((name) =>
      /** @type {readonly string[]} */ (OPTIONS[name]).includes(part),
    );
    if (kind) choice.options[kind] = part;
    else if (part.startsWith("stones-")) choice.stones = Number(part.slice(7));
  }
  return choice;
}

/** @param {RuleChoice} choice */
export function writeRules({ preset, options, stones }) {
  const vela = preset === "vela";
  const parts = /** @type {OptionKind[]} */ (Object.keys(OPTIONS))
    .filter((kind) => vela || !VELA_OPTIONS.includes(kind))
    .flatMap((kind) => options[kind] ?? []);
  if (vela && stones !== null) parts.push(`stones-${stones}`);
  return [preset, ...parts].join("+");
}
