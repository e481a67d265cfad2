/** All changes of a difference as CSV, which spreadsheets open. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { usePage } from "../page.js";
import { csv, save as saveFile } from "../table.js";
import { text } from "../texts.js";
import { number } from "../words.js";
import { pages } from "./read.js";

/** @typedef {import("../answers.js").ChangedNode} ChangedNode */
/** @typedef {import("../answers.js").NodeState} NodeState */

/** @type {[string, (state: NodeState) => string | number | undefined][]} */
const OF_A_SIDE = [
  ["name", ({ name }) => name],
  ["language", ({ culture }) => culture],
  ["displayName", ({ finalName }) => finalName],
  ["categoryId", ({ category }) => category],
  ["place", ({ place }) => place && [place.category, ...place.ancestors.toReversed()].map(({ name }) => name).join(" > ")],
  ["path", ({ path }) => path],
  ["code", ({ notation }) => notation],
  ["deprecated", ({ deprecated }) => String(deprecated)],
];

/** @param {string} side @param {string} name */
const titled = (side, name) => `${side}${name[0]?.toUpperCase()}${name.slice(1)}`;

/** The first line. */
export const HEAD = ["kind", "id", "operations", "fields", "followsKind", "followsId", ...["before", "after"].flatMap((side) => OF_A_SIDE.map(([name]) => titled(side, name)))];

/**
 * The line of a change.
 * @param {ChangedNode} item
 */
export function line({ kind, id, operations, fields = [], follows, before, after }) {
  const sides = [before, after].flatMap((state) => OF_A_SIDE.map(([, read]) => state && read(state)));
  return [kind, id, operations.join(" "), fields.join(" "), follows?.kind, follows?.id, ...sides];
}

/**
 * @param {{ path: string, query: import("../api.js").Query, name: string, count?: number }} props `count`: as many changes as there are, where that is known.
 */
export function CsvButton({ path, query, name, count }) {
  const { api, announce } = usePage();
  const [state, setState] = useState(/** @type {{ read?: number, error?: unknown }} */ ({}));
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const save = async () => {
    if (state.read !== undefined) return abort.current.abort();
    abort.current = new AbortController();
    const { signal } = abort.current;
    /** @type {unknown[][]} */
    const lines = [HEAD];
    setState({ read: 0 });
    try {
      for await (const page of pages(api, path, query, { signal })) {
        lines.push(...page.items.map(line));
        setState({ read: lines.length - 1 });
      }
      saveFile(name, csv(lines));
      setState({});
      announce(text("difference.csv.done", { count: lines.length - 1 }));
    } catch (error) {
      setState(signal.aborted ? {} : { error });
    }
    return undefined;
  };
  const { read, error } = state;
  return html`<button type="button" onClick=${save}>${read === undefined ? text("difference.csv") : count === undefined ? text("difference.csv.busy", { read: number(read) }) : text("difference.csv.busy.of", { read: number(read), all: number(count) })}</button>
    ${error !== undefined && html`<span class="small" role="alert">${inWords(error).title}. ${inWords(error).advice}</span>`}`;
}
