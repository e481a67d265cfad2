// Tests that the address is the state: cultures, versions, times, Back; and a version that is published while the page is open.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { accessible, ask, heading, quiet, row, served, stack, world } from "./browser.mjs";

const { visit } = world();
const parameters = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const pick = async (page, name) => page.getByRole("button", { name, exact: true }).click();

test("Back and Forward go through terms, and the address names what is shown", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await heading(page, "Software development").waitFor();
    await row(page, "Software development").locator(".twist").click();
    await row(page, "Front-end development").click();
    await heading(page, "Front-end development").waitFor();
    assert.deepEqual(parameters(page), { tenant: "jobs", term: "120" });
    await page.getByRole("link", { name: "Sector", exact: true }).click();
    await heading(page, "Sector").waitFor();
    assert.deepEqual(parameters(page), { tenant: "jobs", category: "1" });
    await page.goBack();
    await heading(page, "Front-end development").waitFor();
    await page.goBack();
    await heading(page, "Software development").waitFor();
    await page.goForward();
    await heading(page, "Front-end development").waitFor();
    assert.match(await page.title(), /^10\.1\.2 Front-end development – jobs/);
  }));

test("the term stays when the culture changes, in every culture", async () => {
  for (const tenant of ["jobs", "products", "occupations"]) {
    const { cultures, defaultCulture } = await ask(`tenants/${tenant}`);
    const [first] = (await ask(`tenants/${tenant}/categories?limit=1`)).items;
    const [{ id }] = (await ask(`tenants/${tenant}/categories/${first.id}/terms?limit=1`)).items;
    await visit(`?tenant=${tenant}&term=${id}`, async (page) => {
      await page.getByRole("treeitem", { selected: true }).waitFor();
      for (const culture of cultures.filter((tag) => tag !== defaultCulture)) {
        await page.getByLabel("Language", { exact: true }).selectOption(culture);
        const { name, culture: served } = await ask(`tenants/${tenant}/terms/${id}?culture=${culture}`);
        await heading(page, name).waitFor();
        assert.equal(await page.locator("h1 bdi").getAttribute("lang"), served);
        assert.deepEqual(parameters(page), { tenant, culture, term: String(id) });
        await page.waitForFunction((name) => document.querySelector("[role=treeitem][aria-selected=true] .name")?.textContent === name, name);
      }
    });
  }
});

test("where a name is served in another culture than the one asked for, the page says so", async () => {
  let cursor = "";
  let found;
  while (!found) {
    const page = await ask(`tenants/jobs/categories/1/terms?limit=100&culture=fr-FR${cursor}`);
    found = page.items.find(({ culture }) => culture !== "fr-FR");
    cursor = `&cursor=${page.nextCursor}`;
  }
  await visit(`?tenant=jobs&culture=fr-FR&term=${found.id}`, async (page) => {
    await heading(page, found.name).waitFor();
    await page.getByText(`shown in English · ${found.culture}`, { exact: false }).waitFor();
    const item = page.getByRole("treeitem", { selected: true });
    await item.locator(".badge.culture", { hasText: found.culture }).waitFor();
    await accessible(page, "a name in another culture");
  });
});

test("a version is picked, the term stays, and what it lacks is said with a way back", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await heading(page, "Software development").waitFor();
    await pick(page, "Version 2");
    await accessible(page, "the versions");
    await page.locator(".panel").getByRole("link", { name: "Version 1", exact: true }).click();
    await heading(page, "Software engineering").waitFor();
    assert.deepEqual(parameters(page), { tenant: "jobs", version: "1", term: "110" });
    await row(page, "Software engineering").waitFor();
    await page.goBack();
    await heading(page, "Software development").waitFor();
    await page.goto(page.url().replace(/term=\d+/, "version=1&term=135"));
    await page.getByText("This version has no such term").waitFor();
    await page.getByRole("link", { name: "Show it in the served version" }).click();
    await heading(page, "Data visualisation").waitFor();
  }, { mayFail: true }));

test("as of a time the page shows the version of that time, and one before the first is explained", async () => {
  const { committedAt } = await ask("tenants/occupations/versions/1");
  const at = new Date(new Date(committedAt).getTime() + 1000).toISOString();
  await visit(`?tenant=occupations&asOf=${encodeURIComponent(at)}`, async (page, { server }) => {
    await page.getByRole("button", { name: "Version 1", exact: true }).waitFor();
    await page.getByRole("treeitem").first().waitFor();
    await quiet(page);
    assert.ok(server.asked.filter((path) => /\/categories\?/.test(path)).every((path) => path.includes("version=1")));
    await pick(page, "Version 1");
    await page.getByLabel("As of (UTC)").fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText(/^No version existed on/).waitFor();
    await page.getByText(/^The first version is of/).waitFor();
    await accessible(page, "a time before the first version");
    await page.getByRole("link", { name: "Show the served version" }).click();
    await page.getByRole("button", { name: "Version 2", exact: true }).waitFor();
  }, { mayFail: true });
});

