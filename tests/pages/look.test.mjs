// Tests of the explorer's appearance: light, dark, narrow, zoomed, printed, without motion, by keyboard only; and of its cost until a term is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, heading, quiet, row, world } from "./browser.mjs";

const { visit } = world();
const VIEWS = {
  "the overview": "?tenant=products",
  "a term": "?tenant=products&term=1604",
  "a category": "?tenant=jobs&category=1",
  "a difference": "?tenant=jobs&compare=1",
  "a retired term": "?tenant=hostile&retired=1&term=101",
  "the choice of a taxonomy": "",
};
const settled = async (page) => {
  await page.locator("h1:not(.visually-hidden)").waitFor();
  await quiet(page);
};

for (const scheme of ["light", "dark"]) {
  test(`every view is clean by axe-core, contrast included: ${scheme}`, async () => {
    for (const [what, query] of Object.entries(VIEWS)) {
      await visit(query, async (page) => {
        await settled(page);
        await accessible(page, `${what}, ${scheme}`);
        if (!query) return;
        await page.locator("#search").fill("a");
        await page.locator(".hits [role=option]").first().waitFor();
        await accessible(page, `${what} with hits, ${scheme}`);
      }, { colorScheme: scheme });
    }
  });
}

test("dark is dark", async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number)[0]);
  await visit(VIEWS["a term"], async (page) => (await settled(page), assert.ok((await ground(page)) > 200)), { colorScheme: "light" });
  await visit(VIEWS["a term"], async (page) => (await settled(page), assert.ok((await ground(page)) < 60)), { colorScheme: "dark" });
});

test("320 pixels: nothing to scroll sideways, the tree and the term both usable", async () => {
  for (const [what, query] of Object.entries(VIEWS)) {
    await visit(query, async (page) => {
      await settled(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, what);
      await accessible(page, `${what} at 320 pixels`);
      if (!query) return;
      const first = await page.locator("main .crumbs, main h1").first().evaluate((element) => element.getBoundingClientRect().top);
      assert.ok(first <= 160, `${what} begins at ${first}`);
      await page.getByRole("button", { name: "Tree and settings" }).click();
      await page.getByRole("treeitem").first().waitFor();
      await accessible(page, `${what} at 320 pixels, the tree`);
      await page.getByRole("button", { name: "Download" }).click();
      await page.getByRole("group", { name: "Download" }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, `${what}, downloads`);
    }, { viewport: { width: 320, height: 640 } });
  }
});

test("320 pixels: a term that is chosen in the tree comes into view", () =>
  visit("?tenant=jobs", async (page) => {
    await page.getByRole("button", { name: "Tree and settings" }).click();
    await row(page, "Location").click();
    await heading(page, "Location").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    assert.ok(await page.locator("h1").evaluate((h1) => h1.getBoundingClientRect().top < innerHeight));
  }, { viewport: { width: 320, height: 640 } }));

test("wide screens: nothing to scroll sideways, the content is as wide as it reads well, the bar ends at the edge", async () => {
  for (const width of [1024, 1920, 2560]) {
    await visit("?tenant=jobs&term=110", async (page) => {
      await settled(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      const [bar, content, pane] = await page.evaluate(() => [document.querySelector("header .options:last-child > :last-child").getBoundingClientRect().right, document.querySelector(".pane > article").offsetWidth, document.querySelector(".pane").clientWidth]);
      assert.ok(width - bar < 20, `${width}: the bar ends at ${bar}`);
      assert.ok(content > Math.min(pane * 0.8, 1300) && content <= 84 * 16, `${width}: ${content} of ${pane}`);
    }, { viewport: { width, height: 900 } });
  }
});

test("text of twice the size is not cut off", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await settled(page);
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    await page.waitForTimeout(200);
    const row = await page.getByRole("treeitem", { selected: true }).evaluate((li) => [li.getBoundingClientRect().height, parseFloat(getComputedStyle(li).fontSize)]);
    assert.ok(row[0] > row[1] * 1.5, String(row));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  }));

test("printed: the term alone, without bars and buttons", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await settled(page);
    await page.emulateMedia({ media: "print" });
    for (const part of ["header", ".left", ".copybar"]) assert.equal(await page.locator(part).isVisible(), false, part);
    await heading(page, "Software development").waitFor();
    assert.ok(await page.locator(".timeline").isVisible());
    const cut = await page.evaluate(() => getComputedStyle(document.querySelector(".pane")).overflowY);
    assert.equal(cut, "visible");
  }));

test("printed: a difference without its buttons, with how many changes follow", () =>
  visit("?tenant=jobs&compare=1", async (page) => {
    await settled(page);
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await page.locator("button, .button, select, input").evaluateAll((all) => all.filter((element) => element.checkVisibility() && !element.closest(".following")).map(({ textContent }) => textContent)), []);
    assert.ok(await page.getByText(/^and \d+ below, which follow/).first().isVisible());
  }));

