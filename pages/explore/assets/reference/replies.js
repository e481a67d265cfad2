/** The answers that an operation may have: each status with its members and examples. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { text } from "../texts.js";
import { Members } from "./members.js";
import { Prose } from "./prose.js";

/** @typedef {import("./description.js").Description} Description */

/** @param {{ description: Description, answers: import("./description.js").Answer[] }} props */
export function Replies({ description, answers }) {
  return html`<section aria-labelledby="answers">
    <h2 id="answers">${text("reference.answers")}</h2>
    ${answers.map(
      ({ status, description: said, contents, headers }) => html`<details key=${status} class="answer" open=${status === "200"}>
        <summary><strong class=${status < "3" ? "good" : "bad"}>${status}</strong> <span lang="en">${said}</span></summary>
        ${contents.map((content) => html`<${Content} key=${content.type} description=${description} content=${content} isOpen=${status < "3"} />`)}
        ${headers.length > 0 &&
        html`<dl class="members">${headers.map(({ name, description: meaning }) => html`<div key=${name}><dt><code>${name}</code></dt><dd><p lang="en"><${Prose} text=${meaning} /></p></dd></div>`)}</dl>`}
      </details>`,
    )}
  </section>`;
}

/** @param {{ description: Description, content: import("./description.js").Content, isOpen: boolean }} props */
function Content({ description, content: { type, schema, examples }, isOpen }) {
  const [at, setAt] = useState(0);
  const [areShown, setShown] = useState(isOpen);
  const example = examples[at];
  return html`<div class="content">
    <p class="small"><code>${type}</code> <span class="muted" lang="en">${description.typeOf(schema)}</span></p>
    ${examples.length > 1 &&
    html`<label class="small">${text("reference.example")}${" "}
      <select value=${at} onChange=${(/** @type {Event} */ event) => setAt(Number(/** @type {HTMLSelectElement} */ (event.target).value))}>
        ${examples.map(({ name }, index) => html`<option key=${name} value=${index}>${name}</option>`)}
      </select></label>`}
    ${example && html`<${Shown} example=${example} />`}
    ${areShown ? html`<${Members} description=${description} schema=${schema} />` : html`<button type="button" onClick=${() => setShown(true)}>${text("reference.members")}</button>`}
  </div>`;
}

/**
 * An example as it is sent. A problem has its meaning before it.
 * @param {{ example: import("./description.js").Example }} props
 */
export function Shown({ example: { name, description, value } }) {
  return html`${description && html`<p lang="en"><a href=${`#${name}`}><code>${name}</code></a> <${Prose} text=${description} /></p>`}
    <${Code} words=${JSON.stringify(value, null, 2)} name=${text("reference.example")} />`;
}

/**
 * A block of code. It scrolls, so the keyboard reaches it.
 * @param {{ words: string, name: string }} props
 */
export function Code({ words, name }) {
  return html`<pre class="code" tabindex="0" role="group" aria-label=${name}><code>${words}</code></pre>`;
}
