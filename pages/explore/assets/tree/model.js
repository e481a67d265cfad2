/**
 * The part of a taxonomy that the tree has read: levels that are loaded page by page, and the rows that are visible.
 * Knows nothing of the page that shows it.
 */

/**
 * @typedef {import("../answers.js").Listed & { kind?: "category" | "term" }} Listed
 * @typedef {Pick<Listed, "id" | "name" | "culture" | "names" | "deprecated" | "notation"> & { childCount: number | undefined }} Known
 * @typedef {import("../answers.js").Term} Term
 *
 * @typedef {object} Node
 * @property {string} key `c1` or `t100`.
 * @property {"category" | "term"} kind
 * @property {number} id
 * @property {string} name
 * @property {string} culture
 * @property {{ culture: string, name: string }[]} [names] In every language, where several are shown.
 * @property {boolean} deprecated
 * @property {string | undefined} notation
 * @property {boolean} hasChildren
 * @property {number | undefined} childCount Deprecated ones included; undefined while it is not known.
 * @property {Node | null} parent
 * @property {Level} level What is below it.
 *
 * @typedef {object} Level The children of a node, or the categories.
 * @property {Node[] | null} nodes Null before the first page.
 * @property {string | undefined} cursor Of the next page.
 * @property {Node | null} pinned A child that is shown although its page has not been read.
 * @property {boolean} isLoading
 * @property {unknown} error
 *
 * @typedef {{ kind: "node", key: string, node: Node, depth: number, position: number | undefined, size: number, parent: Node | null, isOpen: boolean }} NodeRow
 * @typedef {{ kind: "more" | "loading" | "failed", key: string, depth: number, parent: Node | null, size: number, error?: unknown, position: number | undefined, isLoading: boolean, read: number, isWaiting: boolean }} OtherRow
 * `read`: how many of the level are there; `isWaiting`: what is below the row has been read already, so it is not read by scrolling past.
 * @typedef {NodeRow | OtherRow} Row
 *
 * @typedef {(parent: Node | null, cursor: string | undefined, signal: AbortSignal) => Promise<import("../answers.js").Page<Listed>>} Read
 */

/** @returns {Level} */
const emptyLevel = () => ({ nodes: null, cursor: undefined, pinned: null, isLoading: false, error: undefined });

export class Tree {
  /**
   * @param {Read} read A page of the categories (`null`) or of the children of a node.
   * @param {() => void} changed
   * @param {Set<string>} open Keys of the nodes that are open. The caller keeps it for the next tree.
   */
  constructor(read, changed, open) {
    this.read = read;
    this.changed = changed;
    this.open = open;
    this.top = emptyLevel();
    /** @type {Map<string, Node>} */
    this.nodes = new Map();
    this.abort = new AbortController();
  }

  /** Ends all requests. */
  dispose() {
    this.abort.abort();
  }

