/** Trying a request: its parameters, its answer, and the same as a program. */
import { useState } from "../vendor/hooks.js";
import { Copy } from "../copy.js";
import { html } from "../html.js";
import { Loading } from "../parts.js";
import { rich, text } from "../texts.js";
import { size } from "../words.js";
import { body as bodyOf, values as valuesOf } from "./known.js";
import { Prose } from "./prose.js";
import { Code } from "./replies.js";
import { addressOf, MOST_SHOWN, send } from "./request.js";
import { SAMPLES } from "./samples.js";

/**
 * @typedef {import("./description.js").Operation} Operation
 * @typedef {{ base: string, sampleBase: string, auth: import("./samples.js").Auth, isReadOnly: boolean, token: string, tenant: string, known: import("./known.js").Known | undefined }} Target
 * @typedef {{ isBusy?: boolean, reply?: import("./request.js").Reply, error?: unknown }} State
 */

/** @param {{ operation: Operation, target: Target, description: import("./description.js").Description }} props */
export function Trial({ operation, target, description }) {
  const [edited, setEdited] = useState(/** @type {Record<string, string>} */ ({}));
  const [typed, setTyped] = useState(/** @type {string | undefined} */ (undefined));
  const [state, setState] = useState(/** @type {State} */ ({}));
  /** @type {Record<string, string>} */
  const values = { ...valuesOf(operation, target.known), ...edited, tenant: target.tenant };
  const body = typed ?? bodyOf(operation, target.known);
  const { method } = operation;
  const maySend = method === "GET" || !target.isReadOnly;
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (state.isBusy) return;
    setState({ isBusy: true });
    try {
      setState({ reply: await send(addressOf(target.base, operation, values), { method, body, token: target.token }) });
    } catch (error) {
      setState({ error });
    }
  };
  // What is required is asked for first.
  const shown = operation.parameters.filter(({ name, place }) => place !== "header" && name !== "tenant").sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
  return html`<section aria-labelledby="try">
      <h2 id="try">${text("reference.try")}</h2>
      <form class="trial" onSubmit=${submit}>
        ${shown.map((parameter) => html`<${Field} key=${parameter.name} parameter=${parameter} description=${description} value=${values[parameter.name] ?? ""} onType=${(/** @type {string} */ value) => setEdited({ ...edited, [parameter.name]: value })} />`)}
        ${body !== undefined &&
        html`<div>
          <label for="body">${text("reference.body")}</label>
          <textarea id="body" rows=${Math.min(12, body.split("\n").length + 1)} spellcheck=${false} value=${body} onInput=${(/** @type {Event} */ event) => setTyped(/** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea>
        </div>`}
        <p class="address"><code>${method} ${addressOf(target.base, operation, values).slice(target.base.length - 1)}</code></p>
        ${maySend ? html`<button type="submit" class="primary" aria-disabled=${state.isBusy ? "true" : undefined}>${text("reference.send")}</button>` : html`<p class="muted">${rich("reference.post", { code: code })}</p>`}
      </form>
      <${Reply} state=${state} />
    </section>
    <${Samples} request=${{ method, url: addressOf(target.sampleBase, operation, values), auth: operation.isPublic ? "none" : target.auth, ...(body !== undefined && { body: compact(body) }) }} />`;
}

/** @param {string} words */
export const code = (words) => html`<code>${words}</code>`;

/**
 * A schema without the values that it may have: they are listed beside it.
 * @param {import("./description.js").Schema} schema
 */
const brief = ({ type, format, items, ...schema }) => (items ? { type, items: { type: items.type } } : type ? { type, format } : schema);

/** JSON in one line, where it is JSON. @param {string} body */
function compact(body) {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

/** @param {{ parameter: import("./description.js").Parameter, description: import("./description.js").Description, value: string, onType: (value: string) => void }} props */
function Field({ parameter: { name, place, description: said, isRequired, schema, example }, description, value, onType }) {
  const id = `parameter-${name}`;
  const type = /** @param {Event} event */ (event) => onType(/** @type {HTMLInputElement} */ (event.target).value);
  /** @type {string[] | undefined} */
  const choices = schema.enum;
  const placeholder = name === "fields" ? "id,name" : example === undefined ? "" : String(example);
  return html`<div>
    <label for=${id}><code>${name}</code> <span><i lang="en">${place}, ${description.typeOf(brief(schema))}</i>${isRequired && ` · ${text("reference.required")}`}</span></label>
    ${choices
      ? html`<select id=${id} aria-describedby=${`${id}-said`} value=${value} onChange=${type}>
          ${!isRequired && html`<option value=""></option>`}${choices.map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}
        </select>`
      : html`<input id=${id} aria-describedby=${`${id}-said`} required=${isRequired} spellcheck=${false} autocapitalize="none" placeholder=${placeholder} value=${value} onInput=${type} />`}
    <div class="small muted" id=${`${id}-said`} lang="en"><${Prose} text=${said} /></div>
    ${schema.items?.enum && html`<details class="small"><summary>${text("reference.fields")}</summary><p><code>${schema.items.enum.join(", ")}</code></p></details>`}
  </div>`;
}

/** @param {{ state: State }} props */
function Reply({ state: { isBusy, reply, error } }) {
  if (isBusy) return html`<${Loading} what=${text("reference.sending")} />`;
  if (error !== undefined) return html`<div class="problem" role="alert"><p class="problem-title">${text("failure.unreachable")}</p><p>${text("failure.unreachable.advice")}</p></div>`;
  if (!reply) return null;
  return html`<div class="reply">
    <p role="status"><strong class=${reply.status < 300 ? "good" : "bad"}>${reply.status}</strong> <span class="muted">${text("reference.time", { ms: reply.time })}</span>${reply.code && html` <a href=${`#${reply.code}`}><code>${reply.code}</code></a>`} <${Copy} what=${text("reference.answer")} text=${reply.text} /></p>
    <${Code} words=${reply.text} name=${text("reference.answer")} />
    ${!reply.isWhole && html`<p class="muted">${text("reference.cut", { size: size(MOST_SHOWN) })}</p>`}
    <details class="small"><summary>${text("reference.headers")}</summary><${Code} words=${reply.headers.map(([name, value]) => `${name}: ${value}`).join("\n")} name=${text("reference.headers")} /></details>
  </div>`;
}

/** @param {{ request: import("./samples.js").Request }} props */
function Samples({ request }) {
  const names = /** @type {(keyof typeof SAMPLES)[]} */ (Object.keys(SAMPLES));
  const [name, setName] = useState(/** @type {keyof typeof SAMPLES} */ ("curl"));
  const sample = SAMPLES[name](request);
  return html`<section aria-labelledby="samples">
    <h2 id="samples">${text("reference.samples")}</h2>
    ${request.auth === "signed" && html`<p>${rich("reference.signed.sample", { code })}</p>`}
    <div class="choices" role="group" aria-label=${text("reference.samples")}>
      ${names.map((other) => html`<button key=${other} type="button" aria-pressed=${other === name ? "true" : "false"} onClick=${() => setName(other)}>${other}</button>`)}
      <${Copy} what=${name} text=${sample} />
    </div>
    <${Code} words=${sample} name=${name} />
  </section>`;
}
