/** Changes grouped by operation. A term that was both moved and renamed is in one group, the first of these. */

/** @typedef {import("../answers.js").ChangedNode} ChangedNode */

/** Operations in the order of the groups, with their headings. */
export const GROUPS = /** @type {const} */ ([
  ["added", "Added"],
  ["removed", "Removed"],
  ["deprecated", "Retired"],
  ["restored", "In use again"],
  ["moved", "Moved"],
  ["renamed", "Renamed"],
  ["changed", "Changed otherwise"],
  ["finalName", "FinalName follows its category"],
]);

/** @type {Record<string, string>} */
export const WORDS = { added: "added", removed: "removed", deprecated: "retired", restored: "in use again", moved: "moved", renamed: "renamed", changed: "changed", finalName: "FinalName" };

/**
 * @param {ChangedNode[]} items
 * @returns {{ operation: string, title: string, items: ChangedNode[] }[]} Groups that have items.
 */
export function groups(items) {
  return GROUPS.map(([operation, title]) => ({ operation, title, items: items.filter((item) => first(item) === operation) })).filter((group) => group.items.length);
}

/** @param {ChangedNode} item */
function first(item) {
  return GROUPS.find(([operation]) => item.operations.includes(operation))?.[0];
}
