// Serves `pages/` as a stack does (`deployed.test.mjs` compares the two): hashed paths, the same headers, the API behind it; and injects faults.
// By hand: `STACK=../../.local/stack.json node server.mjs` prints an address.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { argv, env } from "node:process";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
export const PAGES = env.PAGES ?? join(HERE, "..", "..", "pages");
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8" };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Returns every file below a folder. */
function files(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name)).filter((path) => statSync(path).isFile()).sort();
}

// Both pages use the assets of the explorer.
const ASSETS = join(PAGES, "explore", "assets");

/** Returns the digest in the paths of the assets, as the files are now. */
function digest(folder) {
  const hash = createHash("sha256");
  for (const file of files(folder)) hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

/**
 * @param {object} options
 * @param {{ apiUrl: string, apiHost: string }} options.stack
 * @param {string} [options.prefix] A prefix of every path, such as a stage.
 * @param {object} [options.config] `explore/config.json`.
 * @param {string} [options.connect] A further origin to which the explorer may send requests.
 * @param {(asked: { path: string, headers: object }) => object | undefined} [options.fault] The fault of a request of the API:
 *   `status`, `headers`, `body`; `delay` in ms; `cut` bytes after which the connection ends; `drop` the connection at once.
 */
export async function serve({ stack, prefix = "", config, connect, fault = () => undefined }) {
  const server = { asked: /** @type {string[]} */ ([]), open: 0, most: 0, fault, digest: digest(ASSETS), config: config ?? { formatVersion: 1, source: { kind: "stack", name: "taxonomy" }, auth: { mode: "none" } } };
  const api = new URL(stack.apiUrl);
  const listener = createServer((asked, answer) => {
    const url = new URL(asked.url ?? "/", "http://page");
    if (!url.pathname.startsWith(prefix)) return answer.writeHead(404).end();
    const path = url.pathname.slice(prefix.length);
    if (path.startsWith("/v1/")) return void pass(server, api, stack.apiHost, asked, answer, path + url.search);
    return answerPage(server, path, answer, connect);
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", ready));
  const { port } = listener.address();
  return Object.assign(server, {
    url: `http://127.0.0.1:${port}${prefix}`,
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((done) => (listener.closeAllConnections(), listener.close(done))),
  });
}

function answerPage(server, path, answer, connect) {
  for (const page of ["explore", "docs"]) {
    if (path.split("/")[1] !== page) continue;
    const policy = page === "explore" && connect ? POLICY.replace("connect-src 'self'", `connect-src 'self' ${connect}`) : POLICY;
    const headers = { "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin" };
    if (path === "/explore/config.json") {
      return answer.writeHead(200, { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" }).end(JSON.stringify(server.config));
    }
    if (path === `/${page}`) {
      const text = readFileSync(join(PAGES, page, "index.html"), "utf8").replaceAll("explore/assets/", `explore/assets/${(server.digest = digest(ASSETS))}/`);
      return answer.writeHead(200, { ...headers, "Content-Type": TYPES[".html"], "Cache-Control": "no-cache" }).end(text);
    }
    const start = `/explore/assets/${server.digest}/`;
    const file = path.startsWith(start) && normalize(join(ASSETS, decodeURIComponent(path.slice(start.length))));
    if (file && file.startsWith(ASSETS) && existsSync(file) && statSync(file).isFile()) {
      const body = readFileSync(file);
      return answer.writeHead(200, { ...headers, "Content-Type": TYPES[extname(file)], "Cache-Control": "public, max-age=31536000, immutable", "Content-Length": body.length }).end(body);
    }
    return answer.writeHead(404, { ...headers, "Content-Type": TYPES[".txt"], "Cache-Control": "no-store" }).end("not found");
  }
  return answer.writeHead(404).end();
}

/** Forwards a request to the API, or fails as the test demands. */
async function pass(server, api, host, asked, answer, path) {
  server.asked.push(path);
  server.open += 1;
  server.most = Math.max(server.most, server.open);
  answer.once("close", () => (server.open -= 1));
  const wrong = server.fault({ path, headers: asked.headers, method: asked.method });
  if (wrong?.delay) await new Promise((later) => setTimeout(later, wrong.delay));
  // A browser that went away waits for nothing, and a request that is not ended would keep the stack.
  if (wrong?.drop || answer.destroyed) return asked.socket.destroy();
  if (wrong?.status) return answer.writeHead(wrong.status, { "Content-Type": "application/json", ...wrong.headers }).end(JSON.stringify(wrong.body ?? { message: "failed" }));
  const { connection: _, ...headers } = asked.headers;
  const passed = request({ hostname: api.hostname, port: api.port, path, method: asked.method, headers: { ...headers, host } }, (from) => {
    if (wrong?.cut) {
      answer.writeHead(from.statusCode, from.headers);
      from.once("data", (chunk) => (answer.write(chunk.subarray(0, wrong.cut)), setTimeout(() => asked.socket.destroy(), 20)));
      return;
    }
    answer.writeHead(from.statusCode, from.headers);
    from.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  answer.once("close", () => passed.destroy());
  asked.pipe(passed);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const stack = JSON.parse(readFileSync(env.STACK ?? join(HERE, "..", "..", ".local", "stack.json"), "utf8"));
  const { url } = await serve({ stack });
  console.log(`${url}/explore`);
}