test("everything on a page is of one version, also while another one is published; the page offers it", async () => {
  const tenant = `moving-${Date.now()}`;
  const push = (name) => {
    const file = join(tmpdir(), `${tenant}.json`);
    writeFileSync(file, JSON.stringify({ defaultCulture: "en-GB", categories: [{ id: 1, name: "Things", terms: [{ id: 10, name, children: [{ id: 11, name: `${name} below` }] }] }] }));
    execFileSync(stack().commandLine, ["push", file, "--tenant", tenant]);
  };
  push("Early");
  await visit(`?tenant=${tenant}&term=10`, async (page, { server }) => {
    await heading(page, "Early").waitFor();
    push("Late");
    await row(page, "Early").locator(".twist").click();
    await row(page, "Early below").waitFor();
    await page.getByText("Version 2 is served now").waitFor({ timeout: 40_000 });
    assert.ok(server.asked.filter((path) => /terms|categories/.test(path)).every((path) => path.includes("version=1")));
    await accessible(page, "the notice of a newer version");
    await page.getByRole("button", { name: "Show version 2" }).click();
    await heading(page, "Late").waitFor();
    await row(page, "Late below").waitFor();
    assert.deepEqual(parameters(page), { tenant, term: "10" });
  });
});

test("a prefix before the page, such as a stage, changes nothing", () => staged("?tenant=jobs&term=110", async (page) => heading(page, "Software development").waitFor()));
const { visit: staged } = served({ prefix: "/some/stage" });

test("an address with nonsense opens the page without it", () =>
  visit("?tenant=jobs&term=abc&version=-1&asOf=never&culture=&compare=x&category=1e9&other=%3Cscript%3E", async (page) => {
    await heading(page, "jobs").waitFor();
    await page.getByRole("treeitem").first().waitFor();
  }));

test("without a tenant the page lists those that may be read", () =>
  visit("", async (page) => {
    await heading(page, "Choose a taxonomy").waitFor();
    await accessible(page, "the choice of a taxonomy");
    await page.getByRole("link", { name: "jobs", exact: true }).click();
    await heading(page, "jobs").waitFor();
    await pick(page, "Taxonomy jobs");
    await page.locator(".panel").getByRole("link", { name: "hostile", exact: true }).click();
    await heading(page, "hostile").waitFor();
    assert.deepEqual(parameters(page), { tenant: "hostile" });
  }));

const source = (kind) => ({ formatVersion: 1, source: { kind, name: "<b>next</b>.json" }, auth: { mode: "none" } });
const file = served({ config: source("file") });
const plan = served({ config: source("plan") });

test("a file or a plan in place of a stack is said in the header", async () => {
  await file.visit("?tenant=jobs", async (page) => assert.equal(await page.locator(".source").textContent(), "A file on this machine <b>next</b>.json"));
  await plan.visit("?tenant=jobs", async (page) => {
    await row(page, "Sector").waitFor();
    assert.equal(await page.locator(".source").textContent(), "A plan: nothing is pushed yet <b>next</b>.json");
    await accessible(page, "a plan");
  });
});

const { visit: faulty } = served();

test("a menu that is opened while a taxonomy is on its way stays open, and keeps the focus", async () => {
  await faulty("", async (page, { server }) => {
    await page.getByRole("link", { name: "jobs", exact: true }).waitFor();
    server.fault = ({ path }) => (path === "/v1/tenants/jobs" ? { delay: 1_000 } : undefined);
    await page.getByRole("link", { name: "jobs", exact: true }).click();
    const menu = page.getByRole("button", { name: "Taxonomy jobs" });
    await menu.click();
    await row(page, "Sector").waitFor();
    await quiet(page);
    assert.equal(await menu.getAttribute("aria-expanded"), "true");
    assert.ok(await menu.evaluate((button) => document.activeElement === button));
    await page.locator(".panel").getByRole("link", { name: "hostile", exact: true }).click();
    await heading(page, "hostile").waitFor();
    await quiet(page);
    assert.equal(await page.evaluate(() => document.activeElement?.localName), "h1", "else the heading has it");
  });
});
