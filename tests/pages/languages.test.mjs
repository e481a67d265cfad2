// The pages in their four languages: no text that is not of the language, none cut off at 320 pixels, axe-core clean; names in several languages.
import assert from "node:assert/strict";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { accessible, heading, quiet } from "./browser.mjs";
import { explored } from "./local.mjs";
import { PAGES } from "./server.mjs";

const JOBS = "job-board-v2";
const { visit } = explored(join(env.PROJECT, "samples", `${JOBS}.json`));
const { default: english } = await import(pathToFileURL(join(PAGES, "explore", "assets", "texts", "en.js")).href);
const LOCALES = { en: "en-US", de: "de-AT", fr: "fr-CA", es: "es-MX" };

const search = (words) => async (page) => {
  await page.locator("#search").fill(words);
  await quiet(page);
};
/** What is open: the page's path, the state in its address, and what its reader does there. */
const VIEWS = [
  ["the overview", "/explore", ""],
  ["a term", "/explore", "&term=112&culture=fr-FR&beside=en-GB"],
  ["a term without a name", "/explore", "&term=191&culture=fr-FR"],
  ["a deprecated term", "/explore", "&retired=1&term=150"],
  ["a category", "/explore", "&category=1"],
  ["hits", "/explore", "", search("dev")],
  ["nothing found", "/explore", "", search("qqqq zzzz")],
  ["a term that is not there", "/explore", "&term=99999"],
  ["a version that is not there", "/explore", "&version=9"],
  ["the versions", "/explore", "", async (page) => {
    const button = page.locator(".menu > button").nth(1);
    // On a phone it is behind a button of the bar.
    if (!(await button.isVisible())) await page.locator("button.drawer").click();
    if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  }],
  ["the API", "/docs", ""],
  ["an operation", "/docs", "#getTerm"],
  ["a request with a body", "/docs", "#batchGetTerms"],
  ["problems", "/docs", "#problems"],
];
/** Opens all views one after the other in one page, which keeps what it has read of the modules. */
const each = (settings, test) =>
  visit("", async (page, { server }) => {
    for (const [what, path, state, act = async () => {}] of VIEWS) {
      await page.goto(`${server.url}${path}?tenant=${JOBS}${state}`);
      await page.locator("h1:not(.visually-hidden)").first().waitFor();
      await quiet(page);
      await act(page);
      await test(page, what, act);
    }
  }, { ...settings, mayFail: true });

