// A real Chromium, and the assertions of every test: no console error, no violation of the policy, no request to another host.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { after, before } from "node:test";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { program } from "./program.mjs";
import { serve } from "./server.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The time-out of every wait of a page, in milliseconds: the emulator answers on a machine that may compile at the same time. */
const PATIENCE = 20_000;
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"];

/** The stack that the tests run over. */
export const stack = () => JSON.parse(readFileSync(env.STACK_FILE ?? ".local/stack.json", "utf8"));

export const launch = async () => chromium.launch({ executablePath: await program(), args: ARGUMENTS });

/**
 * A server that does not count requests, so the browser does. `asked`: the requests of the API; `most`: the largest number at once.
 * @param {{ url: string, origin: string, close: () => Promise<unknown>, prepare?: (context: any) => Promise<void> }} running
 */
export function counted(running) {
  const server = { ...running, asked: /** @type {string[]} */ ([]), open: 0, most: 0 };
  const isAsked = (request) => request.url().startsWith(`${running.url}/v1/`);
  const ended = (request) => isAsked(request) && (server.open -= 1);
  const count = (context) => {
    Object.assign(server, { asked: [], open: 0, most: 0 });
    context.on("request", (request) => {
      if (!isAsked(request)) return;
      server.asked.push(request.url().slice(running.url.length));
      server.open += 1;
      server.most = Math.max(server.most, server.open);
    });
    context.on("requestfailed", ended);
    context.on("requestfinished", ended);
  };
  return Object.defineProperty(Object.assign(server, { count }), "fault", {
    set() {
      throw new Error("this server does not fail on demand: `served` has one that does");
    },
  });
}

/** Opens the stack's own pages. */
function deployed() {
  const url = `http://${stack().apiHost}`;
  return counted({ url, origin: url, close: async () => {} });
}

/** Starts `server.mjs` in front of the stack. */
async function inFront(options) {
  const server = await serve({ stack: stack(), ...(typeof options === "function" ? await options() : options) });
  const count = () => {
    server.asked.length = 0;
    server.most = 0;
    server.fault = () => undefined;
  };
  return Object.assign(server, { count });
}

/** Starts a browser over the pages that the stack serves, for the tests of a file; a stack in memory serves none. */
export const world = () => browsing(async () => (stack().pages === false ? inFront({}) : deployed()));

/**
 * Starts a browser over `server.mjs`: for faults, other settings and a prefix, which a stack does not have.
 * @param {object} [options] The options of `serve`.
 */
export const served = (options = {}) => browsing(() => inFront(options));

/**
 * Starts a browser over the server that `start` returns, for the tests of a file.
 * @param {() => Promise<any>} start
 */
export function browsing(start) {
  const made = { browser: undefined, server: undefined };
  before(async () => {
    made.browser = await launch();
    made.server = await start();
  });
  after(async () => {
    await made.browser?.close();
    await made.server?.close();
  });

  /**
   * Opens the explorer, runs a test in it, and checks the errors of the browser.
   * @param {string} query The state in the address.
   * @param {(page: any, seen: { requests: string[] }) => Promise<void>} test
   * @param {object} [settings] Of the browser's context; `path` instead of `/explore`; `mayFail`: requests are expected to fail.
   */
  async function visit(query, test, { path = "/explore", mayFail = false, allow = [], ...settings } = {}) {
    const { server, browser } = made;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...settings });
    server.count(context);
    await server.prepare?.(context);
    try {
      const wrong = [];
      const requests = [];
      context.setDefaultTimeout(PATIENCE);
      context.on("request", (request) => {
        const { origin, protocol } = new URL(request.url());
        requests.push(request.url());
        if (origin !== server.origin && protocol !== "data:" && !allow.includes(origin)) wrong.push(`asks ${request.url()}`);
      });
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) => console.error(`violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
      });
      const page = await context.newPage();
      watch(page);
      page.on("pageerror", (error) => wrong.push(`error: ${error.message} ${error.stack}`));
      page.on("console", (message) => {
        const isMeant = mayFail && /^Failed to load resource/.test(message.text());
        if (["error", "warning"].includes(message.type()) && !isMeant) wrong.push(`console: ${message.text()}`);
      });
      if (settings.before) await settings.before({ server, page, context });
      await page.goto(`${server.url}${path}${query}`);
      await test(page, { requests, server, context });
      assert.deepEqual(wrong, []);
    } finally {
      await context.close();
    }
  }
  return { visit, made };
}

/**
 * Asserts that axe-core reports no violation.
 * @param {string[]} [except] Rules that elements of another project violate.
 */
export async function accessible(page, what, except = []) {
  await page.evaluate(AXE);
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]));
  const { violations } = await page.evaluate(
    (rules) => window.axe.run(document, { resultTypes: ["violations"], rules, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
    rules,
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`).join(" | ")}`);
  assert.deepEqual(found, [], `axe: ${what}`);
}

/** Returns the tree's row of a name. */
export const row = (page, name) => page.getByRole("treeitem").filter({ has: page.locator(".name").getByText(name, { exact: true }) });
export const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true });
/** A time without a request, in milliseconds, that is longer than any pause of the page between two requests. */
const STILL = 350;
/** @type {WeakMap<object, { open: number, since: number }>} */
const traffic = new WeakMap();

/** Counts the requests of a page from now on. */
export function watch(page) {
  const seen = { open: 0, since: Date.now() };
  traffic.set(page, seen);
  const count = (step) => () => Object.assign(seen, { open: seen.open + step, since: Date.now() });
  page.on("request", count(1)).on("requestfinished", count(-1)).on("requestfailed", count(-1));
}

/** Waits until the page sends no further request. */
export async function quiet(page) {
  const seen = traffic.get(page);
  seen.since = Date.now();
  const until = Date.now() + PATIENCE;
  while (seen.open > 0 || Date.now() - seen.since < STILL) {
    assert.ok(Date.now() < until, "the page does not come to rest");
    await new Promise((later) => setTimeout(later, 50));
  }
}

/** Returns the changes that a difference shows, those that follow from others too: `term 110`. */
export async function changes(page) {
  const closed = page.locator('.following > button[aria-expanded="false"]');
  while (await closed.count()) await closed.first().click();
  return page.locator(".changes h2 a:not(.unchanged), .branch > a:not(.unchanged), .following li a").evaluateAll((links) =>
    links.map((link) => ["term", "category"].flatMap((kind) => new URL(link.href).searchParams.get(kind)?.replace(/^/, `${kind} `) ?? [])[0]),
  );
}

/** Returns the text that the page copies. */
export const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };
export const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Returns a response of the API itself. */
export async function ask(path) {
  const { apiUrl, apiHost } = stack();
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    request(`${apiUrl}/v1/${path}`, { headers: { Host: apiHost } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("end", () => resolve(JSON.parse(text)));
    }).on("error", reject).end();
  });
}
