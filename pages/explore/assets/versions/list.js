/** The versions of a tenant, the newest first, with what each changed. */
import { html } from "../html.js";
import { usePages } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Loading, More, Problem } from "../parts.js";
import { text, word } from "../texts.js";
import { moment } from "../words.js";
import { Said } from "../term/timeline.js";
import { Tally } from "./tally.js";

const PAGE = 20;
/** A comparison is of the whole, not of what was shown. */
const NO_NODE = { term: undefined, category: undefined, operation: undefined, within: undefined };

/** @param {{ onGo?: () => void }} props */
export function VersionList({ onGo }) {
  const { api } = usePage();
  const { path, version } = useShown();
  const versions = usePages(
    /** @returns {Promise<import("../answers.js").Page<import("../answers.js").Version>>} */
    (cursor, signal) => api.get(`${path}/versions`, { limit: PAGE, cursor }, { signal }),
    [path, version],
  );
  return html`<div class="versions">
    ${!versions.first && !versions.error && html`<${Loading} what=${text("loading.versions")} />`}
    <ul aria-label=${text("versions")}>
      ${versions.items.map(
        (item) => html`<li key=${item.version} class=${item.version === version ? "current" : ""}>
          <${Link} to=${{ version: item.version }} focus=${false} onGo=${onGo} aria-current=${item.version === version ? "true" : undefined}>${text("version", { version: item.version })}<//>
          <span class="muted"> ${moment(item.committedAt)}${item.cause !== "upload" && ` · ${word("version", item.cause)}`}</span>
          ${" "}<${Tally} changes=${item.changes} />
          <span class="compare">
            ${item.version > 1 && html`<${Link} to=${{ version: item.version, compare: item.version - 1, ...NO_NODE }} onGo=${onGo} aria-label=${text("version.changes.of", { version: item.version })}>${text("version.changes")}<//>`}
            ${item.version !== version && html` <${Link} to=${{ compare: item.version, ...NO_NODE }} onGo=${onGo} aria-label=${text("version.compare.with", { from: item.version, to: version })}>${text("version.compare")}<//>`}
          </span>
          ${item.provenance && html`<p class="muted small"><${Said} provenance=${item.provenance} /></p>`}
        </li>`,
      )}
    </ul>
    ${versions.error && html`<${Problem} error=${versions.error} again=${versions.again} />`}
    <${More} list=${versions} label=${text("version.older")} />
  </div>`;
}