/** Returns texts and labels that are not of the language, by a language whose texts are in brackets. What a taxonomy or the API names is not one. */
const strange = () => {
  const found = [];
  const isNamed = (element) => element.closest("bdi, code, pre, svg, option, [lang]:not(html)");
  const isOwn = (text) => /\p{L}/u.test(text) && !/· [a-z]{2,3}(-|$)|^[a-z]{2}-[A-Z]{2}$|^[\d.,: ]*UTC$|^(curl|JSON|NDJSON|CSV|SKOS|Python|TypeScript|Java|C#|GET|POST|ms|[45]XX)$/.test(text.trim());
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let depth = 0;
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const before = depth;
    depth += (data.match(/⟦/g) ?? []).length - (data.match(/⟧/g) ?? []).length;
    if (before === 0 && !data.includes("⟦") && isOwn(data) && !isNamed(parentElement) && !parentElement.closest("script, noscript")) found.push(data.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    for (const name of ["aria-label", "title", "placeholder"]) {
      const label = element.getAttribute(name);
      const isOfThat = isNamed(element) || element.closest(".trial") || element.querySelector("bdi");
      if (label && isOwn(label) && !label.includes("⟦") && !isOfThat) found.push(`${name}: ${label}`);
    }
  }
  return [...new Set(found)];
};

test("every text of both pages is one of the language", async () => {
  const bracketed = Object.fromEntries(Object.entries(english).map(([key, entry]) => [key, typeof entry === "string" ? `⟦${entry}⟧` : Object.fromEntries(Object.entries(entry).map(([form, text]) => [form, `⟦${text}⟧`]))]));
  const before = ({ page }) => page.route("**/texts/de.js", (route) => route.fulfill({ contentType: "text/javascript", body: `export default ${JSON.stringify(bracketed)};` }));
  await each({ locale: "de-DE", before }, async (page, what) => assert.deepEqual(await page.evaluate(strange), [], what));
});

/**
 * Returns the texts that their elements cut off, and the headings of tables whose words are broken. A name of the taxonomy may be shortened in the
 * tree and in the bar, where its whole text is elsewhere.
 */
const cut = () => {
  const isCut = (element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1 && /hidden|clip/.test(getComputedStyle(element).overflowX);
  const isMeant = (element) => element.closest(".visually-hidden, [role=tree], .menu > button, .source");
  const isBroken = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
    return lines.size > cell.textContent.trim().split(/[\s-]+/).length;
  };
  const found = [...[...document.querySelectorAll("body *")].filter((element) => isCut(element) && !isMeant(element)), ...[...document.querySelectorAll("thead th")].filter(isBroken)];
  return found.filter((element) => element.checkVisibility()).map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`);
};

for (const [language, locale] of Object.entries(LOCALES)) {
  test(`${language}: the browser's language is the page's, axe-core finds nothing, no text is cut off at 320 pixels`, () =>
    each({ locale }, async (page, what, act) => {
      assert.equal(await page.evaluate(() => document.documentElement.lang), language, what);
      await accessible(page, `${what}, ${language}`);
      await page.setViewportSize({ width: 320, height: 640 });
      await act(page);
      await quiet(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, what);
      assert.deepEqual(await page.evaluate(cut), [], what);
      await page.setViewportSize({ width: 1280, height: 800 });
    }));
}

test("the reader chooses another language, which both pages keep, and the address does not name", () =>
  visit(`?tenant=${JOBS}`, async (page) => {
    await heading(page, JOBS).waitFor();
    await page.getByLabel("Language of this page").selectOption("Français");
    await page.getByRole("link", { name: "API", exact: true }).waitFor();
    await page.getByLabel("Langue de cette page").waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "language");
    assert.equal(await page.title(), `${JOBS} – Explorateur de taxonomies`);
    assert.doesNotMatch(page.url(), /fr/);
    await page.locator(".foot").getByRole("link", { name: "API" }).click();
    await heading(page, "API des taxonomies").waitFor();
    await page.goBack();
    await page.reload();
    await page.getByLabel("Langue de cette page").waitFor();
  }));

test("all names of a term are open by one request, and two languages stand beside the shown one", () =>
  visit(`?tenant=${JOBS}&term=112`, async (page, { server }) => {
    const rows = page.locator(".languages tbody tr");
    await rows.nth(1).waitFor();
    await quiet(page);
    assert.equal(server.asked.filter((path) => path.includes("terms/112") && path.includes("names=all")).length, 1);
    const { names } = await page.evaluate(async (path) => (await fetch(path)).json(), `v1/tenants/${JOBS}/terms/112?names=all`);
    for (const { culture, name } of names) await rows.filter({ hasText: culture }).getByText(name, { exact: true }).waitFor();
    const french = names.find(({ culture }) => culture === "fr-FR").name;
    await rows.filter({ hasText: "fr-FR" }).getByRole("checkbox").check();
    await page.locator(".beside .side-name").getByText(french, { exact: true }).waitFor();
    await page.locator("[role=treeitem][aria-selected=true] .aside").getByText(french, { exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("beside"), "fr-FR");
    await accessible(page, "two languages");
    await page.reload();
    await page.locator(".beside .side-name").getByText(french, { exact: true }).waitFor();
  }));

test("a term with no name in the language: the way to it has the names that the tree has", () =>
  visit(`?tenant=${JOBS}&term=191&culture=fr-FR`, async (page) => {
    await page.locator("[role=treeitem][aria-selected=true]").waitFor();
    await quiet(page);
    const way = await page.locator(".crumbs li").allTextContents();
    assert.ok(way.length > 1, String(way));
    const shown = await page.locator("[role=treeitem]").evaluateAll((rows) => rows.map((row) => row.querySelector(".name bdi")?.textContent));
    for (const name of way) assert.ok(shown.includes(name), `${name}: ${shown}`);
    await page.locator("article .badge.culture").waitFor();
  }));
