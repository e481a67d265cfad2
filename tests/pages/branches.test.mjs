// Tests of the tree and of the lists of children over files: codes, long names, thousands of children, the filter, the width, the focus.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { accessible, clipboard, copied, heading, quiet, row } from "./browser.mjs";
import { explored } from "./local.mjs";
import { CHILDREN, HOSTILE, LEVELS, SHOWN } from "./taxonomies.mjs";

const JOBS = join(env.PROJECT, "samples/job-board-v1.json");
const { visit: jobs } = explored(JOBS);
const { visit: esco } = explored(join(env.TAXONOMY_DATA, "esco/occupations-v1.json"));
const { visit: wide } = explored("made/wide-v1.json");
const { visit: hostile } = explored("made/hostile-v1.json");
const { visit: deep } = explored("made/deep-v1.json");

const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);
const focused = (page) => page.evaluate(() => document.activeElement?.querySelector(".name")?.textContent ?? document.activeElement?.tagName);

test("a row has the code of its term", () =>
  jobs("?tenant=job-board-v1&term=112", async (page) => {
    const known = row(page, "Back-end development");
    await known.waitFor();
    assert.equal(await known.locator(".code").textContent(), "10.1.1");
    assert.equal(await row(page, "Systems programming").locator(".code").count(), 0);
  }));

test("a name that is longer than the tree is wide takes two lines, and one where the tree is wider", () =>
  esco("?tenant=occupations-v1&culture=es-ES", async (page) => {
    const long = row(page, "Agricultores y trabajadores calificados agropecuarios, forestales y pesqueros");
    await long.waitFor();
    const shown = () => long.locator(".line").evaluate((line) => ({ height: line.clientHeight, isCut: line.scrollHeight > line.clientHeight + 2 || line.scrollWidth > line.clientWidth + 1 }));
    const two = await shown();
    assert.equal(two.isCut, false);
    const edge = page.getByRole("separator", { name: "Width of the tree" });
    await edge.focus();
    for (let step = 0; step < 18; step++) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll(".long").length === 0);
    const one = await shown();
    assert.equal(one.isCut, false);
    assert.ok(one.height < two.height, `${one.height} ${two.height}`);
  }));

test("the width of the tree is dragged or set by keys, and kept", () =>
  jobs("?tenant=job-board-v1", async (page) => {
    await row(page, "Sector").waitFor();
    const edge = page.getByRole("separator", { name: "Width of the tree" });
    const width = () => page.locator(".left").evaluate((pane) => pane.getBoundingClientRect().width);
    assert.equal(await width(), 24 * 16);
    const box = await edge.boundingBox();
    await page.mouse.move(box.x + box.width / 2, 400);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 96, 400, { steps: 4 });
    await page.mouse.up();
    assert.equal(await width(), 30 * 16);
    await edge.focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await width(), 29 * 16);
    assert.equal(await edge.getAttribute("aria-valuenow"), "29");
    await page.reload();
    await row(page, "Sector").waitFor();
    assert.equal(await width(), 29 * 16);
    await edge.focus();
    await page.keyboard.press("Enter");
    assert.equal(await width(), 24 * 16);
    await accessible(page, "the edge of the tree");
  }));

test("scrolling reads a node of 8,000 children to its end, with at most 1,500 elements; nothing is left to read", () =>
  wide("?tenant=wide-v1", async (page, { server }) => {
    await row(page, "Parts").click();
    await row(page, "All parts").click();
    await row(page, "Part 0001").waitFor();
    await quiet(page);
    const children = () => server.asked.filter((path) => path.includes("/terms/2/children")).length;
    const before = children();
    const pane = page.locator(".tree-pane");
    await pane.hover();
    const isNext = /\/children\?.*cursor=/;
    await page.route(isNext, async (route) => {
      await page.locator(".more .tally", { hasText: "100 of 8,000" }).waitFor();
      await route.continue();
    }, { times: 1 });
    await pane.evaluate((element) => (element.scrollTop = element.scrollHeight));
    while (!(await row(page, `Part ${CHILDREN}`).count())) {
      await pane.evaluate((element) => (element.scrollTop = element.scrollHeight));
      await page.waitForTimeout(20);
      assert.ok(children() <= before + CHILDREN / 100, "no more requests than pages");
    }
    await pane.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await row(page, "Beside").waitFor();
    assert.equal(await page.locator(".more").count(), 0);
    assert.ok((await nodes(page)) <= 1500, String(await nodes(page)));
    console.log(`8,000 children open: ${await nodes(page)} elements`);
  }));

