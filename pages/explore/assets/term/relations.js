/** Relations to terms of the same taxonomy, as links, and to concepts of other schemes. */
import { html } from "../html.js";
import { Link } from "../page.js";
import { Text } from "../parts.js";
import { text, word } from "../texts.js";
import { useTerms } from "./names.js";

/**
 * The address of a concept, only where it is one of the web.
 * @param {string} id
 */
export function webAddress(id) {
  try {
    const { protocol, href } = new URL(id);
    return protocol === "https:" || protocol === "http:" ? href : undefined;
  } catch {
    return undefined;
  }
}

/** @param {{ relations: import("../answers.js").Relation[] }} props */
export function Relations({ relations }) {
  const names = useTerms(relations.flatMap(({ scheme, id }) => (scheme === undefined && typeof id === "number" ? [id] : [])));
  return html`<section aria-labelledby="relations">
    <h2 id="relations">${text("relations")}</h2>
    <ul class="relations">
      ${relations.map((relation) => html`<li key=${JSON.stringify(relation)}><span class="label">${word("relations", relation.type)}</span> <${Target} relation=${relation} names=${names} /></li>`)}
    </ul>
  </section>`;
}

/** @param {{ relation: import("../answers.js").Relation, names: Map<number, import("../answers.js").Term> }} props */
function Target({ relation: { scheme, id }, names }) {
  if (scheme === undefined) {
    const term = names.get(Number(id));
    return html`<${Link} to=${{ term: Number(id) }}>${term ? html`<${Text} text=${term.finalName} lang=${term.culture} />` : text("term.id", { id })}<//>`;
  }
  const address = webAddress(String(id));
  const shown = html`<${Text} text=${String(id)} />`;
  return html`<${Text} text=${scheme} /> ${address ? html`<a href=${address} rel="noreferrer noopener external">${shown}</a>` : shown}`;
}
