/** How many changes a difference has, by their kind and by category, and which of them are shown. Each number is that of the whole difference. */
import { html } from "../html.js";
import { Link, usePage } from "../page.js";
import { OPERATIONS } from "../state.js";
import { text, word } from "../texts.js";
import { number } from "../words.js";
import { Tally } from "../versions/tally.js";

/** @typedef {import("../answers.js").ChangeTotals} ChangeTotals */

/**
 * The number of changes that a filter shows; undefined where the service does not count them.
 * @param {ChangeTotals} totals
 * @param {{ operation?: string, within?: number }} filter
 */
export function shownCount({ categories, terms, operations, byCategory }, { operation, within }) {
  if (!operations) return operation === undefined && within === undefined ? categories + terms : undefined;
  const of = within === undefined ? { items: categories + terms, operations } : byCategory?.find(({ id }) => id === within) ?? { items: 0, operations: {} };
  return operation === undefined ? of.items : /** @type {Record<string, number>} */ (of.operations)[operation] ?? 0;
}

/** @param {{ totals: ChangeTotals }} props */
export function Totals({ totals }) {
  const { categories, terms, ofTerms, atMost } = totals;
  if (atMost || !ofTerms) return html`<p class="totals" role="status">${text("difference.at.most", { categories: number(categories), terms: number(terms) })}</p>`;
  return html`<div role="status"><ul class="totals">
      <li><strong>${text("difference.total", { count: categories + terms })}</strong></li>
      <li><${Tally} changes=${ofTerms} /> ${text("difference.of.terms", { count: ofTerms.added + ofTerms.changed + ofTerms.removed })}</li>
      ${ofTerms.finalNameOnly > 0 && html`<li>${text("difference.names", { count: ofTerms.finalNameOnly })}</li>`}
      ${categories > 0 && html`<li>${text("difference.categories", { count: categories })}</li>`}
    </ul></div>
    ${(ofTerms.finalNameOnly > 0 || categories > 0) && html`<p class="muted small">${text("difference.counted")}</p>`}`;
}

/** Which changes are shown: by links, so that each choice is an address. @param {{ totals: ChangeTotals }} props */
export function Filters({ totals }) {
  const { state, go } = usePage();
  const { operation, within } = state;
  if (!totals.operations) return null;
  const kinds = OPERATIONS.filter((name) => name === operation || (shownCount(totals, { operation: name, within }) ?? 0) > 0);
  const choices = totals.byCategory ?? [];
  /** @param {Event} event */
  const choose = (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    go({ within: value === "" ? undefined : Number(value) });
  };
  return html`<div class="filters">
    <ul class="chips" aria-label=${text("difference.kinds")}>
      ${[undefined, ...kinds].map(
        (name) => html`<li key=${name ?? "all"}>
          <${Link} class="chip" to=${{ operation: name }} focus=${false} aria-current=${name === operation ? "true" : undefined}>${name ? word("group", name) : text("difference.all")} <span class="count">${number(shownCount(totals, { operation: name, within }) ?? 0)}</span><//>
        </li>`,
      )}
    </ul>
    ${(choices.length > 1 || within !== undefined) &&
    html`<div class="within"><label for="difference-within">${text("difference.within")}</label>
      <select id="difference-within" value=${within ?? ""} onChange=${choose}>
        <option value="" selected=${within === undefined}>${text("difference.within.all")}</option>
        ${choices.map((category) => html`<option key=${category.id} value=${category.id} selected=${category.id === within}>${`${category.name} (${number(category.items)})`}</option>`)}
      </select>
    </div>`}
  </div>`;
}
