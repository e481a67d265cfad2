// Tests of `taxonomy explore`: the same pages over a file of this machine, over the preview of a file, and over a stack by signed requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { env } from "node:process";
import { after, before, test } from "node:test";
import { accessible, ask, changes, heading, launch, quiet, row } from "./browser.mjs";
import { explore, explored } from "./local.mjs";
import { HOSTILE, SHOWN } from "./taxonomies.mjs";

const ROOT = env.PROJECT;
const DATA = env.TAXONOMY_DATA;
const FILES = { google: join(DATA, "google/taxonomy-v1.json"), esco: join(DATA, "esco/occupations-v1.json"), jobs: join(ROOT, "samples/job-board-v1.json") };

const { visit: google } = explored(FILES.google);
const { visit: esco } = explored(FILES.esco);
const { visit: jobs } = explored(FILES.jobs);
const { visit: hostile } = explored("made/hostile-v1.json");
// The stack has the second file; the first one would be its third version.
const { visit: plan } = explored(FILES.jobs, "--tenant", "jobs");
const { visit: signed } = explored("--auth", "iam");

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const nameOf = (node, culture) => (node.names?.find((name) => name.culture === culture) ?? { name: node.name }).name;

/** Returns the first term of each depth of a file, with its lineage. */
function byDepth(file) {
  const found = [];
  const walk = (term, category, above) => {
    found[above.length] ??= { term, category, above };
    for (const child of term.children ?? []) walk(child, category, [...above, term]);
  };
  for (const category of file.categories) for (const term of category.terms ?? []) walk(term, category, []);
  return found;
}

for (const [name, visit, tenant] of [["google", google, "taxonomy-v1"], ["esco", esco, "occupations-v1"]]) {
  test(`a file of ${name} is open at terms of every depth, named as the file names them`, async () => {
    const file = read(FILES[name]);
    const culture = file.defaultCulture ?? "en-GB";
    const depths = byDepth(file);
    assert.ok(depths.length >= 4, `${depths.length} depths`);
    for (const { term, category, above } of depths) {
      await visit(`?tenant=${tenant}&term=${term.id}`, async (page) => {
        await heading(page, nameOf(term, culture)).waitFor();
        const crumbs = await page.locator(".crumbs li").allTextContents();
        assert.deepEqual(crumbs, [category, ...above].map((node) => nameOf(node, culture)));
        const selected = page.locator("[role=treeitem][aria-selected=true] .name");
        await selected.waitFor();
        assert.equal(await selected.textContent(), nameOf(term, culture));
      });
    }
  });
}

test("a file is said to be one, has one version, is searched and counted, and has no downloads", () =>
  jobs("?tenant=job-board-v1", async (page) => {
    await row(page, "Sector").waitFor();
    assert.match(await page.locator(".source").textContent(), /A file on this machine .*job-board-v1\.json/);
    assert.equal(await page.getByRole("button", { name: /Download/ }).count() + (await page.getByText("Download", { exact: true }).count()), 0);
    await page.keyboard.press("/");
    await page.keyboard.type("rust");
    await page.getByRole("option", { name: /Rust development/ }).click();
    await heading(page, "Rust development").waitFor();
    await page.locator(".timeline li").first().waitFor();
    assert.equal(await page.locator(".timeline li").count(), 1);
    await accessible(page, "a term of a file");
  }));

test("every culture of a file is shown", async () => {
  let cultures = [];
  await jobs("?tenant=job-board-v1", async (page) => {
    await page.locator("select.culture").waitFor();
    cultures = await page.locator("select.culture option").evaluateAll((options) => options.map(({ value }) => value));
  });
  assert.deepEqual([...cultures].sort(), ["de-DE", "en-GB", "fr-FR"]);
  const [category] = read(FILES.jobs).categories;
  for (const culture of cultures) {
    await jobs(`?tenant=job-board-v1&culture=${culture}`, async (page) => row(page, nameOf(category, culture)).waitFor());
  }
});

test("hostile names of a file are text", async () => {
  for (const [key, text] of Object.entries(HOSTILE).filter(([key]) => !["emoji", "arabic"].includes(key))) {
    await hostile(`?tenant=hostile-v1&retired=1&term=${100 + Object.keys(HOSTILE).indexOf(key)}`, async (page) => {
      await page.locator("h1").waitFor();
      await quiet(page);
      assert.equal(await page.locator("h1").textContent(), SHOWN[key] ?? text, key);
      assert.equal(await page.locator("img, script:not([src]), b, u, i").count(), 0, key);
    });
  }
});

