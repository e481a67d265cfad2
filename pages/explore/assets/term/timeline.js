/** The versions that changed a term, the newest first. */
import { html } from "../html.js";
import { usePages } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Loading, More, Problem, Text } from "../parts.js";
import { Operations, Sides } from "../difference/item.js";
import { rich, text } from "../texts.js";
import { moment } from "../words.js";

/** @param {{ id: number }} props */
export function Timeline({ id }) {
  const { api } = usePage();
  const { path, query, version } = useShown();
  const history = usePages(
    /** @returns {Promise<import("../answers.js").Page<import("../answers.js").Entry>>} */
    (cursor, signal) => api.get(`${path}/terms/${id}/history`, { ...query, include: "places", cursor }, { signal }),
    [path, query, id],
  );
  return html`<section class="timeline" aria-labelledby="timeline" aria-busy=${history.isLoading ? "true" : "false"}>
    <h2 id="timeline">${text("timeline")}</h2>
    ${!history.first && !history.error && html`<${Loading} what=${text("loading.timeline")} />`}
    <ol>
      ${history.items.map(
        (entry) => html`<li key=${entry.version}>
          <p class="entry-head">
            <${Link} to=${{ version: entry.version }} focus=${false} aria-current=${entry.version === version ? "true" : undefined}>${text("version", { version: entry.version })}<//>
            ${" "}<time datetime=${entry.committedAt}>${moment(entry.committedAt)}</time>
            ${" "}<${Operations} change=${entry} />
          </p>
          <${Sides} change=${entry} />
          ${entry.provenance && html`<p class="muted"><${Said} provenance=${entry.provenance} /></p>`}
        </li>`,
      )}
    </ol>
    ${history.error && html`<${Problem} error=${history.error} again=${history.again} />`}
    <${More} list=${history} label=${text("version.older")} />
  </section>`;
}

/** An identity of AWS by its own name: the last part of its ARN. @param {string} author */
const authorName = (author) => (author.startsWith("arn:") ? author.replace(/^.*[:/](?=.)/, "") : author);

/**
 * Who made a version, and why.
 * @param {{ provenance: import("../answers.js").Provenance }} props
 */
export function Said({ provenance: { release, author, reason } }) {
  return html`${[
    release && rich("version.release", { release: html`<${Text} text=${release} />` }),
    author && rich("version.by", { author: html`<span title=${author}><${Text} text=${authorName(author)} /></span>` }),
    reason && rich("version.reason", { reason: html`<${Text} text=${reason} />` }),
  ]
    .filter(Boolean)
    .map((part, index) => html`${index > 0 && ", "}${part}`)}`;
}
