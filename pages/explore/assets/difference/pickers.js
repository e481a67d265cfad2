/** The two versions of a difference: any two, by their number and their time. */
import { html } from "../html.js";
import { usePages } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { text } from "../texts.js";
import { moment } from "../words.js";

const PAGE = 100;
/** The choice that reads older versions. */
const OLDER = "older";

/** @typedef {import("../answers.js").Version} Version */

/** @param {{ from: number, to: number }} props */
export function Pickers({ from, to }) {
  const { api, go } = usePage();
  const { path } = useShown();
  const versions = usePages(
    /** @returns {Promise<import("../answers.js").Page<Version>>} */
    (cursor, signal) => api.get(`${path}/versions`, { limit: PAGE, cursor, fields: "version,committedAt" }, { signal }),
    // A version that is shown may be newer than the list.
    [path, Math.max(from, to)],
  );
  const known = new Map(versions.items.map(({ version, committedAt }) => [version, committedAt]));
  for (const shown of [from, to]) if (!known.has(shown)) known.set(shown, "");
  const numbers = [...known.keys()].sort((a, b) => b - a);
  /** @param {string} id @param {"difference.from" | "difference.to"} label @param {number} chosen @param {(version: number) => void} choose */
  const picker = (id, label, chosen, choose) => html`<div>
    <label for=${id}>${text(label)}</label>
    <select id=${id} value=${chosen} onChange=${(/** @type {Event} */ event) => {
      const select = /** @type {HTMLSelectElement} */ (event.target);
      if (select.value !== OLDER) return choose(Number(select.value));
      select.value = String(chosen);
      return versions.next?.();
    }}>
      ${numbers.map((version) => {
        const at = known.get(version);
        return html`<option key=${version} value=${version} selected=${version === chosen}>${text("version", { version })}${at && ` · ${moment(at)}`}</option>`;
      })}
      ${versions.next && html`<option value=${OLDER}>${text("version.older")}</option>`}
    </select>
  </div>`;
  return html`<div class="pickers">
    ${picker("difference-from", "difference.from", from, (version) => go({ compare: version, within: undefined }))}
    <${Link} class="button swap" to=${{ version: from, compare: to }} aria-label=${text("difference.swap")} title=${text("difference.swap")}><span aria-hidden="true">⇄</span><//>
    ${picker("difference-to", "difference.to", to, (version) => go({ version, within: undefined }))}
  </div>`;
}
