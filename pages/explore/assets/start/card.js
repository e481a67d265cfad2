/** A taxonomy on the start page: what it is, how large it is, and what its newest version changed. */
import { html } from "../html.js";
import { Link } from "../page.js";
import { Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { Tally } from "../versions/tally.js";
import { culture, day, moment, number } from "../words.js";

/** @param {{ tenant: import("../answers.js").ListedTenant }} props */
export function Card({ tenant: { id, displayName, description, newest } }) {
  return html`<li class="card">
    <h2><${Link} to=${{ tenant: id }}><${Text} text=${displayName ?? id} /><//></h2>
    ${displayName && html`<p class="muted small"><code><${Text} text=${id} /></code></p>`}
    ${description && html`<p class="small"><${Text} text=${description} /></p>`}
    ${newest ? html`<${Newest} id=${id} newest=${newest} />` : html`<p class="muted small">${text("start.no.version")}</p>`}
  </li>`;
}

/** @param {{ id: string, newest: import("../answers.js").NewestVersion }} props */
function Newest({ id, newest: { version, committedAt, cultures, totals, changes } }) {
  const isChange = changes.added + changes.changed + changes.removed > 0;
  return html`<ul class="sizes small">
      <li>${text("count.terms", { count: totals.terms, number: number(totals.terms) })}</li>
      <li>${text("count.categories", { count: totals.categories, number: number(totals.categories) })}</li>
      <li title=${cultures.map(culture).join(", ")}>${text("start.languages", { count: cultures.length })}</li>
    </ul>
    <p class="muted small">
      ${rich("start.version", { version, time: html`<time datetime=${committedAt} title=${moment(committedAt)}>${day(committedAt)}</time>` })}
      ${isChange && html` <${Tally} changes=${changes} />`}
      ${version > 1 && html` <${Link} class="above" to=${{ tenant: id, version, compare: version - 1 }} aria-label=${text("start.changes.of", { name: id, version })}>${text("version.changes")}<//>`}
    </p>`;
}
