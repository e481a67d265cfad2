/** English, and which texts there are. Keys begin with the part of the page that shows them; the parts are in the order of the alphabet. */
export default /** @type {const} */ ({
  "api.again": "The service did not answer. Trying again in {seconds} s.",

  "foot.api": "API",
  "foot.language": "Language of this page",

  "loading.slow": "This takes longer than usual.",

  "problem.again": "Try again",
  "problem.detail": "The service says: {detail}",
  "problem.request": "Request {request}",

  "signin.advice": "Sign in to see the taxonomies that you may read.",
  "signin.failed": "You could not be signed in",
  "signin.failed.advice": "Try again. {detail}",
  "signin.in": "Sign in",
  "signin.out": "Sign out",

  "start.failed": "The explorer cannot start",
  "start.failed.advice": "Load the page again. {detail}",

  "title": "Taxonomy explorer",
});
