/** What a search without hits says: what was searched, and links to what would have matched. */
import { html } from "../html.js";
import { Link, usePage } from "../page.js";
import { Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { culture as cultureName } from "../words.js";

/**
 * @param {{ text: string, version: number, found: import("../answers.js").NothingFound | undefined, isPage?: boolean, onGo?: () => void }} props
 *   `isPage`: of the page of results, whose filters stay.
 */
export function NothingFound({ text: asked, version, found, isPage = false, onGo }) {
  const { state } = usePage();
  const wanted = html`<bdi>${asked}</bdi>`;
  const searched = found?.cultures.map(cultureName).join(", ");
  /** @type {Partial<import("../state.js").State>} */
  const same = isPage ? {} : { q: asked };
  const others = found?.otherCultures ?? [];
  /** @param {Partial<import("../state.js").State>} to @param {string} words */
  const link = (to, words) => html`<li><${Link} to=${to} onGo=${onGo}>${words}<//></li>`;
  return html`<div class="nothing">
    <p>${searched ? rich(state.retired ? "search.nothing.in" : "search.nothing.use", { version, text: wanted, languages: searched }) : rich("search.nothing.text", { version, text: wanted })}</p>
    <ul class="links">
      ${found && found.inAnyState > 0 && !state.retired && link({ ...same, retired: true }, text("search.show.deprecated", { count: found.inAnyState }))}
      ${isPage && found && found.unfiltered > found.inAnyState && link({ q: asked, retired: true, languages: state.languages }, text("search.show.unfiltered", { count: found.unfiltered }))}
      ${others.map(({ culture, total }) => link({ ...same, culture }, text("search.show.language", { count: total, language: cultureName(culture) })))}
      ${others.length > 1 && link({ ...same, languages: "all" }, text("search.show.languages"))}
      ${found?.removed.map(({ kind, id, name, removedIn }) => {
        const to = kind === "category" ? { category: id } : { term: id };
        return html`<li key=${`${kind} ${id}`}>${rich(kind === "category" ? "search.removed.category" : "search.removed.term", { version: removedIn, id, name: html`<${Link} to=${to} onGo=${onGo}><${Text} text=${name} /><//>` })}</li>`;
      })}
    </ul>
  </div>`;
}
