/** What the page shows: the overview, an operation, or the problems. */
import { useEffect, useRef } from "../vendor/hooks.js";
import { html } from "../html.js";
import { rich, text } from "../texts.js";
import { Members } from "./members.js";
import { Prose } from "./prose.js";
import { Replies, Shown } from "./replies.js";
import { code, Trial } from "./trial.js";

/** @typedef {import("./description.js").Description} Description */

/** @param {{ words: any, wantsFocus: boolean }} props */
function Heading({ words, wantsFocus }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => {
    if (wantsFocus) heading.current?.focus();
  }, []);
  return html`<h1 ref=${heading} tabindex="-1">${words}</h1>`;
}

/** @param {{ description: Description, operation: import("./description.js").Operation, target: import("./trial.js").Target, wantsFocus: boolean }} props */
export function OperationView({ description, operation, target, wantsFocus }) {
  const { method, path, summary, description: said, body } = operation;
  return html`<article>
    <p class="crumbs muted" lang="en">${description.tags.find(({ name }) => name === operation.tag)?.description}</p>
    <${Heading} words=${html`<span lang="en">${summary}</span>`} wantsFocus=${wantsFocus} />
    <p class="route"><strong class="method">${method}</strong> <code>${path}</code></p>
    <p lang="en"><${Prose} text=${said} /></p>
    ${operation.isPublic && html`<p class="muted">${text("reference.public")}</p>`}
    <${Trial} operation=${operation} target=${target} description=${description} />
    ${body && html`<section aria-labelledby="sent"><h2 id="sent">${text("reference.body")}</h2><${Members} description=${description} schema=${body.schema} /></section>`}
    <${Replies} description=${description} answers=${operation.answers} />
  </article>`;
}

/** @param {{ description: Description, wanted: string, wantsFocus: boolean }} props */
export function ProblemsView({ description, wanted, wantsFocus }) {
  useEffect(() => document.getElementById(wanted)?.scrollIntoView(), [wanted]);
  return html`<article>
    <${Heading} words=${text("reference.problems")} wantsFocus=${wantsFocus} />
    <p>${rich("reference.problems.said", { code })}</p>
    ${description.problems.map(
      (example) => html`<section key=${example.name} class="of-problem">
        <h2 id=${example.name}><a href=${`#${example.name}`}><code>${example.name}</code></a></h2>
        <p lang="en"><${Prose} text=${example.description ?? ""} /></p>
        <${Shown} example=${{ name: example.name, value: example.value }} />
      </section>`,
    )}
  </article>`;
}

/** @param {{ description: Description, config: import("../main.js").Config, wantsFocus: boolean }} props */
export function Overview({ description, config, wantsFocus }) {
  const { auth, source } = config;
  const said = source.kind === "stack" ? /** @type {const} */ (`reference.auth.${auth.mode}`) : "reference.auth.file";
  return html`<article>
    <${Heading} words=${text("reference.title")} wantsFocus=${wantsFocus} />
    <p lang="en"><${Prose} text=${description.document.info.description} /></p>
    <h2>${text("reference.auth")}</h2>
    <p>${rich(said, { code, claim: auth.claim ?? "tenants", name: source.name })}</p>
    <p>${rich("reference.auth.iam", { code })}</p>
    <h2>${text("reference.more")}</h2>
    <ul class="links">
      <li><a href="#problems">${text("reference.problems")}</a></li>
      <li><a href="v1/openapi.json">${text("reference.document")}</a></li>
    </ul>
  </article>`;
}
