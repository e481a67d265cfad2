// Tests of the start page: a card for each taxonomy, its filter, what was opened before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, ask, heading, quiet, served } from "./browser.mjs";

const { visit } = served();
/** A list that one page does not hold, as the service answers it. */
const many = ({ path }) => {
  if (!path.startsWith("/v1/tenants?")) return undefined;
  const page = Number(new URL(path, "http://page").searchParams.get("cursor") ?? 0);
  const items = Array.from({ length: 100 }, (_, at) => ({ id: `tenant-${page}-${at}`, displayName: at === 99 ? "Möbel" : undefined }));
  return { status: 200, body: { items, ...(page < 2 && { nextCursor: String(page + 1) }) } };
};

test("each taxonomy has a card with what the API says of it, and leads to its newest changes", () =>
  visit("", async (page) => {
    const { items } = await ask("tenants?limit=100");
    await page.locator(".card").first().waitFor();
    assert.equal(await page.locator(".card").count(), Math.min(items.length, 60));
    for (const { id, displayName, description, newest } of items.filter((item) => item.newest).slice(0, 6)) {
      const card = page.locator(".card", { has: page.getByRole("link", { name: displayName ?? id, exact: true }) }).first();
      const text = await card.textContent();
      for (const said of [id, description ?? "", `Version ${newest.version} of`, `${newest.totals.terms.toLocaleString("en-GB")} term`, `${newest.cultures.length} language`]) assert.ok(text.includes(said), `${said} in ${text}`);
      for (const [sign, count] of [["+", newest.changes.added], ["~", newest.changes.changed], ["−", newest.changes.removed]]) if (count) assert.ok(text.includes(`${sign}${count.toLocaleString("en-GB")}`), text);
    }
    await accessible(page, "the start page");
    await page.getByRole("link", { name: /^changes of version 2 of / }).first().click();
    await heading(page, "From version 1 to version 2").waitFor();
  }));

test("a card opens its taxonomy wherever it is clicked, and what was opened comes first the next time", () =>
  visit("", async (page) => {
    const { items } = await ask("tenants?limit=100");
    const { displayName, id } = items.find((item) => item.id === "jobs");
    const card = page.locator(".card", { has: page.getByRole("link", { name: displayName ?? id, exact: true }) }).first();
    await card.click();
    await heading(page, displayName ?? id).waitFor();
    await quiet(page);
    await page.getByRole("button", { name: /^Taxonomy / }).click();
    await page.getByRole("link", { name: "All taxonomies" }).click();
    await heading(page, "Choose a taxonomy").waitFor();
    if (items.length >= 7) await page.locator(".recent").getByRole("link", { name: displayName ?? id, exact: true }).waitFor();
    assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("taxonomy-recent"))), ["jobs"]);
  }));

test("a long list is read whole, filtered by name, and shown in parts", () =>
  visit("", async (page, { server }) => {
    await quiet(page);
    assert.equal(server.asked.filter((path) => path.startsWith("/v1/tenants?")).length, 3);
    assert.equal(await page.locator(".card").count(), 60);
    await page.getByRole("button", { name: "Show 240 more" }).click();
    assert.equal(await page.locator(".card").count(), 120);
    const filter = page.getByRole("searchbox");
    await filter.fill("mobel");
    await page.getByText("3 of 300", { exact: true }).first().waitFor();
    assert.equal(await page.locator(".card").count(), 3);
    await filter.fill("nothing such");
    await page.getByText("No taxonomy here matches “nothing such”.").waitFor();
    await accessible(page, "a filter that finds nothing");
  }, { before: ({ server }) => (server.fault = many) }));

test("at 320 px nothing is cut and nothing scrolls sideways, in each language", async () => {
  for (const locale of ["en-GB", "de-DE", "fr-FR", "es-ES"]) {
    await visit("", async (page) => {
      await page.locator(".card").first().waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320), locale);
    }, { viewport: { width: 320, height: 640 }, locale });
  }
});
