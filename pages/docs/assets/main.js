/** Swagger UI over the description of this very stack. Nothing of it leaves the stack: there is no validator and no other server to choose. */
const description = new URL("v1/openapi.json", document.baseURI).href;

const isDark = matchMedia("(prefers-color-scheme: dark)");
// The class under which Swagger UI has its dark colours.
const shade = () => document.documentElement.classList.toggle("dark-mode", isDark.matches);
isDark.addEventListener("change", shade);
shade();

window.SwaggerUIBundle({
  url: description,
  dom_id: "#api",
  // The address below which the paths of the description lie: a stage or a proxy may stand before them.
  requestInterceptor: (request) => {
    const asked = new URL(request.url, document.baseURI);
    if (request.loadSpec || asked.origin !== location.origin) return request;
    const prefix = new URL(".", description).pathname.replace(/v1\/$/, "");
    if (!asked.pathname.startsWith(prefix)) request.url = `${prefix.replace(/\/$/, "")}${asked.pathname}${asked.search}`;
    return request;
  },
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  validatorUrl: null,
  withCredentials: false,
});
