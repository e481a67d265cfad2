/** A row of the tree. */
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { useShown } from "../page.js";
import { Badge, Text } from "../parts.js";
import { text } from "../texts.js";
import { culture as cultureName, number, visible } from "../words.js";
import { besides, indent, INDENTED } from "./layout.js";

/**
 * @typedef {object} Props
 * @property {import("./model.js").Row} row
 * @property {number} top Where it begins, in rows.
 * @property {number} lines
 * @property {boolean} isSelected
 * @property {boolean} isTabStop
 * @property {number | undefined} total How many there are of its level, as far as that is known; of a row that stands for others.
 * @property {() => void} onAct
 * @property {() => void} onToggle
 */

/** @param {Props} props */
export function Item({ row, top, lines, isSelected, isTabStop, total, onAct, onToggle }) {
  const { culture, beside } = useShown();
  const common = {
    role: "treeitem",
    "aria-level": row.depth,
    "aria-setsize": row.size,
    "aria-posinset": row.position,
    tabindex: isTabStop ? 0 : -1,
    "data-key": row.key,
    style: { top: `calc(${top} * var(--row))`, paddingInlineStart: `${indent(row.depth)}rem` },
    onClick: onAct,
  };
  if (row.kind !== "node") {
    const below = row.parent ? text("tree.of", { name: row.parent.name }) : "";
    const more = row.isLoading ? text("loading") : text("tree.more");
    const said = { more, loading: text("loading"), failed: text("tree.failed", { title: inWords(row.error).title }) }[row.kind];
    return html`<li ...${common} class=${`row ${row.kind}`} aria-selected="false">
      <span class="twist"></span>
      <span class="name">${said} <span class="visually-hidden">${below}</span></span>
      ${row.kind === "more" && total !== undefined && html`<span class="tally">${text("tree.read", { read: number(row.read), total: number(total) })}</span>`}
    </li>`;
  }
  const { node, isOpen } = row;
  /** @param {Event} event */
  const toggle = (event) => {
    event.stopPropagation();
    onToggle();
  };
  return html`<li
    ...${common}
    class=${`row ${node.kind}${isSelected ? " selected" : ""}${node.deprecated ? " retired" : ""}${lines > 1 ? " long" : ""}`}
    aria-selected=${isSelected ? "true" : "false"}
    aria-expanded=${node.hasChildren ? String(isOpen) : undefined}
    aria-busy=${isOpen && node.level.isLoading ? "true" : undefined}
  >
    <span class="twist" aria-hidden="true" onClick=${toggle}>
      ${node.hasChildren && html`<svg viewBox="0 0 16 16" width="12" height="12" class=${isOpen ? "open" : ""}><path d="M6 3.5 10.5 8 6 12.5" /></svg>`}
    </span>
    ${row.depth > INDENTED && html`<span class="level" aria-hidden="true">${row.depth}</span>`}
    <span class="line" title=${[node, ...besides(node, beside)].map(({ name }) => visible(name)).join(" · ")}>
      ${node.notation !== undefined && html`<span class="code"><${Text} text=${node.notation} /></span> `}<span class="name"><${Text} text=${node.name} lang=${node.culture} /></span>${besides(node, beside).map(({ culture, name }) => html` <span class="aside"><${Text} text=${name} lang=${culture} /></span>`)}
    </span>
    ${node.culture !== culture && html`<${Badge} kind="culture" title=${text("tree.language", { language: cultureName(culture) })}>${node.culture}<//>`}
    ${node.deprecated && html`<${Badge} kind="retired">${text("badge.deprecated")}<//>`}
  </li>`;
}