test("a node of 8,000 children is filtered by three letters", () =>
  wide("?tenant=wide-v1", async (page) => {
    await page.getByRole("searchbox", { name: "Filter the tree", exact: true }).waitFor();
    await row(page, "Parts").click();
    await row(page, "All parts").click();
    await row(page, "Part 0001").waitFor();
    await page.getByRole("searchbox", { name: "Filter “All parts”" }).focus();
    await page.keyboard.type("799");
    await row(page, "Part 7991").waitFor();
    const names = await page.locator("[role=treeitem] .name").allTextContents();
    assert.ok(names.every((name) => name.includes("799")), names.join());
    await accessible(page, "a filtered tree");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, "Part 0799").or(heading(page, "Part 7990")).waitFor();
    await page.getByRole("searchbox", { name: "Filter “All parts”" }).focus();
    await page.keyboard.press("Escape");
    await page.getByRole("treeitem", { selected: true }).waitFor();
    await page.getByRole("searchbox").first().fill("qqqqqq");
    await page.locator(".tree-pane").getByText("Nothing found.").waitFor();
  }));

test("a click on a row shows it and opens it; a second one closes it; Space shows it and stays", () =>
  jobs("?tenant=job-board-v1", async (page) => {
    await row(page, "Sector").click();
    await heading(page, "Sector").waitFor();
    await row(page, "Healthcare").waitFor();
    await row(page, "Sector").click();
    await row(page, "Healthcare").waitFor({ state: "detached" });
    await row(page, "Sector").click();
    await row(page, "Healthcare").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const name = await focused(page);
    await page.keyboard.press("Space");
    await heading(page, name).waitFor();
    assert.equal(await focused(page), name);
    assert.equal(await row(page, name).getAttribute("aria-expanded"), "false");
  }));

test("PageDown and PageUp move by what can be seen", () =>
  wide("?tenant=wide-v1&term=2", async (page) => {
    await row(page, "All parts").click();
    await row(page, "Part 0001").waitFor();
    await row(page, "Part 0001").focus();
    await page.keyboard.press("PageDown");
    const name = await focused(page);
    const at = Number(name.replace("Part ", ""));
    assert.ok(at > 10 && at < 40, name);
    await page.keyboard.press("PageUp");
    assert.equal(await focused(page), "Part 0001");
  }));

test("Back gives the focus to the row or the link that the reader left", () =>
  jobs("?tenant=job-board-v1&term=111", async (page) => {
    await row(page, "Back-end development").click();
    await row(page, "Web services").waitFor();
    await row(page, "Web services").focus();
    await page.keyboard.press("Enter");
    await heading(page, "Web services").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    await page.goBack();
    await heading(page, "Back-end development").waitFor();
    await page.waitForFunction(() => document.activeElement?.querySelector(".name")?.textContent === "Web services");
    await page.locator(".crumbs").getByRole("link", { name: "Software engineering" }).click();
    await heading(page, "Software engineering").waitFor();
    await page.goBack();
    await heading(page, "Back-end development").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "A" && document.activeElement.textContent === "Software engineering");
  }));

test("each of 18 levels is told apart from the one above it", () =>
  deep(`?tenant=deep-v1&term=${LEVELS}`, async (page) => {
    await row(page, `Level ${LEVELS}`).waitFor();
    await quiet(page);
    const lefts = await page.locator("[role=treeitem]").evaluateAll((rows) => rows.map((li) => parseFloat(getComputedStyle(li).paddingInlineStart)));
    assert.equal(lefts.length, LEVELS);
    for (let level = 1; level < lefts.length; level++) assert.ok(lefts[level] > lefts[level - 1], `level ${level + 1}`);
    assert.equal(await row(page, `Level ${LEVELS}`).locator(".level").textContent(), String(LEVELS));
    const name = await row(page, `Level ${LEVELS}`).locator(".line").evaluate((line) => line.scrollWidth <= line.clientWidth + 1);
    assert.ok(name, "its name has room");
  }));

/** The children of a node of the file, and all that is below it. */
const file = JSON.parse(readFileSync(JOBS, "utf8"));
const all = (node) => (node.terms ?? node.children ?? []).flatMap((child) => [child, ...all(child)]);
const [sector] = file.categories;
const found = all(sector).find(({ id }) => id === 110);

