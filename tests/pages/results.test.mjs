// Tests of the page of results: counts and filters as the file has them, pages, copies, and tables of ids. Over files, which the tests count themselves.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { accessible, clipboard, copied, heading, quiet } from "./browser.mjs";
import { explored } from "./local.mjs";

const FILES = { google: join(env.TAXONOMY_DATA, "google/taxonomy-v1.json"), icd: join(env.TAXONOMY_DATA, "icd10cm/taxonomy.json"), jobs: join(env.PROJECT, "samples/job-board-v2.json") };
const { visit: google } = explored(FILES.google);
const { visit: icd } = explored(FILES.icd);
const { visit: jobs } = explored(FILES.jobs);

const field = (page) => page.getByRole("combobox", { name: "Search the terms" });
const found = (page) => page.locator(".found > li");
const total = (page) => page.locator(".total").textContent();
/** Returns the values of a facet with their numbers, as they are shown. */
const facet = (page, title) =>
  page.locator(".facet").filter({ has: page.getByRole("heading", { name: title, exact: true }) }).locator("li a").evaluateAll((links) =>
    links.map((link) => [link.querySelector("span").textContent, Number(link.querySelector(".count").textContent.replaceAll(",", ""))]),
  );
const choose = (page, title, value) => page.locator(".facet").filter({ has: page.getByRole("heading", { name: title, exact: true }) }).getByRole("link", { name: value }).click();

/** Returns all nodes of a file: name in a culture, category, depth, state and all cultures with a name. */
function nodes(path) {
  const file = JSON.parse(readFileSync(path, "utf8"));
  const all = [];
  const walk = (node, category, depth) => {
    const names = node.names ?? [{ culture: file.defaultCulture, name: node.name }];
    all.push({ id: node.id, names, category: category?.id, depth, isDeprecated: node.deprecated ?? false, alternatives: node.altNames ?? [], code: node.notation });
    for (const child of node.terms ?? node.children ?? []) walk(child, category ?? node, depth + 1);
  };
  for (const category of file.categories) walk(category, undefined, 0);
  return { file, all };
}

/** Returns the nodes with a name that has a word which begins with a text, as a search of every name finds them. */
const beginning = (all, culture, start) =>
  all.filter(({ names, alternatives }) => [...names, ...alternatives].some((of) => of.culture === culture && of.name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(start))));

/** Counts by a key, the most first. */
function counts(items, key) {
  const sums = new Map();
  for (const item of items) sums.set(key(item), (sums.get(key(item)) ?? 0) + 1);
  return sums;
}

test("the counts of 97,880 terms are those of the file, each value leaves as many as it says, and Back goes back", () =>
  icd("?tenant=taxonomy&q=fractur", async (page) => {
    const { file, all } = nodes(FILES.icd);
    const culture = file.defaultCulture;
    const matching = beginning(all, culture, "fractur").filter(({ isDeprecated }) => !isDeprecated);
    assert.ok(matching.length > 10_000, `${matching.length}`);
    await heading(page, "Results for “fractur”").waitFor();
    await found(page).first().waitFor();
    assert.equal(await total(page), `${matching.length.toLocaleString("en-GB")} results`);
    assert.equal(await page.title(), "Results for “fractur” – taxonomy – Taxonomy explorer");
    const name = (id) => file.categories.find((category) => category.id === id).names.find((of) => of.culture === culture).name;
    const terms = matching.filter(({ depth }) => depth > 0);
    const expected = [...counts(terms, ({ category }) => category)].map(([id, count]) => [name(id), count]);
    const shown = await facet(page, "Category");
    assert.deepEqual(new Map(shown), new Map(expected));
    const levels = counts(matching, ({ depth }) => depth);
    const upTo = (level) => [...levels].reduce((sum, [depth, count]) => sum + (depth <= level ? count : 0), 0);
    for (const [value, count] of await facet(page, "Depth")) assert.equal(count, upTo(Number(value.replace(/\D/g, ""))), value);
    await accessible(page, "results");
    // A value leaves what it says.
    const [value, count] = shown.at(-1);
    await choose(page, "Category", value);
    await page.waitForFunction((text) => document.querySelector(".total")?.textContent === text, `${count.toLocaleString("en-GB")} result${count === 1 ? "" : "s"}`);
    assert.deepEqual(new Map(await facet(page, "Category")), new Map(expected), "the other values keep their numbers");
    await page.goBack();
    await page.waitForFunction((text) => document.querySelector(".total")?.textContent === text, `${matching.length.toLocaleString("en-GB")} results`);
    assert.ok((await page.locator("*").count()) < 1500, "elements");
  }));

