// Compares the stack's own pages with those of `server.mjs`: two servers that share no code give the same responses, except for the digest in the paths.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { stack } from "./browser.mjs";
import { PAGES, serve } from "./server.mjs";

/** The headers that page 24 defines. */
const HEADERS = ["content-type", "cache-control", "content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy"];
const UNPACKED = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body) => body };
/** The largest body that is sent uncompressed, in bytes. */
const SMALL = 1024;
let other;

before(async () => {
  const { stackName } = stack();
  other = await serve({ stack: stack(), config: { formatVersion: 1, source: { kind: "stack", name: stackName }, auth: { mode: "none" } } });
});
after(() => other?.close());

/** Returns a response of the stack or of the other server. */
function get(server, path, coding = "identity") {
  const { apiUrl, apiHost } = stack();
  const [url, host] = server === "stack" ? [apiUrl, apiHost] : [other.origin, new URL(other.origin).host];
  return new Promise((resolve, reject) => {
    request(url + path, { headers: { Host: host, "Accept-Encoding": coding } }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }));
    }).on("error", reject).end();
  });
}

const named = ({ headers }) => Object.fromEntries(HEADERS.map((name) => [name, headers[name]]));
const digestOf = (text) => text.match(/"explore\/assets\/([0-9a-f]{16})\//)?.[1];

for (const page of ["explore", "docs"]) {
  test(`/${page} and its assets are the same on both servers, modulo the digest`, async () => {
    const [ours, theirs] = [await get("stack", `/${page}`), await get("other", `/${page}`)];
    assert.deepEqual([ours.status, named(ours)], [theirs.status, named(theirs)]);
    const digests = [ours, theirs].map(({ body }) => digestOf(body.toString()));
    assert.ok(digests.every(Boolean), `${digests}`);
    assert.equal(ours.body.toString().replaceAll(digests[0], "DIGEST"), theirs.body.toString().replaceAll(digests[1], "DIGEST"));
    // Both pages use the assets of the explorer.
    const folder = join(PAGES, "explore", "assets");
    const files = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
    assert.ok(files.length >= 5, `${files}`);
    for (const name of files) {
      const [asset, same] = [await get("stack", `/explore/assets/${digests[0]}/${name}`), await get("other", `/explore/assets/${digests[1]}/${name}`)];
      assert.deepEqual([asset.status, named(asset)], [200, named(same)], name);
      assert.ok(asset.body.equals(same.body) && asset.body.equals(readFileSync(join(folder, name))), name);
      for (const coding of ["br", "gzip"]) {
        const packed = await get("stack", `/explore/assets/${digests[0]}/${name}`, coding);
        assert.equal(packed.headers["content-encoding"], asset.body.length > SMALL ? coding : undefined, name);
        assert.ok(UNPACKED[packed.headers["content-encoding"] ?? "identity"](packed.body).equals(asset.body), `${name}, ${coding}`);
      }
    }
  });
}

test("settings, and what is not there, are the same on both servers", async () => {
  const [ours, theirs] = [await get("stack", "/explore/config.json"), await get("other", "/explore/config.json")];
  assert.deepEqual([ours.status, named(ours), JSON.parse(ours.body)], [200, named(theirs), JSON.parse(theirs.body)]);
  for (const path of ["/explore/nothing", "/explore/assets/main.js", "/docs/config.json", "/docs/assets/0000000000000000/main.js"]) {
    const [absent, same] = [await get("stack", path), await get("other", path)];
    assert.deepEqual([absent.status, named(absent)], [404, named(same)], path);
  }
});
