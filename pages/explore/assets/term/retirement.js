/** Why a term is retired, since when, and what replaces it. */
import { html } from "../html.js";
import { Link } from "../page.js";
import { Badge, label, Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { useTerms } from "./names.js";

/** @param {{ node: import("../answers.js").Details, isCategory?: boolean }} props */
export function Retirement({ node, isCategory = false }) {
  const names = useTerms(isCategory ? [] : node.replacedBy);
  const { reason, since } = node.deprecation ?? {};
  const said = /** @type {const} */ (`retirement.${isCategory ? "category" : "term"}${node.removed ? ".removed" : ""}`);
  return html`<section class="callout" aria-label=${text("retirement")}>
    <p>
      ${rich(said, { strong: (/** @type {string} */ words) => html`<strong>${words}</strong>` })}
      ${since && html` ${rich("retirement.since", { time: html`<time datetime=${since}>${since}</time>` })}`}
    </p>
    ${reason && html`<p>${rich("retirement.reason", { label, reason: html`<${Text} text=${reason} />` })}</p>`}
    ${node.replacedBy.length > 0 &&
    html`<p class="label">${text("retirement.by")}</p>
      <ul>
        ${node.replacedBy.map((id) => {
          const term = names.get(id);
          return html`<li key=${id}>
            <${Link} to=${isCategory ? { category: id } : { term: id }}>${term ? html`<${Text} text=${term.finalName} lang=${term.culture} />` : text(isCategory ? "category.id" : "term.id", { id })}<//>
            ${term?.removed ? html` <${Badge} kind="retired">${text("badge.removed")}<//>` : term?.deprecated && html` <${Badge} kind="retired">${text("badge.deprecated")}<//>`}
          </li>`;
        })}
      </ul>`}
    ${node.replacedBy.length === 0 && html`<p class="muted">${text("retirement.by.none")}</p>`}
  </section>`;
}
