/** A hit: which of its names matches, with the matching letters marked, and where the term is. */
import { html } from "../html.js";
import { Badge, Text } from "../parts.js";
import { visible } from "../words.js";
import { parts } from "./highlight.js";

/**
 * @param {{ id: string, hit: import("./hits.js").Hit, place: import("../answers.js").Named[] | undefined, isActive: boolean, onChoose: () => void }} props
 */
export function Option({ id, hit, place, isActive, onChoose }) {
  const { matched } = hit;
  const marked = html`<bdi dir="auto" lang=${matched.culture}>${parts(matched.name, matched.ranges).map(({ text, isMatch }) => (isMatch ? html`<mark>${visible(text)}</mark>` : visible(text)))}</bdi>`;
  const isName = matched.kind === "name" && matched.name === hit.name;
  const how = { name: `name in ${matched.culture}`, altName: "also called", notation: "notation", id: "id" }[matched.kind];
  // A click, not a press: the focus stays in the field.
  return html`<li id=${id} role="option" aria-selected=${isActive ? "true" : "false"} onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${onChoose}>
    <span class="hit-name">
      ${isName ? marked : html`<${Text} text=${hit.name} lang=${hit.culture} />`}
      ${!isName && html`<span class="how"> ${how}: ${marked}</span>`}
      ${matched.class === "typo" && html`<${Badge} kind="typo">similar<//>`}
      ${hit.removed && html`<${Badge} kind="removed">removed<//>`}
      ${hit.deprecated && html`<${Badge} kind="retired">retired<//>`}
    </span>
    <span class="where">${hit.kind === "category" ? "category" : place ? place.map((above, index) => html`${index > 0 && " › "}<${Text} text=${above.name} lang=${above.culture} />`) : " "}</span>
  </li>`;
}
