/** The names of a term in the cultures of the taxonomy, by one request when the reader wants them. */
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { Link, usePage, useShown } from "../page.js";
import { Text } from "../parts.js";
import { text } from "../texts.js";
import { culture as cultureName } from "../words.js";

/** @typedef {{ names: { culture: string, name: string }[] }} AllNames */

/** @param {{ term: import("../answers.js").Term }} props */
export function Translations({ term }) {
  const { api } = usePage();
  const { path, version, head, culture } = useShown();
  const [isWanted, setWanted] = useState(false);
  const [names, setNames] = useState(/** @type {Map<string, string> | null | undefined} */ (undefined));
  useEffect(() => {
    if (!isWanted) return;
    const abort = new AbortController();
    setNames(undefined);
    api.get(`${path}/terms/${term.id}`, { version, names: "all", fields: "names.culture,names.name" }, { signal: abort.signal }).then(
      (/** @type {AllNames} */ { names }) => setNames(new Map(names.map(({ culture, name }) => [culture, name]))),
      () => !abort.signal.aborted && setNames(null),
    );
    return () => abort.abort();
  }, [isWanted, path, version, term.id]);
  /** @param {string} tag */
  const named = (tag) => {
    const name = names?.get(tag);
    if (name !== undefined) return html`<${Text} text=${name} lang=${tag} />`;
    return names === undefined ? "…" : html`<span class="muted">${text(names === null ? "names.failed" : "names.none")}</span>`;
  };
  return html`<section class="translations" aria-labelledby="translations">
    <h2 id="translations">${text("names", { count: head.cultures.length })}</h2>
    ${isWanted
      ? html`<table>
          <thead><tr><th scope="col">${text("names.language")}</th><th scope="col">${text("names.name")}</th></tr></thead>
          <tbody>
            ${head.cultures.map(
              (tag) => html`<tr key=${tag}>
                <th scope="row"><${Link} to=${{ culture: tag }} focus=${false} aria-current=${tag === culture ? "true" : undefined}>${cultureName(tag)}<//></th>
                <td>${named(tag)}</td>
              </tr>`,
            )}
          </tbody>
        </table>`
      : html`<button type="button" onClick=${() => setWanted(true)}>Show all names</button>`}
  </section>`;
}