test("all results are reached page by page, and copied and saved up to the bound that the page names", () =>
  icd("?tenant=taxonomy&q=fractur", async (page) => {
    await found(page).first().waitFor();
    await page.getByText(/^The first 1,050 of/).waitFor();
    const first = await found(page).first().textContent();
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("Page 2 of 21").waitFor();
    await page.waitForFunction((text) => document.querySelector(".found > li").textContent !== text, first);
    assert.match(page.url(), /page=2/);
    assert.equal(await page.locator(".found").getAttribute("start"), "51");
    await page.goBack();
    await page.getByText("Page 1 of 21").waitFor();
    await page.getByRole("button", { name: "Copy 1,050 ids" }).click();
    await page.getByRole("progressbar").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".copybar").getByText("Stopped: nothing was copied or saved.").waitFor();
    await page.getByRole("button", { name: "Copy 1,050 ids" }).click();
    await page.locator(".copybar").getByText("1,050 results copied").waitFor({ timeout: 60_000 });
    const ids = (await copied(page)).split("\n");
    assert.equal(new Set(ids).size, 1050);
    const { file, all } = nodes(FILES.icd);
    const matching = new Set(beginning(all, file.defaultCulture, "fractur").map(({ id }) => String(id)));
    assert.deepEqual(ids.filter((id) => !matching.has(id)), []);
  }, clipboard));

test("the last page has no next one, and a page that is not there says so", () =>
  google("?tenant=taxonomy-v1&q=accessor&page=2", async (page) => {
    await page.getByText(/^Page 2 of/).waitFor();
    const last = Number(/of (\d+)/.exec(await page.locator(".pages span").textContent())[1]);
    await page.goto(page.url().replace("page=2", `page=${last}`));
    await page.getByText(`Page ${last} of ${last}`).waitFor();
    await found(page).first().waitFor();
    assert.equal(await page.getByRole("link", { name: "Next page" }).count(), 0);
    const all = Number((await total(page)).replace(/\D/g, ""));
    assert.equal(await found(page).count(), all - 50 * (last - 1));
    await page.goto(page.url().replace(`page=${last}`, "page=99"));
    await page.getByText("There is no page 99 of these results.").waitFor();
    await page.getByRole("link", { name: "Show the first page" }).click();
    await found(page).first().waitFor();
    assert.doesNotMatch(page.url(), /page=/);
  }));

test("languages without a name, kinds and all languages are facets with the numbers of the file", () =>
  google("?tenant=taxonomy-v1&q=shoe", async (page) => {
    const { file, all } = nodes(FILES.google);
    const culture = file.defaultCulture;
    const matching = beginning(all, culture, "shoe");
    await found(page).first().waitFor();
    assert.equal(await total(page), `${matching.length} results`);
    const cultures = new Set(all.flatMap(({ names }) => names.map((of) => of.culture)));
    for (const [value, count] of await facet(page, "No name in")) {
      const tag = [...cultures].find((known) => value.endsWith(known));
      assert.equal(count, matching.filter(({ names }) => !names.some((of) => of.culture === tag)).length, value);
    }
    await page.getByRole("link", { name: "All languages" }).click();
    await page.waitForFunction(() => new URL(location.href).searchParams.get("languages") === "all");
    await quiet(page);
    await page.locator(".found .where bdi").first().waitFor();
    const everywhere = new Set([...cultures].flatMap((tag) => beginning(all, tag, "shoe").map(({ id, depth }) => `${depth > 0} ${id}`)));
    // In a language in which few names match the service takes similar ones, and says so.
    const shown = await found(page).evaluateAll((items) => items.filter((item) => !item.querySelector(".badge.typo")).map((item) => `${item.querySelector(".where bdi") !== null} ${item.querySelector(".where > code").textContent}`));
    assert.deepEqual(new Set(shown), everywhere);
    assert.equal(await total(page), `${await found(page).count()} results`);
  }));

