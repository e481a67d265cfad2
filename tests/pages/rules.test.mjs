// Tests of rules for the sources of the pages: types, unchanged vendored files, nothing inline, nothing from other hosts, everything preloaded.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { execPath } from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PAGES } from "./server.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(PAGES, { recursive: true }).filter((path) => statSync(join(PAGES, path)).isFile());
const read = (path) => readFileSync(join(PAGES, path), "utf8");
const isVendored = (path) => path.includes("/vendor/");
const own = files.filter((path) => /\.(js|css|html)$/.test(path) && !isVendored(path));

test("the explorer's modules have no error of types, by their JSDoc", () => {
  const checked = join(HERE, "checked");
  rmSync(checked, { recursive: true, force: true });
  cpSync(join(PAGES, "explore", "assets"), checked, { recursive: true });
  rmSync(join(checked, "vendor"), { recursive: true });
  mkdirSync(join(checked, "vendor"));
  // The types of the packages of the vendored files.
  for (const [name, exported] of Object.entries({ preact: '* from "preact"', hooks: '* from "preact/hooks"', htm: '{ default } from "htm"', oauth4webapi: '* from "oauth4webapi"' })) {
    writeFileSync(join(checked, "vendor", `${name}.d.ts`), `export ${exported};\n`);
  }
  const { status, stdout } = spawnSync(execPath, [join(HERE, "node_modules", "typescript", "lib", "tsc.js"), "-p", HERE], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

test("VENDORED.md lists each vendored file with its checksum", () => {
  const rows = [...read("VENDORED.md").matchAll(/^\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|/gm)].map(([, path, sum]) => [path, sum]);
  assert.deepEqual(rows.map(([path]) => path).sort(), files.filter(isVendored).sort());
  for (const [path, sum] of rows) assert.equal(createHash("sha256").update(readFileSync(join(PAGES, path))).digest("hex"), sum, path);
});

test("each vendored file is the one of its package, but for the change that VENDORED.md names", () => {
  const withoutMap = (text) => text.replace(/\n?\n?(\/\/# sourceMappingURL=\S+|\/\*# sourceMappingURL=\S+\*\/)\n?/g, "\n").trimEnd();
  const modules = join(HERE, "node_modules");
  const from = {
    "explore/assets/vendor/preact.js": ["preact/dist/preact.mjs", withoutMap],
    "explore/assets/vendor/hooks.js": ["preact/hooks/dist/hooks.mjs", (text) => withoutMap(text).replace('from"preact"', 'from"./preact.js"')],
    "explore/assets/vendor/htm.js": ["htm/dist/htm.mjs", withoutMap],
    "explore/assets/vendor/oauth4webapi.js": ["oauth4webapi/build/index.js", withoutMap],
    "explore/assets/vendor/preact.LICENSE.txt": ["preact/LICENSE", String],
    "explore/assets/vendor/htm.LICENSE.txt": ["htm/LICENSE", String],
    "explore/assets/vendor/oauth4webapi.LICENSE.txt": ["oauth4webapi/LICENSE.md", String],
  };
  assert.deepEqual(Object.keys(from).sort(), files.filter(isVendored).sort());
  for (const [path, [origin, change]] of Object.entries(from)) assert.ok(read(path).trimEnd() === change(readFileSync(join(modules, origin), "utf8")).trimEnd(), path);
});

test("nothing is inline, nothing comes from another host, no markup is made of strings", () => {
  for (const path of own) {
    const text = read(path);
    if (path.endsWith(".html")) {
      assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i, path);
      for (const [, address] of text.matchAll(/(?:href|src)="([^"]+)"/g)) assert.match(address, /^explore\/assets\/|^v1\/|^explore$|^data:,$/, `${path}: ${address}`);
    } else {
      const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|dangerouslySet/;
      const elsewhere = path.endsWith(".css") ? /https?:|@import|url\(/ : /["'`]https?:\/\/|import\("(?!\.)/;
      for (const rule of [markup, elsewhere]) assert.ok(!rule.test(text), `${path} has ${rule}`);
    }
  }
});

test("the index.html of each page preloads every module that it begins with, so that none waits for another", () => {
  const assets = join(PAGES, "explore", "assets");
  /** @param {string} path @param {RegExp[]} imports @param {Set<string>} found */
  const walk = (path, imports, found = new Set()) => {
    if (found.has(path)) return found;
    found.add(path);
    const text = readFileSync(path, "utf8");
    for (const form of imports) for (const names of text.matchAll(form)) walk(resolve(dirname(path), names.slice(1).find(Boolean)), imports, found);
    return found;
  };
  const atOnce = /^import (?:[^"]*from )?"([^"]+)"|^import\{[^"]*from"([^"]+)"/gm;
  const later = /(?:=> |await |^)import\("([^"]+)"\)/gm;
  const names = (found) => [...found].map((path) => relative(assets, path)).sort();
  // `boot.js` loads the page, so that it can say what did not arrive.
  for (const [page, first] of [["explore", "main.js"], ["docs", "reference/main.js"]]) {
    const preloaded = [...read(`${page}/index.html`).matchAll(/modulepreload" href="explore\/assets\/([^"]+)"/g)].map(([, path]) => path);
    assert.deepEqual(preloaded.sort(), names(walk(join(assets, first), [atOnce])));
  }
  // A file that no other file imports is not a part of the page.
  const reachable = names(walk(join(assets, "boot.js"), [atOnce, later]));
  const modules = own.filter((path) => path.startsWith("explore/assets") && path.endsWith(".js")).map((path) => relative("explore/assets", path));
  assert.deepEqual(modules.filter((path) => !reachable.includes(path)), ["answers.js"]);
});