  /**
   * Reads the next page of a level, unless one is on its way.
   * @param {Node | null} parent
   */
  async load(parent) {
    const level = parent?.level ?? this.top;
    if (level.isLoading || (level.nodes && level.cursor === undefined)) return;
    level.isLoading = true;
    level.error = undefined;
    this.changed();
    try {
      const { items, nextCursor } = await this.read(parent, level.cursor, this.abort.signal);
      level.nodes ??= [];
      const added = items.map((item) => this.#node(item.kind ?? (parent ? "term" : "category"), item, parent));
      level.nodes.push(...added);
      level.cursor = nextCursor;
      if (level.pinned && added.includes(level.pinned)) level.pinned = null;
      for (const node of added) {
        const isNew = !node.level.nodes && !node.level.error;
        if (isNew && node.hasChildren && this.open.has(node.key)) void this.load(node);
      }
    } catch (error) {
      level.error = error;
    }
    level.isLoading = false;
    if (!this.abort.signal.aborted) this.changed();
  }

  /**
   * @param {Node} node
   * @param {boolean} isOpen
   */
  toggle(node, isOpen) {
    if (!node.hasChildren || this.open.has(node.key) === isOpen) return;
    if (isOpen) this.open.add(node.key);
    else this.open.delete(node.key);
    if (isOpen && !node.level.nodes) void this.load(node);
    this.changed();
  }

  /**
   * Opens the way to a term from its lineage, without waiting for the levels between; then reads those.
   * @param {Term} term
   */
  openPath(term) {
    if (term.removed) return;
    let parent = this.#pin(this.top, "category", { ...term.category, deprecated: false, childCount: undefined }, null);
    for (const ancestor of [...term.ancestors].reverse()) {
      this.open.add(parent.key);
      parent = this.#pin(parent.level, "term", { ...ancestor, deprecated: false, childCount: undefined }, parent);
    }
    this.open.add(parent.key);
    this.#pin(parent.level, "term", { ...term, childCount: term.place?.childCount ?? 0 }, parent);
    /** @type {Node | null} */
    let above = parent;
    for (; above; above = above.parent) if (!above.level.nodes) void this.load(above);
    if (!this.top.nodes) void this.load(null);
    this.changed();
  }

  /** Whether a level on the way to a node is still on its way. @param {string} key */
  isReading(key) {
    for (let node = this.nodes.get(key)?.parent; node; node = node.parent) if (node.level.isLoading) return true;
    return this.top.isLoading;
  }

  /** @returns {Row[]} What is visible, from top to bottom. */
  rows() {
    /** @type {Row[]} */
    const rows = [];
    this.#collect(rows, this.top, null, 1);
    return rows;
  }

  /**
   * @param {Row[]} rows
   * @param {Level} level
   * @param {Node | null} parent
   * @param {number} depth
   */
  #collect(rows, level, parent, depth) {
    const { nodes, cursor, pinned, isLoading, error } = level;
    const at = parent?.key ?? "top";
    const isWhole = nodes !== null && cursor === undefined;
    const size = isWhole ? nodes.length : -1;
    /** @param {Node} node @param {number} [position] */
    const add = (node, position) => {
      const isOpen = node.hasChildren && this.open.has(node.key);
      rows.push({ kind: "node", key: node.key, node, depth, position, size, parent, isOpen });
      if (isOpen) this.#collect(rows, node.level, node, depth + 1);
    };
    nodes?.forEach((node, index) => add(node, index + 1));
    const read = nodes?.length ?? 0;
    const other = { depth, parent, size, position: nodes ? read + 1 : undefined, isLoading, read, isWaiting: pinned !== null };
    if (error) rows.push({ ...other, kind: "failed", key: `failed-${at}`, error });
    else if (isLoading && !nodes) rows.push({ ...other, kind: "loading", key: `loading-${at}` });
    else if (nodes && cursor !== undefined) rows.push({ ...other, kind: "more", key: `more-${at}` });
    if (pinned) add(pinned);
  }

  /**
   * @param {Level} level
   * @param {"category" | "term"} kind
   * @param {Known} listed
   * @param {Node | null} parent
   */
  #pin(level, kind, listed, parent) {
    const known = this.nodes.get(key(kind, listed.id));
    if (known && known.parent === parent) {
      if (listed.childCount !== 0) known.hasChildren = true;
      return known;
    }
    level.pinned = this.#node(kind, listed, parent);
    return level.pinned;
  }

  /**
   * @param {"category" | "term"} kind
   * @param {Known} listed
   * @param {Node | null} parent
   * @returns {Node}
   */
  #node(kind, { id, name, culture, names, deprecated, notation, childCount }, parent) {
    // What is above another term has children, however many.
    const hasChildren = childCount !== 0;
    const known = this.nodes.get(key(kind, id));
    if (known && known.parent === parent) return Object.assign(known, { name, culture, names, deprecated, notation, childCount, hasChildren: hasChildren || known.hasChildren });
    const node = { key: key(kind, id), kind, id, name, culture, names, deprecated, notation, childCount, hasChildren, parent, level: emptyLevel() };
    this.nodes.set(node.key, node);
    return node;
  }
}

/**
 * @param {"category" | "term"} kind
 * @param {number} id
 */
export function key(kind, id) {
  return `${kind === "category" ? "c" : "t"}${id}`;
}
