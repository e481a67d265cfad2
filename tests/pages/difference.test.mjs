// Tests of the difference of two versions: against the files themselves, read without the API.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { accessible, ask, changes, clipboard, copied, heading, quiet, world } from "./browser.mjs";

const { visit } = world();
const sample = (name) => JSON.parse(readFileSync(join(env.PROJECT, "samples", name), "utf8"));

/** Returns the nodes of a file by kind and id: names, what is above (the category first), paths. */
function nodes(file) {
  const found = new Map();
  const walk = (node, kind, above) => {
    const names = new Map(node.names.map(({ culture, name, path }) => [culture, { name, path }]));
    found.set(`${kind}${node.id}`, { id: node.id, kind, names, above });
    for (const child of node.terms ?? node.children ?? []) walk(child, "term", [...above, `${kind}${node.id}`]);
  };
  for (const category of file.categories) walk(category, "category", []);
  return found;
}
const [before, after] = ["job-board-v1.json", "job-board-v2.json"].map((name) => nodes(sample(name)));
const named = (file, key, culture = "en-GB") => (file.get(key).names.get(culture) ?? file.get(key).names.get("en-GB")).name;
const placed = (file, key, culture) => file.get(key).above.map((above) => named(file, above, culture));
const terms = (file) => [...file.keys()].filter((key) => key.startsWith("term"));
const added = terms(after).filter((key) => !before.has(key));
const removed = terms(before).filter((key) => !after.has(key));
const moved = terms(after).filter((key) => before.has(key) && before.get(key).above.at(-1) !== after.get(key).above.at(-1));

/** Returns the rows of the page: each link's term or category, its texts, and the names above it. */
const rows = (page) =>
  page.evaluate(() => {
    const nameOf = (scope) => [...scope.querySelectorAll(":scope > a")].map((link) => link.textContent);
    return [...document.querySelectorAll(".difference .branch > a:last-of-type")].map((link) => {
      const branch = link.closest(".branch");
      const chain = nameOf(branch).slice(0, -1);
      for (let at = branch.parentElement.parentElement.closest("li"); at; at = at.parentElement.closest("li")) chain.unshift(...nameOf(at.querySelector(":scope > .branch")));
      chain.unshift(link.closest(".changes").querySelector("h2 a").textContent);
      return { key: `term${new URL(link.href).searchParams.get("term")}`, name: link.textContent, version: new URL(link.href).searchParams.get("version"), text: branch.textContent, above: chain, struck: branch.querySelector("a del") !== null };
    });
  });

test("what was added and removed stands at its place by name, and what was moved says from where", () =>
  visit("?tenant=jobs&compare=1", async (page) => {
    await heading(page, "From version 1 to version 2").waitFor();
    await quiet(page);
    const shown = new Map((await rows(page)).map((row) => [row.key, row]));
    for (const key of added) assert.deepEqual(shown.get(key)?.above, placed(after, key), key);
    // Those above a removed one are named as they are now, where they are still there.
    for (const key of removed) {
      const above = before.get(key).above.map((above) => named(after.has(above) ? after : before, above));
      assert.deepEqual([shown.get(key)?.above, shown.get(key)?.struck, shown.get(key)?.version], [above, true, "1"], key);
    }
    assert.ok(moved.length > 1);
    for (const key of moved) {
      const [from, to] = [before, after].map((file) => placed(file, key).join(" › "));
      assert.ok(shown.get(key)?.text.includes(from) && shown.get(key).text.includes(to), `${key}: ${shown.get(key)?.text}`);
      assert.doesNotMatch(shown.get(key).text, /top of category|term \d/);
    }
    await accessible(page, "a difference");
  }));

