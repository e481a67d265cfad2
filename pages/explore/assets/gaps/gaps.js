/** What has no name in a language, of the taxonomy or of a category: page by page, and as a table for those who translate. */
import { useState } from "../vendor/hooks.js";
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { usePages } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Badge, Coming, Heading, More, Problem, Text } from "../parts.js";
import { csv, save } from "../table.js";
import { text } from "../texts.js";
import { culture as cultureName, number } from "../words.js";

const PAGE = 100;

/**
 * @typedef {import("../answers.js").Named & { kind: "category" | "term", notation?: string, deprecated: boolean }} Gap
 * @typedef {{ total: number, items: Gap[], nextCursor?: string }} Gaps
 */

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
export function GapsPane({ wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { path, version } = useShown();
  const { gaps = "", category } = state;
  const options = { version, culture: gaps, category, deprecated: state.retired ? undefined : "exclude", limit: PAGE };
  /** @type {(cursor: string | undefined, signal: AbortSignal) => Promise<Gaps>} */
  const load = (cursor, signal) => api.get(`${path}/gaps`, { ...options, cursor }, { signal });
  const list = usePages(load, [path, options]);
  const title = text("gaps", { language: cultureName(gaps) });
  if (!list.first && !list.error) return html`<${Coming} heading=${title} what=${text("loading")} />`;
  return html`<article aria-busy=${list.isLoading ? "true" : "false"}>
    <${Heading} text=${title} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    ${list.first && html`<p>${text("gaps.total", { count: list.first.total })} ${category !== undefined && html`<${Link} to=${{ category }}>${text("gaps.category", { id: category })}<//>`}</p>`}
    ${list.items.length > 0 && html`<${Save} load=${load} total=${list.first?.total ?? 0} />`}
    ${list.items.length > 0 &&
    html`<table class="gaps">
      <thead>
        <tr><th scope="col">${text("fact.id")}</th><th scope="col">${text("fact.code")}</th><th scope="col">${text("gaps.name")}</th></tr>
      </thead>
      <tbody>
        ${list.items.map(
          (gap) => html`<tr key=${`${gap.kind}${gap.id}`}>
            <td><code>${gap.id}</code></td>
            <td>${gap.notation !== undefined && html`<${Text} text=${gap.notation} />`}</td>
            <th scope="row">
              <${Link} to=${gap.kind === "term" ? { term: gap.id } : { category: gap.id }}><${Text} text=${gap.finalName ?? gap.name} lang=${gap.culture} /><//>
              ${" "}<${Badge} kind="culture">${gap.culture}<//>
              ${gap.kind === "category" && html` <${Badge} kind="plain">${text("search.category")}<//>`}
              ${gap.deprecated && html` <${Badge} kind="retired">${text("badge.deprecated")}<//>`}
            </th>
          </tr>`,
        )}
      </tbody>
    </table>`}
    ${list.error && html`<${Problem} error=${list.error} again=${list.again} />`}
    <${More} list=${list} total=${list.first?.total} />
  </article>`;
}

/**
 * Reads all pages and saves them as one table.
 * @param {{ load: (cursor: string | undefined, signal: AbortSignal) => Promise<Gaps>, total: number }} props
 */
function Save({ load, total }) {
  const { announce, state } = usePage();
  const { tenant, version } = useShown();
  const [read, setRead] = useState(/** @type {number | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {unknown} */ (undefined));
  const make = async () => {
    setError(undefined);
    setRead(0);
    try {
      /** @type {Gap[]} */
      const gaps = [];
      /** @type {string | undefined} */
      let cursor;
      do {
        const page = await load(cursor, new AbortController().signal);
        gaps.push(...page.items);
        cursor = page.nextCursor;
        setRead(gaps.length);
      } while (cursor !== undefined);
      const rows = gaps.map(({ kind, id, notation = "", name, culture, path = "" }) => [kind, String(id), notation, name, culture, path, ""]);
      save(`${tenant}-${version}-${state.gaps}.csv`, csv([["kind", "id", "notation", "name", "culture", "path", state.gaps ?? ""], ...rows]));
      announce(text("gaps.saved", { count: gaps.length }));
    } catch (failure) {
      setError(failure);
    }
    setRead(undefined);
  };
  return html`<p class="actions">
    <button type="button" onClick=${make} disabled=${read !== undefined}>${read === undefined ? text("gaps.save") : text("tree.read", { read: number(read), total: number(total) })}</button>
    ${error !== undefined && html`<span role="alert">${inWords(error).title}. ${inWords(error).advice}</span>`}
  </p>`;
}
