/** Downloads of the shown version. The service makes one when it is first asked for; until then it is asked again. */
import { useEffect, useRef, useState } from "./vendor/hooks.js";
import { sleep } from "./api.js";
import { Failure, inWords } from "./failure.js";
import { html } from "./html.js";
import { usePage, useShown } from "./page.js";
import { text } from "./texts.js";
import { moment, size } from "./words.js";

/** Format, dialect, and what a reader does with it. */
const FORMATS = /** @type {const} */ ([
  ["json", undefined, () => "JSON", "download.json"],
  ["ndjson", undefined, () => "NDJSON", "download.ndjson"],
  ["csv", undefined, () => "CSV", "download.csv"],
  ["csv", "spreadsheet", () => text("download.spreadsheet.name"), "download.spreadsheet"],
  ["skos", undefined, () => "SKOS", "download.skos"],
  ["history", undefined, () => text("download.history.name"), "download.history"],
]);
/** Milliseconds in which a download is asked for again and again. */
const PATIENCE = 600_000;
/** Seconds between two questions, where the service says none. */
const PAUSE = 5;

export function Formats() {
  const { version } = useShown();
  return html`<ul class="downloads">${FORMATS.map(([format, dialect, name, use]) => html`<${Format} key=${`${version}${use}`} format=${format} dialect=${dialect} name=${name()} use=${text(use)} />`)}</ul>`;
}

/** @param {{ format: string, dialect: string | undefined, name: string, use: string }} props */
function Format({ format, dialect, name, use }) {
  const { api, announce } = usePage();
  const { path, version } = useShown();
  const [state, setState] = useState(/** @type {{ isBusy?: boolean, ready?: import("./answers.js").Download, error?: unknown }} */ ({}));
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const link = useRef(/** @type {HTMLAnchorElement | null} */ (null));
  // The link takes the place of the button, and its focus.
  useEffect(() => link.current?.focus(), [state.ready]);
  const make = async () => {
    if (state.isBusy) return;
    const { signal } = abort.current;
    setState({ isBusy: true });
    const until = Date.now() + PATIENCE;
    try {
      for (;;) {
        const answer = await api.ask(`${path}/versions/${version}/download`, { format, dialect }, { signal, hurried: true });
        if (answer.status === 200) {
          setState({ ready: answer.body });
          announce(text("download.ready", { name }));
          return;
        }
        if (Date.now() > until) throw new Failure({ kind: "slow" });
        announce(text("download.busy.said", { name }));
        await sleep((answer.retryAfter ?? PAUSE) * 1000, signal);
      }
    } catch (error) {
      if (!signal.aborted) setState({ error });
    }
  };
  const { isBusy, ready, error } = state;
  return html`<li>
    <span><strong>${name}</strong> <span class="muted">${use}</span></span>
    ${ready?.url && isWeb(ready.url)
      ? html`<a ref=${link} class="button primary" href=${ready.url} download=${ready.fileName}>${ready.bytes === undefined ? text("download.save") : text("download.save.size", { size: size(ready.bytes) })}<span class="visually-hidden"> ${name}</span></a>`
      : html`<button type="button" onClick=${make} aria-disabled=${isBusy ? "true" : undefined}>${text(isBusy ? "download.busy" : "download")}<span class="visually-hidden"> ${name}</span></button>`}
    ${ready?.expiresAt && html`<span class="muted small">${text("download.until", { time: moment(ready.expiresAt) })}</span>`}
    ${error !== undefined && html`<span class="small" role="alert">${inWords(error).title}. ${inWords(error).advice}</span>`}
  </li>`;
}

/** @param {string} url */
const isWeb = (url) => /^https?:\/\//.test(url);
