/** What a search without hits says: what was searched, and what would have matched. */
import { html } from "../html.js";
import { Text } from "../parts.js";

/** @param {{ text: string, version: number, found: import("../answers.js").NothingFound | undefined }} props */
export function NothingFound({ text, version, found }) {
  const searched = found?.cultures.length ? ` in ${found.cultures.join(", ")}` : "";
  const others = [
    found?.inAnyState && `${found.inAnyState} retired`,
    ...(found?.otherCultures ?? []).map(({ culture, total }) => `${total} in ${culture}`),
  ].filter(Boolean);
  return html`<div class="pad muted">
    <p>Nothing in version ${version} matches “<bdi>${text}</bdi>”${searched}.</p>
    ${others.length > 0 && html`<p>Left out: ${others.join("; ")}.</p>`}
    ${found?.removed.map(({ kind, id, name, removedIn }) => html`<p key=${`${kind} ${id}`}>Version ${removedIn} removed ${kind} ${id}, <${Text} text=${name} />.</p>`)}
  </div>`;
}
