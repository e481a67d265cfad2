// Tests of the pure functions of differences and of the start page, without a browser.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PAGES } from "./server.mjs";

const load = (name) => import(pathToFileURL(join(PAGES, "explore", "assets", name)).href);
const { speak } = await load("texts.js");
await speak("en");
const { forest, rowCount, rows, size } = await load("difference/forest.js");
const { differing, naming } = await load("difference/item.js");
const { HEAD, line } = await load("difference/csv.js");
const { shownCount } = await load("difference/totals.js");
const { matches } = await load("start/filter.js");
const { change, format, parse } = await load("state.js");

const above = (id) => ({ id, name: `n${id}`, culture: "en" });
const state = (id, ancestors) => ({ ...above(id), deprecated: false, place: { category: above(1), ancestors: ancestors.map(above) } });
const term = (id, ancestors, more = {}) => ({ kind: "term", id, operations: ["renamed"], before: state(id, ancestors), after: state(id, ancestors), ...more });
/** A tree in one line: `*` marks what changed, `+2` what follows from it. */
const drawn = (branches) => branches.map(({ node, item, following, below }) => `${node.id}${item ? "*" : ""}${following.length ? `+${following.length}` : ""}${below.length ? `(${drawn(below)})` : ""}`).join(" ");

test("changes stand below all that is above them, and those that follow at their cause", () => {
  const category = { kind: "category", id: 1, operations: ["renamed"], before: above(1), after: above(1) };
  const follows = (kind, id) => ({ operations: ["changed"], fields: ["path"], follows: { kind, id } });
  const items = [category, term(5, [3, 2]), term(6, [5, 3, 2], follows("term", 5)), term(7, [6, 5, 3, 2], follows("term", 5)), term(8, [2], follows("category", 1)), term(9, [7, 6, 5, 3, 2]), term(4, [2], { after: undefined, operations: ["removed"] })];
  const found = forest(items);
  assert.equal(drawn(found), "1*+1(2(3(5*+2(6(7(9*)))) 4*))");
  assert.equal(size(found[0]), items.length);
  // Without its cause a change that follows still stands there.
  assert.equal(drawn(forest(items.slice(2, 3))), "1(2(3(5+1)))");
  const all = rows(found[0].below, { left: Infinity });
  assert.deepEqual([rowCount(all), all[0].branch.node.id, all[0].below.map(({ trail, branch }) => [...trail, branch].map(({ node }) => node.id))], [4, 2, [[3, 5], [4]]]);
  assert.equal(rowCount(rows(found[0].below, { left: 2 })), 2);
});

test("a name that a language lost or got is no rename", () => {
  const check = (before, after, wanted, expected) => assert.equal(naming({ name: before[0], culture: before[1] }, { name: after[0], culture: after[1] }, wanted), expected);
  check(["A", "fr-FR"], ["B", "fr-FR"], "fr-FR", "renamed");
  check(["A", "fr-FR"], ["A", "fr-FR"], "fr-FR", "same");
  check(["A", "fr-FR"], ["B", "en-GB"], "fr-FR", "lost");
  check(["A", "en-GB"], ["B", "fr-FR"], "fr-CA", "gained");
  check(["A", "en-GB"], ["B", "de-DE"], "fr-FR", "renamed");
  check(["A", "zh-CN"], ["B", "en-US"], "zh-CN", "lost");
});

test("of two paths only what differs is shown, whole segments", () => {
  const check = (before, after, sides, head, tail) => assert.deepEqual(differing(before, after), { sides, head, tail });
  check("a/b/c", "a/x/c", ["b", "x"], 1, 1);
  check("a/b", "a/x/b", ["b", "x/b"], 1, 0);
  check("a", "b", ["a", "b"], 0, 0);
  check("a/a/a", "a/a", ["a/a", "a"], 1, 0);
});

test("a filter shows as many changes as the totals have for it", () => {
  const totals = { categories: 1, terms: 9, operations: { added: 3, moved: 2 }, byCategory: [{ id: 4, name: "x", culture: "en", items: 7, following: 0, operations: { added: 3 } }] };
  const check = (filter, expected) => assert.equal(shownCount(totals, filter), expected);
  check({}, 10);
  check({ operation: "moved" }, 2);
  check({ within: 4 }, 7);
  check({ within: 4, operation: "added" }, 3);
  check({ within: 4, operation: "moved" }, 0);
  check({ within: 5 }, 0);
  assert.equal(shownCount({ categories: 1, terms: 9, atMost: true }, { operation: "moved" }), undefined);
});

test("a line of CSV has a cell for each title", () => {
  const cells = line(term(5, [3, 2], { operations: ["moved", "changed"], fields: ["path"], follows: { kind: "category", id: 1 } }));
  assert.equal(cells.length, HEAD.length);
  const of = Object.fromEntries(HEAD.map((name, at) => [name, cells[at]]));
  assert.deepEqual([of.kind, of.id, of.operations, of.fields, of.followsId, of.beforePlace, of.afterName], ["term", 5, "moved changed", "path", 1, "n1 > n2 > n3", "n5"]);
  assert.equal(line(term(5, [], { after: undefined })).length, HEAD.length);
});

test("the filters of a comparison are in the address, and go with it", () => {
  const address = "?tenant=a&version=3&compare=1&operation=moved&within=4";
  assert.equal(format(parse(address)), address);
  assert.equal(format(change(parse(address), { compare: undefined })), "?tenant=a&version=3");
  assert.equal(format(change(change(parse(address), { term: 5 }), { term: undefined })), address);
  assert.equal(format(parse("?tenant=a&compare=1&operation=other&within=x")), "?tenant=a&compare=1");
  assert.equal(format(parse("?tenant=a&operation=moved")), "?tenant=a");
});

test("a taxonomy is found by each of its texts, whatever the accents and the order of words", () => {
  const tenant = { id: "shop-9", displayName: "Möbel und Wohnen", description: "Étagères" };
  for (const wanted of ["", "mobel", "WOHNEN möb", "shop", "etageres", " 9 wohnen "]) assert.ok(matches(tenant, wanted), wanted);
  for (const wanted of ["table", "möbel table"]) assert.ok(!matches(tenant, wanted), wanted);
  assert.ok(matches({ id: "a" }, "a"));
});
