/** The taxonomies that the reader may see: the first page at once, the others when they are wanted. */
import { useCallback, useEffect, useState } from "../vendor/hooks.js";

const PAGE = 100;
/** More than a person looks through; who has more types an id. */
const MOST = 3_000;

/** @typedef {import("../answers.js").ListedTenant} ListedTenant */

/**
 * @typedef {object} Tenants
 * @property {ListedTenant[]} items
 * @property {boolean} isLoading
 * @property {boolean} isWhole Whether there are no others.
 * @property {unknown} [error]
 * @property {() => void} again
 */

/**
 * @param {import("../api.js").Api} api
 * @param {boolean} wantsAll
 * @returns {Tenants}
 */
export function useTenants(api, wantsAll) {
  const [turn, setTurn] = useState(0);
  const [read, setRead] = useState(/** @type {{ items: ListedTenant[], cursor?: string, isBegun: boolean, error?: unknown }} */ ({ items: [], isBegun: false }));
  const { items, cursor, isBegun, error } = read;
  const isWhole = isBegun && cursor === undefined;
  const isWanted = error === undefined && (!isBegun || (wantsAll && !isWhole && items.length < MOST));
  useEffect(() => {
    if (!isWanted) return undefined;
    const abort = new AbortController();
    api.get("tenants", { limit: PAGE, cursor }, { signal: abort.signal }).then(
      (page) => !abort.signal.aborted && setRead({ items: [...items, ...page.items], cursor: page.nextCursor, isBegun: true }),
      (error) => !abort.signal.aborted && setRead({ ...read, error }),
    );
    return () => abort.abort();
  }, [isWanted, cursor, turn]);
  const again = useCallback(() => {
    setRead((now) => ({ ...now, error: undefined }));
    setTurn((last) => last + 1);
  }, []);
  return { items, isLoading: isWanted, isWhole, error, again };
}
