/** The page before its taxonomy is there, or without it. */
import { Failure } from "./failure.js";
import { Foot } from "./foot.js";
import { html } from "./html.js";
import { useLoaded } from "./load.js";
import { Link, usePage } from "./page.js";
import { Coming, Heading, Problem } from "./parts.js";
import { text } from "./texts.js";
import { isPinned } from "./versions/served.js";
import { moment } from "./words.js";

/** @param {{ tenant: string, head: { error: unknown, again: () => void }, onFocus: () => void }} props */
export function Before({ tenant, head, onFocus }) {
  const { state } = usePage();
  const isMissing = head.error instanceof Failure && head.error.code === "version-not-found";
  const served = isPinned(state) && html`<${Link} class="button" to=${{ version: undefined, asOf: undefined }}>${text("app.served")}<//>`;
  const problem = isMissing && state.asOf ? html`<${TooEarly} asOf=${state.asOf}>${served}<//>` : html`<${Problem} error=${head.error} again=${head.again}>${served}<//>`;
  return html`<main id="main" class="pane lone">
    ${head.error ? html`<${Heading} text=${tenant} wantsFocus=${false} onFocus=${onFocus} />${problem}` : html`<${Coming} heading=${tenant} what=${text("loading.taxonomy")} />`}
    <${Foot} />
  </main>`;
}

/**
 * Says when the first version came, where the page is asked for a time before it.
 * @param {{ asOf: string, children?: any }} props
 */
function TooEarly({ asOf, children }) {
  const { api, state } = usePage();
  const first = useLoaded(
    /** @returns {Promise<{ committedAt: string }>} */
    (signal) => api.get(`tenants/${encodeURIComponent(state.tenant ?? "")}`, { version: 1, fields: "committedAt" }, { signal }),
    [state.tenant],
  );
  return html`<div class="problem" role="alert">
    <p class="problem-title">${text("failure.early", { time: moment(asOf) })}</p>
    ${first.value && html`<p>${text("failure.early.first", { time: moment(first.value.committedAt) })}</p>`}
    <p class="actions">${children}<${Link} class="button" to=${{ version: 1 }}>${text("app.newer.show", { newer: 1 })}<//></p>
  </div>`;
}
