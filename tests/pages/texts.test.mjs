// Tests of the texts of the explorer in its languages: the same texts in each, with the same places, and all of them used.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PAGES } from "./server.mjs";

const ASSETS = join(PAGES, "explore", "assets");
const load = (name) => import(pathToFileURL(join(ASSETS, name)).href);
const { LANGUAGES, preferredLanguage, rich, speak, text } = await load("texts.js");
const { default: english } = await load("texts/en.js");
const others = Object.keys(LANGUAGES).filter((tag) => tag !== "en");

const forms = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry));
const places = (pattern) => [...pattern.matchAll(/\{(\w+)(\|[^}]*)?\}/g)].map(([, name, words]) => name + (words === undefined ? "" : "|")).sort();

test("each file of a language is one that the page offers", () => {
  assert.deepEqual(readdirSync(join(ASSETS, "texts")).sort(), Object.keys(LANGUAGES).map((tag) => `${tag}.js`).sort());
});

for (const tag of others) {
  test(`${tag}: the texts of English, with the same places, none of them empty or left in English`, async () => {
    const { default: texts } = await load(`texts/${tag}.js`);
    assert.deepEqual(Object.keys(texts), Object.keys(english), "keys, in their order");
    for (const [key, entry] of Object.entries(texts)) {
      const expected = forms(english[key]).at(-1);
      for (const form of forms(entry)) {
        assert.ok(form.trim(), key);
        // One may be said without its number.
        const isSingular = typeof entry !== "string" && form === entry.one;
        if (!isSingular || form.includes("{count}")) assert.deepEqual(places(form), places(expected), `${key}: ${form}`);
      }
      const sentence = forms(entry).at(-1);
      if (expected.replaceAll(/\{\w+\}/g, "").match(/\w+/g)?.length > 3) assert.notEqual(sentence, expected, `${key} is English`);
    }
  });
}

for (const tag of Object.keys(LANGUAGES)) {
  test(`${tag}: each counted text has the forms that its language needs for numbers`, async () => {
    const { default: texts } = await load(`texts/${tag}.js`);
    const plural = new Intl.PluralRules(LANGUAGES[tag].locale);
    for (const [key, entry] of Object.entries(texts)) {
      if (typeof entry === "string") continue;
      // "many" of French and Spanish is for "a million of": in digits it reads as "other".
      for (const count of [0, 1, 2, 3, 5, 11, 21, 100, 5000]) assert.ok(entry[plural.select(count)], `${key}: ${count}`);
    }
  });
}

test("every text is used, and every text that is used is there", () => {
  const sources = readdirSync(ASSETS, { recursive: true }).filter((path) => path.endsWith(".js") && !/^(vendor|texts)\//.test(path)).map((path) => readFileSync(join(ASSETS, path), "utf8")).join("\n");
  // A key that is made of a part and a word of the API: `word("change", operation)`.
  const made = [...sources.matchAll(/`([a-z][\w.]*\.)\$\{|(?:word|known)\("([\w.]+)"/g)].map(([, start, part]) => start ?? `${part}.`);
  const unused = Object.keys(english).filter((key) => !sources.includes(`"${key}"`) && !made.some((start) => key.startsWith(start)));
  assert.deepEqual(unused, []);
});

test("a text has its values in their places, and counts by the rules of its language", async () => {
  await speak("en");
  assert.equal(text("problem.request", { request: "r1" }), "Request r1");
  assert.deepEqual(rich("problem.request", { request: ["r1"] }), ["Request ", ["r1"], ""]);
  assert.throws(() => text("no such text"));
});

test("the language is the one that the reader chose, else the first of the browser's that there is, else English", () => {
  for (const [preferred, language] of [[["de-AT", "en"], "de"], [["pt-BR", "es-419"], "es"], [["FR"], "fr"], [["ja", "zh"], "en"], [[], "en"], [["toString"], "en"]]) assert.equal(preferredLanguage(preferred), language, String(preferred));
});
