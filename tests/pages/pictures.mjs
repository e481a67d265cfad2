// Pictures of the explorer: `node pictures.mjs FOLDER` writes them there. `explorer.png` is the one of the README.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { launch, quiet, stack, watch } from "./browser.mjs";
import { serve } from "./server.mjs";

const [folder = "pictures"] = argv.slice(2);
mkdirSync(folder, { recursive: true });
const type = async (page, text) => {
  await page.locator("#search").fill(text);
  await page.locator(".hits [role=option] .where").filter({ hasText: "›" }).first().waitFor();
};
const show = async (page, name) => page.getByRole("button", { name }).click();
const bottom = async (page) => page.locator(".timeline").scrollIntoViewIfNeeded();

/** Name, address, actions, context. */
const PICTURES = [
  ["light", "?tenant=products&term=1604&culture=de-DE", quiet],
  ["dark", "?tenant=products&term=1604&culture=de-DE", quiet, { colorScheme: "dark" }],
  ["overview", "?tenant=products"],
  ["overview-dark", "?tenant=products", undefined, { colorScheme: "dark" }],
  ["320", "?tenant=jobs&term=110", undefined, { viewport: { width: 320, height: 640 } }],
  ["320-search", "?tenant=jobs", (page) => type(page, "dev"), { viewport: { width: 320, height: 640 } }],
  ["search", "?tenant=products", (page) => type(page, "coffee ma")],
  ["difference", "?tenant=jobs&compare=1"],
  ["timeline", "?tenant=jobs&term=110", bottom],
  ["versions", "?tenant=products", (page) => show(page, "Version 3")],
  ["retired", "?tenant=hostile&retired=1&term=101"],
  ["downloads", "?tenant=jobs", (page) => show(page, "Download")],
  ["api-dark", "?tenant=jobs#getTerm", quiet, { path: "/docs", colorScheme: "dark" }],
  ["api", "?tenant=jobs#getTerm", quiet, { path: "/docs" }],
  ["api-problems", "#problems", quiet, { path: "/docs" }],
];

const browser = await launch();
const server = await serve({ stack: stack() });
/** @param {string} file */
async function take(file, query, act, { path = "/explore", ...settings } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...settings });
  const page = await context.newPage();
  watch(page);
  await page.goto(`${server.url}${path}${query}`);
  await quiet(page);
  await act?.(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: file });
  await context.close();
}
for (const [name, query, act, settings] of PICTURES) await take(join(folder, `${name}.png`), query, act, settings);
await take(join(folder, "explorer.png"), "?tenant=jobs&term=110", quiet, { viewport: { width: 1100, height: 700 } });
await browser.close();
await server.close();
