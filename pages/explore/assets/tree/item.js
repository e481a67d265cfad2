/** A row of the tree. */
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { useShown } from "../page.js";
import { Badge, Text } from "../parts.js";
import { text } from "../texts.js";
import { culture as cultureName, visible } from "../words.js";

/**
 * @typedef {object} Props
 * @property {import("./model.js").Row} row
 * @property {number} index Its place among the visible rows.
 * @property {boolean} isSelected
 * @property {boolean} isTabStop
 * @property {() => void} onAct
 * @property {() => void} onToggle
 */

/** @param {Props} props */
export function Item({ row, index, isSelected, isTabStop, onAct, onToggle }) {
  const { culture } = useShown();
  const common = {
    role: "treeitem",
    "aria-level": row.depth,
    "aria-setsize": row.size,
    "aria-posinset": row.position,
    tabindex: isTabStop ? 0 : -1,
    "data-key": row.key,
    style: { top: `calc(${index} * var(--row))`, paddingInlineStart: `calc(${Math.min(row.depth, 12) - 1} * 1rem + 0.25rem)` },
    onClick: onAct,
  };
  if (row.kind !== "node") {
    const below = row.parent ? text("tree.of", { name: row.parent.name }) : "";
    const said = { more: text("tree.more"), loading: text("loading"), failed: text("tree.failed", { title: inWords(row.error).title }) }[row.kind];
    return html`<li ...${common} class=${`row ${row.kind}`} aria-selected="false"><span class="twist"></span><span class="name">${said} <span class="visually-hidden">${below}</span></span></li>`;
  }
  const { node, isOpen } = row;
  /** @param {Event} event */
  const toggle = (event) => {
    event.stopPropagation();
    onToggle();
  };
  return html`<li
    ...${common}
    class=${`row ${node.kind}${isSelected ? " selected" : ""}${node.deprecated ? " retired" : ""}`}
    aria-selected=${isSelected ? "true" : "false"}
    aria-expanded=${node.hasChildren ? String(isOpen) : undefined}
    aria-busy=${isOpen && node.level.isLoading ? "true" : undefined}
    onDblClick=${toggle}
  >
    <span class="twist" aria-hidden="true" onClick=${toggle}>
      ${node.hasChildren && html`<svg viewBox="0 0 16 16" width="12" height="12" class=${isOpen ? "open" : ""}><path d="M6 3.5 10.5 8 6 12.5" /></svg>`}
    </span>
    <span class="name" title=${visible(node.name)}><${Text} text=${node.name} lang=${node.culture} /></span>
    ${node.culture !== culture && html`<${Badge} kind="culture" title=${text("tree.language", { language: cultureName(culture) })}>${node.culture}<//>`}
    ${node.deprecated && html`<${Badge} kind="retired">${text("badge.deprecated")}<//>`}
  </li>`;
}
