// The API page: each operation of the stack's own description, with ids that exist, without a request to another host.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { accessible, ask, heading, quiet, served, world } from "./browser.mjs";
import { explored } from "./local.mjs";

const JOBS = "job-board-v1";
const { visit: file } = explored(join(env.PROJECT, "samples", `${JOBS}.json`));
const { visit: stacked } = world();
const { visit: staged } = served({ prefix: "/some/stage" });
const { visit: signed } = served({ config: { formatVersion: 1, source: { kind: "stack", name: "taxonomy" }, auth: { mode: "signed" } } });
const run = promisify(execFile);

const open = (visit, state, test, settings) => visit(state, async (page, seen) => (await page.locator("h1").waitFor(), await quiet(page), test(page, seen)), { path: "/docs", ...settings });
const sent = async (page) => {
  await page.getByRole("button", { name: "Send" }).click();
  const status = page.locator(".reply strong").first();
  await status.waitFor();
  return { status: await status.textContent(), body: JSON.parse(await page.locator(".reply .code").first().textContent()) };
};
const names = (page) => page.locator("#side ul a").evaluateAll((links) => links.map((link) => link.hash.slice(1)).filter(Boolean));

test("every operation is at the side, without its HEAD, and is shown at its address", () =>
  open(file, `?tenant=${JOBS}`, async (page, { requests }) => {
    const { paths } = await page.evaluate(async () => (await fetch("v1/openapi.json")).json());
    const operations = Object.values(paths).flatMap((item) => Object.entries(item).filter(([method]) => method !== "head").map(([, operation]) => operation));
    assert.ok(operations.length > 20);
    assert.deepEqual((await names(page)).sort(), [...operations.map(({ operationId }) => operationId), "problems"].sort());
    for (const { operationId, summary } of operations) {
      await page.locator(`#side a[href="#${operationId}"]`).click();
      await heading(page, summary).waitFor();
      // The heading may be there a moment before them.
      await page.waitForFunction((title) => document.title === title && document.activeElement?.tagName === "H1", `${summary} – Taxonomy API`);
    }
    assert.ok(requests.length > 0);
  }));

test("each request that needs nothing unusual finds something at once, with the ids that are filled in", () =>
  open(file, `?tenant=${JOBS}`, async (page) => {
    // A file has no downloads, and no log of versions to page through by stages of their own.
    const some = ["getTenants", "getTenant", "getTerm", "getTerms", "getAncestors", "getChildren", "getDescendants", "getTermHistory", "getCategories", "getCategory", "getTermsOfCategory", "getSuggestions", "getResolved", "getVersions", "getVersion", "getTenantStats", "getCategoryStats", "getHealth"];
    for (const id of some) {
      await page.evaluate((hash) => (location.hash = hash), id);
      await page.locator(".route").waitFor();
      await page.waitForFunction((wanted) => document.querySelector(`#side [aria-current]`)?.getAttribute("href") === `#${wanted}`, id);
      const { status, body } = await sent(page);
      assert.equal(status, "200", `${id}: ${JSON.stringify(body)}`);
      if (Array.isArray(body.items) && !["getChildren", "getDescendants", "getAncestors"].includes(id)) assert.ok(body.items.length > 0, id);
    }
  }));

test("a problem is shown with its code, which leads to its meaning", () =>
  open(file, `?tenant=${JOBS}#getTerm`, async (page) => {
    await page.locator("#parameter-id").fill("999999");
    const { status, body } = await sent(page);
    assert.deepEqual([status, body.type], ["404", "/problems/term-not-found"]);
    await page.locator(".reply a").click();
    await heading(page, "Problems").waitFor();
    await page.locator("#term-not-found").getByText("term-not-found").waitFor();
    const section = page.locator(".of-problem", { has: page.locator("#term-not-found") });
    await section.getByText("Check tenant, id and version.").waitFor();
    assert.equal(JSON.parse(await section.locator(".code").textContent()).type, "/problems/term-not-found");
    await page.goBack();
    await heading(page, "A term").waitFor();
  }, { mayFail: true }));

