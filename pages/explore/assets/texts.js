/**
 * The texts of the page in the language of its reader: one file a language, of which only the chosen one is loaded. `texts/en.js` says which
 * texts there are; `tsc` and `tests/pages/texts.test.mjs` compare the others with it.
 *
 * A text has places for values: `{name}`, or `{name|words}`, where the value makes an element of the words, such as a link. So each language
 * has its own order. A text that is counted is an object by the categories of `Intl.PluralRules`, chosen by the value `count`.
 */

/**
 * @typedef {typeof import("./texts/en.js").default} English
 * @typedef {keyof English} Key
 * @typedef {{ one: string, many?: string, other: string }} Plural
 * @typedef {{ readonly [K in Key]: English[K] extends string ? string : Plural }} Texts
 * @typedef {"en" | "de" | "fr" | "es"} Language
 */

/**
 * The names of the places of a text.
 * @template S
 * @typedef {S extends `${string}{${infer Place}}${infer Rest}` ? (Place extends `${infer Name}|${string}` ? Name : Place) | Names<Rest> : never} Names
 */

/**
 * The names of the values that a text takes.
 * @template {Key} K
 * @typedef {English[K] extends string ? Names<English[K]> : "count" | Names<English[K][keyof English[K]]>} NamesOf
 */

/**
 * The values of a text, as the parameters after its key: none where it takes none.
 * @template {Key} K
 * @template V
 * @typedef {[NamesOf<K>] extends [never] ? [] : [values: Record<NamesOf<K>, V>]} Values
 */

/** @type {Record<Language, { locale: string, name: string, load: () => Promise<{ default: Texts }> }>} */
export const LANGUAGES = {
  en: { locale: "en-GB", name: "English", load: () => import("./texts/en.js") },
  de: { locale: "de-DE", name: "Deutsch", load: () => import("./texts/de.js") },
  fr: { locale: "fr-FR", name: "Français", load: () => import("./texts/fr.js") },
  es: { locale: "es-ES", name: "Español", load: () => import("./texts/es.js") },
};

/** Where the choice of the reader is kept. It is not in the address: a link shows the same taxonomy to each reader in his own language. */
const KEPT = "taxonomy-language";
const PLACE = /\{(\w+)(?:\|([^}]*))?\}/g;

/** @type {{ language: Language, texts: Texts, plural: Intl.PluralRules, number: Intl.NumberFormat } | undefined} */
let spoken;

function current() {
  if (!spoken) throw new Error("no language is loaded");
  return spoken;
}

/** Whether the texts are there. */
export const isSpoken = () => spoken !== undefined;
/** The language of the page. */
export const language = () => current().language;
/** The locale of its numbers and times. */
export const locale = () => LANGUAGES[current().language].locale;

/**
 * The language that the reader has chosen on a page of this service, else the first of the browser's that there is, else English.
 * @param {readonly string[]} [preferred] BCP 47.
 * @returns {Language}
 */
export function preferredLanguage(preferred = navigator.languages) {
  let kept;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // A browser may keep nothing.
  }
  const tags = [kept ?? "", ...preferred].map((tag) => tag.split("-")[0]?.toLowerCase() ?? "");
  return /** @type {Language} */ (tags.find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? "en");
}

/** @param {Language} wanted */
export function keepLanguage(wanted) {
  try {
    localStorage.setItem(KEPT, wanted);
  } catch {
    // It holds until the page is left.
  }
}

/**
 * Loads the texts of a language. All texts that are asked for from now on are in it.
 * @param {Language} wanted
 */
export async function speak(wanted) {
  const { default: texts } = await LANGUAGES[wanted].load();
  const { locale } = LANGUAGES[wanted];
  spoken = { language: wanted, texts, plural: new Intl.PluralRules(locale), number: new Intl.NumberFormat(locale) };
}

/**
 * A text. A number of `count` is written as the language does, all other numbers as they are: ids and versions have no separators.
 * @template {Key} K
 * @param {K} key
 * @param {Values<K, string | number>} values
 * @returns {string}
 */
export function text(key, ...values) {
  return pieces(key, values[0]).map(({ words, value }) => String(value ?? words)).join("");
}

/**
 * The text of a word of the API, such as an operation. One that the page does not know yet stays as it is.
 * @param {string} part The beginning of the key.
 * @param {string} name
 */
export const word = (part, name) => known(part, name) ?? name;

/**
 * The same; undefined where the page does not know it.
 * @param {string} part
 * @param {string | number | undefined} name
 */
export function known(part, name) {
  const found = /** @type {Record<string, unknown>} */ (current().texts)[`${part}.${name}`];
  return typeof found === "string" ? found : undefined;
}

/**
 * A text with elements in it. A value of `{name|words}` is a function that takes these words.
 * @template {Key} K
 * @param {K} key
 * @param {Values<K, any>} values
 * @returns {import("./html.js").Children[]}
 */
export function rich(key, ...values) {
  return pieces(key, values[0]).map(({ words, value }) => (typeof value === "function" ? value(words) : value ?? words));
}

/**
 * @param {Key} key
 * @param {Record<string, unknown> | undefined} values
 * @returns {{ words: string, value?: unknown }[]} Words between places have no value.
 */
function pieces(key, values = {}) {
  const { texts, plural, number } = current();
  const found = /** @type {string | Plural} */ (texts[key]);
  const { count } = values;
  const pattern = typeof found === "string" ? found : found[/** @type {"one" | "other"} */ (plural.select(Number(count)))] ?? found.other;
  /** @type {{ words: string, value?: unknown }[]} */
  const all = [];
  let end = 0;
  for (const place of pattern.matchAll(PLACE)) {
    const [whole, name = "", words = ""] = place;
    all.push({ words: pattern.slice(end, place.index) });
    all.push({ words, value: name === "count" && typeof count === "number" ? number.format(count) : values[name] ?? "" });
    end = place.index + whole.length;
  }
  return [...all, { words: pattern.slice(end) }];
}
