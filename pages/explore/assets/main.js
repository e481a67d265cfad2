/** Where the page begins: the language, its settings, the sign-in where one is needed, then the explorer. */
import { render } from "./vendor/preact.js";
import { App } from "./app.js";
import { html } from "./html.js";
import { keepLanguage, language, preferredLanguage, speak, text } from "./texts.js";

/**
 * @typedef {object} Config `explore/config.json`
 * @property {{ kind: "stack" | "file" | "plan", name: string }} source
 * @property {import("./signin.js").Settings} auth
 */

/** Of stacks without a sign-in. */
const NO_SIGN_IN = { isNeeded: false, token: undefined, arrive: async () => {}, leave: async () => {}, leaveForGood: async () => {} };

const root = /** @type {HTMLElement} */ (document.getElementById("app"));

/** @returns {Promise<Config>} */
async function settings() {
  const response = await fetch(new URL("explore/config.json", document.baseURI), { cache: "no-store" });
  if (!response.ok) throw new Error(`explore/config.json: ${response.status}`);
  return response.json();
}

/** Shows the page. Throws only where the texts do not arrive. */
export async function start() {
  await speak(preferredLanguage());
  return open().catch(cannotStart);
}

async function open() {
  const config = await settings();
  const signIn = config.auth.mode === "jwt" ? new (await import("./signin.js")).SignIn(config.auth) : NO_SIGN_IN;
  /** @type {unknown} */
  let failure;
  await signIn.arrive().catch((error) => {
    failure = error;
  });
  root.replaceChildren();
  const show = () => {
    document.documentElement.lang = language();
    // Another language is another page: nothing remains in the former one.
    render(html`<${App} key=${language()} source=${config.source} signIn=${signIn} failure=${failure} speak=${choose} />`, root);
  };
  /** @param {import("./texts.js").Language} wanted */
  const choose = async (wanted) => {
    await speak(wanted);
    keepLanguage(wanted);
    show();
  };
  show();
}

/** @param {any} error */
function cannotStart(error) {
  document.documentElement.lang = language();
  root.replaceChildren();
  const again = () => {
    render(null, root);
    void open().catch(cannotStart);
  };
  const problem = html`<main class="centred">
    <div role="alert">
      <h1>${text("start.failed")}</h1>
      <p>${text("start.failed.advice", { detail: String(error.message ?? error) })}</p>
      <p><button type="button" onClick=${again}>${text("problem.again")}</button></p>
    </div>
  </main>`;
  render(problem, root);
}