test("a heading with the focus has its ring clear of the way above it, and a menu its arrow within its button", async () => {
  const items = [{ id: "jobs", displayName: "Occupations and skills of the labour market ".repeat(2) }];
  const before = ({ page }) => page.route("**/v1/tenants?*", (route) => route.fulfill({ json: { items } }));
  for (const width of [320, 768, 1280]) {
    await visit("?tenant=jobs&term=112", async (page) => {
      await settled(page);
      for (const button of await page.locator(".menu > button:visible").all()) {
        const isWithin = await button.evaluate((element) => element.lastElementChild.getBoundingClientRect().right <= element.getBoundingClientRect().right);
        assert.ok(isWithin, `${width}: ${await button.textContent()}`);
      }
      const [above, ring] = await page.evaluate(() => [document.querySelector(".crumbs li:last-child a").getBoundingClientRect().bottom, document.querySelector("h1").getBoundingClientRect().top - 3]);
      assert.ok(above <= ring + 1, `${width}: ${above} ${ring}`);
    }, { before, viewport: { width, height: 800 } });
  }
});

test("reduced motion: nothing moves by itself", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await settled(page);
    const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((element) => parseFloat(getComputedStyle(element).transitionDuration) > 0).length);
    assert.equal(moving, 0);
  }, { reducedMotion: "reduce" }));

test("by keyboard alone: from the address bar to a term, a copy, another version and back", () =>
  visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    await quiet(page);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
    const seen = [];
    for (let tabs = 0; tabs < 10 && seen.at(-1) !== "Sector"; tabs++) {
      await page.keyboard.press("Tab");
      seen.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? ""));
    }
    assert.deepEqual(seen.slice(0, 4), ["Overview", "Taxonomy jobs", "Version 2", "Language"]);
    assert.equal(seen.at(-1), "Sector", seen.join(" | "));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.tagName === "H1" && document.activeElement.textContent === "Sector");
    await page.keyboard.press("/");
    await page.keyboard.type("rust");
    await page.locator(".hits [role=option]").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.tagName === "H1" && /rust/i.test(document.activeElement.textContent ?? ""));
    await page.getByRole("button", { name: "Version 2", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "Version 2" }).getByRole("link", { name: "Version 1", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Version 2");
    const outlines = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outlines, "none");
  }));

test("headings, landmarks and live regions are there for screen readers", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await settled(page);
    assert.deepEqual(await page.locator("h1, h2").evaluateAll((all) => all.map(({ tagName, textContent }) => `${tagName} ${textContent}`)), ["H1 Software development", "H2 Contains 4 terms", "H2 Names in 3 languages", "H2 Timeline"]);
    for (const role of ["main", "search", "banner"]) assert.equal(await page.getByRole(role).count(), 1, role);
    assert.equal(await page.getByRole("navigation").count(), 3);
    assert.ok(await page.locator("[aria-live=polite]").count());
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
  }));

test("what it costs until the first term shows", () => {
  /** The assets: unpacked bytes, and bytes as the stack sent them. @type {Promise<{ bytes: number, packed: number }>[]} */
  const reading = [];
  const measure = async (request) => ({ bytes: (await (await request.response()).body()).length, packed: (await request.sizes()).responseBodySize });
  const before = async ({ page }) => {
    page.on("requestfinished", (request) => request.url().includes("/assets/") && reading.push(measure(request)));
    await page.addInitScript(() => {
      const isShown = () => document.querySelector("h1:not(.visually-hidden)") && (window.shownAt ??= performance.now());
      new MutationObserver(isShown).observe(document, { childList: true, subtree: true });
    });
  };
  return visit("?tenant=products&term=1604", async (page, { server, requests }) => {
    await page.locator("h1:not(.visually-hidden)").waitFor();
    await quiet(page);
    const before = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ startTime }) => startTime < window.shownAt).map(({ name }) => name));
    // And the document.
    const [all, asked] = [before.length + 1, before.filter((url) => url.includes("/v1/")).length];
    const read = await Promise.all(reading);
    const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
    const packed = sum(read.map((file) => file.packed));
    console.log(`until the term: at most ${all} requests, ${asked} of them of the API, ${server.asked.length} in all; ${read.length} files, ${sum(read.map((file) => file.bytes))} bytes, ${packed} as sent`);
    assert.ok(read.length > 30 && all <= 60, `${read.length} files, ${all} requests`);
    assert.ok(asked <= 6 && server.asked.length <= 10, server.asked.join("\n"));
    assert.ok(packed < 100_000, `${packed} bytes`);
    assert.ok(!requests.some((url) => url.includes("oauth4webapi")), "the library of the sign-in is read where it is needed");
  }, { before });
});
