// Tests of each failure of the API: the message, the offered next step, and the requests that are repeated or not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, heading, quiet, row, served } from "./browser.mjs";

const { visit } = served();
const isTerm = ({ path }) => /\/terms\/\d+\?/.test(path);
/** Opens the overview, makes requests for a term fail, then opens a term. */
const failing = (fault, test) =>
  visit("?tenant=jobs", async (page, seen) => {
    await row(page, "Sector").waitFor();
    await row(page, "Sector").locator(".twist").click();
    await row(page, "Finance").waitFor();
    await quiet(page);
    seen.server.asked.length = 0;
    seen.server.fault = (asked) => (isTerm(asked) ? fault(asked) : undefined);
    await row(page, "Finance").click();
    await test(page, { ...seen, tries: () => seen.server.asked.filter((path) => isTerm({ path })).length, mend: () => (seen.server.fault = () => undefined) });
  }, { mayFail: true });
const alert = (page) => page.getByRole("alert");
const again = async (page) => page.getByRole("button", { name: "Try again" }).click();

test("401: signed out is said at once, and not tried again", () =>
  failing(() => ({ status: 401, body: { message: "Unauthorized" } }), async (page, { tries, mend }) => {
    await alert(page).getByText("You are not signed in, or your sign-in has ended").waitFor();
    assert.equal(tries(), 1);
    await accessible(page, "401");
    mend();
    await again(page);
    await heading(page, "Finance").waitFor();
  }));

test("403: a reader without the right is told whom to ask", () =>
  failing(() => ({ status: 403, body: { message: "Forbidden" } }), async (page, { tries }) => {
    await alert(page).getByText("You may not read this").waitFor();
    assert.equal(tries(), 1);
  }));

test("404: a term, a category and a tenant that are not there", async () => {
  await visit("?tenant=jobs&term=999999999", async (page, { server }) => {
    await alert(page).getByText("This version has no such term", { exact: true }).waitFor();
    await alert(page).getByText("No version up to the served one has had it.", { exact: false }).waitFor();
    assert.equal(server.asked.filter((path) => isTerm({ path })).length, 1);
    await accessible(page, "404");
    await row(page, "Sector").waitFor();
  }, { mayFail: true });
  await visit("?tenant=jobs&category=999999999", async (page) => alert(page).getByText("This version has no such category", { exact: true }).first().waitFor(), { mayFail: true });
  await visit("?tenant=nobody", async (page) => {
    await alert(page).getByText("There is no such taxonomy here").waitFor();
    await accessible(page, "no such tenant");
  }, { mayFail: true });
});

test("429: the page waits as long as it is asked to, says so, and goes on", () => {
  let refusals = 1;
  let first = 0;
  let second = 0;
  return failing(
    () => {
      if (refusals-- > 0) return (first = Date.now()), { status: 429, headers: { "Retry-After": "2" }, body: { message: "Too Many Requests" } };
      second ||= Date.now();
      return undefined;
    },
    async (page) => {
      await page.getByRole("status").filter({ hasText: "Trying again in 2 s" }).waitFor();
      await heading(page, "Finance").waitFor();
      assert.ok(second - first >= 1900, `${second - first} ms`);
    },
  );
});

test("503: three tries, then words and a button", () =>
  failing(() => ({ status: 503, headers: { "Retry-After": "1", "Content-Type": "application/problem+json" }, body: { type: "/problems/upstream-unavailable", title: "x", status: 503, detail: "The table did not answer in time." } }), async (page, { tries, mend }) => {
    await alert(page).getByText("The service cannot answer now").waitFor();
    await alert(page).getByText("The table did not answer in time.").waitFor();
    assert.equal(tries(), 3);
    await accessible(page, "503");
    mend();
    await again(page);
    await heading(page, "Finance").waitFor();
  }));

test("500: the request's number is shown", () =>
  failing(() => ({ status: 500, headers: { "X-Request-Id": "abc-123" }, body: { message: "Internal Server Error" } }), async (page, { tries }) => {
    await alert(page).getByText("The service made a mistake").waitFor();
    await alert(page).getByText("abc-123").waitFor();
    assert.equal(tries(), 1);
  }));

test("slow: the page says that it waits, and that it takes long; what was shown stays usable", () =>
  failing(() => ({ delay: 6000 }), async (page) => {
    await page.getByText("Loading the term…", { exact: true }).waitFor();
    await page.getByText("This takes longer than usual").waitFor();
    await accessible(page, "slow");
    await row(page, "Location").locator(".twist").click();
    await page.getByRole("treeitem", { expanded: true }).nth(1).waitFor();
    await heading(page, "Finance").waitFor();
  }));

test("cut off in the middle: tried again, then said", () =>
  failing(() => ({ cut: 40 }), async (page, { mend }) => {
    await alert(page).getByText(/The service cannot be reached|The answer was cut off/).waitFor();
    await accessible(page, "cut off");
    mend();
    await again(page);
    await heading(page, "Finance").waitFor();
  }));

test("unreachable: tried again, then said", () =>
  failing(() => ({ drop: true }), async (page, { mend }) => {
    await alert(page).getByText("The service cannot be reached").waitFor();
    mend();
    await again(page);
    await heading(page, "Finance").waitFor();
  }));

test("a level of the tree that fails has a row that tries again", () =>
  visit("?tenant=jobs", async (page, { server }) => {
    await row(page, "Location").waitFor();
    await quiet(page);
    server.fault = ({ path }) => (/categories\/2\/terms/.test(path) ? { status: 500 } : undefined);
    await row(page, "Location").locator(".twist").click();
    const failed = page.locator("[role=treeitem].failed");
    await failed.waitFor();
    await accessible(page, "a failed level");
    server.fault = () => undefined;
    await failed.click();
    await page.locator("[role=treeitem][aria-level='2']").first().waitFor();
    assert.equal(await failed.count(), 0);
  }, { mayFail: true }));

test("the search, the timeline, the counts and the downloads say that they failed", () =>
  visit("?tenant=jobs", async (page, { server }) => {
    await row(page, "Sector").waitFor();
    await quiet(page);
    server.fault = ({ path }) => (/suggest|history|download|stats/.test(path) ? { status: 500 } : undefined);
    await page.locator("#search").fill("soft");
    await page.locator(".hits").getByText("The service made a mistake").waitFor();
    await page.locator("#search").press("Escape");
    await row(page, "Sector").click();
    await page.locator(".pane").getByText("The service made a mistake").waitFor();
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("button", { name: "Download SKOS" }).click();
    await page.locator(".downloads").getByText("The service made a mistake").waitFor();
  }, { mayFail: true }));

test("nothing of the API answers when the page opens", () =>
  visit("?tenant=jobs&term=110", async (page, { server }) => {
    await alert(page).getByText("The service cannot answer now").waitFor();
    server.fault = () => undefined;
    await again(page);
    await heading(page, "Software development").waitFor();
  }, { mayFail: true, before: ({ server }) => (server.fault = () => ({ status: 503, headers: { "Retry-After": "1" } })) }));

test("pages of a list without a right to list: the name of the tenant can be typed", () =>
  visit("", async (page) => {
    await page.getByLabel("Another one by its name").fill("jobs");
    await page.getByRole("button", { name: "Open" }).click();
    await heading(page, "jobs").waitFor();
  }, { mayFail: true, before: ({ server }) => (server.fault = ({ path }) => (/\/v1\/tenants\?/.test(path) ? { status: 403, body: { message: "Forbidden" } } : undefined)) }));
