/** Reading the levels of the tree from the API. */

/** Items of a page: the most that a list of the API has. */
const PAGE = 100;
/** What a row shows, so that an answer holds no more. */
const FIELDS = "name,culture,notation,deprecated,childCount";

/**
 * @param {{ path: string, query: { version: number, culture: string }, isWithDeprecated: boolean, beside: string[] }} shown
 * @param {import("../api.js").Api} api
 * @returns {import("./model.js").Read}
 */
export function levels({ path, query, isWithDeprecated, beside }, api) {
  return (parent, cursor, signal) => {
    // Names in other languages cost bytes, so only their reader has them.
    const names = beside.length ? { names: "all", fields: `${FIELDS},names.culture,names.name` } : { fields: FIELDS };
    const options = { ...query, limit: PAGE, cursor, deprecated: isWithDeprecated ? undefined : "exclude", ...names };
    if (!parent) return api.get(`${path}/categories`, options, { signal });
    if (parent.kind === "category") return api.get(`${path}/categories/${parent.id}/terms`, { ...options, depth: 1 }, { signal });
    return api.get(`${path}/terms/${parent.id}/children`, options, { signal });
  };
}
