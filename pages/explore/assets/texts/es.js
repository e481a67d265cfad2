/** Spanish. @type {import("../texts.js").Texts} */
export default {
  "api.again": "El servicio no ha respondido. Nuevo intento en {seconds} s.",

  "foot.api": "API",
  "foot.language": "Idioma de esta página",

  "loading.slow": "Esto tarda más de lo habitual.",

  "problem.again": "Reintentar",
  "problem.detail": "El servicio indica: {detail}",
  "problem.request": "Petición {request}",

  "signin.advice": "Inicie sesión para ver las taxonomías que puede leer.",
  "signin.failed": "No se ha podido iniciar la sesión",
  "signin.failed.advice": "Inténtelo de nuevo. {detail}",
  "signin.in": "Iniciar sesión",
  "signin.out": "Cerrar sesión",

  "start.failed": "El explorador no puede iniciarse",
  "start.failed.advice": "Vuelva a cargar la página. {detail}",

  "title": "Explorador de taxonomías",
};
