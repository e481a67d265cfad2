// Tests of the pure functions, without a browser.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PAGES } from "./server.mjs";

const load = (name) => import(pathToFileURL(join(PAGES, "explore", "assets", name)).href);
const { parse, format, change, idsIn, toggled } = await load("state.js");
const { parts } = await load("search/option.js");
const { effect, TypeAhead } = await load("tree/keys.js");
const { Tree } = await load("tree/model.js");
const { webAddress } = await load("term/relations.js");
const { chosen } = await load("signin.js");
const { quoted } = await load("copy.js");
const { cells, csv } = await load("table.js");
const { inWords, Failure } = await load("failure.js");
const { culture, moment, number, percent, size, visible } = await load("words.js");
const { speak } = await load("texts.js");
await speak("en");

test("a state survives its address", () => {
  for (const state of [{}, { tenant: "a" }, { tenant: "a~b", version: 3, culture: "zh-Hant-TW", beside: ["fr-FR", "ar"], term: 0, compare: 2, retired: true }, { tenant: "a", asOf: "2026-01-01T00:00:00Z", category: 9007199254740991 }]) {
    assert.deepEqual(parse(format(state)), state);
  }
});

test("an address with nonsense is a state without it", () => {
  for (const search of ["?term=-1", "?term=1.5", "?term=9007199254740992", "?term=99999999999999999", "?version=%00", "?asOf=soon", "?retired=yes", "?beside=", "?beside=,,", `?tenant=${"x".repeat(65)}`]) assert.deepEqual(parse(search), {}, search);
});

test("at most two languages stand beside the shown one, which is none of them", () => {
  assert.deepEqual(parse("?culture=fr&beside=de,fr,de,es,it").beside, ["de", "es"]);
  assert.deepEqual([toggled([], "de"), toggled(["de"], "es"), toggled(["de", "es"], "de"), toggled(["de"], "de")], [["de"], ["de", "es"], ["es"], undefined]);
});

test("a change keeps what still means something", () => {
  const state = parse("?tenant=a&version=2&culture=fr-FR&term=5&retired=1");
  assert.equal(format(change(state, { culture: undefined })), "?tenant=a&version=2&term=5&retired=1");
  assert.equal(format(change(state, { asOf: "2026-01-01T00:00:00Z" })), "?tenant=a&asOf=2026-01-01T00%3A00%3A00Z&culture=fr-FR&term=5&retired=1");
  assert.equal(format(change(state, { category: 1 })), "?tenant=a&version=2&culture=fr-FR&category=1&retired=1");
  assert.equal(format(change(state, { tenant: "b" })), "?tenant=b");
});

test("results are a state of their own: they end with a term, and other results begin with their first page", () => {
  const searched = { tenant: "a", retired: true, q: "a&b", within: 3, depth: 2, kind: "term", missing: "fr-FR", deprecated: "only", languages: "all", page: 4 };
  for (const state of [searched, { tenant: "a", ids: "1,22,3" }]) assert.deepEqual(parse(format(state)), state);
  for (const search of ["?q=", "?q=%20", "?ids=a", "?ids=1,x", "?within=3&page=2", "?q=a&term=5", "?q=a&compare=1"]) assert.equal(parse(search).q ?? parse(search).ids ?? parse(search).page, undefined, search);
  assert.deepEqual(parse("?q=a&depth=33&kind=x&deprecated=no&languages=some&page=1"), { q: "a" });
  assert.deepEqual(parse("?q=a&below=0&within=3&parents=all&depth=2"), { q: "a", below: 0, parents: "all" });
  assert.deepEqual(parse("?q=a&parents=all&depth=2"), { q: "a", depth: 2 });
  assert.equal([...parse(`?q=${encodeURIComponent("👩".repeat(501))}`).q].length, 500);
  assert.equal(parse("?retired=true").retired, true);
  assert.equal(format(change(searched, { term: 5 })), "?tenant=a&term=5&retired=1");
  assert.equal(format(change(searched, { culture: "de", within: undefined })), "?tenant=a&culture=de&q=a%26b&depth=2&kind=term&missing=fr-FR&deprecated=only&languages=all&retired=1");
  assert.equal(format(change(searched, { q: "c" })), "?tenant=a&q=c&retired=1");
  assert.equal(format(change(searched, { page: 5 })).match(/page=(\d)/)[1], "5");
  assert.equal(format(change({ tenant: "a", term: 5 }, { ids: "1,2" })), "?tenant=a&ids=1%2C2");
});

