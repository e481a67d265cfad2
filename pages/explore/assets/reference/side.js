/** The operations by their kind, and a search over them. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { rich, text } from "../texts.js";
import { matching } from "./description.js";

/** @param {{ description: import("./description.js").Description, current: string, isOpen: boolean }} props */
export function Side({ description, current, isOpen }) {
  const [wanted, setWanted] = useState("");
  const found = matching(description.operations, wanted);
  const problems = wanted.trim() ? description.problems.filter(({ name, description: said = "" }) => `${name} ${said}`.toLowerCase().includes(wanted.trim().toLowerCase())) : [];
  const link = (/** @type {string} */ name, /** @type {any} */ words) => html`<li key=${name}><a href=${`#${name}`} aria-current=${name === current ? "page" : undefined}>${words}</a></li>`;
  return html`<nav id="side" class=${isOpen ? "left open" : "left"} aria-label=${text("reference.operations")}>
    <div role="search" class="pad">
      <label class="visually-hidden" for="find">${text("reference.search")}</label>
      <input id="find" type="search" placeholder=${text("reference.search")} value=${wanted} onInput=${(/** @type {Event} */ event) => setWanted(/** @type {HTMLInputElement} */ (event.target).value)} />
    </div>
    ${!wanted && html`<ul>${link("", text("header.overview"))}${link("problems", text("reference.problems"))}</ul>`}
    ${description.tags.map(({ name: tag }) => {
      const operations = found.filter((operation) => operation.tag === tag);
      if (!operations.length) return null;
      return html`<div key=${tag} lang="en">
        <p class="label" id=${`tag-${tag}`}>${tag}</p>
        <ul aria-labelledby=${`tag-${tag}`}>${operations.map(({ id, method, summary }) => link(id, html`${summary}${method === "POST" && html` <span class="badge">POST</span>`}`))}</ul>
      </div>`;
    })}
    ${problems.length > 0 && html`<p class="label" id="tag-problems">${text("reference.problems")}</p><ul aria-labelledby="tag-problems">${problems.map(({ name }) => link(name, html`<code>${name}</code>`))}</ul>`}
    <p class="pad muted" role="status">${wanted && found.length + problems.length === 0 && rich("reference.nothing", { text: html`<bdi>${wanted}</bdi>` })}</p>
  </nav>`;
}
