/** What a version changed, in three numbers. */
import { html } from "../html.js";
import { word } from "../texts.js";
import { number } from "../words.js";

/** @param {{ changes: { added: number, changed: number, removed: number } }} props */
export function Tally({ changes: { added, changed, removed } }) {
  /** @type {[number, string, string][]} */
  const counts = [
    [added, "+", "added"],
    [changed, "~", "changed"],
    [removed, "−", "removed"],
  ];
  const shown = counts.filter(([count]) => count > 0);
  return html`<span class="tally">${shown.map(([count, sign, kind]) => {
    const said = word("change", kind);
    return html`<span key=${kind} class=${kind} title=${said}><span aria-hidden="true">${sign}</span>${number(count)}<span class="visually-hidden"> ${said}</span></span> `;
  })}</span>`;
}