test("ids are taken with commas, spaces or lines between them, each once; anything else is a text", () => {
  for (const [text, ids] of [["1, 2;3\n4\t 4", [1, 2, 3, 4]], [" 7 ", [7]], ["10.1.1", undefined], ["1 a", undefined], ["1 9007199254740992", undefined], ["", undefined], [" , ", undefined]]) assert.deepEqual(idsIn(text), ids, text);
});

test("a table has quotes where it must, and no formula", () => {
  const rows = [["id", "name"], [1, 'a "b", c'], [2, "=1+1"], [3, "two\nlines\tand a tab"], [4, undefined], [5, "'x"]];
  assert.equal(csv(rows), '\ufeffid,name\r\n1,"a ""b"", c"\r\n2,\'=1+1\r\n3,"two\nlines\tand a tab"\r\n4,\r\n5,\'\'x\r\n');
  assert.equal(cells(rows), "id\tname\n1\ta \"b\", c\n2\t'=1+1\n3\ttwo lines and a tab\n4\t\n5\t''x");
});

test("what nobody sees is shown by its code", () => {
  for (const [text, shown] of [["Café\n\tbar", "Café\n\tbar"], ["a\u200bb", "a\\u{200b}b"], ["user\u202etxt.exe\u202d", "user\\u{202e}txt.exe\\u{202d}"], ["a\u0007", "a\\u{7}"], ["\ufeff\u2066", "\\u{feff}\\u{2066}"], ["می\u200cخواهم 👨\u200d👩", "می\u200cخواهم 👨\u200d👩"]]) assert.equal(visible(text), shown);
});

test("a name is cut at the ranges of the service, and nothing of it is lost", () => {
  assert.deepEqual(parts("Back-end development", [[0, 4], [9, 12]]), [{ text: "Back", isMatch: true }, { text: "-end ", isMatch: false }, { text: "dev", isMatch: true }, { text: "elopment", isMatch: false }]);
  for (const ranges of [[], [[0, 99]], [[2, 2]], [[0, 2], [2, 4]]]) assert.equal(parts("a👩b", ranges).map(({ text }) => text).join(""), "a👩b");
});

const listed = (id, more = {}) => ({ id, name: `n${id}`, culture: "en", deprecated: false, childCount: 1, ...more });
const settle = () => new Promise((done) => setTimeout(done, 0));

test("the rows of a tree: pages, places, what is pinned, what fails", async () => {
  const asked = [];
  const tree = new Tree(
    async (parent, cursor) => {
      asked.push(`${parent?.key ?? "top"}:${cursor ?? ""}`);
      if (parent?.id === 13) throw new Failure({ kind: "slow" });
      if (!parent) return { items: [listed(1), listed(2)] };
      if (parent.key === "c1") return cursor ? { items: [listed(12), listed(13)] } : { items: [listed(10), listed(11)], nextCursor: "next" };
      return { items: [listed(100, { childCount: 0 })] };
    },
    () => {},
    new Set(),
  );
  await tree.load(null);
  tree.openPath({ id: 130, name: "n130", culture: "en", category: listed(1), ancestors: [listed(13)], removed: false, deprecated: false });
  assert.deepEqual(tree.rows().map(({ key }) => key), ["c1", "loading-c1", "t13", "loading-t13", "t130", "c2"], "the path is there before its levels");
  await settle();
  assert.deepEqual(tree.rows().map(({ key, depth, position, size }) => [key, depth, position, size].join(" ")), ["c1 1 1 2", "t10 2 1 -1", "t11 2 2 -1", "more-c1 2 3 -1", "t13 2  -1", "failed-t13 3  -1", "t130 3  -1", "c2 1 2 2"]);
  await tree.load(tree.nodes.get("c1"));
  assert.deepEqual(tree.rows().map(({ key, position, size }) => [key, position, size].join(" ")), ["c1 1 2", "t10 1 4", "t11 2 4", "t12 3 4", "t13 4 4", "failed-t13  -1", "t130  -1", "c2 2 2"], "what was pinned takes its place");
  assert.deepEqual(asked, ["top:", "t13:", "c1:", "c1:next"]);
});

