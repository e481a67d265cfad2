/** The names of a term in the cultures of the taxonomy. They are asked for one by one, when the reader wants them: an answer has one culture. */
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { Link, usePage, useShown } from "../page.js";
import { Text } from "../parts.js";
import { culture as cultureName } from "../words.js";

/** Cultures that are asked for at once. */
const STEP = 12;

/** @param {{ term: import("../answers.js").Term }} props */
export function Translations({ term }) {
  const { api } = usePage();
  const { path, version, head, culture } = useShown();
  const [wanted, setWanted] = useState(0);
  const [names, setNames] = useState(/** @type {Record<string, import("../answers.js").Named | null>} */ ({}));
  useEffect(() => {
    const abort = new AbortController();
    for (const tag of head.cultures.slice(0, wanted)) {
      if (names[tag] !== undefined) continue;
      api.get(`${path}/terms/${term.id}`, { version, culture: tag, fields: "name,culture" }, { signal: abort.signal }).then(
        (named) => setNames((were) => ({ ...were, [tag]: named })),
        () => !abort.signal.aborted && setNames((were) => ({ ...were, [tag]: null })),
      );
    }
    return () => abort.abort();
  }, [wanted, path, version]);
  return html`<section class="translations" aria-labelledby="translations">
    <h2 id="translations">Names in ${head.cultures.length} cultures</h2>
    ${wanted > 0 &&
    html`<table>
      <thead><tr><th scope="col">Culture</th><th scope="col">Name</th></tr></thead>
      <tbody>
        ${head.cultures.slice(0, wanted).map((tag) => {
          const named = names[tag];
          return html`<tr key=${tag}>
            <th scope="row"><${Link} to=${{ culture: tag }} focus=${false} aria-current=${tag === culture ? "true" : undefined}>${cultureName(tag)}<//></th>
            <td>
              ${named === undefined ? "…" : named === null ? html`<span class="muted">not loaded</span>` : named.culture === tag
                ? html`<${Text} text=${named.name} lang=${tag} />`
                : html`<span class="muted">no name; served in ${named.culture}</span>`}
            </td>
          </tr>`;
        })}
      </tbody>
    </table>`}
    ${wanted < head.cultures.length && html`<button type="button" onClick=${() => setWanted(wanted + STEP)}>${wanted ? "Show more cultures" : "Show all names"}</button>`}
  </section>`;
}
