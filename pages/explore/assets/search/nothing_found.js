/** What a search without hits says: what was searched, and what would have matched. */
import { html } from "../html.js";
import { Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { culture as cultureName } from "../words.js";

/** @param {{ text: string, version: number, found: import("../answers.js").NothingFound | undefined }} props */
export function NothingFound({ text: asked, version, found }) {
  const wanted = html`<bdi>${asked}</bdi>`;
  const others = [
    ...(found?.inAnyState ? [text("search.others.deprecated", { count: found.inAnyState })] : []),
    ...(found?.otherCultures ?? []).map(({ culture, total }) => text("search.others.language", { count: total, language: cultureName(culture) })),
  ];
  return html`<div class="pad muted">
    <p>${found?.cultures.length ? rich("search.nothing.in", { version, text: wanted, languages: found.cultures.map(cultureName).join(", ") }) : rich("search.nothing.text", { version, text: wanted })}</p>
    ${others.length > 0 && html`<p>${text("search.others", { list: others.join("; ") })}</p>`}
    ${found?.removed.map(({ kind, id, name, removedIn }) => html`<p key=${`${kind} ${id}`}>${rich(kind === "category" ? "search.removed.category" : "search.removed.term", { version: removedIn, id, name: html`<${Text} text=${name} />` })}</p>`)}
  </div>`;
}
