/** A request as its reader wrote it: its address, and what is answered. */

/** Characters of an answer that are shown. */
export const MOST_SHOWN = 200_000;
/** Milliseconds after which a request is given up, as API Gateway gives it up. */
const PATIENCE = 30_000;

/**
 * @param {string} base The address of the stack, with a slash at its end.
 * @param {import("./description.js").Operation} operation
 * @param {Record<string, string>} values By the names of the parameters, `tenant` included.
 */
export function addressOf(base, { path, parameters }, values) {
  const filled = path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ""));
  const query = parameters.filter(({ name, place }) => place === "query" && values[name]).map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? "").replaceAll("%2C", ",")}`);
  return `${base}${filled}${query.length ? `?${query.join("&")}` : ""}`;
}

/**
 * @typedef {{ status: number, time: number, headers: [string, string][], text: string, isWhole: boolean, code?: string }} Reply
 *
 * @param {string} url
 * @param {{ method: string, body?: string | undefined, token?: string | undefined }} options
 * @returns {Promise<Reply>}
 */
export async function send(url, { method, body, token }) {
  const start = performance.now();
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(PATIENCE),
    redirect: "error",
    cache: "no-store",
  });
  const raw = await response.text();
  const time = Math.round(performance.now() - start);
  let text = raw;
  let code;
  try {
    const parsed = JSON.parse(raw);
    text = JSON.stringify(parsed, null, 2);
    code = response.ok ? undefined : /^\/problems\/([a-z-]+)$/.exec(parsed.type)?.[1];
  } catch {
    // It is shown as it is.
  }
  return { status: response.status, time, headers: [...response.headers].sort(), text: text.slice(0, MOST_SHOWN), isWhole: text.length <= MOST_SHOWN, ...(code !== undefined && { code }) };
}
