/** A hit: which of its names matches, with the matching letters marked, and where the term is. */
import { html } from "../html.js";
import { Badge, Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { culture as cultureName, visible } from "../words.js";
import { parts } from "./highlight.js";

/**
 * @param {{ id: string, hit: import("./hits.js").Hit, place: import("../answers.js").Named[] | undefined, isActive: boolean, onChoose: () => void }} props
 */
export function Option({ id, hit, place, isActive, onChoose }) {
  const { matched } = hit;
  const marked = html`<bdi dir="auto" lang=${matched.culture}>${parts(matched.name, matched.ranges).map(({ text: words, isMatch }) => (isMatch ? html`<mark>${visible(words)}</mark>` : visible(words)))}</bdi>`;
  const isName = matched.kind === "name" && matched.name === hit.name;
  const how = {
    name: () => rich("search.name", { language: cultureName(matched.culture), name: marked }),
    altName: () => rich("search.alternative", { name: marked }),
    notation: () => rich("search.code", { name: marked }),
    id: () => rich("search.id", { name: marked }),
  }[matched.kind];
  // A click, not a press: the focus stays in the field.
  return html`<li id=${id} role="option" aria-selected=${isActive ? "true" : "false"} onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${onChoose}>
    <span class="hit-name">
      ${isName ? marked : html`<${Text} text=${hit.name} lang=${hit.culture} />`}
      ${!isName && html`<span class="how"> ${how()}</span>`}
      ${matched.class === "typo" && html`<${Badge} kind="typo">${text("badge.similar")}<//>`}
      ${hit.removed && html`<${Badge} kind="removed">${text("badge.removed")}<//>`}
      ${hit.deprecated && html`<${Badge} kind="retired">${text("badge.deprecated")}<//>`}
    </span>
    <span class="where">${hit.kind === "category" ? text("search.category") : place ? place.map((above, index) => html`${index > 0 && " › "}<${Text} text=${above.name} lang=${above.culture} />`) : " "}</span>
  </li>`;
}
