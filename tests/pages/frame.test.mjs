// Tests of what is around the panes: titles, the band of an older version, and a page that does not arrive whole. Over a file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { accessible, heading, quiet, row } from "./browser.mjs";
import { explored } from "./local.mjs";

const JOBS = "job-board-v1";
const { visit } = explored(join(env.PROJECT, `samples/${JOBS}.json`));

/** Answers the request for the served version as if version 2 were. */
const newer = async ({ page }) => page.route(/\/v1\/tenants\/[^/?]+\?fields=version$/, (route) => route.fulfill({ json: { tenant: JOBS, version: 2 } }));

test("each page is named by what it shows, then its taxonomy and a version that is not the served one", async () => {
  const titles = {
    "": "job-board-v1 – Taxonomy explorer",
    "&term=112": "Systems programming – job-board-v1 – Taxonomy explorer",
    "&category=1": "Sector – job-board-v1 – Taxonomy explorer",
    "&category=1&version=1": "Sector – job-board-v1 – Version 1 – Taxonomy explorer",
    "&compare=1": "From version 1 to version 1 – job-board-v1 – Taxonomy explorer",
    "&term=999999999": "Term 999999999 – job-board-v1 – Taxonomy explorer",
  };
  for (const [query, title] of Object.entries(titles)) {
    await visit(`?tenant=${JOBS}${query}`, async (page) => {
      await quiet(page);
      assert.equal(await page.title(), title, query);
    }, { mayFail: true });
  }
});

test("the page has an icon of its own", () =>
  visit(`?tenant=${JOBS}`, async (page) => {
    const { status, type } = await page.evaluate(async () => {
      const answer = await fetch(document.querySelector("link[rel=icon]").href);
      return { status: answer.status, type: answer.headers.get("Content-Type") };
    });
    assert.deepEqual([status, type], [200, "image/svg+xml"]);
  }));

test("a band says that the page shows an older version, and leads to the served one and to what differs", () =>
  visit(`?tenant=${JOBS}&version=1&term=112`, async (page) => {
    const band = page.getByRole("complementary", { name: "Version 1" });
    await band.getByText(/You look at version 1 of .* Version 2 is served\./).waitFor();
    await heading(page, "Systems programming").waitFor();
    await accessible(page, "an older version");
    assert.match(await band.getByRole("link", { name: "Compare both" }).getAttribute("href"), /\?tenant=job-board-v1&compare=1$/);
    await band.getByRole("link", { name: "Show version 2" }).click();
    await band.waitFor({ state: "detached" });
    assert.match(page.url(), /\?tenant=job-board-v1&term=112$/);
  }, { before: newer }));

test("the served version has no band, whether the address names it or not", async () => {
  for (const query of ["", "&version=1"]) {
    await visit(`?tenant=${JOBS}${query}`, async (page) => {
      await row(page, "Sector").waitFor();
      await quiet(page);
      assert.equal(await page.locator(".notice").count(), 0, query);
    });
  }
});

test("a module that does not arrive is said, with a way to try again", async () => {
  const failing = (name) => async ({ page }) => page.route(`**/${name}`, (route) => route.abort());
  for (const name of ["tree/model.js", "texts/en.js"]) {
    await visit(`?tenant=${JOBS}`, async (page) => {
      await heading(page, "The page cannot start").waitFor();
      await accessible(page, `without ${name}`);
      await page.unroute(`**/${name}`);
      await page.getByRole("button", { name: "Try again" }).click();
      await row(page, "Sector").waitFor();
    }, { before: failing(name), mayFail: true });
  }
  await visit(`?tenant=${JOBS}`, async (page) => {
    await page.getByText("The page is not complete").waitFor();
    await row(page, "Sector").waitFor();
    await page.unroute("**/overview.js");
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(page, JOBS).waitFor();
  }, { before: failing("overview.js"), mayFail: true });
});

test("settings that do not arrive are said, and asked for again", () =>
  visit(`?tenant=${JOBS}`, async (page) => {
    await heading(page, "The explorer cannot start").waitFor();
    await page.unroute("**/config.json");
    await page.getByRole("button", { name: "Try again" }).click();
    await row(page, "Sector").waitFor();
  }, { before: async ({ page }) => page.route("**/config.json", (route) => route.abort()), mayFail: true }));

test("without JavaScript one text says what to do", () =>
  visit(`?tenant=${JOBS}`, async (page) => {
    assert.equal((await page.locator("body").innerText()).trim(), "The explorer needs JavaScript. Switch it on, then load the page again.");
  }, { javaScriptEnabled: false }));

test("a time before the first version is said, with the time of the first", () =>
  visit(`?tenant=${JOBS}&asOf=2000-01-01T00:00:00Z`, async (page) => {
    await page.getByText("No version existed on 1 Jan 2000, 00:00 UTC").waitFor();
    await page.getByText(/^The first version is of /).waitFor();
    await accessible(page, "a time before the first version");
    await page.getByRole("link", { name: "Show version 1" }).click();
    await heading(page, JOBS).waitFor();
  }, { mayFail: true }));

test("the gaps of a language are listed, lead to the terms, and are saved as a table", async () => {
  let total;
  await visit(`?tenant=${JOBS}`, async (page) => {
    const missing = page.getByRole("link", { name: /missing/ }).first();
    total = await missing.textContent();
    await missing.click();
    await page.getByRole("heading", { level: 1, name: /^Without a name in/ }).waitFor();
    await page.locator(".gaps tbody tr").first().waitFor();
    assert.equal(await page.locator(".gaps tbody tr").count(), parseInt(total, 10), "each has a row");
    await accessible(page, "the gaps of a language");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all as CSV" }).click()]);
    const lines = readFileSync(await download.path(), "utf8").replace("\ufeff", "").trim().split("\r\n");
    assert.equal(lines.length, parseInt(total, 10) + 1);
    assert.match(lines[0], /^kind,id,notation,name,culture,path,[a-z]{2}-[A-Z]{2}$/);
    const name = await page.locator(".gaps tbody th a").first().textContent();
    await page.locator(".gaps tbody th a").first().click();
    await heading(page, name.replace(/^[^:]*:/, "")).waitFor();
    assert.doesNotMatch(page.url(), /gaps=/);
  });
});
