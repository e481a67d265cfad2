/** What the service finds for a text: categories and terms by a name, a code or an id, and what was deprecated or removed with that id. */

const MOST = 12;
/** An id, of at most the digits of 2^53 - 1. */
const ID = /^[1-9][0-9]{0,15}$/;

/**
 * @typedef {import("../api.js").Api} Api
 * @typedef {import("../api.js").Query} Query
 * @typedef {import("../answers.js").Suggestion & { removed?: boolean }} Hit
 * @typedef {{ text: string, items: Hit[], total: number, isMinimum: boolean, truncated: boolean, nothingFound?: import("../answers.js").NothingFound }} Hits
 */

/** Whether a text is an id. @param {string} text */
export const isId = (text) => ID.test(text) && Number.isSafeInteger(Number(text));

/**
 * Returns the hits of a text, the term with this id first. An id finds deprecated and removed nodes too: whoever has it wants to know what it was.
 * @param {Api} api
 * @param {{ path: string, query: Query, text: string, isRetiredShown: boolean }} asked
 * @param {AbortSignal} signal
 * @returns {Promise<Hits>}
 */
export async function find(api, { path, query, text, isRetiredShown }, signal) {
  const hasId = isId(text);
  const [found, term] = await Promise.all([
    api.get(`${path}/suggest`, { ...query, q: text, limit: MOST, deprecated: isRetiredShown || hasId ? undefined : "exclude" }, { signal, hurried: true }),
    hasId ? batch(api, { path, query, ids: text, fields: "name,culture,category.id,deprecated,removed" }, signal) : [],
  ]);
  const named = term.map(({ term }) => ({ ...term, kind: "term", category: term.category.id, matched: { name: text, culture: term.culture, kind: "id", class: "exact", ranges: [[0, text.length]] } }));
  const others = found.items.filter((/** @type {Hit} */ { kind, id }) => !named.some((hit) => hit.kind === kind && hit.id === id));
  const items = /** @type {Hit[]} */ ([...named, ...others]);
  return { text, items, total: found.total + items.length - found.items.length, isMinimum: found.totalIsMinimum, truncated: found.truncated, nothingFound: found.nothingFound };
}

/**
 * Returns of each term among the hits the category and the ancestors, from the top.
 * @param {Api} api
 * @param {{ path: string, query: Query, items: Hit[] }} asked
 * @param {AbortSignal} signal
 * @returns {Promise<Map<number, import("../answers.js").Named[]>>}
 */
export async function places(api, { path, query, items }, signal) {
  const ids = items.filter(({ kind }) => kind === "term").map(({ id }) => id);
  if (!ids.length) return new Map();
  const found = await batch(api, { path, query, ids: ids.join(","), fields: "category.name,ancestors.name" }, signal);
  return new Map(found.map(({ id, term }) => [id, [term.category, ...[...term.ancestors].reverse()]]));
}

/**
 * @param {Api} api
 * @param {{ path: string, query: Query, ids: string, fields: string }} asked
 * @param {AbortSignal} signal
 * @returns {Promise<{ id: number, term: import("../answers.js").Term }[]>} Those of the ids that are terms.
 */
export async function batch(api, { path, query, ids, fields }, signal) {
  const { items } = await api.get(`${path}/terms`, { ...query, ids, fields }, { signal, hurried: true });
  return items.filter((/** @type {import("../answers.js").Batched} */ { term }) => term);
}
