/** Where the page begins: its settings, the sign-in where one is needed, then the explorer. */
import { render } from "./vendor/preact.js";
import { App } from "./app.js";
import { html } from "./html.js";
import { SignIn } from "./signin.js";

/**
 * @typedef {object} Config `explore/config.json`
 * @property {{ kind: "stack" | "file" | "plan", name: string }} source
 * @property {import("./signin.js").Settings} auth
 */

const root = /** @type {HTMLElement} */ (document.getElementById("app"));

async function start() {
  const response = await fetch(new URL("explore/config.json", document.baseURI), { cache: "no-store" });
  if (!response.ok) throw new Error(`the settings of the page were answered with ${response.status}`);
  /** @type {Config} */
  const config = await response.json();
  const signIn = new SignIn(config.auth);
  /** @type {unknown} */
  let failure;
  await signIn.arrive().catch((error) => {
    failure = error;
  });
  root.replaceChildren();
  render(html`<${App} source=${config.source} signIn=${signIn} failure=${failure} />`, root);
}

start().catch((error) => {
  root.replaceChildren();
  const problem = html`<div class="centred"><p role="alert" class="problem-title">The explorer cannot start</p><p>Load the page again. ${String(error.message ?? error)}</p></div>`;
  render(problem, root);
});
