// The texts of the page in one language, from lang/*.json.

/** The languages of the page, each in its own name. */
export const LANGUAGES = /** @type {const} */ ({
  en: "English",
  fr: "Français",
  mg: "Malagasy",
  nl: "Nederlands",
});

/** The languages whose texts no speaker has read yet. @type {readonly string[]} */
export const UNREVIEWED = ["mg"];

/** @type {Record<string, string>} */
let texts = {};
let language = "en";
let plural = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

/** @param {string} wanted */
export async function loadLanguage(wanted) {
  const next = wanted in LANGUAGES ? wanted : "en";
  const response = await fetch(`assets/lang/${next}.json`);
  if (!response.ok) throw new Error(`lang/${next}.json: ${response.status}`);
  texts = await response.json();
  language = next;
  // Where the browser does not know a language, English numbers are better than those of the system.
  plural = new Intl.PluralRules([next, "en"]);
  numbers = new Intl.NumberFormat([next, "en"]);
  document.documentElement.lang = next;
}

/** The language that the browser prefers, if the page has it. */
export function preferredLanguage() {
  for (const wanted of navigator.languages) {
    const short = wanted.slice(0, 2);
    if (short in LANGUAGES) return short;
  }
  return "en";
}

export const currentLanguage = () => language;

/**
 * The text for a key, with its {values} filled in. With a number `n`, the keys `….one` and
 * `….other` are tried first.
 * @param {string} key @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const { n } = values;
  const form = typeof n === "number" ? texts[`${key}.${plural.select(n)}`] : undefined;
  const text = form ?? texts[`${key}.other`] ?? texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : value;
  });
}

/** A text if the language has it, otherwise the fallback. @param {string} key @param {string} fallback */
export const tOr = (key, fallback) => texts[key] ?? fallback;

/** @param {number} value */
export const number = (value) => numbers.format(value);

/** A large number in few characters. @param {number} value */
export const compact = (value) =>
  new Intl.NumberFormat([language, "en"], { notation: "compact", maximumFractionDigits: 1 }).format(value);

/** @param {number} bytes */
export function bytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${new Intl.NumberFormat([language, "en"], { maximumFractionDigits: digits }).format(value)} ${units[unit]}`;
}
