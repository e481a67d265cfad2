/** The neighbours of a term or a category, and its position among them. */
import { html } from "../html.js";
import { Link } from "../page.js";
import { Text } from "../parts.js";
import { text } from "../texts.js";
import { number, visible } from "../words.js";

/** @param {{ kind: "term" | "category", place: import("../answers.js").TreePlace }} props */
export function Siblings({ kind, place: { position, siblings, previous, next } }) {
  if (position === undefined || siblings === undefined || siblings < 2) return null;
  return html`<nav class="siblings" aria-label=${text("siblings")}>
    ${previous && html`<${Beside} kind=${kind} node=${previous} rel="prev" label=${text("siblings.previous", { name: visible(previous.name) })} sign="‹" />`}
    <span class="muted">${text("siblings.position", { position: number(position), total: number(siblings) })}</span>
    ${next && html`<${Beside} kind=${kind} node=${next} rel="next" label=${text("siblings.next", { name: visible(next.name) })} sign="›" />`}
  </nav>`;
}

/** @param {{ kind: "term" | "category", node: import("../answers.js").Sibling, rel: string, label: string, sign: string }} props */
function Beside({ kind, node, rel, label, sign }) {
  const words = html`<${Text} text=${node.name} lang=${node.culture} />`;
  const arrow = html`<span aria-hidden="true">${sign}</span>`;
  return html`<${Link} to=${kind === "term" ? { term: node.id } : { category: node.id }} rel=${rel} aria-label=${label}>${rel === "prev" ? html`${arrow} ${words}` : html`${words} ${arrow}`}<//>`;
}
