/** Parts of the page whose modules are loaded when they are first shown, so that the first term shows sooner. */
import { useEffect, useReducer, useState } from "./vendor/hooks.js";
import { Failure } from "./failure.js";
import { html } from "./html.js";
import { Loading, Problem } from "./parts.js";
import { text } from "./texts.js";

/**
 * A component out of a module.
 * @template {string} N
 * @template {{ [name in N]: (props: any) => any }} M
 * @param {() => Promise<M>} load
 * @param {N} name
 * @returns {M[N]}
 */
export function lazy(load, name) {
  /** @type {((props: any) => any) | undefined} */
  let part;
  return /** @type {M[N]} */ ((/** @type {any} */ props) => {
    const [, redraw] = useReducer((/** @type {number} */ count) => count + 1, 0);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (part) return;
      load().then(
        (module) => {
          part = module[name];
          redraw(0);
        },
        () => setFailed(true),
      );
    }, []);
    if (part) return html`<${part} ...${props} />`;
    // A browser may keep the failure of a module until the page is loaded again.
    if (hasFailed) return html`<${Problem} error=${new Failure({ kind: "module" })} again=${() => location.reload()} />`;
    return html`<${Loading} what=${text("loading")} />`;
  });
}
