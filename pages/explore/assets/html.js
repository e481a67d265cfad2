/** Elements as tagged templates: no compiler, no markup from strings. */
import htm from "./vendor/htm.js";
import { h } from "./vendor/preact.js";

/** @typedef {import("./vendor/preact.js").ComponentChildren} Children */
/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(/** @type {any} */ (h));
