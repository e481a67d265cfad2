/**
 * Requests to the API. At most `IN_FLIGHT` run at once; what the service cannot answer now is asked again, within bounds.
 */
import { Failure } from "./failure.js";
import { text } from "./texts.js";

/** Requests that run at once. A path of the tree needs more; they wait for their turn. */
const IN_FLIGHT = 3;
/** Milliseconds after which a request is given up. API Gateway gives up after 30 s. */
const PATIENCE = 30_000;
/** Tries of one request. */
const TRIES = 3;
/** The longest pause between two tries, whatever the service asks for, in seconds. */
const LONGEST_PAUSE = 10;
/** Statuses that another try may change. */
const PASSING = new Set([429, 502, 503, 504]);

/** @typedef {Record<string, string | number | undefined>} Query */
/** @typedef {{ signal?: AbortSignal, hurried?: boolean }} Options `hurried`: do not wait behind other requests. */
/** @typedef {{ status: number, body: any, retryAfter: number | undefined }} Answer */

export class Api {
  /**
   * @param {() => string | undefined} token The bearer token, where there is one.
   * @param {(text: string) => void} announce Says that a request is made again.
   */
  constructor(token, announce) {
    this.token = token;
    this.announce = announce;
    this.running = 0;
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  /**
   * Asks with GET. Throws a `Failure`, or the reason of `signal`.
   * @param {string} path Below `v1/`, its parts encoded.
   * @param {Query} [query]
   * @param {Options} [options]
   * @returns {Promise<any>} The body.
   */
  async get(path, query = {}, options = {}) {
    return (await this.ask(path, query, options)).body;
  }

  /**
   * The same with the status, for answers that come later.
   * @param {string} path
   * @param {Query} [query]
   * @param {Options} [options]
   * @returns {Promise<Answer>}
   */
  async ask(path, query = {}, options = {}) {
    const address = url(path, query);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#inTurn(() => this.#once(address, options.signal), options);
      } catch (error) {
        if (!(error instanceof Failure) || !error.isPassing || attempt === TRIES) throw error;
        const pause = Math.min(error.retryAfter ?? 2 ** (attempt - 1), LONGEST_PAUSE);
        this.announce(text("api.again", { seconds: pause }));
        await sleep(pause * 1000, options.signal);
      }
    }
  }

  /**
   * @template T
   * @param {() => Promise<T>} run
   * @param {Options} options
   */
  async #inTurn(run, { signal, hurried }) {
    if (hurried) return run();
    while (this.running >= IN_FLIGHT) {
      await /** @type {Promise<void>} */ (new Promise((resolve) => this.waiting.push(resolve)));
    }
    if (signal?.aborted) {
      this.waiting.shift()?.();
      throw signal.reason;
    }
    this.running += 1;
    try {
      return await run();
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  /**
   * @param {string} address
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Answer>}
   */
  async #once(address, signal) {
    const patience = AbortSignal.timeout(PATIENCE);
    const token = this.token();
    /** @type {Response} */
    let response;
    /** @type {string} */
    let text;
    try {
      response = await fetch(address, {
        headers: { Accept: "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
        redirect: "error",
      });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new Failure({ kind: patience.aborted ? "slow" : "unreachable" });
    }
    const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
    /** @type {any} */
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      if (response.ok) throw new Failure({ kind: "damaged" });
    }
    if (response.ok) return { status: response.status, body, retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined };
    throw new Failure({
      kind: "refused",
      status: response.status,
      code: typeof body?.type === "string" ? body.type.replace(/^.*\//, "") : undefined,
      detail: typeof body?.detail === "string" ? body.detail : undefined,
      existed: body?.existed,
      request: response.headers.get("X-Request-Id") ?? response.headers.get("apigw-requestid") ?? undefined,
      retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
      isPassing: PASSING.has(response.status),
    });
  }
}

/**
 * The address of a request, relative to the page: a stage or a proxy may stand before it.
 * @param {string} path
 * @param {Query} query
 */
export function url(path, query) {
  const address = new URL(`v1/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address.href;
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}
