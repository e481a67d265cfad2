// Tests of the search: a combobox whose matches the service returns, letter by letter.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, ask, heading, quiet, row, served, world } from "./browser.mjs";
import { HOSTILE } from "./taxonomies.mjs";

const { visit } = world();
const { visit: failing } = served();
const field = (page) => page.getByRole("combobox", { name: "Search the terms" });
const hits = (page) => page.locator(".hits [role=option]");
const suggests = (asked) => asked.filter((path) => path.includes("/suggest"));

test("/ focuses the field; what matches is marked where the service says; the first hit is an arrow and Enter away", () =>
  visit("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement?.id === "search");
    await page.keyboard.type("back dev", { delay: 20 });
    const hit = hits(page).first();
    await hit.waitFor();
    await quiet(page);
    assert.equal(suggests(server.asked).length, 1, "one request, 120 ms after the last key");
    const [expected] = (await ask("tenants/jobs/suggest?q=back%20dev&deprecated=exclude")).items;
    const marks = await hit.locator("mark").allTextContents();
    assert.deepEqual(marks, expected.matched.ranges.map(([start, end]) => expected.matched.name.slice(start, end)));
    assert.equal(await hit.locator(".where").textContent(), "Sector › Information technology › Software development");
    await accessible(page, "hits");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, expected.name).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    assert.match(page.url(), new RegExp(`term=${expected.id}`));
  }));

test("arrows move through the hits, and the field says which one is meant; Escape closes, then clears", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    await field(page).fill("de");
    await hits(page).nth(1).waitFor();
    assert.equal(await field(page).getAttribute("aria-expanded"), "true");
    await field(page).press("ArrowDown");
    await field(page).press("ArrowDown");
    assert.equal(await field(page).getAttribute("aria-activedescendant"), "hit-1");
    assert.equal(await page.locator("#hit-1").getAttribute("aria-selected"), "true");
    await field(page).press("ArrowUp");
    await field(page).press("ArrowUp");
    assert.notEqual(await field(page).getAttribute("aria-activedescendant"), "hit-0", "it goes round");
    await field(page).press("Escape");
    assert.equal(await field(page).getAttribute("aria-expanded"), "false");
    assert.equal(await field(page).inputValue(), "de");
    await field(page).press("Escape");
    assert.equal(await field(page).inputValue(), "");
  }));

test("a hit says which of its names matches", () =>
  visit("?tenant=hostile", async (page) => {
    await page.getByRole("treeitem").first().waitFor();
    await field(page).fill("another");
    const hit = hits(page).filter({ hasText: HOSTILE.markup });
    await hit.waitFor();
    assert.equal(await hit.locator(".how").textContent(), " also called <u>another</u> name");
    assert.equal(await hit.locator("mark").textContent(), "another");
  }));

test("a notation and a typo are found, and said to be what they are", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    await field(page).fill("10.1.1");
    await page.locator(".hits .code mark").first().waitFor();
    await field(page).fill("develpment");
    await page.getByText("similar").first().waitFor();
  }));

test("a late reply to what was typed before is dropped, and its request ended", () =>
  failing("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    server.fault = ({ path }) => (/q=fin(&|$)/.test(path) ? { delay: 1500 } : undefined);
    const ended = [];
    page.on("requestfailed", (request) => ended.push(request.url()));
    await field(page).fill("fin");
    await page.waitForTimeout(400);
    await field(page).fill("software");
    await hits(page).filter({ hasText: "Software development" }).first().waitFor();
    await page.waitForTimeout(1800);
    assert.equal(await hits(page).filter({ hasText: "Finance" }).count(), 0);
    assert.ok(ended.some((url) => /q=fin(&|$)/.test(url)));
  }));

test("a search that finds nothing says in what, and offers what would match", () =>
  visit("?tenant=hostile", async (page) => {
    await page.getByRole("treeitem").first().waitFor();
    await field(page).fill("quinquagesima");
    await page.getByText(/Nothing in use in version 2 matches/).waitFor();
    assert.equal(await page.locator(".nothing a").count(), 0);
    await field(page).fill("bold");
    const show = page.getByRole("link", { name: "Show 1 that is deprecated" });
    await show.waitFor();
    await accessible(page, "nothing found");
    // The keyboard reaches it: the list stays open while the focus is in it.
    await field(page).press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    assert.match(page.url(), /q=bold.*retired=1|retired=1.*q=bold/);
    await page.locator(".found li").filter({ hasText: "deprecated" }).waitFor();
  }));

test("what matches in another language alone is offered, and shown in that language", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    await field(page).fill("logiciel");
    await page.getByText("Nothing in use in version 2 matches “logiciel” in English · en-GB").waitFor();
    await page.getByRole("link", { name: /^Show \d+ in French · fr-FR$/ }).click();
    await page.locator(".found mark", { hasText: /logiciel/i }).first().waitFor();
    assert.match(page.url(), /culture=fr-FR/);
  }));

