/** Numbers, times and cultures as texts; texts of others as they read. */

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

/** Control characters but line breaks and tabs, and what nobody sees: as `is_invisible` of `taxonomy-model`. */
const INVISIBLE = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/g;

/**
 * A text in which the codes of characters stand for those that nobody sees, so that it reads as it is.
 * @param {string} text
 */
export const visible = (text) => text.replace(INVISIBLE, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);

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
