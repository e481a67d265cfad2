/** What is said of a term or a category, as a list of facts, each to be copied. */
import { Copy, curl } from "../copy.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { Text } from "../parts.js";

/**
 * @typedef {import("../answers.js").Details & { finalName?: string, depth?: number }} Node
 */

/** @param {{ node: Node }} props */
export function Facts({ node }) {
  const metadata = Object.entries(node.metadata);
  return html`<dl class="facts">
    <div><dt>Id</dt><dd><code>${node.id}</code><${Copy} what="id" text=${String(node.id)} /></dd></div>
    ${node.notation !== undefined && html`<div><dt>Notation</dt><dd><code><${Text} text=${node.notation} /></code><${Copy} what="notation" text=${node.notation} /></dd></div>`}
    ${node.finalName !== undefined && html`<div><dt>FinalName</dt><dd><${Text} text=${node.finalName} lang=${node.culture} /><${Copy} what="FinalName" text=${node.finalName} /></dd></div>`}
    ${node.path !== undefined && html`<div><dt>Path</dt><dd class="path"><${Text} text=${node.path} /><${Copy} what="path" text=${node.path} /></dd></div>`}
    ${node.altNames.length > 0 && html`<div><dt>Also called</dt><dd><ul class="words">${node.altNames.map((name) => html`<li key=${name}><${Text} text=${name} lang=${node.culture} /></li>`)}</ul></dd></div>`}
    ${node.sortKey !== undefined && html`<div><dt>Sorted by</dt><dd><code><${Text} text=${node.sortKey} /></code></dd></div>`}
    ${metadata.map(
      ([name, value]) => html`<div key=${name}><dt><${Text} text=${name} /></dt><dd><${Text} text=${typeof value === "string" ? value : JSON.stringify(value)} /></dd></div>`,
    )}
  </dl>`;
}

/** @param {{ node: Node, kind: "term" | "category" }} props */
export function CopyBar({ node, kind }) {
  const { api, hasSignIn, state } = usePage();
  const { path, culture, query } = useShown();
  const address = `${path}/${kind === "term" ? "terms" : "categories"}/${node.id}`;
  // Without a version in the page's address the command asks for the served one, whichever that is.
  const asked = { culture, version: state.version, asOf: state.version === undefined ? state.asOf : undefined };
  const json = async () => JSON.stringify(await api.get(address, query), null, 2);
  return html`<div class="copybar" role="group" aria-label="Copy">
    <span aria-hidden="true">Copy</span>
    <${Copy} what=${`id of the ${kind}`} label="id" text=${String(node.id)} />
    ${node.notation !== undefined && html`<${Copy} what=${`notation of the ${kind}`} label="notation" text=${node.notation} />`}
    ${node.finalName !== undefined && html`<${Copy} what=${`FinalName of the ${kind}`} label="FinalName" text=${node.finalName} />`}
    ${node.path !== undefined && html`<${Copy} what=${`path of the ${kind}`} label="path" text=${node.path} />`}
    <${Copy} what="link to this page" label="link" text=${location.href} />
    <${Copy} what="curl command" label="curl" text=${curl(address, asked, hasSignIn)} />
    <${Copy} what="JSON" label="JSON" text=${json} />
  </div>`;
}
