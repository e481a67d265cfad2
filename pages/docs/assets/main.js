/** Swagger UI over the description of this very stack. Nothing of it leaves the stack: there is no validator and no other server to choose. */
// Its server is relative to it, so that what stands before the pages, a stage or a proxy, stands before its paths too.
const description = new URL("v1/openapi.json", document.baseURI).href;

const isDark = matchMedia("(prefers-color-scheme: dark)");
// The class under which Swagger UI has its dark colours.
const shade = () => document.documentElement.classList.toggle("dark-mode", isDark.matches);
isDark.addEventListener("change", shade);
shade();

window.SwaggerUIBundle({
  url: description,
  dom_id: "#api",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  validatorUrl: null,
  withCredentials: false,
});
