/** Copying and saving all results: they are read page by page, which the reader sees and can stop. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { Copy, write } from "../copy.js";
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { cells, csv, save } from "../table.js";
import { text } from "../texts.js";
import { number } from "../words.js";
import { readAll } from "./search.js";

/**
 * @typedef {import("../answers.js").Suggestion} Suggestion
 * @typedef {"ids" | "names" | "table" | "csv"} Form
 */

/** The names of the columns are those of the service's own tables, in every language. */
const COLUMNS = /** @type {const} */ (["kind", "id", "notation", "name", "culture", "finalName", "category", "path", "deprecated"]);

/** @param {Suggestion[]} items */
const rows = (items) => [[...COLUMNS], ...items.map((item) => COLUMNS.map((column) => item[column]))];

/** @type {Record<Form, (items: Suggestion[]) => string>} */
const FORMS = {
  ids: (items) => items.map(({ id }) => id).join("\n"),
  names: (items) => items.map(({ name }) => name).join("\n"),
  table: (items) => cells(rows(items)),
  csv: (items) => csv(rows(items)),
};

/** @param {{ query: import("../api.js").Query, most: number }} props `most`: how many results the pages have. */
export function Take({ query, most }) {
  const { api, announce } = usePage();
  const { path, tenant } = useShown();
  const [count, setCount] = useState(/** @type {number | undefined} */ (undefined));
  const [said, setSaid] = useState("");
  const abort = useRef(/** @type {AbortController | undefined} */ (undefined));
  const kept = useRef(/** @type {{ key: string, items: Suggestion[] } | undefined} */ (undefined));
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    setSaid("");
    return () => abort.current?.abort();
  }, [key]);
  /** @param {string} words */
  const say = (words) => {
    setSaid(words);
    announce(words);
  };
  const all = async () => {
    if (kept.current?.key === key) return kept.current.items;
    abort.current = new AbortController();
    const items = await readAll(api, path, query, setCount, abort.current.signal);
    kept.current = { key, items };
    return items;
  };
  /** @param {Form} form */
  const take = async (form) => {
    setSaid("");
    setCount(0);
    try {
      const items = await all();
      const made = FORMS[form](items);
      if (form === "csv") save(`${tenant}-${items.length}.csv`, made);
      else await write(made);
      say(text(form === "csv" ? "results.saved" : "results.copied", { count: items.length }));
    } catch (error) {
      if (abort.current?.signal.aborted) say(text("results.stopped"));
      // What has been read is kept: the next try needs no time, which some browsers grant a copy.
      else if (kept.current?.key === key) say(text("results.copy.again"));
      else say(inWords(error).title);
    } finally {
      setCount(undefined);
    }
  };
  const isBusy = count !== undefined;
  /** @param {Form} form @param {string} label @param {string} name */
  const button = (form, label, name) => html`<button type="button" class="copy" aria-label=${`${label}: ${name}`} title=${name} disabled=${isBusy} onClick=${() => take(form)}>${label}</button>`;
  return html`<div class="copybar" role="group" aria-label=${text("copy.bar")}>
    <span aria-hidden="true">${text("copy.bar")}</span>
    ${button("ids", text("results.ids"), text("results.copy.ids", { count: most }))}
    ${button("names", text("results.names"), text("results.copy.names", { count: most }))}
    ${button("table", text("results.table"), text("results.copy.table", { count: most }))}
    ${button("csv", "CSV", text("results.csv", { count: most }))}
    <${Copy} what=${text("copy.link.page")} label=${text("copy.link")} text=${location.href} />
    ${isBusy && html`<span role="progressbar" aria-label=${text("results.reading")} aria-valuemin="0" aria-valuemax=${most} aria-valuenow=${count}>${text("results.read", { number: number(count), most: number(most) })}</span>
      <button type="button" class="copy" onClick=${() => abort.current?.abort()}>${text("results.stop")}</button>`}
    ${said && html`<span>${said}</span>`}
  </div>`;
}