test("its totals are those of the list of versions, and it says what that leaves out", () =>
  visit("?tenant=jobs", async (page) => {
    const listed = page.locator(".pane .versions li", { hasText: "Version 2" }).locator(".tally");
    const tally = await listed.textContent();
    assert.match(tally, new RegExp(`\\+${added.length}`));
    assert.match(tally, new RegExp(`−${removed.length}`));
    await page.getByRole("link", { name: "changes of version 2" }).click();
    await heading(page, "From version 1 to version 2").waitFor();
    const totals = page.locator(".totals");
    assert.equal(await totals.locator(".tally").textContent(), tally);
    const numbers = (await totals.textContent()).match(/\d+/g).map(Number);
    const [all, ...parts] = numbers;
    assert.equal(parts.reduce((sum, part) => sum + part), all, "the parts are the whole");
    await page.getByText("The list of versions counts neither").waitFor();
  }));

test("each filter shows as many changes as it says, those of the files", () =>
  visit("?tenant=jobs&compare=1", async (page) => {
    await page.locator(".chip").first().waitFor();
    const kinds = await page.locator(".chip").evaluateAll((chips) => chips.map((chip) => [chip.firstChild.textContent.trim(), Number(chip.querySelector(".count").textContent)]));
    const counts = Object.fromEntries(kinds);
    assert.deepEqual([counts.Added, counts.Removed, counts.Moved], [added.length, removed.length, moved.length]);
    for (const [name, expected] of kinds.slice(1)) {
      await page.locator(".chip", { hasText: new RegExp(`^${name}\\s`) }).click();
      await quiet(page);
      assert.equal((await changes(page)).length, expected, name);
      assert.match(page.url(), /operation=/);
    }
    await page.locator(".chip").first().click();
    const select = page.getByLabel("Category", { exact: true });
    for (const option of (await select.locator("option").allTextContents()).slice(1)) {
      await select.selectOption({ label: option });
      await quiet(page);
      assert.equal((await changes(page)).length, Number(/\((\d+)\)$/.exec(option)[1]), option);
      assert.equal(await page.locator(".changes").count(), 1);
    }
    await page.goBack();
    await quiet(page);
    await accessible(page, "a filtered difference");
  }));

test("the rename of a parent is said once, with the number of changes below that follow from it", () =>
  visit("?tenant=jobs&compare=1", async (page) => {
    const { items } = await ask("tenants/jobs/diff?from=1&to=2&limit=100&include=places");
    const causes = new Map();
    for (const item of items.filter(({ follows }) => follows)) {
      const key = `${item.follows.kind}${item.follows.id}`;
      causes.set(key, [...(causes.get(key) ?? []), item]);
    }
    assert.ok(causes.size > 1);
    await quiet(page);
    for (const [key, following] of causes) {
      const name = named(after, key);
      const scope = key.startsWith("term") ? page.locator(".branch", { has: page.getByRole("link", { name, exact: true }) }).first() : page.locator(".changes", { has: page.locator("h2").getByRole("link", { name, exact: true }) });
      const button = scope.locator(".following > button").first();
      assert.match(await button.textContent(), new RegExp(`^and ${following.length} below`), name);
      await button.click();
      assert.equal(await scope.locator(".following").first().locator("li").count(), following.length);
      // The name of each is its own as before: what it was called is no change of its own.
      for (const { id } of following) assert.equal(named(before, `term${id}`), named(after, `term${id}`));
      await button.click();
    }
  }));

test("any two versions are compared, swapped, and linked", () =>
  visit("?tenant=jobs&version=1&compare=2", async (page) => {
    await heading(page, "From version 2 to version 1").waitFor();
    await quiet(page);
    const shown = new Map((await rows(page)).map((row) => [row.key, row]));
    for (const key of added) assert.equal(shown.get(key)?.struck, true, "what was added is gone again");
    await page.getByRole("link", { name: "Swap the versions" }).click();
    await heading(page, "From version 1 to version 2").waitFor();
    await page.getByLabel("From", { exact: true }).selectOption("2");
    await page.getByText("Choose two different versions.").waitFor();
    await page.getByLabel("To", { exact: true }).selectOption("1");
    await heading(page, "From version 2 to version 1").waitFor();
    await page.getByRole("button", { name: "Copy link to this page" }).click();
    assert.equal(new URL(await copied(page)).search, "?tenant=jobs&version=1&compare=2");
    await page.getByRole("link", { name: "End the comparison" }).click();
    await heading(page, "jobs").or(heading(page, "Job board")).waitFor();
  }, clipboard));

