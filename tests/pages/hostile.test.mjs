// Tests that hostile names are shown as text everywhere: markup, right-to-left overrides, 500 characters, zero width.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, heading, quiet, world } from "./browser.mjs";
import { HOSTILE, SHOWN } from "./taxonomies.mjs";

const { visit } = world();
const texts = Object.entries(HOSTILE).filter(([key]) => key !== "emoji");
const name = (key, text) => (key === "arabic" ? `${text} 2` : (SHOWN[key] ?? text));
const own = (page) => page.evaluate(() => [document.title.includes("owned") && !document.title.includes("<"), {}.polluted, document.querySelectorAll("img, script:not([src]), b, u, i, h1 h1").length]);

test("each is the heading, the row and the breadcrumb, letter for letter", async () => {
  for (const [key, text] of texts) {
    const id = 100 + Object.keys(HOSTILE).indexOf(key);
    await visit(`?tenant=hostile&retired=1&term=${id}`, async (page) => {
      await page.locator("h1").waitFor();
      await page.getByRole("treeitem", { selected: true }).waitFor();
      await quiet(page);
      assert.equal(await page.locator("h1").textContent(), name(key, text), key);
      assert.equal(await page.getByRole("treeitem", { selected: true }).locator(".name").textContent(), name(key, text), key);
      assert.deepEqual(await own(page), [false, undefined, 0], key);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wider <= 0, `${key}: ${wider} px too wide`);
      const overflow = await page.locator(".pane").evaluate((pane) => pane.scrollWidth - pane.clientWidth);
      assert.ok(overflow <= 0, `${key}: the pane is ${overflow} px too narrow`);
    });
  }
});

test("a name of another direction leaves the text around it alone", () =>
  visit(`?tenant=hostile&retired=1&term=${100 + Object.keys(HOSTILE).indexOf("override")}`, async (page) => {
    await page.locator("h1").waitFor();
    assert.equal(await page.locator("h1 bdi").getAttribute("dir"), "auto");
    const isolated = await page.locator("bdi").evaluateAll((all) => all.every((bdi) => getComputedStyle(bdi).unicodeBidi === "isolate"));
    assert.ok(isolated);
  }));

test("notes, alternative names, relations, metadata and notations are text too", () =>
  visit("?tenant=hostile&term=100", async (page) => {
    await heading(page, HOSTILE.markup).waitFor();
    await quiet(page);
    for (const text of ["<u>another</u> name", "<b>1</b>", "<b>scheme</b>", "javascript:document.title='owned'"]) await page.getByText(text, { exact: false }).first().waitFor();
    assert.equal(await page.locator(".note").first().textContent(), "<h1>not a heading</h1>\nsecond line");
    assert.deepEqual(await own(page), [false, undefined, 0]);
    assert.equal(await page.locator("a[href^='javascript' i]").count(), 0);
    await accessible(page, "hostile texts");
  }));

test("searching and comparing show them as text", () =>
  visit("?tenant=hostile", async (page) => {
    await page.getByRole("treeitem").first().waitFor();
    await page.locator("#search").fill("<img src=x onerror");
    const hit = page.locator(".hits [role=option]").first();
    await hit.waitFor();
    assert.ok((await hit.locator(".hit-name").textContent()).includes(HOSTILE.markup));
    await page.locator("#search").press("Escape");
    await page.goto(page.url().replace(/\?.*/, "?tenant=hostile&compare=1"));
    await page.locator(".difference .branch").first().waitFor();
    await page.getByText(`${HOSTILE.arabic} 2`).first().waitFor();
    assert.deepEqual(await own(page), [false, undefined, 0]);
    await accessible(page, "a difference of hostile names");
  }));

test("all of them at 320 pixels", () =>
  visit(`?tenant=hostile&retired=1&term=${100 + Object.keys(HOSTILE).indexOf("long")}`, async (page) => {
    await page.locator("h1").waitFor();
    await quiet(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  }, { viewport: { width: 320, height: 640 } }));