test("a plan shows the next version, what it changes, and the versions before it", async () => {
  const { version: newest } = await ask("tenants/jobs");
  const expected = read(FILES.jobs);
  await plan("?tenant=jobs&term=110", async (page) => {
    assert.equal(expected.categories.length > 0, true);
    await page.locator(".source", { hasText: "A plan: nothing is pushed yet" }).waitFor();
    const entries = page.locator(".timeline li");
    await entries.nth(2).waitFor();
    await entries.nth(0).getByRole("link", { name: `Version ${newest + 1}` }).waitFor();
    await accessible(page, "a term of a plan");
  });
  // The first file again: the difference of versions 1 and 2 backwards, which the stack itself has.
  const backwards = await ask(`tenants/jobs/diff?from=${newest}&to=1&limit=100`);
  await plan(`?tenant=jobs&compare=${newest}`, async (page) => {
    await heading(page, `From version ${newest} to version ${newest + 1}`).waitFor();
    await quiet(page);
    assert.deepEqual((await changes(page)).sort(), backwards.items.map(({ kind, id }) => `${kind} ${id}`).sort());
  });
  await plan(`?tenant=jobs&version=1&term=110`, async (page) => heading(page, (await ask("tenants/jobs/terms/110?version=1")).name).waitFor());
  assert.equal((await ask("tenants/jobs")).version, newest, "nothing was published");
});

test("a stack is shown by requests that the command signs", async () => {
  const [category] = (await ask("tenants/products/categories?limit=1")).items;
  const [term] = (await ask(`tenants/products/categories/${category.id}/terms?limit=1`)).items;
  await signed(`?tenant=products&term=${term.id}`, async (page, { server }) => {
    await heading(page, term.name).waitFor();
    await quiet(page);
    assert.ok(server.asked.length > 3);
    assert.equal(await page.locator(".source").count(), 0);
    await accessible(page, "a stack by the local server");
  });
});

let alone, browser;
before(async () => ([alone, browser] = [await explore(FILES.jobs), await launch()]));
after(async () => (await browser?.close(), await alone?.close()));

test("the printed address opens the explorer in one browser, once", async () => {
  const [first, second] = [await browser.newContext(), await browser.newContext()];
  const page = await first.newPage();
  await page.goto(alone.address);
  await row(page, "Sector").waitFor();
  assert.equal(page.url(), `${alone.url}/explore?tenant=job-board-v1`);
  assert.equal(await page.evaluate(() => document.cookie), "", "scripts do not see the session");
  for (const address of [alone.address, `${alone.url}/explore`, `${alone.url}/v1/tenants`]) {
    const other = await second.newPage();
    assert.equal((await other.goto(address)).status(), 403, address);
  }
  await first.close();
  await second.close();
});

test("a page of another origin gets nothing, though the browser has the session", async () => {
  const context = await browser.newContext();
  const running = await explore(FILES.jobs);
  const cookies = [];
  const stranger = createServer((asked, answer) => (cookies.push(asked.headers.cookie), answer.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Another page</title>")));
  await new Promise((ready) => stranger.listen(0, "127.0.0.1", ready));
  try {
    const page = await context.newPage();
    await page.goto(running.address);
    await row(page, "Sector").waitFor();
    const foreign = await context.newPage();
    await foreign.goto(`http://127.0.0.1:${stranger.address().port}`);
    assert.deepEqual(cookies.filter(Boolean), [], "a server at another port is not sent the session");
    // A page of another port belongs to the same site: the browser sends the cookie to the explorer's server.
    const statuses = [];
    foreign.on("response", (answer) => answer.url().startsWith(running.url) && statuses.push(answer.status()));
    const outcomes = await foreign.evaluate(async (url) => {
      const settings = [{ mode: "no-cors", credentials: "include" }, { credentials: "include" }];
      return Promise.all(settings.map((setting) => fetch(url, setting).then(({ type }) => type, ({ name }) => name)));
    }, `${running.url}/v1/tenants`);
    assert.deepEqual(outcomes, ["opaque", "TypeError"], "nothing of an answer can be read");
    assert.ok(statuses.length > 0 && statuses.every((status) => status === 403), `${statuses}`);
  } finally {
    stranger.close();
    await running.close();
    await context.close();
  }
});
