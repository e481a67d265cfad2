/** What is said of a term or a category: its state, its notes, and a list of facts, each to be copied. */
import { Copy, curl } from "../copy.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { Badge, label, Text } from "../parts.js";
import { change, format } from "../state.js";
import { rich, text } from "../texts.js";
import { isPinned } from "../versions/served.js";
import { culture as cultureName } from "../words.js";

/**
 * @typedef {import("../answers.js").Details & { finalName?: string, depth?: number }} Node
 */

/** The language of its name where that is not the wanted one, and its state. @param {{ node: Node }} props */
export function Badges({ node }) {
  const { culture } = useShown();
  return html`<p class="badges">
    ${node.culture !== culture && html`<${Badge} kind="culture">${text("badge.language", { language: cultureName(node.culture), wanted: cultureName(culture) })}<//>`}
    ${node.removed ? html`<${Badge} kind="retired">${text("badge.removed")}<//>` : node.deprecated && html`<${Badge} kind="retired">${text("badge.deprecated")}<//>`}
  </p>`;
}

/** @param {{ node: Node }} props */
export function Notes({ node: { notes, culture } }) {
  const { definition, scopeNote } = notes ?? {};
  return html`${definition && html`<p class="note definition"><${Text} text=${definition} lang=${culture} /></p>`}
    ${scopeNote && html`<p class="note">${rich("note.scope", { label, note: html`<${Text} text=${scopeNote} lang=${culture} />` })}</p>`}`;
}

/** @param {{ node: Node, kind: "term" | "category" }} props */
export function Facts({ node, kind }) {
  // An icon is a word for programs that draw it.
  const metadata = Object.entries(node.metadata).filter(([name, value]) => name !== "icon" || typeof value !== "string");
  /** @param {string} what @param {string} copied */
  const copy = (what, copied) => html`<${Copy} what=${text(kind === "term" ? "copy.of.term" : "copy.of.category", { what })} text=${copied} />`;
  return html`<dl class="facts">
    <div><dt>${text("fact.id")}</dt><dd><code>${node.id}</code>${copy(text("copy.id"), String(node.id))}</dd></div>
    ${node.notation !== undefined && html`<div><dt>${text("fact.code")}</dt><dd><code><${Text} text=${node.notation} /></code>${copy(text("copy.code"), node.notation)}</dd></div>`}
    ${node.finalName !== undefined && html`<div><dt>${text("fact.finalName")}</dt><dd><${Text} text=${node.finalName} lang=${node.culture} />${copy(text("copy.finalName"), node.finalName)}</dd></div>`}
    ${node.path !== undefined && html`<div><dt>${text("fact.path")}</dt><dd class="path"><${Text} text=${node.path} />${copy(text("copy.path"), node.path)}</dd></div>`}
    ${node.altNames.length > 0 && html`<div><dt>${text("fact.alternatives")}</dt><dd><ul class="words">${node.altNames.map((name) => html`<li key=${name}><${Text} text=${name} lang=${node.culture} /></li>`)}</ul></dd></div>`}
    ${node.sortKey !== undefined && html`<div><dt>${text("fact.sortKey")}</dt><dd><code><${Text} text=${node.sortKey} /></code></dd></div>`}
    ${metadata.map(
      ([name, value]) => html`<div key=${name}><dt><${Text} text=${name} /></dt><dd><${Text} text=${typeof value === "string" ? value : JSON.stringify(value)} /></dd></div>`,
    )}
  </dl>`;
}

/** @param {{ node: Node, kind: "term" | "category" }} props */
export function CopyBar({ node, kind }) {
  const { api, hasSignIn, state } = usePage();
  const { path, culture, query, version } = useShown();
  const address = `${path}/${kind === "term" ? "terms" : "categories"}/${node.id}`;
  // Without a version in the page's address the command asks for the served one, whichever that is.
  const asked = { culture, version: state.version, asOf: state.version === undefined ? state.asOf : undefined };
  const json = async () => JSON.stringify(await api.get(address, query), null, 2);
  return html`<div class="copybar" role="group" aria-label=${text("copy.bar")}>
    <span aria-hidden="true">${text("copy.bar")}</span>
    <${Copy} what=${text("copy.link.page")} label=${text("copy.link")} text=${location.href} />
    ${!isPinned(state) && html`<${Copy} what=${text("copy.link.version", { version })} label=${text("copy.link.version", { version })} text=${`${location.origin}${location.pathname}${format(change(state, { version }))}`} />`}
    <${Copy} what=${text("copy.curl")} label="curl" text=${curl(address, asked, hasSignIn)} />
    <${Copy} what="JSON" label="JSON" text=${json} />
  </div>`;
}
