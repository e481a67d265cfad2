/** What the service finds for a text: categories and terms by a name, a notation or an id, and the retired or removed term with that id. */

const MOST = 12;
/** An id, of at most the digits of 2^53 - 1. */
const ID = /^[1-9][0-9]{0,15}$/;

/**
 * @typedef {import("../api.js").Api} Api
 * @typedef {import("../api.js").Query} Query
 * @typedef {import("../answers.js").Suggestion & { removed?: boolean }} Hit
 * @typedef {{ text: string, items: Hit[], truncated: boolean, nothingFound?: import("../answers.js").NothingFound }} Hits
 */

/**
 * Returns the hits of a text, the term with this id first. An id finds retired and removed terms too: whoever has it wants to know what it was.
 * @param {Api} api
 * @param {{ path: string, query: Query, text: string, isRetiredShown: boolean }} asked
 * @param {AbortSignal} signal
 * @returns {Promise<Hits>}
 */
export async function find(api, { path, query, text, isRetiredShown }, signal) {
  const [found, term] = await Promise.all([
    api.get(`${path}/suggest`, { ...query, q: text, limit: MOST, deprecated: isRetiredShown ? undefined : "exclude" }, { signal, hurried: true }),
    ID.test(text) && Number.isSafeInteger(Number(text)) ? batch(api, { path, query, ids: text, fields: "name,culture,category.id,deprecated,removed" }, signal) : [],
  ]);
  const named = term.map(({ term }) => ({ ...term, kind: "term", category: term.category.id, matched: { name: text, culture: term.culture, kind: "id", class: "exact", ranges: [[0, text.length]] } }));
  const others = found.items.filter((/** @type {Hit} */ { kind, id }) => !named.some((hit) => hit.kind === kind && hit.id === id));
  return { text, items: /** @type {Hit[]} */ ([...named, ...others]), truncated: found.truncated, nothingFound: found.nothingFound };
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
async function batch(api, { path, query, ids, fields }, signal) {
  const { items } = await api.get(`${path}/terms`, { ...query, ids, fields }, { signal, hurried: true });
  return items.filter((/** @type {import("../answers.js").Batched} */ { term }) => term);
}
