// Runs `taxonomy explore` for the tests of the pages.
import { spawn } from "node:child_process";
import { request } from "node:http";
import { env } from "node:process";
import { browsing, counted, stack } from "./browser.mjs";

/** Starts the command, and returns its output. `close` ends it. */
export async function explore(...words) {
  const { commandLine } = stack();
  const command = spawn(commandLine, ["explore", ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  command.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const ended = new Promise((done) => command.on("exit", done));
  const address = await new Promise((resolve, reject) => {
    let text = "";
    command.stdout.setEncoding("utf8").on("data", (more) => {
      text += more;
      if (text.includes("\n")) resolve(text.trim());
    });
    command.on("exit", (code) => reject(new Error(`taxonomy explore ended with ${code}: ${said}`)));
  });
  const { origin, pathname } = new URL(address);
  return { address, url: origin + pathname.replace(/\/open\/.*/, ""), origin, said: () => said, close: () => (command.kill("SIGINT"), ended) };
}

/** Opens the printed address without a browser; returns the session's cookie. */
function cookieOf({ address, url }) {
  return new Promise((resolve, reject) => {
    request(address, ({ statusCode, headers }) => {
      const [name, value] = headers["set-cookie"]?.[0].split(";")[0].split("=") ?? [];
      if (statusCode === 303 && value) resolve({ name, value, domain: "127.0.0.1", path: new URL(url).pathname, httpOnly: true, sameSite: "Strict" });
      else reject(new Error(`the address was answered with ${statusCode}`));
    }).on("error", reject).end();
  });
}

/** Starts a browser with a session of `taxonomy explore`, for the tests of a file. */
export const explored = (...words) =>
  browsing(async () => {
    const running = await explore(...words);
    const cookie = await cookieOf(running);
    return counted({ ...running, prepare: (context) => context.addCookies([cookie]) });
  });