test("the keyboard of a tree", () => {
  const node = (name, parent, isOpen, hasChildren = true) => ({ node: { name, hasChildren }, kind: "node", isOpen, parent, depth: parent ? 2 : 1 });
  const top = node("Alpha", null, true);
  const rows = [top, node("Beta", top.node, false), node("beta two", top.node, false, false), node("Gamma", null, false)];
  assert.deepEqual(effect("ArrowRight", rows, 0), { focus: 1 });
  assert.deepEqual(effect("ArrowRight", rows, 1), { toggle: { row: 1, isOpen: true } });
  assert.deepEqual(effect("ArrowRight", rows, 2), {});
  assert.deepEqual(effect("ArrowLeft", rows, 2), { focus: 0 });
  assert.deepEqual(effect("ArrowLeft", rows, 0), { toggle: { row: 0, isOpen: false } });
  assert.deepEqual([effect("ArrowUp", rows, 0), effect("ArrowDown", rows, 3)], [{ focus: 0 }, { focus: 3 }]);
  assert.equal(effect("Tab", rows, 0), undefined);
  const typed = new TypeAhead();
  assert.deepEqual([typed.find("b", 0, rows, 1), typed.find("e", 100, rows, 2), typed.find("x", 200, rows, 2), typed.find("g", 2000, rows, 2)], [2, 2, undefined, 3]);
});

test("only addresses of the web become links", () => {
  assert.equal(webAddress("http://data.europa.eu/esco/x"), "http://data.europa.eu/esco/x");
  for (const text of ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "/relative", "C12", "file:///etc/passwd", ""]) assert.equal(webAddress(text), undefined, text);
});

test("the token that has the claim is sent, whatever else a token is", () => {
  const jwt = (claims) => `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.y`;
  assert.equal(chosen("tenants", jwt({ tenants: [] }), jwt({ tenants: [] })), jwt({ tenants: [] }));
  assert.equal(chosen("tenants", "opaque", jwt({ tenants: [], name: "Zoë" })), jwt({ tenants: [], name: "Zoë" }));
  assert.equal(chosen("tenants", "opaque", "opaque too"), "opaque");
  assert.equal(chosen(undefined, "opaque", jwt({ tenants: [] })), "opaque");
});

test("words for a shell are quoted", () => assert.equal(quoted("a'b $c"), `'a'\\''b $c'`));

test("each code of the API that a reader meets, and each status, has words and advice", () => {
  for (const code of ["term-not-found", "category-not-found", "tenant-not-found", "tenant-damaged", "version-not-found", "archive-unavailable", "stats-not-found", "download-failed", "answer-too-large"]) {
    const { title, advice } = inWords(new Failure({ kind: "refused", status: 404, code }));
    assert.ok(title && advice && title !== "This was not found", code);
  }
  const titles = [400, 401, 403, 404, 429, 500, 503].map((status) => inWords(new Failure({ kind: "refused", status })).title);
  assert.equal(new Set(titles).size, titles.length);
  assert.equal(inWords(new Failure({ kind: "refused", status: 504 })).title, "The service cannot answer now");
});

test("cultures and sizes as words", () => {
  assert.deepEqual(["de-DE", "zh-Hant-TW", "qaa", "not a tag"].map(culture), ["German · de-DE", "Chinese (Traditional) · zh-Hant-TW", "qaa", "not a tag"]);
  assert.deepEqual([1, 999_999, 1_500_000].map(size), ["1 kB", "1,000 kB", "1.5 MB"]);
  assert.deepEqual([percent(4, 5029), percent(5028, 5029), percent(5029, 5029), percent(0, 5), percent(1, 3)], ["0.1%", "99.9%", "100%", "0%", "33.3%"]);
});

test("numbers, times and languages are written as the language of the page does", async () => {
  const said = () => [number(97_880), percent(1, 3), culture("de-DE"), moment("2026-11-25T17:21:00Z")].map((words) => words.replaceAll(/[\u00a0\u202f]/g, " "));
  const expected = {
    en: ["97,880", "33.3%", "German · de-DE", "25 Nov 2026, 17:21 UTC"],
    de: ["97.880", "33,3 %", "Deutsch · de-DE", "25.11.2026, 17:21 UTC"],
    fr: ["97 880", "33,3 %", "allemand · de-DE", "25 nov. 2026, 17:21 UTC"],
    es: ["97.880", "33,3 %", "alemán · de-DE", "25 nov 2026, 17:21 UTC"],
  };
  for (const [language, words] of Object.entries(expected)) {
    await speak(language);
    assert.deepEqual(said(), words, language);
  }
  await speak("en");
});
