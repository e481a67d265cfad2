/** What is counted of a taxonomy or of a category, as charts. */
import { Bars } from "./charts.js";
import { html } from "./html.js";
import { Link, usePage, useShown } from "./page.js";
import { rich, text } from "./texts.js";
import { culture as cultureName, number, percent } from "./words.js";

const MONTHS = 12;

/**
 * @param {{ counts: import("./answers.js").Counts, months?: import("./answers.js").Month[], categories?: number }} props
 */
export function Counts({ counts, months, categories }) {
  const { state } = usePage();
  const { head } = useShown();
  // A language without a name is none of the service's counts.
  const names = { ...Object.fromEntries(head.cultures.map((tag) => [tag, 0])), ...counts.names };
  const cultures = Object.entries(names).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return html`<section class="counts" aria-label=${text("counts")}>
    <ul class="figures">
      ${categories !== undefined && html`<li>${rich("count.categories", figure(categories))}</li>`}
      <li>${rich("count.terms", figure(counts.terms))}</li>
      <li>${rich("count.leaves", figure(counts.leaves))}</li>
      <li>
        ${rich("count.deprecated", figure(counts.deprecated))}
        ${counts.deprecated > 0 && html` <${Link} to=${{ retired: state.retired ? undefined : true }} focus=${false} class="small">${text(state.retired ? "counts.hide" : "counts.show")}<//>`}
      </li>
    </ul>
    <div class="charts">
      ${counts.terms > 0 &&
      html`<${Bars}
        title=${text("counts.languages")}
        head=${[text("counts.language"), text("counts.terms")]}
        most=${counts.terms}
        rows=${cultures.map(([tag, value]) => ({
          key: tag,
          value,
          label: html`<${Link} to=${{ culture: tag }} focus=${false}>${cultureName(tag)}<//>`,
          text: html`${number(value)} · ${percent(value, counts.terms)}${value < counts.terms && html` <${Link} class="small" to=${{ gaps: tag }}>${text("gaps.count", { number: number(counts.terms - value) })}<//>`}`,
        }))}
      />`}
      ${counts.depths.length > 0 &&
      html`<${Bars} title=${text("counts.depths")} head=${[text("counts.depth"), text("counts.terms")]} rows=${counts.depths.map((value, at) => ({ key: String(at), value, label: at + 1 }))} />`}
      ${months !== undefined &&
      months.length > 0 &&
      html`<${Bars}
        title=${text("counts.months")}
        head=${[text("counts.month"), text("counts.terms")]}
        rows=${months.slice(-MONTHS).map(({ month, version, versions, added, changed, removed }) => ({
          key: month,
          label: html`<${Month} month=${month} from=${version - versions} to=${version} /> <span class="muted small">${text("count.versions", { count: versions })}</span>`,
          value: added + changed + removed,
          text: `+${number(added)} ~${number(changed)} −${number(removed)}`,
        }))}
      />`}
    </div>
  </section>`;
}

/**
 * A month, which leads to what its versions changed; the first versions have nothing before them.
 * @param {{ month: string, from: number, to: number }} props
 */
function Month({ month, from, to }) {
  if (from < 1) return month;
  return html`<${Link} to=${{ version: to, compare: from }} aria-label=${`${month}: ${text("difference", { from, to })}`}>${month}<//>`;
}

/** @param {number} count */
const figure = (count) => ({ count, number: html`<strong>${number(count)}</strong>` });
