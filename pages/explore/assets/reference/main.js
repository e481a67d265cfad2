/** Where the API page begins: its language, the settings of the stack, and the stack's own description. */
import { render } from "../vendor/preact.js";
import { html } from "../html.js";
import { keepLanguage, language, preferredLanguage, speak, text } from "../texts.js";
import { Description } from "./description.js";
import { Reference } from "./reference.js";

const root = /** @type {HTMLElement} */ (document.getElementById("app"));

/** @param {string} path Relative to the page, before which a stage or a proxy may stand. */
async function read(path) {
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Shows the page. Throws only where the texts do not arrive. */
export async function start() {
  await speak(preferredLanguage());
  document.documentElement.lang = language();
  return open().catch(cannotStart);
}

async function open() {
  const [config, found] = await Promise.all([read("explore/config.json"), read("v1/openapi.json")]);
  const description = new Description(found);
  root.replaceChildren();
  const show = () => {
    document.documentElement.lang = language();
    render(html`<${Reference} key=${language()} description=${description} config=${config} speak=${choose} />`, root);
  };
  /** @param {import("../texts.js").Language} wanted */
  const choose = async (wanted) => {
    await speak(wanted);
    keepLanguage(wanted);
    show();
  };
  show();
}

/** @param {any} error */
function cannotStart(error) {
  const problem = html`<main class="centred">
    <div role="alert">
      <h1>${text("reference.failed")}</h1>
      <p>${text("start.failed.advice", { detail: String(error.message ?? error) })}</p>
      <p><button type="button" onClick=${() => location.reload()}>${text("problem.again")}</button></p>
    </div>
  </main>`;
  root.replaceChildren();
  render(problem, root);
}
