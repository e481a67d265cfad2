/** Changes grouped by operation. A term that was both moved and renamed is in one group, the first of these. */

/** @typedef {import("../answers.js").ChangedNode} ChangedNode */

/** Operations in the order of the groups. */
export const GROUPS = ["added", "removed", "deprecated", "restored", "moved", "renamed", "changed", "finalName"];

/**
 * @param {ChangedNode[]} items
 * @returns {{ operation: string, items: ChangedNode[] }[]} Groups that have items.
 */
export function groups(items) {
  return GROUPS.map((operation) => ({ operation, items: items.filter((item) => first(item) === operation) })).filter((group) => group.items.length);
}

/** @param {ChangedNode} item */
function first(item) {
  return GROUPS.find((operation) => item.operations.includes(operation));
}