test("a name that a language lost or got is said as such, not as a rename", async () => {
  const french = (file, key) => file.get(key).names.get("fr-FR");
  const gained = [...after.keys()].filter((key) => before.has(key) && !french(before, key) && french(after, key));
  assert.ok(gained.length > 0);
  await visit("?tenant=jobs&compare=1&culture=fr-FR", async (page) => {
    await quiet(page);
    for (const key of gained) {
      const branch = page.locator(".branch", { has: page.getByRole("link", { name: french(after, key).name, exact: true }) }).last();
      await branch.getByText(/has a name in French · fr-FR now; before it was shown in English · en-GB as/).waitFor();
    }
  });
  await visit("?tenant=jobs&version=1&compare=2&culture=fr-FR", async (page) => {
    await quiet(page);
    for (const key of gained) {
      const branch = page.locator(".branch", { has: page.getByRole("link", { name: named(before, key), exact: true }) }).last();
      await branch.getByText(/lost its name in French · fr-FR, .*; it is shown in English · en-GB now/).waitFor();
      assert.equal(await branch.locator("p del").first().textContent(), french(after, key).name);
    }
  });
});

/** Reads CSV (RFC 4180). */
function parsed(text) {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)];
  const lines = [[]];
  for (const [, cell, end] of cells) {
    lines.at(-1).push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") lines.push([]);
  }
  return lines.slice(0, -1);
}

test("all changes are saved as CSV, with their places before and after", () =>
  visit("?tenant=jobs&compare=1", async (page) => {
    const { items } = await ask("tenants/jobs/diff?from=1&to=2&limit=100&include=places&culture=en-GB");
    await page.locator(".totals").waitFor();
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save all as CSV" }).click();
    const file = await coming;
    assert.equal(file.suggestedFilename(), "jobs-1-2.csv");
    const text = readFileSync(await file.path(), "utf8");
    assert.ok(text.startsWith("\ufeff"));
    const [head, ...lines] = parsed(text.slice(1));
    assert.equal(lines.length, items.length);
    const found = new Map(lines.map((line) => Object.fromEntries(line.map((cell, at) => [head[at], cell]))).map((line) => [`${line.kind}${line.id}`, line]));
    for (const key of moved) {
      const line = found.get(key);
      assert.deepEqual([line.beforePlace, line.afterPlace], [before, after].map((file) => placed(file, key).join(" > ")));
    }
    for (const { kind, id, operations } of items) assert.equal(found.get(`${kind}${id}`).operations, operations.join(" "));
  }));

test("a long difference begins with its totals, opens a category at a time, and stays small", () =>
  visit("?tenant=advertising", async (page) => {
    const { totals } = await ask("tenants/advertising/diff?from=1&to=2&limit=1&include=places");
    await page.getByRole("link", { name: "Compare version 1 with version 2" }).or(page.getByRole("link", { name: "changes of version 2" })).first().click();
    await heading(page, "From version 1 to version 2").waitFor();
    await quiet(page);
    assert.match(await page.locator(".totals").textContent(), new RegExp(`^${totals.categories + totals.terms} changes`));
    assert.equal(await page.locator(".changes").count(), totals.byCategory.length);
    const counts = await page.locator(".changes h2 .count").allTextContents();
    assert.equal(counts.reduce((sum, count) => sum + Number(count), 0), totals.categories + totals.terms);
    assert.equal(await page.locator(".changes > div:not([hidden])").count(), 1);
    await page.locator(".changes .twist").nth(1).click();
    assert.equal(await page.locator(".changes > div:not([hidden])").count(), 2);
    assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 1_500);
    await accessible(page, "a long difference");
  }));
