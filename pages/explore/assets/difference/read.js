/** Reading a difference: page after page by itself, up to a bound, then by command. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";

/** Items that are read by themselves. The service compares as many for exact totals, so what has these is read whole. */
const AT_ONCE = 1_100;
const PAGE = 100;

/** @typedef {import("../answers.js").Difference} Difference */
/** @typedef {import("../answers.js").ChangedNode} ChangedNode */

/**
 * @typedef {object} Read
 * @property {Difference} [first] The first page, with the totals.
 * @property {ChangedNode[]} items
 * @property {boolean} isReading
 * @property {unknown} [error]
 * @property {() => void} [more] Reads on; absent at the end.
 */

/**
 * All items from a cursor on, up to a number of them.
 * @param {import("../api.js").Api} api
 * @param {string} path
 * @param {import("../api.js").Query} query
 * @param {{ signal: AbortSignal, cursor?: string, most?: number }} from
 * @returns {AsyncGenerator<Difference>}
 */
export async function* pages(api, path, query, { signal, cursor, most = Infinity }) {
  let count = 0;
  do {
    /** @type {Difference} */
    const page = await api.get(`${path}/diff`, { ...query, limit: PAGE, cursor }, { signal });
    count += page.items.length;
    cursor = page.nextCursor;
    yield page;
  } while (cursor !== undefined && count < most);
}

/**
 * @param {import("../api.js").Api} api
 * @param {string} path
 * @param {import("../api.js").Query} query
 * @returns {Read}
 */
export function useDifference(api, path, query) {
  const key = JSON.stringify([path, query]);
  const [read, setRead] = useState(/** @type {{ key?: string, first?: Difference, items: ChangedNode[], cursor?: string, isReading: boolean, error?: unknown }} */ ({ items: [], isReading: true }));
  const abort = useRef(new AbortController());
  /** @param {{ first?: Difference, items: ChangedNode[], cursor?: string }} from */
  const go = async ({ first, items, cursor }) => {
    abort.current.abort();
    abort.current = new AbortController();
    const { signal } = abort.current;
    let now = { key, first, items, cursor, isReading: true };
    setRead(now);
    try {
      for await (const page of pages(api, path, query, { signal, cursor, most: AT_ONCE })) {
        if (signal.aborted) return;
        now = { key, first: now.first ?? page, items: [...now.items, ...page.items], cursor: page.nextCursor, isReading: true };
        setRead(now);
      }
      setRead({ ...now, isReading: false });
    } catch (error) {
      if (!signal.aborted) setRead({ ...now, isReading: false, error });
    }
  };
  useEffect(() => {
    void go({ items: [] });
    return () => abort.current.abort();
  }, [key]);
  if (read.key !== key) return { items: [], isReading: true };
  const { first, items, cursor, isReading, error } = read;
  const mayGoOn = !isReading && (cursor !== undefined || error !== undefined);
  return { first, items, isReading, error, more: mayGoOn ? () => void go(read) : undefined };
}
