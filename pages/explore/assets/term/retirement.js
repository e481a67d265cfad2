/** Why a term is retired, since when, and what replaces it. */
import { html } from "../html.js";
import { Link } from "../page.js";
import { Badge, Text } from "../parts.js";
import { useTerms } from "./names.js";

/** @param {{ node: import("../answers.js").Details, isCategory?: boolean }} props */
export function Retirement({ node, isCategory = false }) {
  const names = useTerms(isCategory ? [] : node.replacedBy);
  if (!node.deprecated && !node.removed) return null;
  const { reason, since } = node.deprecation ?? {};
  const what = isCategory ? "category" : "term";
  return html`<section class="callout" aria-label="Retirement">
    <p>
      <strong>${node.removed ? `This ${what} was removed` : `This ${what} is retired`}</strong>${since && html` since <time datetime=${since}>${since}</time>`}.
      ${" "}${node.removed ? "Below is what it was last." : "Do not use it for new things."}
    </p>
    ${reason && html`<p><span class="label">Reason </span><${Text} text=${reason} /></p>`}
    ${node.replacedBy.length > 0 &&
    html`<p class="label">Replaced by</p>
      <ul>
        ${node.replacedBy.map((id) => {
          const term = names.get(id);
          return html`<li key=${id}>
            <${Link} to=${isCategory ? { category: id } : { term: id }}>${term ? html`<${Text} text=${term.finalName} lang=${term.culture} />` : `${what} ${id}`}<//>
            ${term?.removed ? html` <${Badge} kind="retired">removed<//>` : term?.deprecated && html` <${Badge} kind="retired">retired<//>`}
          </li>`;
        })}
      </ul>`}
    ${node.replacedBy.length === 0 && html`<p class="muted">Nothing replaces it.</p>`}
  </section>`;
}
