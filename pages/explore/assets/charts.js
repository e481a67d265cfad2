/** Small charts: bars beside their numbers, in a table, so that the table is the chart and nothing is said by the picture alone. */
import { html } from "./html.js";
import { number } from "./words.js";

const WIDTH = 160;

/**
 * @param {{ title: string, head: [string, string], rows: { key: string, label: any, value: number, text?: any }[], most?: number }} props
 * `most`: the value of a full bar; else that of the largest row.
 */
export function Bars({ title, head, rows, most }) {
  const full = most ?? Math.max(1, ...rows.map(({ value }) => value));
  return html`<table class="bars">
    <caption>${title}</caption>
    <thead><tr><th scope="col">${head[0]}</th><th scope="col" class="number">${head[1]}</th><td></td></tr></thead>
    <tbody>
      ${rows.map(
        ({ key, label, value, text }) => html`<tr key=${key}>
          <th scope="row">${label}</th>
          <td class="number">${text ?? number(value)}</td>
          <td class="bar">
            <svg viewBox=${`0 0 ${WIDTH} 10`} width="100%" height="10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
              <rect class="track" width=${WIDTH} height="10" />
              <rect class="fill" width=${full ? Math.min(WIDTH, (value / full) * WIDTH) : 0} height="10" />
            </svg>
          </td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
