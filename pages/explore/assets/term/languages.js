/** The names of a term or a category in every language of the taxonomy, by one request; those that the reader chose, side by side. */
import { html } from "../html.js";
import { useLoaded } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Loading, Problem, Text } from "../parts.js";
import { MOST_BESIDE, toggled } from "../state.js";
import { text } from "../texts.js";
import { culture as cultureName } from "../words.js";

/** @typedef {import("../answers.js").NameIn} NameIn */

/** @typedef {import("../load.js").Loaded<Map<string, NameIn>>} Names By language. */

/**
 * @param {"terms" | "categories"} list
 * @param {number | undefined} id Of what is shown already; undefined before.
 * @returns {Names}
 */
export function useNames(list, id) {
  const { api } = usePage();
  const { path, version, head } = useShown();
  const loaded = useLoaded(
    id === undefined || head.cultures.length < 2
      ? null
      : async (signal) => {
          /** @type {{ names: NameIn[] }} */
          const { names } = await api.get(`${path}/${list}/${id}`, { version, names: "all", fields: "names" }, { signal });
          return { id, names: new Map(names.map((name) => [name.culture, name])) };
        },
    [path, version, list, id],
  );
  return { ...loaded, value: loaded.value?.id === id ? loaded.value?.names : undefined };
}

/**
 * What is said in the languages beside the shown one.
 * @param {{ names: Names }} props
 */
export function SideBySide({ names }) {
  const { beside } = useShown();
  if (!beside.length || !names.value) return null;
  return html`<div class="beside">
    ${beside.map((tag) => html`<${Side} key=${tag} tag=${tag} name=${names.value?.get(tag)} />`)}
  </div>`;
}

/** @param {{ tag: string, name: NameIn | undefined }} props */
function Side({ tag, name }) {
  if (!name) return html`<div><p class="label">${cultureName(tag)}</p><p class="muted">${text("names.none")}</p></div>`;
  const { definition, scopeNote } = name.notes ?? {};
  return html`<div>
    <p class="label">${cultureName(tag)}</p>
    <p class="side-name"><${Text} text=${name.name} lang=${tag} /></p>
    ${definition && html`<p><${Text} text=${definition} lang=${tag} /></p>`}
    ${scopeNote && html`<p class="muted"><${Text} text=${scopeNote} lang=${tag} /></p>`}
  </div>`;
}

/** @param {{ names: Names }} props */
export function Languages({ names }) {
  const { head, culture } = useShown();
  if (head.cultures.length < 2) return null;
  return html`<section class="languages" aria-labelledby="languages" aria-busy=${names.isLoading ? "true" : "false"}>
    <h2 id="languages">${text("names", { count: names.value?.size ?? head.cultures.length })}</h2>
    ${names.error ? html`<${Problem} error=${names.error} again=${names.again} />` : !names.value && html`<${Loading} what=${text("loading.names")} />`}
    ${names.value &&
    html`<table>
      <thead>
        <tr>
          <th scope="col">${text("names.language")}</th>
          <th scope="col">${text("names.name")}</th>
          <th scope="col" class="pick">${text("names.beside")}</th>
        </tr>
      </thead>
      <tbody>
        ${head.cultures.map(
          (tag) => html`<tr key=${tag}>
            <th scope="row"><${Link} to=${{ culture: tag === head.defaultCulture ? undefined : tag }} focus=${false} aria-current=${tag === culture ? "true" : undefined}>${cultureName(tag)}<//></th>
            <td><${In} tag=${tag} name=${names.value?.get(tag)} /></td>
            <td class="pick">${tag !== culture && html`<${Beside} tag=${tag} />`}</td>
          </tr>`,
        )}
      </tbody>
    </table>`}
  </section>`;
}

/** @param {{ tag: string, name: NameIn | undefined }} props */
function In({ tag, name }) {
  if (!name) return html`<span class="muted">${text("names.none")}</span>`;
  const others = name.altNames ?? [];
  return html`<${Text} text=${name.name} lang=${tag} />${others.length > 0 && html` <span class="muted">${others.map((other, index) => html`${index > 0 && ", "}<${Text} text=${other} lang=${tag} />`)}</span>`}`;
}

/**
 * Whether a language stands beside the shown one, in the tree and in the page.
 * @param {{ tag: string }} props
 */
export function Beside({ tag }) {
  const { go } = usePage();
  const { beside } = useShown();
  const isOn = beside.includes(tag);
  return html`<input
    type="checkbox"
    aria-label=${text("names.beside.language", { language: cultureName(tag) })}
    checked=${isOn}
    disabled=${!isOn && beside.length >= MOST_BESIDE}
    onChange=${() => go({ beside: toggled(beside, tag) })}
  />`;
}
