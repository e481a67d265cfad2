// Tests of the tree: read level by level, by the WAI-ARIA pattern, and small however large the taxonomy is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, ask, heading, quiet, row, world } from "./browser.mjs";
import { CHILDREN } from "./taxonomies.mjs";

const { visit } = world();
const position = (item) => item.evaluate((li) => ["aria-level", "aria-setsize", "aria-posinset", "aria-expanded", "aria-selected"].map((name) => li.getAttribute(name)));

test("a level is read by one request when it is opened", () =>
  visit("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    await quiet(page);
    server.asked.length = 0;
    await row(page, "Sector").locator(".twist").click();
    await row(page, "Information technology").waitFor();
    await quiet(page);
    assert.equal(server.asked.length, 1);
    await row(page, "Sector").locator(".twist").click();
    await row(page, "Sector").locator(".twist").click();
    await row(page, "Information technology").waitFor();
    assert.equal(server.asked.length, 1, "what was read is kept");
  }));

test("rows say their level, place, number of siblings, whether they are open and selected", () =>
  visit("?tenant=jobs&term=112", async (page) => {
    await row(page, "Web services").waitFor();
    assert.deepEqual(await position(row(page, "Systems programming")), ["5", "2", "1", "false", "true"]);
    assert.deepEqual(await position(row(page, "Quality assurance")), ["4", "4", "4", null, "false"]);
    assert.deepEqual(await position(row(page, "Sector")), ["1", "5", "1", "true", "false"]);
    assert.equal(await page.getByRole("tree").getAttribute("aria-busy"), "false");
    await accessible(page, "an open tree");
  }));

test("the tree is one tab stop, and the arrows, Home, End, *, letters and Enter work", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    await quiet(page);
    assert.equal(await page.locator("[role=treeitem][tabindex='0']").count(), 1);
    await row(page, "Sector").focus();
    const focused = () => page.evaluate(() => document.activeElement?.querySelector(".name")?.textContent);
    const press = async (key, expected) => {
      await page.keyboard.press(key);
      await page.waitForFunction((name) => document.activeElement?.querySelector(".name")?.textContent === name, expected).catch(() => {});
      assert.equal(await focused(), expected, key);
    };
    await press("ArrowDown", "Location");
    await press("ArrowUp", "Sector");
    await press("ArrowRight", "Sector");
    await row(page, "Information technology").waitFor();
    await press("ArrowRight", "Information technology");
    await press("End", "Skill");
    await press("Home", "Sector");
    await press("h", "Healthcare");
    await page.waitForTimeout(800);
    await page.keyboard.type("pub");
    assert.equal(await focused(), "Public sector");
    await press("ArrowLeft", "Sector");
    await page.keyboard.press("*");
    for (const name of ["Contract type", "Location", "Skill"]) await page.waitForFunction((name) => [...document.querySelectorAll("[role=treeitem]")].some((li) => li.textContent === name && li.getAttribute("aria-expanded") === "true"), name);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await heading(page, "Information technology").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    assert.equal(await page.locator("[role=treeitem][tabindex='0']").count(), 1);
  }));

test("a node of 8,000 children costs at most 3 requests and 1,500 nodes of the document when it is opened", () =>
  visit("?tenant=wide", async (page, { server }) => {
    await row(page, "Parts").waitFor();
    await row(page, "Parts").locator(".twist").click();
    await row(page, "All parts").waitFor();
    await quiet(page);
    server.asked.length = 0;
    await row(page, "All parts").locator(".twist").click();
    await row(page, "Part 0001").waitFor();
    await quiet(page);
    assert.ok(server.asked.length <= 3, server.asked.join("\n"));
    const nodes = () => page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok((await nodes()) <= 1500, String(await nodes()));
    assert.deepEqual(await position(row(page, "Part 0001")), ["3", "-1", "1", null, "false"], "the number of siblings is not known yet");
  }));

test("a deep link opens the path from the lineage, with at most 3 requests at once, and scrolls to the term", async () => {
  for (const [tenant, categories] of [["products", 21], ["occupations", undefined]]) {
    // The deepest term, and one of each depth above it.
    const { items } = await ask(`tenants/${tenant}/categories?limit=100`);
    if (categories) assert.equal(items.length, categories);
    const deepest = await deepestTerm(tenant, items);
    for (const term of [deepest, ...deepest.ancestors.map(({ id, name }) => ({ id, name }))]) {
      await visit(`?tenant=${tenant}&term=${term.id}`, async (page, { server }) => {
        await heading(page, term.name).waitFor();
        const selected = page.locator("[role=treeitem][aria-selected=true]");
        await selected.waitFor();
        assert.equal(await selected.locator(".name").textContent(), term.name);
        const before = server.asked.findIndex((path) => /children|categories\/\d+\/terms/.test(path));
        const needed = server.asked.slice(0, before < 0 ? undefined : before).filter((path) => !/\/tenants\?/.test(path));
        assert.ok(needed.length <= 3, needed.join("\n"));
        await quiet(page);
        await page.waitForTimeout(100);
        const isVisible = await selected.evaluate((li) => {
          const [box, pane] = [li.getBoundingClientRect(), li.closest(".tree-pane").getBoundingClientRect()];
          return box.top >= pane.top - 1 && box.bottom <= pane.bottom + 1;
        });
        assert.ok(isVisible, `${term.name} is in view`);
        assert.ok(server.most <= 3, `${server.most} requests at once`);
      });
    }
  }
});

test("a term whose page has not been read is in the tree all the same", () =>
  visit(`?tenant=wide&term=${10_000 + CHILDREN - 1}`, async (page, { server }) => {
    const last = `Part ${CHILDREN}`;
    await heading(page, last).waitFor();
    await row(page, last).waitFor();
    await quiet(page);
    assert.equal(await row(page, last).getAttribute("aria-selected"), "true");
    assert.ok(server.asked.filter((path) => path.includes("/children")).length <= 3);
  }));

async function deepestTerm(tenant, categories) {
  let best;
  for (const { id } of categories) {
    const { counts } = await ask(`tenants/${tenant}/categories/${id}/stats`);
    if (counts && (!best || counts.depths.length > best.depth)) best = { id, depth: counts.depths.length };
  }
  let cursor = "";
  for (;;) {
    const page = await ask(`tenants/${tenant}/categories/${best.id}/terms?limit=100${cursor}`);
    const found = page.items.find(({ depth }) => depth === best.depth);
    if (found) return ask(`tenants/${tenant}/terms/${found.id}`);
    cursor = `&cursor=${page.nextCursor}`;
  }
}