test("each status has an example of itself: problems by their codes, and the texts of API Gateway", () =>
  open(file, "#getTerm", async (page) => {
    const { components, paths } = await page.evaluate(async () => (await fetch("v1/openapi.json")).json());
    const { responses } = paths["/v1/tenants/{tenant}/terms/{id}"].get;
    const shown = await page.locator(".answer").evaluateAll((all) => all.map((answer) => [answer.querySelector("strong").textContent, [...answer.querySelectorAll(".content .code")].map((code) => code.textContent)]));
    assert.deepEqual(shown.map(([status]) => status), Object.keys(responses));
    for (const [status, examples] of shown.filter(([status]) => /^[45]\d\d$/.test(status))) {
      assert.ok(examples.length > 0, status);
      for (const example of examples.map((text) => JSON.parse(text))) {
        if (example.type) assert.equal(String(example.status), status);
        else assert.equal(example.message, { 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable" }[status]);
      }
    }
    const ok = JSON.parse(shown.find(([status]) => status === "200")[1][0]);
    assert.equal(ok.requestedCulture, undefined, "the request of the example names no culture");
    assert.deepEqual(Object.keys(components.examples).sort(), (await page.evaluate(() => void (location.hash = "problems")), await heading(page, "Problems").waitFor(), await page.locator(".of-problem h2").evaluateAll((all) => all.map(({ id }) => id))));
  }));

test("the search finds operations by path, parameter and description, and problems", () =>
  open(file, "", async (page) => {
    const field = page.getByRole("searchbox", { name: "Search the API" });
    for (const [text, found] of [["terms:batchGet", ["batchGetTerms"]], ["dialect", ["getDownload"]], ["too-many-ids", ["too-many-ids"]], ["zzz", []]]) {
      await field.fill(text);
      assert.deepEqual(await names(page), found, text);
    }
    await page.getByText("Nothing matches “zzz”.").waitFor();
  }));

test("the tenant is that of the address, else the first; the explorer and this page lead to each other", () =>
  open(file, "", async (page) => {
    await page.waitForFunction((tenant) => document.querySelector("#tenant").value === tenant, JOBS);
    await page.getByRole("link", { name: "Explorer" }).click();
    await heading(page, JOBS).waitFor();
    await page.getByRole("contentinfo").or(page.locator(".foot")).getByRole("link", { name: "API" }).click();
    await heading(page, "Taxonomy API").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("tenant"), JOBS);
  }));

test("a file is said to be one, and sends no POST", () =>
  open(file, "", async (page) => {
    await page.getByText("a file on your machine").waitFor();
    await page.evaluate(() => (location.hash = "batchGetTerms"));
    await page.getByText("taxonomy explore sends no POST", { exact: false }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Send" }).count(), 0);
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing, in every state: ${colorScheme}`, async () => {
    for (const hash of ["", "#getTerm", "#extractTerms", "#getSuggestions", "#problems"]) {
      await open(file, `?tenant=${JOBS}${hash}`, async (page) => {
        await accessible(page, `the API page ${hash}, ${colorScheme}`);
        if (hash !== "#getTerm") return;
        await sent(page);
        for (const summary of await page.locator(".answer > summary").all()) await summary.click();
        await accessible(page, `an answer, ${colorScheme}`);
      }, { colorScheme });
    }
  });
}

test("320 pixels: nothing to scroll sideways, and the operations behind a button", () =>
  open(file, `?tenant=${JOBS}#getTerm`, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await page.getByRole("button", { name: "Operations" }).click();
    await accessible(page, "the operations at 320 pixels");
    await page.getByRole("link", { name: "A category", exact: true }).click();
    await heading(page, "A category").waitFor();
    assert.equal(await page.locator("#side").isVisible(), false);
  }, { viewport: { width: 320, height: 640 } }));

test("GET and POST are sent to the stack, which answers", () =>
  open(stacked, "?tenant=jobs#getTerm", async (page) => {
    assert.equal((await sent(page)).status, "200");
    for (const id of ["batchGetTerms", "batchResolve", "extractTerms"]) {
      await page.evaluate((hash) => (location.hash = hash), id);
      await page.waitForFunction((wanted) => document.querySelector(`#side [aria-current]`)?.getAttribute("href") === `#${wanted}`, id);
      const { status, body } = await sent(page);
      assert.equal(status, "200", id);
      assert.ok(body.items.length > 0, id);
    }
  }));

test("behind a prefix the requests go there too", () =>
  open(staged, "?tenant=jobs#getTenant", async (page, { server }) => {
    assert.equal((await sent(page)).body.tenant, "jobs");
    assert.ok((await page.locator(".code", { hasText: "curl" }).textContent()).includes(`${server.url}/v1/tenants/jobs`));
  }));

test("samples are programs that run: curl, Python, JavaScript and Java", () =>
  open(staged, "?tenant=jobs#getTenant", async (page) => {
    const { version } = await ask("tenants/jobs");
    const group = page.getByRole("group", { name: "Samples" });
    const sample = async (name) => {
      await group.getByRole("button", { name, exact: true }).click();
      return page.locator("section", { has: page.locator("#samples") }).locator(".code").textContent();
    };
    const answered = { curl: await run("sh", ["-c", await sample("curl")]), Python: await run("python3", ["-c", await sample("Python")]) };
    writeFileSync("sample.mjs", await sample("TypeScript"));
    answered.TypeScript = await run("node", ["sample.mjs"]);
    for (const [name, { stdout }] of Object.entries(answered)) assert.match(stdout, new RegExp(`version['"]?: ?${version}`), name);
    const java = await sample("Java");
    assert.match(java, /HttpRequest\.newBuilder/);
    assert.match(await sample("C#"), /HttpClient/);
  }));

test("where requests are signed, the page says by whom, and the samples sign", () =>
  open(signed, "", async (page) => {
    await page.getByText("signs each request that you try here", { exact: false }).waitFor();
    await page.evaluate(() => (location.hash = "getTenant"));
    const samples = page.locator("section", { has: page.locator("#samples") });
    await samples.locator(".code", { hasText: "--aws-sigv4" }).waitFor();
    await samples.getByRole("button", { name: "Python" }).click();
    await samples.locator(".code", { hasText: "SigV4Auth" }).waitFor();
  }));
