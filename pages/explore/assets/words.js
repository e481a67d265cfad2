/** Numbers, times and cultures as texts. */

const NUMBER = new Intl.NumberFormat("en-GB");
const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const LANGUAGES = new Intl.DisplayNames("en-GB", { type: "language", languageDisplay: "standard" });

/** @param {number} value */
export const number = (value) => NUMBER.format(value);

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** @param {string} time RFC 3339. */
export const moment = (time) => `${TIME.format(new Date(time))} UTC`;

/** @param {number} bytes */
export function size(bytes) {
  return bytes < 1e6 ? `${number(Math.ceil(bytes / 1e3))} kB` : `${number(Math.round(bytes / 1e5) / 10)} MB`;
}

/**
 * The English name of a culture's language, with its tag.
 * @param {string} tag
 */
export function culture(tag) {
  try {
    const { language, script } = new Intl.Locale(tag);
    const name = LANGUAGES.of(script ? `${language}-${script}` : language);
    return name && name !== language ? `${name} · ${tag}` : tag;
  } catch {
    return tag;
  }
}
