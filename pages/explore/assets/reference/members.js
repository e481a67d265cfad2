/** The members of a JSON object, as the document describes them; those below a member on demand. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { text } from "../texts.js";
import { Prose } from "./prose.js";

/**
 * @param {{ description: import("./description.js").Description, schema: import("./description.js").Schema | undefined }} props
 */
export function Members({ description, schema }) {
  const members = description.membersOf(schema);
  if (!members.length) return null;
  return html`<dl class="members">
    ${members.map(
      ({ name, isRequired, schema: own, description: said }) => html`<div key=${name}>
        <dt><code>${name}</code> <span class="small"><span lang="en">${description.typeOf(own)}</span>${isRequired && ` · ${text("reference.required")}`}</span></dt>
        <dd><p lang="en"><${Prose} text=${said} /></p><${Below} description=${description} schema=${own} name=${name} /></dd>
      </div>`,
    )}
  </dl>`;
}

/** @param {{ description: import("./description.js").Description, schema: import("./description.js").Schema, name: string }} props */
function Below({ description, schema, name }) {
  const [isOpen, setOpen] = useState(false);
  if (!description.membersOf(schema).length) return null;
  return html`<details onToggle=${(/** @type {Event} */ event) => setOpen(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)}>
    <summary>${text("reference.members.of", { name })}</summary>
    ${isOpen && html`<${Members} description=${description} schema=${schema} />`}
  </details>`;
}
