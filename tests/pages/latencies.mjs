// Measures a reader's waiting times in the page: `node latencies.mjs TENANT WORD..` prints the median and the longest of each interaction.
// The figures depend on the machine and the emulator and are no check: the deployed service answers from memory in a fraction of them.
import { argv, stdout } from "node:process";
import { ask, launch, quiet, stack, watch } from "./browser.mjs";
import { serve } from "./server.mjs";

const [tenant = "products", ...words] = argv.slice(2);
const ROUNDS = 10;
const browser = await launch();
const server = await serve({ stack: stack() });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
watch(page);

/** Returns the milliseconds from an action to its effect. */
async function measure(what, count, act, before = async () => {}) {
  const times = [];
  for (let round = 0; round < count; round++) {
    await before();
    const start = performance.now();
    await act(round);
    times.push(performance.now() - start);
    await quiet(page);
  }
  times.sort((a, b) => a - b);
  stdout.write(`${what}: median ${times[times.length >> 1].toFixed(0)} ms, longest ${times.at(-1).toFixed(0)} ms, of ${count}\n`);
}

const { items: categories } = await ask(`tenants/${tenant}/categories?limit=100`);
const terms = [];
for (const { id } of categories.slice(0, ROUNDS)) {
  const { counts } = await ask(`tenants/${tenant}/categories/${id}/stats`);
  const { items } = await ask(`tenants/${tenant}/categories/${id}/terms?limit=100`);
  terms.push(items.find(({ depth }) => depth === Math.min(counts.depths.length, 4)) ?? items.at(-1));
}
const heading = (name) => page.waitForFunction((name) => document.querySelector("h1:not(.visually-hidden)")?.textContent === name, name, { polling: 5 });
await measure("a deep link, from the address to the term", terms.length, async (round) => {
  await page.goto(`${server.url}/explore?tenant=${tenant}&term=${terms[round].id}`);
  await heading(terms[round].name);
});
await page.goto(`${server.url}/explore?tenant=${tenant}`);
await quiet(page);
await measure("opening a category", Math.min(ROUNDS, categories.length), async (round) => {
  const key = `c${categories[round].id}`;
  await page.locator(`[data-key="${key}"] .twist`).click();
  await page.waitForFunction((key) => document.querySelector(`[data-key="${key}"]`)?.nextElementSibling?.getAttribute("aria-level") === "2", key, { polling: 5 });
  await page.locator(`[data-key="${key}"] .twist`).click();
});
await measure("a letter in the search, 120 ms of pause included", words.length, async (round) => {
  await page.locator("#search").fill(words[round]);
  await page.waitForFunction(() => document.querySelector(".hits mark"), undefined, { polling: 5 });
}, async () => {
  await page.locator("#search").fill("");
  await page.waitForFunction(() => !document.querySelector(".hits mark"));
});
await page.locator("#search").press("Escape");
await page.locator("#search").press("Escape");
/** Closes what a click has opened, so that the next row stays in view. */
const close = async (key) => {
  const twist = page.locator(`[data-key="${key}"][aria-expanded="true"] .twist`);
  if (await twist.count()) await twist.click();
};
await measure("a term that is chosen in the tree", Math.min(ROUNDS, categories.length), async (round) => {
  await page.locator(`[data-key="c${categories[round].id}"]`).click();
  await heading(categories[round].name);
}, async () => {
  for (const { id } of categories.slice(0, ROUNDS)) await close(`c${id}`);
});
for (const { id } of categories.slice(0, ROUNDS)) await close(`c${id}`);
/** Returns the milliseconds from a click to the frame that shows its heading, without those in which a request was on its way. */
const painted = ({ key, name }) => new Promise((done) => {
  performance.clearResourceTimings();
  const row = document.querySelector(`[data-key="${key}"]`);
  const start = performance.now();
  const look = () => {
    if (document.querySelector("h1:not(.visually-hidden)")?.textContent !== name) return requestAnimationFrame(look);
    const end = performance.now();
    const asked = performance.getEntriesByType("resource").map(({ startTime, responseEnd }) => [startTime, Math.min(responseEnd || end, end)]).sort(([a], [b]) => a - b);
    let [network, until] = [0, start];
    for (const [from, to] of asked) if (to > until) [network, until] = [network + to - Math.max(from, until), to];
    done(end - start - network);
  };
  row.click();
  requestAnimationFrame(look);
});
const own = [];
for (const { id, name } of categories.slice(0, ROUNDS)) {
  own.push(await page.evaluate(painted, { key: `c${id}`, name }));
  await quiet(page);
  await close(`c${id}`);
}
own.sort((a, b) => a - b);
stdout.write(`a click in the tree, without the network: median ${own[own.length >> 1].toFixed(0)} ms, longest ${own.at(-1).toFixed(0)} ms, of ${own.length}\n`);
await browser.close();
await server.close();
