/** Failures of requests, in words for readers: what happened, and what they can do. The codes are those of docs/problems.md. */

/**
 * @typedef {object} Facts
 * @property {"refused" | "unreachable" | "slow" | "damaged"} kind
 * @property {number} [status]
 * @property {string} [code]
 * @property {string} [detail]
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

/** @type {Record<string, [string, string]>} */
const BY_CODE = {
  "term-not-found": ["This version has no such term", "It may have been added later. Choose another version, or check the number in the address."],
  "category-not-found": ["This version has no such category", "It may have been added later. Choose another version, or check the number in the address."],
  "tenant-not-found": ["There is no such taxonomy here", "It has no served version yet, you may not read it, or the name in the address is wrong. Choose another one above."],
  "tenant-damaged": ["The taxonomy cannot be read now", "Its operators can have it restored. Try again in some minutes."],
  "version-not-found": ["There is no such version", "Choose one in the list of versions."],
  "archive-unavailable": ["The files of this version cannot be read", "Try again in a moment."],
  "stats-not-found": ["Nothing has been counted yet", "A version is counted moments after it is served. Try again in a moment."],
  "download-failed": ["The download could not be made", "The service tries again an hour after the failure. Choose another format, or tell your operator."],
  "answer-too-large": ["The answer is too large", "Open a smaller part of the taxonomy."],
};

/** @type {Record<number, [string, string]>} */
const BY_STATUS = {
  400: ["The address asks for something that the service does not take", "Check the address of this page."],
  401: ["You are not signed in, or your sign-in has ended", "Sign in again. The page stays where it is."],
  403: ["You may not read this", "Ask the owner of the taxonomy for access."],
  404: ["This was not found", "Check the address of this page."],
  429: ["Too many requests at once", "The service takes only so many a second. Wait a moment, then try again."],
  500: ["The service made a mistake", "Try again. If it stays, report it with the number of the request."],
  503: ["The service cannot answer now", "It may be busy or starting. Try again in a moment."],
};

/** @type {Record<string, [string, string]>} */
const BY_KIND = {
  unreachable: ["The service cannot be reached", "The connection was refused or cut off. Check your network, then try again."],
  slow: ["The service took too long", "It did not answer within 30 seconds. Try again."],
  damaged: ["The answer was cut off", "Not all of it arrived. Try again."],
};

/**
 * A failure as a title and advice.
 * @param {unknown} error
 * @returns {{ title: string, advice: string, detail?: string, request?: string, mayRetry: boolean }}
 */
export function inWords(error) {
  if (!(error instanceof Failure)) return { title: "The page made a mistake", advice: "Load it again.", detail: String(error), mayRetry: true };
  const { code, status = 0, kind, detail, request } = error.facts;
  const [title, advice] =
    (code ? BY_CODE[code] : undefined) ?? (kind === "refused" ? BY_STATUS[status] ?? (status >= 500 ? BY_STATUS[503] : BY_STATUS[400]) : BY_KIND[kind]) ?? ["Something failed", "Try again."];
  return { title, advice, detail, request, mayRetry: status !== 400 && status !== 404 };
}
