/** The table of the terms whose ids were pasted: in the order of the ids, also those that are no term, or no longer one. */
import { Copy } from "../copy.js";
import { html } from "../html.js";
import { useLoaded } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Badge, Heading, Loading, Problem, Text } from "../parts.js";
import { cells, csv, save } from "../table.js";
import { text } from "../texts.js";

/** Ids of a request: the most that the service takes. */
const BATCH = 100;
const FIELDS = "name,culture,finalName,notation,category.id,category.name,category.culture,deprecated,removed";

/**
 * @typedef {import("../answers.js").Batched} Row
 * @typedef {"unknown" | "removed" | "deprecated" | "use"} Standing
 */

/** @param {Row} row @returns {Standing} */
const standing = ({ term }) => (!term ? "unknown" : term.removed ? "removed" : term.deprecated ? "deprecated" : "use");
/** @param {Standing} of */
const inWords = (of) => ({ unknown: text("ids.unknown"), removed: text("badge.removed"), deprecated: text("badge.deprecated"), use: text("ids.use") })[of];

/** @param {Row[]} rows */
const table = (rows) => [["id", "notation", "name", "culture", "finalName", "category", "state"], ...rows.map((row) => [row.id, row.term?.notation, row.term?.name, row.term?.culture, row.term?.finalName, row.term?.category.id, standing(row)])];

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
export function IdsPane({ wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { path, query, tenant } = useShown();
  const ids = (state.ids ?? "").split(",");
  const loaded = useLoaded(
    /** @returns {Promise<{ of: string | undefined, rows: Row[] }>} */
    async (signal) => {
      const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, index) => ids.slice(index * BATCH, (index + 1) * BATCH).join());
      const answers = await Promise.all(batches.map((batch) => api.get(`${path}/terms`, { ...query, ids: batch, fields: FIELDS }, { signal })));
      return { of: state.ids, rows: answers.flatMap(({ items }) => items) };
    },
    [path, query, state.ids],
  );
  const found = loaded.value?.of === state.ids ? loaded.value : undefined;
  const rows = found?.rows ?? [];
  const count = (/** @type {Standing} */ of) => rows.filter((row) => standing(row) === of).length;
  const named = rows.flatMap(({ term }) => (term ? [term] : []));
  return html`<article class="results" aria-busy=${loaded.isLoading ? "true" : "false"}>
    <${Heading} text=${text("ids.title", { count: ids.length })} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    ${!found && !loaded.error && html`<${Loading} what=${text("search.waiting")} />`}
    ${loaded.error && html`<${Problem} error=${loaded.error} again=${loaded.again} />`}
    ${found &&
    html`<p role="status">${[count("use") && text("ids.count.use", { count: count("use") }), count("deprecated") && text("ids.count.deprecated", { count: count("deprecated") }), count("removed") && text("ids.count.removed", { count: count("removed") }), count("unknown") && text("ids.count.unknown", { count: count("unknown") })].filter(Boolean).join(" · ")}</p>
      <div class="copybar" role="group" aria-label=${text("copy.bar")}>
        <span aria-hidden="true">${text("copy.bar")}</span>
        <${Copy} what=${text("results.ids")} label=${text("results.ids")} text=${rows.map(({ id }) => id).join("\n")} />
        <${Copy} what=${text("results.names")} label=${text("results.names")} text=${named.map(({ finalName }) => finalName).join("\n")} />
        <${Copy} what=${text("results.table")} label=${text("results.table")} text=${cells(table(rows))} />
        <button type="button" class="copy" aria-label=${text("results.csv", { count: rows.length })} title=${text("results.csv", { count: rows.length })} onClick=${() => save(`${tenant}-ids.csv`, csv(table(rows)))}>CSV</button>
        <${Copy} what=${text("copy.link.page")} label=${text("copy.link")} text=${location.href} />
      </div>
      <div class="wide-table" role="region" aria-label=${text("ids.title", { count: ids.length })} tabindex="0">
        <table class="ids">
          <thead><tr><th scope="col">${text("fact.id")}</th><th scope="col">${text("fact.finalName")}</th><th scope="col">${text("category")}</th><th scope="col">${text("ids.state")}</th></tr></thead>
          <tbody>${rows.map((row) => html`<${IdRow} key=${row.id} row=${row} />`)}</tbody>
        </table>
      </div>`}
  </article>`;
}

/** @param {{ row: Row }} props */
function IdRow({ row }) {
  const { id, term } = row;
  const state = standing(row);
  const kind = { unknown: "removed", removed: "removed", deprecated: "retired", use: "" }[state];
  return html`<tr>
    <th scope="row"><code>${id}</code></th>
    <td>${term ? html`<${Link} to=${{ term: id }}><${Text} text=${term.finalName} lang=${term.culture} /><//>` : "–"}</td>
    <td>${term && html`<${Link} to=${{ category: term.category.id }}><${Text} text=${term.category.name} lang=${term.category.culture} /><//>`}</td>
    <td>${state === "use" ? inWords(state) : html`<${Badge} kind=${kind}>${inWords(state)}<//>`}</td>
  </tr>`;
}
