// Tests of the pane of a term: facts, timeline, retirement, relations, translations, counts, copying, downloads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, ask, clipboard, copied, heading, quiet, row, served, world } from "./browser.mjs";

const { visit } = world();
const { visit: failing } = served();

test("a term shows its place, facts and notes as the API answers them", async () => {
  const term = await ask("tenants/jobs/terms/111");
  await visit("?tenant=jobs&term=111", async (page) => {
    await heading(page, term.name).waitFor();
    assert.deepEqual(await page.locator(".crumbs li").allTextContents(), [term.category.name, ...term.ancestors.map(({ name }) => name).reverse()]);
    const facts = Object.fromEntries(await page.locator(".facts > div").evaluateAll((rows) => rows.map((row) => [row.querySelector("dt").textContent, row.querySelector("dd").textContent.trim()])));
    assert.equal(facts.Id, "111");
    assert.equal(facts.Code, term.notation);
    assert.equal(facts["Display name"], term.finalName);
    assert.equal(facts.Path, term.path);
    await accessible(page, "a term");
  });
});

test("the timeline has every version that changed the term, with what was before and after, and leads to it", async () => {
  const { items } = await ask("tenants/jobs/terms/110/history");
  assert.deepEqual(items.map(({ version }) => version), [2, 1]);
  await visit("?tenant=jobs&term=110", async (page) => {
    const entries = page.locator(".timeline li");
    await entries.nth(1).waitFor();
    assert.equal(await entries.count(), items.length);
    assert.equal(await entries.nth(0).locator("del").first().textContent(), items[0].before.finalName);
    assert.equal(await entries.nth(0).locator("ins").first().textContent(), items[0].after.finalName);
    await entries.nth(0).locator(".badge", { hasText: "renamed" }).waitFor();
    await entries.nth(0).locator(".path", { hasText: "software-development" }).waitFor();
    await entries.nth(1).getByRole("link", { name: "Version 1" }).click();
    await heading(page, items[1].after.name).waitFor();
    assert.match(page.url(), /version=1/);
  });
});

test("retired terms are hidden, shown on demand, and say why, since when and what replaced them", () =>
  visit("?tenant=hostile", async (page) => {
    await row(page, "<b>Hostile</b> names").locator(".twist").click();
    await page.getByRole("treeitem").nth(5).waitFor();
    assert.equal(await page.locator("[role=treeitem].retired").count(), 0);
    await page.getByLabel("Deprecated terms").check();
    const retired = page.locator("[role=treeitem].retired");
    await retired.waitFor();
    await retired.locator(".badge", { hasText: "deprecated" }).waitFor();
    assert.match(page.url(), /retired=1/);
    await retired.click();
    const callout = page.getByRole("region", { name: "Deprecation" });
    await callout.getByText("<i>Merged</i> into another").waitFor();
    await callout.getByText("2026-01-31").waitFor();
    const replacements = callout.getByRole("listitem").getByRole("link");
    const { finalName } = await ask("tenants/hostile/terms/105");
    await callout.getByText(finalName).waitFor();
    assert.equal(await replacements.count(), 2);
    await accessible(page, "a retired term");
    await replacements.nth(1).click();
    assert.match(page.url(), /term=105/);
  }));

test("a removed term is shown as it was last", async () => {
  const { items } = await ask("tenants/jobs/diff?from=1&to=2&limit=100");
  const removed = items.find(({ kind, operations }) => kind === "term" && operations.includes("removed"));
  await visit(`?tenant=jobs&term=${removed.id}`, async (page) => {
    await heading(page, removed.before.name).waitFor();
    await page.getByText("This term was removed").waitFor();
    await page.locator(".timeline .badge", { hasText: "removed" }).waitFor();
    await accessible(page, "a removed term");
  });
});

test("relations lead to terms, and to the web only where they are addresses of the web", () =>
  visit("?tenant=hostile&term=100", async (page) => {
    const relations = page.locator(".relations");
    await relations.getByRole("link").nth(1).waitFor();
    assert.deepEqual(await relations.getByRole("link").evaluateAll((links) => links.map((link) => new URL(link.href).protocol)), ["http:", "http:"]);
    assert.equal(await relations.locator("a[href^='javascript']").count(), 0);
    await relations.locator("a[rel~=noreferrer]", { hasText: "data.europa.eu" }).waitFor();
    await page.locator(".relations a:not([rel])").click();
    assert.match(page.url(), /term=104/);
  }));

test("names in all languages are open, by one request", () =>
  visit("?tenant=products&term=1604", async (page, { server }) => {
    const { name } = await ask("tenants/products/terms/1604?culture=ja-JP");
    await page.locator(".languages td", { hasText: name }).first().waitFor();
    await quiet(page);
    assert.equal(server.asked.filter((path) => path.includes("names=all")).length, 1);
    await accessible(page, "names in all cultures");
  }));

