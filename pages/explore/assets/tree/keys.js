/** The keyboard of a tree, after the WAI-ARIA pattern: which row gets the focus, and what else happens. */

/**
 * @typedef {import("./model.js").Row} Row
 * @typedef {{ focus?: number, toggle?: { row: number, isOpen: boolean }, siblings?: number, act?: number, show?: number }} Effect Rows by their index.
 * `act`: shows it and goes there; `show`: shows it and stays in the tree.
 */

/** Milliseconds in which letters belong to one word. */
const TYPING = 700;

/** What was typed a moment ago. */
export class TypeAhead {
  constructor() {
    this.typed = "";
    this.at = 0;
  }

  /**
   * @param {string} letter
   * @param {number} now Milliseconds.
   * @param {Row[]} rows
   * @param {number} focused
   * @returns {number | undefined} The next row whose name begins with what was typed.
   */
  find(letter, now, rows, focused) {
    this.typed = now - this.at > TYPING ? letter : this.typed + letter;
    this.at = now;
    const wanted = this.typed.toLocaleLowerCase();
    // A new word looks from the next row on, a longer one from the same row.
    const first = focused + (this.typed.length === 1 ? 1 : 0);
    for (let step = 0; step < rows.length; step++) {
      const at = (first + step) % rows.length;
      const row = rows[at];
      if (row?.kind === "node" && row.node.name.toLocaleLowerCase().startsWith(wanted)) return at;
    }
    return undefined;
  }

  /** @param {number} now */
  isTyping(now) {
    return this.typed !== "" && now - this.at <= TYPING;
  }
}

/**
 * @param {string} name `KeyboardEvent.key`.
 * @param {Row[]} rows
 * @param {number} focused
 * @param {number} [page] The rows that can be seen at once.
 * @returns {Effect | undefined}
 */
export function effect(name, rows, focused, page = 10) {
  const row = rows[focused];
  if (!row) return undefined;
  switch (name) {
    case "ArrowDown":
      return { focus: Math.min(focused + 1, rows.length - 1) };
    case "ArrowUp":
      return { focus: Math.max(focused - 1, 0) };
    case "PageDown":
      return { focus: Math.min(focused + page, rows.length - 1) };
    case "PageUp":
      return { focus: Math.max(focused - page, 0) };
    case "Home":
      return { focus: 0 };
    case "End":
      return { focus: rows.length - 1 };
    case "ArrowRight":
      if (row.kind !== "node" || !row.node.hasChildren) return {};
      if (!row.isOpen) return { toggle: { row: focused, isOpen: true } };
      return { focus: (rows[focused + 1]?.depth ?? 0) > row.depth ? focused + 1 : focused };
    case "ArrowLeft": {
      if (row.kind === "node" && row.isOpen) return { toggle: { row: focused, isOpen: false } };
      const above = rows.findIndex((other) => other.kind === "node" && other.node === row.parent);
      return { focus: above < 0 ? focused : above };
    }
    case "*":
      return { siblings: focused };
    case "Enter":
      return { act: focused };
    case " ":
      return { show: focused };
    default:
      return undefined;
  }
}
