/** What is counted of a taxonomy or of a category, as charts. */
import { Bars } from "./charts.js";
import { html } from "./html.js";
import { Link, usePage } from "./page.js";
import { counted, culture as cultureName, number } from "./words.js";

const MONTHS = 12;

/**
 * @param {{ counts: import("./answers.js").Counts, months?: import("./answers.js").Month[], categories?: number }} props
 */
export function Counts({ counts, months, categories }) {
  const { state } = usePage();
  const cultures = Object.entries(counts.names).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return html`<section class="counts" aria-label="Counts">
    <ul class="figures">
      ${categories !== undefined && html`<li><strong>${number(categories)}</strong> ${categories === 1 ? "category" : "categories"}</li>`}
      <li><strong>${number(counts.terms)}</strong> ${counts.terms === 1 ? "term" : "terms"}</li>
      <li><strong>${number(counts.leaves)}</strong> without children</li>
      <li>
        <strong>${number(counts.deprecated)}</strong> retired
        ${counts.deprecated > 0 && html` <${Link} to=${{ retired: state.retired ? undefined : true }} focus=${false} class="small">${state.retired ? "hide them" : "show them"}<//>`}
      </li>
    </ul>
    <div class="charts">
      ${counts.terms > 0 &&
      html`<${Bars}
        title="Names by culture"
        head=${["Culture", "Terms"]}
        most=${counts.terms}
        rows=${cultures.map(([tag, value]) => ({
          key: tag,
          value,
          label: html`<${Link} to=${{ culture: tag }} focus=${false}>${cultureName(tag)}<//>`,
          text: `${number(value)} · ${percent(value, counts.terms)}`,
        }))}
      />`}
      ${counts.depths.length > 0 &&
      html`<${Bars} title="Terms by depth" head=${["Depth", "Terms"]} rows=${counts.depths.map((value, at) => ({ key: String(at), value, label: at + 1 }))} />`}
      ${months !== undefined &&
      months.length > 0 &&
      html`<${Bars}
        title="Changes by month"
        head=${["Month", "Terms"]}
        rows=${months.slice(-MONTHS).map(({ month, added, changed, removed, versions }) => ({
          key: month,
          label: html`${month} <span class="muted small">${counted(versions, "version")}</span>`,
          value: added + changed + removed,
          text: `+${number(added)} ~${number(changed)} −${number(removed)}`,
        }))}
      />`}
    </div>
  </section>`;
}

/**
 * Never rounded up to all of them.
 * @param {number} value @param {number} all
 */
function percent(value, all) {
  return `${value === all ? 100 : Math.min(99.9, Math.floor((value / all) * 1000) / 10)} %`;
}