test("Enter, the link below the hits and an address show the same results; what is shown stands in the field", () =>
  jobs("?tenant=job-board-v2", async (page) => {
    await page.getByRole("treeitem").first().waitFor();
    await field(page).fill("develop");
    const all = page.locator(".all-results");
    await all.waitFor();
    const href = await all.getAttribute("href");
    const said = Number((await all.textContent()).replace(/\D/g, ""));
    await field(page).press("Enter");
    await heading(page, "Results for “develop”").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    assert.equal(new URL(page.url()).search, new URL(href, page.url()).search);
    assert.equal(await total(page), `${said} results`);
    assert.equal(await field(page).inputValue(), "develop");
    await found(page).locator("a").first().click();
    await page.waitForFunction(() => !location.search.includes("q="));
    assert.equal(await field(page).inputValue(), "");
    await page.goBack();
    await heading(page, "Results for “develop”").waitFor();
    assert.equal(await field(page).inputValue(), "develop");
    await page.reload();
    await found(page).first().waitFor();
    assert.equal(await total(page), `${said} results`);
  }));

test("deprecated results are counted, and shown beside or alone", () =>
  jobs("?tenant=job-board-v2&q=pro", async (page) => {
    const { all } = nodes(FILES.jobs);
    const matching = beginning(all, "en-GB", "pro");
    const deprecated = matching.filter(({ isDeprecated }) => isDeprecated).length;
    assert.ok(deprecated > 0 && deprecated < matching.length);
    await found(page).first().waitFor();
    assert.deepEqual(await facet(page, "State"), [["In use", matching.length - deprecated], ["Deprecated", deprecated], ["Both", matching.length]]);
    await choose(page, "State", /^Deprecated/);
    await found(page).filter({ hasText: "deprecated" }).first().waitFor();
    await page.waitForFunction((count) => document.querySelectorAll(".found > li").length === count, deprecated);
    await choose(page, "State", /^Both/);
    await page.waitForFunction((count) => document.querySelectorAll(".found > li").length === count, matching.length);
  }));

test("a search begins in the part that the page shows: below a term by its place or by all parents, or in a category", () =>
  jobs("?tenant=job-board-v2&term=110", async (page) => {
    const { all } = nodes(FILES.jobs);
    const parent = all.find(({ id, depth }) => depth > 0 && id === 110);
    await page.getByRole("treeitem").first().waitFor();
    await field(page).fill("develop");
    const everywhere = Number((await page.locator(".all-results").first().textContent()).replace(/\D/g, ""));
    await page.getByRole("link", { name: "Results below this term alone" }).click();
    await page.locator(".results .actions").getByRole("link", { name: parent.names.find((of) => of.culture === "en-GB").name }).waitFor();
    await found(page).first().waitFor();
    const below = Number((await total(page)).replace(/\D/g, ""));
    assert.ok(below > 0 && below < everywhere, `${below} of ${everywhere}`);
    await page.getByRole("link", { name: "By all parents" }).click();
    await page.waitForFunction(() => new URL(location.href).searchParams.get("parents") === "all");
    await page.getByRole("link", { name: "In the whole taxonomy" }).click();
    await page.waitForFunction((count) => document.querySelector(".total")?.textContent === `${count} results`, everywhere);
  }));