test("id, notation, FinalName, path, link, curl and JSON are copied", async () => {
  const term = await ask("tenants/jobs/terms/111?culture=en-GB&version=2");
  await visit("?tenant=jobs&term=111", async (page, { server }) => {
    await heading(page, term.name).waitFor();
    const copy = async (name) => {
      await page.getByRole("button", { name: `Copy ${name}`, exact: true }).click();
      await page.getByRole("status").filter({ hasText: `Copied: ${name}` }).waitFor();
      return copied(page);
    };
    assert.equal(await copy("id of the term"), "111");
    assert.equal(await copy("code of the term"), term.notation);
    assert.equal(await copy("display name of the term"), term.finalName);
    assert.equal(await copy("path of the term"), term.path);
    assert.equal(await copy("link to this page"), page.url());
    assert.equal(await copy("curl command"), `curl --fail-with-body --compressed '${server.url}/v1/tenants/jobs/terms/111?culture=en-GB'`);
    assert.deepEqual(JSON.parse(await copy("JSON")), term);
    await page.getByRole("link", { name: "Sector", exact: true }).click();
    await heading(page, "Sector").waitFor();
    const category = await ask("tenants/jobs/categories/1?culture=en-GB&version=2");
    assert.equal(await copy("path of the category"), category.path);
    assert.deepEqual(JSON.parse(await copy("JSON")), category);
  }, clipboard);
});

test("counts and coverage are those of the API, as tables with bars", async () => {
  const { counts, categories, months } = await ask("tenants/jobs/stats");
  await visit("?tenant=jobs", async (page) => {
    const figures = page.locator(".figures li");
    await figures.first().waitFor();
    assert.deepEqual((await figures.locator("strong").allTextContents()).map((text) => Number(text.replaceAll(",", ""))), [categories, counts.terms, counts.leaves, counts.deprecated]);
    const coverage = page.getByRole("table", { name: "Names by language" });
    for (const [tag, value] of Object.entries(counts.names)) assert.match(await coverage.getByRole("row").filter({ hasText: tag }).textContent(), new RegExp(`${value} ·`));
    assert.equal(await page.getByRole("table", { name: "Terms by depth" }).getByRole("row").count(), counts.depths.length + 1);
    assert.equal(await page.getByRole("table", { name: "Changes by month" }).getByRole("row").count(), months.length + 1);
    await accessible(page, "counts");
    await page.getByRole("treeitem", { name: "Sector" }).click();
    await heading(page, "Sector").waitFor();
    const own = (await ask("tenants/jobs/categories/1/stats")).counts;
    await page.locator(".figures strong", { hasText: String(own.terms) }).first().waitFor();
    await accessible(page, "a category");
  });
});

test("a month leads to what its versions changed, where there was one before; a language without a name has its row", async () => {
  const stats = await ask("tenants/jobs/stats");
  const changes = { added: 5, changed: 30, removed: 4 };
  const months = [{ month: "2026-01", version: 1, versions: 1, ...changes }, { month: "2026-02", version: 2, versions: 1, ...changes }];
  const before = ({ server }) => (server.fault = ({ path }) => (/jobs\/stats/.test(path) ? { status: 200, body: { ...stats, months, counts: { ...stats.counts, names: { "en-GB": stats.counts.terms } } } } : undefined));
  await failing("?tenant=jobs", async (page) => {
    const table = page.getByRole("table", { name: "Changes by month" });
    await table.waitFor();
    await page.getByRole("row", { name: new RegExp(`^French · fr-FR 0 · 0% ${stats.counts.terms} missing`) }).waitFor();
    assert.equal(await table.getByRole("row", { name: /2026-01/ }).getByRole("link").count(), 0);
    await table.getByRole("link", { name: "2026-02: From version 1 to version 2" }).click();
    await heading(page, "From version 1 to version 2").waitFor();
  }, { before });
});

test("a download is asked for until it is there, then saved by its link", () =>
  failing("?tenant=jobs", async (page, { server }) => {
    await page.getByRole("button", { name: "Download" }).click();
    await accessible(page, "the downloads");
    let pending = 2;
    server.fault = ({ path }) => (path.includes("/download") && pending-- > 0 ? { status: 202, headers: { "Retry-After": "1" }, body: { version: 2, format: "csv", status: "pending" } } : undefined);
    await page.getByRole("button", { name: "Download CSV", exact: true }).click();
    await page.getByRole("button", { name: "Being made… CSV", exact: true }).waitFor();
    const link = page.getByRole("link", { name: /^Save .* CSV$/ });
    await link.waitFor({ timeout: 60_000 });
    const text = await (await fetch(await link.getAttribute("href"))).text();
    assert.ok(text.split("\n").length > 145, text.slice(0, 200));
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("group", { name: "Download" }).count(), 0);
  }));
