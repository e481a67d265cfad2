/** A taxonomy as a whole: counts, versions, downloads. */
import { Counts } from "./counts.js";
import { html } from "./html.js";
import { useLoaded } from "./load.js";
import { usePage, useShown } from "./page.js";
import { Heading, Loading, Problem, Text } from "./parts.js";
import { VersionList } from "./versions/list.js";
import { Said } from "./term/timeline.js";
import { text } from "./texts.js";
import { moment } from "./words.js";

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
export function Overview({ wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { tenant, listed, path, version, head } = useShown();
  const isServed = state.version === undefined && state.asOf === undefined;
  // The months belong to the served version alone.
  const stats = useLoaded(
    /** @returns {Promise<import("./answers.js").Stats>} */
    (signal) => api.get(`${path}/stats`, isServed ? {} : { version }, { signal }),
    [path, version, isServed],
  );
  return html`<article>
    <${Heading} text=${listed?.displayName ?? tenant} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    ${listed?.description && html`<p class="note"><${Text} text=${listed.description} /></p>`}
    <p class="muted">${listed?.displayName && html`<code>${tenant}</code> · `}${text("overview.version", { version, time: moment(head.committedAt) })}${head.provenance && html`, <${Said} provenance=${head.provenance} />`}</p>
    ${stats.error && html`<${Problem} error=${stats.error} again=${stats.again} />`}
    ${!stats.value && !stats.error && html`<${Loading} what=${text("loading.counts")} />`}
    ${stats.value && html`<${Counts} counts=${stats.value.counts} months=${stats.value.months} categories=${stats.value.categories} />`}
    <section aria-labelledby="versions">
      <h2 id="versions">${text("versions")}</h2>
      <${VersionList} />
    </section>
  </article>`;
}