test("on a phone and in the dark the results are clean by axe-core, and begin above their filters, which open by the keyboard", () =>
  jobs("?tenant=job-board-v2&q=develop", async (page) => {
    await found(page).first().waitFor();
    await accessible(page, "results, dark, 320 px");
    const filters = page.locator(".facets > details > summary");
    const [summary, first] = [await filters.boundingBox(), await found(page).first().boundingBox()];
    assert.ok(first.y - summary.y < 80, `${first.y - summary.y} px between`);
    await filters.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /^Down to level/ }).first().click();
    await page.waitForFunction(() => location.search.includes("depth="));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no scrolling sideways");
    await accessible(page, "filters, dark, 320 px");
  }, { viewport: { width: 320, height: 640 }, colorScheme: "dark" }));

test("filters that leave nothing say how many there are without them", () =>
  jobs("?tenant=job-board-v2&q=develop&kind=category", async (page) => {
    await page.getByRole("link", { name: /without these filters/ }).click();
    await found(page).first().waitFor();
    assert.doesNotMatch(page.url(), /kind=/);
  }));

test("a table of results opens as it is: quotes, commas and formulas", () =>
  jobs("?tenant=job-board-v2&q=develop", async (page) => {
    await found(page).first().waitFor();
    const count = Number((await total(page)).replace(/\D/g, ""));
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: /as CSV$/ }).click();
    const download = await waiting;
    assert.equal(download.suggestedFilename(), `job-board-v2-${count}.csv`);
    const text = readFileSync(await download.path(), "utf8");
    assert.ok(text.startsWith("\ufeffkind,id,notation,name,culture,finalName,category,path,deprecated\r\n"));
    assert.equal(text.trimEnd().split("\r\n").length, count + 1);
    await page.getByRole("button", { name: /as a table$/ }).click();
    await page.locator(".copybar").getByText("results copied").waitFor();
    const rows = (await copied(page)).split("\n").map((line) => line.split("\t"));
    assert.equal(rows.length, count + 1);
    assert.ok(rows.every((row) => row.length === 9));
  }, clipboard));

test("pasted ids, on lines or with commas, become a table that says what is deprecated or unknown", () =>
  jobs("?tenant=job-board-v2", async (page) => {
    const { all } = nodes(FILES.jobs);
    const terms = all.filter(({ depth }) => depth > 0);
    const inUse = terms.find(({ isDeprecated }) => !isDeprecated);
    const deprecated = terms.find(({ isDeprecated }) => isDeprecated);
    await page.getByRole("treeitem").first().waitFor();
    await page.evaluate((text) => navigator.clipboard.writeText(text), `${inUse.id}\n${deprecated.id}\n999999\n`);
    await field(page).focus();
    await page.keyboard.press("Control+V");
    assert.equal(await field(page).inputValue(), `${inUse.id}, ${deprecated.id}, 999999`);
    await page.getByRole("link", { name: "Show 3 ids as a table" }).waitFor();
    await field(page).press("Enter");
    await heading(page, "3 ids").waitFor();
    const rows = page.locator("table.ids tbody tr");
    await rows.nth(2).waitFor();
    assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => [row.querySelector("th").textContent, row.lastElementChild.textContent])), [
      [String(inUse.id), "in use"],
      [String(deprecated.id), "deprecated"],
      ["999999", "no term of this version"],
    ]);
    assert.match(await rows.first().textContent(), new RegExp(inUse.names.find((of) => of.culture === "en-GB").name));
    await accessible(page, "a table of ids");
    await page.getByRole("button", { name: "Copy table" }).click();
    await page.getByText("Copied: table").waitFor({ state: "attached" });
    const lines = (await copied(page)).split("\n").map((line) => line.split("\t"));
    assert.deepEqual(lines.map((line) => line.at(-1)), ["state", "use", "deprecated", "unknown"]);
    // Too many are refused, not cut off.
    await field(page).fill(Array.from({ length: 401 }, (_, at) => at + 1).join(" "));
    await page.getByRole("alert").getByText("These are 401 ids. A table has at most 400.").waitFor();
    await field(page).press("Enter");
    assert.match(page.url(), new RegExp(`ids=${inUse.id}`));
  }, clipboard));
