/** The difference of two versions, grouped by operation. */
import { html } from "../html.js";
import { usePages } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Heading, Loading, Problem } from "../parts.js";
import { text, word } from "../texts.js";
import { number } from "../words.js";
import { groups } from "./groups.js";
import { useTerms } from "../term/names.js";
import { Operations, parents, Sides } from "./item.js";

const PAGE = 100;

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
export function DifferencePane({ wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { path, culture, version } = useShown();
  const from = state.compare ?? version;
  const difference = usePages(
    /** @returns {Promise<import("../answers.js").Difference>} */
    (cursor, signal) => api.get(`${path}/diff`, { from, to: version, culture, limit: PAGE, cursor }, { signal }),
    [path, from, version, culture],
  );
  const { items, first } = difference;
  const names = useTerms(parents(items));
  return html`<article aria-busy=${difference.isLoading || difference.isLoadingMore ? "true" : "false"}>
    <${Heading} text=${text("difference", { from, to: version })} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    <p class="actions">
      <${Link} class="button" to=${{ version: from, compare: version }}>${text("difference.swap")}<//>
      <${Link} class="button" to=${{ compare: undefined }}>${text("difference.end")}<//>
    </p>
    ${!first && !difference.error && html`<${Loading} what=${text("loading.difference")} />`}
    ${first?.defaultCulture && html`<p class="callout">${text("difference.language", first.defaultCulture)}</p>`}
    ${first && items.length === 0 && !difference.next && html`<p>${text("difference.none")}</p>`}
    ${items.length > 0 && html`<p role="status">${text(difference.next ? "count.changes.some" : "count.changes", { count: items.length })}</p>`}
    ${groups(items).map(
      (group) => html`<section key=${group.operation} class="group" aria-labelledby=${`group-${group.operation}`}>
        <h2 id=${`group-${group.operation}`}>${word("group", group.operation)} <span class="count">${number(group.items.length)}${difference.next ? "+" : ""}</span></h2>
        <ul>
          ${group.items.map((item) => {
            const isGone = !item.after;
            const to = { ...(item.kind === "term" ? { term: item.id } : { category: item.id }), ...(isGone ? { version: from, compare: undefined } : {}) };
            return html`<li key=${`${item.kind}${item.id}`}>
              <${Link} to=${to} aria-label=${`${text(item.kind === "term" ? "difference.term" : "difference.category", { id: item.id })}: ${item.after?.name ?? item.before?.name}`}><code>${item.kind === "category" ? text("difference.category", { id: item.id }) : item.id}</code><//>
              <div><${Sides} change=${item} names=${names} /> <${Operations} change=${item} except=${group.operation} /></div>
            </li>`;
          })}
        </ul>
      </section>`,
    )}
    ${difference.error && html`<${Problem} error=${difference.error} again=${difference.again} />`}
    ${difference.next && html`<button type="button" onClick=${difference.next} disabled=${difference.isLoadingMore}>${text(difference.isLoadingMore ? "loading" : "difference.more")}</button>`}
  </article>`;
}
