/** Names of other terms, a hundred a request. */
import { useLoaded } from "../load.js";
import { usePage, useShown } from "../page.js";

const MOST = 100;

/**
 * The terms of these ids, as far as they are there.
 * @param {number[]} ids
 */
export function useTerms(ids) {
  const { api } = usePage();
  const { path, query } = useShown();
  const wanted = [...new Set(ids)].slice(0, MOST);
  const loaded = useLoaded(
    wanted.length
      ? async (signal) => {
          const { items } = await api.get(`${path}/terms`, { ...query, ids: wanted.join(","), fields: "name,culture,finalName,deprecated,removed" }, { signal });
          return new Map(items.flatMap((/** @type {import("../answers.js").Batched} */ { id, term }) => (term ? [[id, term]] : [])));
        }
      : null,
    [path, query, wanted],
  );
  return /** @type {Map<number, import("../answers.js").Term>} */ (loaded.value ?? new Map());
}
