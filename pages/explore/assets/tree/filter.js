/** The field above the tree: it leaves of a node what its reader types, found by the service. */
import { useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { useSettled } from "../load.js";
import { text } from "../texts.js";
import { visible } from "../words.js";

/** The most that a search answers at once. */
const PAGE = 50;

/**
 * @typedef {import("./model.js").Node} Node
 * @typedef {{ text: string, below: Node | null, setText: (text: string, below: Node | null) => void, search: string }} Filter `search`: what has been typed for a while.
 */

/** @returns {Filter} */
export function useFilter() {
  const [typed, setTyped] = useState({ text: "", below: /** @type {Node | null} */ (null) });
  const search = useSettled(typed.text.trim());
  return { ...typed, search, setText: (text, below) => setTyped({ text, below: text ? below : null }) };
}

/**
 * Reads what matches, as a level of the tree.
 * @param {{ path: string, query: { version: number, culture: string }, isWithDeprecated: boolean }} shown
 * @param {import("../api.js").Api} api
 * @param {string} words
 * @param {Node | null} below
 * @returns {import("./model.js").Read}
 */
export function matches({ path, query, isWithDeprecated }, api, words, below) {
  const within = below && { [below.kind === "category" ? "category" : "below"]: below.id };
  return async (_, cursor, signal) => {
    const options = { ...query, ...within, q: words, limit: PAGE, cursor, deprecated: isWithDeprecated ? undefined : "exclude" };
    const { items, nextCursor } = await api.get(`${path}/suggest`, options, { signal, hurried: true });
    return { items: items.map((/** @type {import("../answers.js").Suggestion} */ item) => ({ ...item, childCount: 0 })), nextCursor };
  };
}

/**
 * @param {{ filter: Filter, below: Node | null, onDown: () => void }} props `below`: what would be filtered; `onDown`: to the first row.
 */
export function FilterField({ filter, below, onDown }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const within = filter.text ? filter.below : below;
  const label = within ? text("tree.filter.below", { name: visible(within.name) }) : text("tree.filter");
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key === "ArrowDown") onDown();
    else if (event.key === "Escape" && filter.text) filter.setText("", null);
    else return;
    event.preventDefault();
  };
  return html`<div class="filter">
    <input
      ref=${field}
      type="search"
      aria-label=${label}
      placeholder=${label}
      value=${filter.text}
      maxlength="200"
      autocomplete="off"
      spellcheck=${false}
      onInput=${(/** @type {InputEvent} */ event) => filter.setText(/** @type {HTMLInputElement} */ (event.target).value, within)}
      onKeyDown=${press}
    />
  </div>`;
}
