/**
 * Changes as a tree: each below the category and the terms that it is below, unchanged ones included, and those that follow from a change above
 * gathered at that change.
 *
 * @typedef {import("../answers.js").ChangedNode} ChangedNode
 * @typedef {import("../answers.js").Above} Above
 *
 * @typedef {object} Branch
 * @property {string} key
 * @property {"category" | "term"} kind
 * @property {Above} node
 * @property {ChangedNode} [item] Its own change.
 * @property {ChangedNode[]} following The changes below it that follow from its own.
 * @property {Branch[]} below
 */

/** @param {{ kind: string, id: number }} node */
const keyOf = ({ kind, id }) => `${kind}${id}`;

/**
 * @param {readonly ChangedNode[]} items In the order of the API.
 * @returns {Branch[]} Categories.
 */
export function forest(items) {
  /** @type {Map<string, Branch>} */
  const known = new Map();
  /** @type {Branch[]} */
  const categories = [];
  /**
   * @param {"category" | "term"} kind
   * @param {Above} node
   * @param {Branch | undefined} above
   */
  const branch = (kind, node, above) => {
    const key = keyOf({ kind, id: node.id });
    const found = known.get(key);
    if (found) return found;
    const made = /** @type {Branch} */ ({ key, kind, node, following: [], below: [] });
    known.set(key, made);
    (above?.below ?? categories).push(made);
    return made;
  };
  for (const item of items) {
    const state = item.after ?? item.before;
    if (!state) continue;
    /** @type {Branch | undefined} */
    let above;
    for (const [kind, node] of wayTo(item)) {
      above = branch(kind, node, above);
      if (item.follows && above.key === keyOf(item.follows)) break;
    }
    if (item.follows && above) above.following.push(item);
    else branch(item.kind, { id: item.id, name: state.name, culture: state.culture }, above).item = item;
  }
  return categories;
}

/**
 * What is above a change, the category first: after it, or before it where it removes the term.
 * @param {ChangedNode} item
 * @returns {["category" | "term", Above][]}
 */
function wayTo({ before, after }) {
  const place = (after ?? before)?.place;
  if (!place) return [];
  return [["category", place.category], ...place.ancestors.toReversed().map((node) => /** @type {["term", Above]} */ (["term", node]))];
}

/**
 * Changes at and below a branch, those that follow included.
 * @param {Branch} branch
 * @returns {number}
 */
export function size({ item, following, below }) {
  return (item ? 1 : 0) + following.length + below.reduce((sum, branch) => sum + size(branch), 0);
}

/**
 * The first rows of a tree: an unchanged branch with one branch below it is a row with that.
 * @typedef {{ trail: Branch[], branch: Branch, below: Row[] }} Row
 * @param {Branch[]} branches
 * @param {{ left: number }} room Rows that may still be shown; what remains is left in it.
 * @returns {Row[]}
 */
export function rows(branches, room) {
  /** @type {Row[]} */
  const shown = [];
  for (const branch of branches) {
    if (room.left <= 0) break;
    room.left -= 1;
    const trail = [];
    let last = branch;
    while (!last.item && last.following.length === 0 && last.below.length === 1) {
      trail.push(last);
      last = /** @type {Branch} */ (last.below[0]);
    }
    shown.push({ trail, branch: last, below: rows(last.below, room) });
  }
  return shown;
}

/**
 * @param {Row[]} shown
 * @returns {number}
 */
export const rowCount = (shown) => shown.reduce((sum, { below }) => sum + 1 + rowCount(below), 0);
