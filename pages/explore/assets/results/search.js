/** What the page of results asks the service for. */

/** Results of a page of the list. */
export const PAGE = 50;
/** Members of a result that a table needs. */
const FIELDS = "kind,id,name,culture,finalName,category,notation,path,deprecated";

/**
 * @typedef {import("../api.js").Api} Api
 * @typedef {import("../answers.js").Suggestions} Suggestions
 */

/**
 * The parameters of a state. The filters are facets: they narrow what the text finds, and the service counts the values of each.
 * @param {import("../state.js").State} state
 */
export function parameters({ q, within, below, parents, depth, kind, missing, deprecated, languages, retired }) {
  return { q, category: within, below, parents, depth, kind, missing, deprecated: deprecated ?? (retired ? undefined : "exclude"), cultures: languages, counts: "facets", limit: PAGE };
}

/** Cursors of the pages that have been read, by what was asked. @type {Map<string, string[]>} */
const CURSORS = new Map();
/** The most lists whose cursors are kept. */
const MOST_LISTS = 20;

/**
 * Reads a page of results, from the first one on where the pages before it have not been read: a cursor is what the page before says.
 * The numbers of the facets come with the first page, so that is read as well.
 * @param {Api} api
 * @param {string} path
 * @param {import("../api.js").Query} query
 * @param {number} page From 1 on.
 * @param {AbortSignal} signal
 */
export async function readPage(api, path, query, page, signal) {
  const key = JSON.stringify([path, query]);
  /** @param {string | undefined} cursor @param {string} [fields] @returns {Promise<Suggestions>} */
  const read = (cursor, fields) => api.get(`${path}/suggest`, { ...query, cursor, fields }, { signal });
  const first = await read(undefined);
  if (page === 1) return { first, current: first };
  const cursors = CURSORS.get(key) ?? [];
  if (cursors.length === 0 && first.nextCursor) cursors.push(first.nextCursor);
  while (cursors.length < page - 1 && cursors.length > 0) {
    const { nextCursor } = await read(cursors.at(-1), "id");
    if (!nextCursor) break;
    cursors.push(nextCursor);
  }
  if (CURSORS.size >= MOST_LISTS) CURSORS.clear();
  CURSORS.set(key, cursors);
  const cursor = cursors[page - 2];
  return { first, current: cursor === undefined ? undefined : await read(cursor) };
}

/**
 * Reads all results that the pages have, and says after each page how many those are.
 * @param {Api} api
 * @param {string} path
 * @param {import("../api.js").Query} query
 * @param {(read: number) => void} onRead
 * @param {AbortSignal} signal
 */
export async function readAll(api, path, query, onRead, signal) {
  /** @type {import("../answers.js").Suggestion[]} */
  const items = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    /** @type {Suggestions} */
    const page = await api.get(`${path}/suggest`, { ...query, fields: FIELDS, cursor }, { signal });
    items.push(...page.items);
    cursor = page.nextCursor;
    onRead(items.length);
  } while (cursor);
  return items;
}