test("the page of a term and of a category lists what is directly below, with codes and counts", async () => {
  for (const [query, node, of] of [["term=110", found, "terms"], ["category=1", sector, "categories"]]) {
    await jobs(`?tenant=job-board-v1&retired=1&${query}`, async (page, { server }) => {
      const children = node.terms ?? node.children;
      const section = page.getByRole("region", { name: `Contains ${children.length} terms` });
      await section.waitFor();
      await section.getByRole("listitem").first().waitFor();
      const shown = await section.getByRole("listitem").evaluateAll((items) => items.map((item) => [item.querySelector("a").textContent.trim(), Number(item.querySelector(".tally")?.textContent.match(/\d+/) ?? 0)]));
      const expected = children.map((child) => [[child.notation, child.names[0].name].filter(Boolean).join(" "), all(child).length]);
      assert.deepEqual(shown.sort(), expected.sort(), of);
      await section.getByText(`${all(node).length} on all levels below`).waitFor();
      await quiet(page);
      assert.ok(server.asked.filter((path) => path.includes("descendantCount")).length === 1, "one request");
      await accessible(page, of);
    });
  }
});

test("a term and a category lead to their neighbours, and say their position", () =>
  jobs("?tenant=job-board-v1&term=120", async (page) => {
    const neighbours = page.getByRole("navigation", { name: "Neighbours" });
    await neighbours.getByText("2 of 4").waitFor();
    await neighbours.getByRole("link", { name: "Next: Mobile development" }).click();
    await heading(page, "Mobile development").waitFor();
    await neighbours.getByText("3 of 4").waitFor();
    await page.locator(".crumbs").getByRole("link", { name: "Sector" }).click();
    await heading(page, "Sector").waitFor();
    await neighbours.getByText("1 of 5").waitFor();
    assert.equal(await neighbours.getByRole("link").count(), 1);
  }));

test("a neighbour and a field are named as they are shown, also where a name holds what nobody sees", () =>
  hostile(`?tenant=hostile-v1&retired=1&term=${100 + Object.keys(HOSTILE).indexOf("override")}`, async (page) => {
    await page.getByRole("navigation", { name: "Neighbours" }).getByRole("link", { name: `Next: ${SHOWN.isolate}` }).waitFor();
    await accessible(page, "a name with an override");
  }, { viewport: { width: 320, height: 640 } }));

test("thousands of children are read page by page, and filtered, on the page of their parent", () =>
  wide("?tenant=wide-v1&term=2", async (page) => {
    const section = page.getByRole("region", { name: "Contains 8,000 terms" });
    await section.getByText("100 of 8,000").waitFor();
    await section.getByRole("button", { name: "More…" }).click();
    await section.getByText("200 of 8,000").waitFor();
    assert.equal(await section.getByRole("listitem").count(), 200);
    await section.getByRole("searchbox").fill("799");
    await section.getByRole("link", { name: "Part 7995" }).click();
    await heading(page, "Part 7995").waitFor();
    await page.getByRole("navigation", { name: "Neighbours" }).getByText("7,995 of 8,000").waitFor();
  }));

test("on a phone the tree and the choices are behind a button, and the page begins at the top", async () => {
  for (const viewport of [{ width: 320, height: 640 }, { width: 320, height: 256 }]) {
    await jobs("?tenant=job-board-v1&term=110", async (page) => {
      await heading(page, "Software engineering").waitFor();
      assert.ok((await page.locator(".crumbs").boundingBox()).y <= 160);
      assert.equal(await page.getByRole("tree").isVisible(), false);
      const button = page.getByRole("button", { name: "Tree and settings" });
      await button.click();
      await row(page, "Healthcare").waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
      await accessible(page, "the tree on a phone");
      await page.keyboard.press("Escape");
      assert.equal(await button.evaluate((element) => element === document.activeElement), true);
      await button.click();
      await row(page, "Healthcare").click();
      await heading(page, "Healthcare").waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === "H1");
      await quiet(page);
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await page.waitForFunction(() => document.querySelector(".foot").getBoundingClientRect().bottom <= innerHeight + 1, undefined, { timeout: 5000 });
    }, { viewport });
  }
});

test("a link to the version that is shown can be copied", () =>
  jobs("?tenant=job-board-v1&term=110", async (page) => {
    await page.getByRole("button", { name: "Copy link to version 1" }).click();
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    assert.match(await copied(page), /\?tenant=job-board-v1&version=1&term=110$/);
  }, clipboard));
