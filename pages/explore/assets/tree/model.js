/**
 * The part of a taxonomy that the tree has read: levels that are loaded page by page, and the rows that are visible.
 * Knows nothing of the page that shows it.
 */

/**
 * @typedef {import("../answers.js").Listed} Listed
 * @typedef {import("../answers.js").Term} Term
 *
 * @typedef {object} Node
 * @property {string} key `c1` or `t100`.
 * @property {"category" | "term"} kind
 * @property {number} id
 * @property {string} name
 * @property {string} culture
 * @property {boolean} deprecated
 * @property {boolean} hasChildren
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
 * @typedef {{ kind: "more" | "loading" | "failed", key: string, depth: number, parent: Node | null, size: number, error?: unknown, position: number | undefined }} OtherRow
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
      const added = items.map((item) => this.#node(parent ? "term" : "category", item, parent));
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
    let parent = this.#pin(this.top, "category", { ...term.category, deprecated: false, childCount: 1 }, null);
    for (const ancestor of [...term.ancestors].reverse()) {
      this.open.add(parent.key);
      parent = this.#pin(parent.level, "term", { ...ancestor, deprecated: false, childCount: 1 }, parent);
    }
    this.open.add(parent.key);
    this.#pin(parent.level, "term", { ...term, childCount: 0 }, parent);
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
    const position = nodes ? nodes.length + 1 : undefined;
    if (error) rows.push({ kind: "failed", key: `failed-${at}`, depth, parent, size, error, position });
    else if (isLoading && !nodes) rows.push({ kind: "loading", key: `loading-${at}`, depth, parent, size, position });
    else if (nodes && cursor !== undefined) rows.push({ kind: "more", key: `more-${at}`, depth, parent, size, position });
    if (pinned) add(pinned);
  }

  /**
   * @param {Level} level
   * @param {"category" | "term"} kind
   * @param {Listed} listed
   * @param {Node | null} parent
   */
  #pin(level, kind, listed, parent) {
    const known = this.nodes.get(key(kind, listed.id));
    if (known && known.parent === parent) {
      if (listed.childCount) known.hasChildren = true;
      return known;
    }
    level.pinned = this.#node(kind, listed, parent);
    return level.pinned;
  }

  /**
   * @param {"category" | "term"} kind
   * @param {Listed} listed
   * @param {Node | null} parent
   * @returns {Node}
   */
  #node(kind, { id, name, culture, deprecated, childCount }, parent) {
    const hasChildren = childCount > 0;
    const known = this.nodes.get(key(kind, id));
    if (known && known.parent === parent) return Object.assign(known, { name, culture, deprecated, hasChildren: hasChildren || known.hasChildren });
    const node = { key: key(kind, id), kind, id, name, culture, deprecated, hasChildren, parent, level: emptyLevel() };
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
