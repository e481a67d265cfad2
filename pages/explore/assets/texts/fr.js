/** French. @type {import("../texts.js").Texts} */
export default {
  "api.again": "Le service n’a pas répondu. Nouvel essai dans {seconds} s.",

  "foot.api": "API",
  "foot.language": "Langue de cette page",

  "loading.slow": "Cela prend plus de temps que d’habitude.",

  "problem.again": "Réessayer",
  "problem.detail": "Le service indique : {detail}",
  "problem.request": "Requête {request}",

  "signin.advice": "Connectez-vous pour voir les taxonomies que vous pouvez lire.",
  "signin.failed": "La connexion a échoué",
  "signin.failed.advice": "Réessayez. {detail}",
  "signin.in": "Se connecter",
  "signin.out": "Se déconnecter",

  "start.failed": "L’explorateur ne peut pas démarrer",
  "start.failed.advice": "Rechargez la page. {detail}",

  "title": "Explorateur de taxonomies",
};
