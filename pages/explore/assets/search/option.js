/** A hit: its code and name, which of its names matches, with the matching letters marked, and where the term is. */
import { html } from "../html.js";
import { Badge, Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { culture as cultureName, visible } from "../words.js";

/** @typedef {import("./hits.js").Hit} Hit */

/** @param {{ id: string, hit: Hit, place: import("../answers.js").Named[] | undefined, isActive: boolean, onChoose: () => void }} props */
export function Option({ id, hit, place, isActive, onChoose }) {
  // A click, not a press: the focus stays in the field.
  return html`<li id=${id} role="option" aria-selected=${isActive ? "true" : "false"} onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${onChoose}>
    <span class="hit-name"><${Code} hit=${hit} /><${Name} hit=${hit} /><${Why} hit=${hit} /></span>
    <${Place} hit=${hit} place=${place} />
  </li>`;
}

/** The matching name, with its letters marked. @param {Hit} hit */
function marked({ matched }) {
  return html`<bdi dir="auto" lang=${matched.culture}>${parts(matched.name, matched.ranges).map(({ text: words, isMatch }) => (isMatch ? html`<mark>${visible(words)}</mark>` : visible(words)))}</bdi>`;
}

/** @param {Hit} hit */
const isByName = ({ matched, name }) => matched.kind === "name" && matched.name === name;

/** @param {{ hit: Hit }} props */
export function Code({ hit }) {
  if (hit.notation === undefined) return null;
  return html`<code class="code">${hit.matched.kind === "notation" ? marked(hit) : html`<${Text} text=${hit.notation} />`}</code> `;
}

/** @param {{ hit: Hit }} props */
export function Name({ hit }) {
  return isByName(hit) ? marked(hit) : html`<${Text} text=${hit.name} lang=${hit.culture} />`;
}

/** Why it is a hit, where its name does not say that, and its state. @param {{ hit: Hit }} props */
export function Why({ hit }) {
  const { matched } = hit;
  const how = {
    name: () => rich("search.name", { language: cultureName(matched.culture), name: marked(hit) }),
    altName: () => rich("search.alternative", { name: marked(hit) }),
    notation: () => undefined,
    id: () => rich("search.id", { name: marked(hit) }),
  }[matched.kind];
  const reason = isByName(hit) ? undefined : how();
  return html`
    ${reason && html`<span class="how"> ${reason}</span>`}
    ${matched.class === "typo" && html` <${Badge} kind="typo">${text("badge.similar")}<//>`}
    ${hit.removed && html` <${Badge} kind="removed">${text("badge.removed")}<//>`}
    ${hit.deprecated && !hit.removed && html` <${Badge} kind="retired">${text("badge.deprecated")}<//>`}
  `;
}

/** @param {{ hit: Hit, place: import("../answers.js").Named[] | undefined }} props */
export function Place({ hit, place }) {
  const above = hit.kind === "term" ? place : undefined;
  return html`<span class="where">${hit.kind === "category" ? text("search.category") : above ? above.map((node, index) => html`${index > 0 && " › "}<${Text} text=${node.name} lang=${node.culture} />`) : " "}</span>`;
}

/**
 * The parts of a name that match, by the ranges that the service names.
 * @param {string} name
 * @param {[number, number][]} ranges Start and end in UTF-16 code units, apart and ascending.
 * @returns {{ text: string, isMatch: boolean }[]} All of the name, in order.
 */
export function parts(name, ranges) {
  /** @type {{ text: string, isMatch: boolean }[]} */
  const found = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) found.push({ text: name.slice(at, start), isMatch: false });
    if (end > start) found.push({ text: name.slice(start, end), isMatch: true });
    at = Math.max(at, end);
  }
  if (at < name.length) found.push({ text: name.slice(at), isMatch: false });
  return found;
}
