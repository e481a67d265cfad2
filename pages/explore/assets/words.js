/** Numbers, times and the names of languages, as the language of the page writes them; texts of others as they read. */
import { locale } from "./texts.js";

/** @type {Map<string, { number: Intl.NumberFormat, percent: Intl.NumberFormat, day: Intl.DateTimeFormat, time: Intl.DateTimeFormat, languages: Intl.DisplayNames }>} */
const FORMATS = new Map();

function formats() {
  const tag = locale();
  const made = FORMATS.get(tag) ?? {
    number: new Intl.NumberFormat(tag),
    percent: new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 }),
    day: new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" }),
    time: new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
    languages: new Intl.DisplayNames(tag, { type: "language", languageDisplay: "standard" }),
  };
  FORMATS.set(tag, made);
  return made;
}

/** @param {number} value */
export const number = (value) => formats().number.format(value);

/**
 * A part of all: never rounded up to all of them, nor down to none.
 * @param {number} value
 * @param {number} all
 */
export function percent(value, all) {
  const thousandths = Math.floor((value / all) * 1000);
  const shown = value === all ? 1000 : Math.min(999, Math.max(value > 0 ? 1 : 0, thousandths));
  return formats().percent.format(shown / 1000);
}

/** @param {string} time RFC 3339. */
export const moment = (time) => `${formats().time.format(new Date(time))} UTC`;

/** @param {string} time RFC 3339. */
export const day = (time) => formats().day.format(new Date(time));

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
 * The name of a culture's language, with its tag.
 * @param {string} tag
 */
export function culture(tag) {
  try {
    const { language, script } = new Intl.Locale(tag);
    const name = formats().languages.of(script ? `${language}-${script}` : language);
    return name && name !== language ? `${name} · ${tag}` : tag;
  } catch {
    return tag;
  }
}
