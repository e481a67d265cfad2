/** German. @type {import("../texts.js").Texts} */
export default {
  "api.again": "Der Dienst hat nicht geantwortet. Neuer Versuch in {seconds} s.",

  "foot.api": "API",
  "foot.language": "Sprache dieser Seite",

  "loading.slow": "Das dauert länger als üblich.",

  "problem.again": "Erneut versuchen",
  "problem.detail": "Der Dienst meldet: {detail}",
  "problem.request": "Anfrage {request}",

  "signin.advice": "Melden Sie sich an, um die Taxonomien zu sehen, die Sie lesen dürfen.",
  "signin.failed": "Die Anmeldung ist fehlgeschlagen",
  "signin.failed.advice": "Versuchen Sie es erneut. {detail}",
  "signin.in": "Anmelden",
  "signin.out": "Abmelden",

  "start.failed": "Der Explorer kann nicht starten",
  "start.failed.advice": "Laden Sie die Seite neu. {detail}",

  "title": "Taxonomie-Explorer",
};
