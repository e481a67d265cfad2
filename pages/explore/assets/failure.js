/** Failures of requests, in words for readers: what happened, and what they can do. The codes are those of docs/problems.md. */
import { known, text, word } from "./texts.js";

/**
 * @typedef {object} Facts
 * @property {"refused" | "unreachable" | "slow" | "damaged" | "module"} kind
 * @property {number} [status]
 * @property {string} [code]
 * @property {string} [detail]
 * @property {{ from: { version: number }, until?: { version: number } }} [existed] The versions that added and removed what this one lacks.
 * @property {string} [request] The id under which the service logged it.
 * @property {number} [retryAfter] Seconds.
 * @property {boolean} [isPassing]
 */

export class Failure extends Error {
  /** @param {Facts} facts */
  constructor(facts) {
    super(facts.code ?? facts.kind);
    this.facts = facts;
    this.retryAfter = facts.retryAfter;
    this.isPassing = facts.isPassing ?? facts.kind === "unreachable";
  }

  get status() {
    return this.facts.status;
  }

  get code() {
    return this.facts.code;
  }
}

/**
 * A failure as a title and advice.
 * @param {unknown} error
 * @returns {{ title: string, advice: string, detail?: string, request?: string, mayRetry: boolean }}
 */
export function inWords(error) {
  if (!(error instanceof Failure)) return { title: text("failure.page"), advice: text("failure.page.advice"), detail: String(error), mayRetry: true };
  const { code, status = 0, kind, detail, request, existed } = error.facts;
  const byStatus = status >= 500 ? 503 : 400;
  const name = [code, kind === "refused" ? status : kind, kind === "refused" ? byStatus : "other"].find((name) => known("failure", name)) ?? "other";
  const lived = existed && (existed.until ? text("failure.existed.until", { from: existed.from.version, until: existed.until.version }) : text("failure.existed", { from: existed.from.version }));
  // Of what a version lacks the advice says in words what the detail of the service says.
  const isSaid = name === "term-not-found" || name === "category-not-found";
  return { title: word("failure", String(name)), advice: lived ?? word("failure", `${name}.advice`), detail: isSaid ? undefined : detail, request, mayRetry: status !== 400 && status !== 404 };
}