test("Enter shows the results of what is typed, never a hit of what was typed before", () =>
  failing("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    await field(page).fill("fin");
    await hits(page).filter({ hasText: "Finance" }).first().waitFor();
    server.fault = ({ path }) => (/suggest/.test(path) ? { delay: 1000 } : undefined);
    await field(page).fill("software");
    await field(page).press("ArrowDown");
    assert.equal(await field(page).getAttribute("aria-activedescendant"), null, "the hits of before cannot be chosen by a key");
    await field(page).press("Enter");
    await heading(page, "Results for “software”").waitFor();
    assert.match(page.url(), /q=software(&|$)/);
    assert.equal(await page.locator(".hits").isVisible(), false);
    await page.locator(".found a").first().waitFor();
  }));

test("a search that takes long says that it is under way, also beside the hits of before", () =>
  failing("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    server.fault = ({ path }) => (/suggest/.test(path) ? { delay: 2000 } : undefined);
    await field(page).fill("soft");
    await page.getByText("Searching…").waitFor();
    await hits(page).first().waitFor();
    assert.equal(await page.getByText("Searching…").count(), 0);
    await field(page).fill("software");
    await page.getByText("Searching…").waitFor();
    await hits(page).filter({ hasText: "Software development" }).first().waitFor();
  }));

test("an id opens by Enter before its hit is there; another letter, Escape or a click elsewhere takes it back", () =>
  failing("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    const { id, name } = (await ask("tenants/jobs/suggest?q=software%20dev")).items[0];
    server.fault = ({ path }) => (/suggest/.test(path) ? { delay: 1000 } : undefined);
    for (const takeBack of [() => field(page).fill(`${id}7`), () => field(page).press("Escape"), () => page.mouse.click(900, 700)]) {
      await field(page).fill("");
      await field(page).fill(String(id));
      await field(page).press("Enter");
      await page.getByText("Searching…").waitFor();
      await takeBack();
      await page.waitForTimeout(1800);
      assert.doesNotMatch(page.url(), /term=|q=/);
    }
    await field(page).fill(String(id));
    await field(page).press("Enter");
    await heading(page, name).waitFor();
  }));

test("a hit has its code, and a space before what it is besides", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    const { items } = await ask("tenants/jobs/suggest?q=10.1&deprecated=exclude");
    const coded = items.find(({ notation, matched }) => notation && matched.kind === "notation");
    await field(page).fill(coded.name);
    const hit = hits(page).filter({ hasText: coded.name }).first();
    await hit.locator(".code").waitFor();
    assert.equal(await hit.locator(".code").textContent(), coded.notation);
    await field(page).fill("develpment");
    const badge = hits(page).locator(".badge.typo").first();
    await badge.waitFor();
    const [before, own] = await badge.evaluate((element) => [element.previousElementSibling ?? element.parentElement.querySelector("bdi"), element].map((of) => of.getBoundingClientRect()).map(({ left, right }) => ({ left, right })));
    assert.ok(own.left - before.right >= 3, `${own.left - before.right} px`);
  }));

test("an id finds its term, a removed one too; a number that is no id finds none", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    const named = (await ask("tenants/jobs/suggest?q=software%20dev")).items[0];
    await field(page).fill(String(named.id));
    const hit = hits(page).first();
    await hit.locator(".how").waitFor();
    assert.equal(await hit.locator(".how").textContent(), ` id ${named.id}`);
    assert.equal(await page.locator(".hits .hit-name").filter({ hasText: named.name }).count(), 1, "a hit is shown once");
    await field(page).press("Enter");
    await heading(page, named.name).waitFor();
    const { items } = await ask("tenants/jobs/diff?from=1&to=2");
    const removed = items.find(({ kind, operations }) => kind === "term" && operations.includes("removed"));
    await field(page).fill(String(removed.id));
    await hits(page).first().filter({ hasText: removed.before.name }).filter({ hasText: "removed" }).waitFor();
    for (const number of ["999999999", "9007199254740993"]) {
      await field(page).fill(number);
      await page.getByText(`matches “${number}”`).waitFor();
    }
  }));

test("a category is found and opened; what was removed is named", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    await field(page).fill("secto");
    const hit = hits(page).first();
    await hit.filter({ hasText: "Sector" }).waitFor();
    assert.equal(await hit.locator(".where").textContent(), "category");
    await field(page).press("ArrowDown");
    await field(page).press("Enter");
    await heading(page, "Sector").waitFor();
    assert.match(page.url(), /category=1(&|$)/);
    const { items } = await ask("tenants/jobs/diff?from=1&to=2");
    const removed = items.filter(({ kind, operations }) => kind === "term" && operations.includes("removed"));
    for (const { id, before } of removed) {
      const found = await ask(`tenants/jobs/suggest?deprecated=exclude&q=${encodeURIComponent(before.name)}`);
      if (found.items.length) continue;
      await field(page).fill(before.name);
      await page.getByText(`Version 2 removed term ${id}, ${before.name}.`).waitFor();
      await page.locator(".nothing").getByRole("link", { name: before.name }).click();
      await heading(page, before.name).waitFor();
      return;
    }
    assert.fail("the name of no removed term finds nothing");
  }));
