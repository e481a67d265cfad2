/** Loads the page. A module that does not arrive ends in a message with a next step, not in a page that waits for ever. */

// The texts of the page may be what is missing, so these are here.
/** @type {Record<string, [string, string, string]>} */
const WORDS = {
  en: ["The page cannot start", "A part of the page did not arrive. Check your network, then try again.", "Try again"],
  de: ["Die Seite kann nicht starten", "Ein Teil der Seite kam nicht an. Prüfen Sie Ihr Netz und versuchen Sie es noch einmal.", "Noch einmal versuchen"],
  fr: ["La page ne peut pas démarrer", "Une partie de la page n’est pas arrivée. Vérifiez votre réseau, puis réessayez.", "Réessayer"],
  es: ["La página no puede iniciarse", "Una parte de la página no llegó. Compruebe su red e inténtelo de nuevo.", "Intentar de nuevo"],
};

/**
 * @param {string} tag
 * @param {string} text
 */
function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function cannotStart() {
  const language = navigator.languages.map((tag) => tag.split("-")[0] ?? "").find((tag) => Object.hasOwn(WORDS, tag)) ?? "en";
  const [title, advice, again] = WORDS[language] ?? ["", "", ""];
  document.documentElement.lang = language;
  const problem = element("div", "");
  problem.setAttribute("role", "alert");
  const button = element("button", again);
  button.addEventListener("click", () => location.reload());
  problem.append(element("h1", title), element("p", advice), button);
  const main = element("main", "");
  main.className = "centred";
  main.append(problem);
  document.getElementById("app")?.replaceChildren(main);
}

// The name of the page, in its `html` element.
const load = document.documentElement.dataset.page === "reference" ? () => import("./reference/main.js") : () => import("./main.js");
load().then(({ start }) => start()).catch(cannotStart);
