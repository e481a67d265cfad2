// The API page: Swagger UI over the stack's own description, without a request to another host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, ask, quiet, served, world } from "./browser.mjs";

const { visit } = world();
const { visit: staged } = served({ prefix: "/some/stage" });
const open = (page) => page.locator("#operations-terms-getTerm").or(page.locator("[id$='getTerm']")).first();

/** Tries the operation of a term, and returns the text that the page shows. */
async function tryIt(page) {
  const operation = open(page);
  await operation.waitFor();
  await operation.getByRole("button").first().click();
  await operation.getByPlaceholder("tenant", { exact: true }).fill("jobs");
  await operation.getByPlaceholder("id", { exact: true }).fill("110");
  await operation.getByRole("button", { name: "Execute" }).click();
  await operation.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
  return operation.locator(".live-responses-table .highlight-code, .live-responses-table .microlight").first().textContent();
}

test("every operation of the description is shown, by its own stack", async () => {
  const { paths } = await ask("openapi.json");
  const operations = Object.values(paths).flatMap((path) => Object.keys(path).filter((method) => ["get", "post", "head"].includes(method)));
  await visit("", async (page, { requests }) => {
    await open(page).waitFor();
    assert.equal(await page.locator(".opblock").count(), operations.length);
    assert.deepEqual(requests.map((url) => new URL(url).pathname).filter((path) => path.includes("/v1/")), ["/v1/openapi.json"]);
    assert.equal(await page.getByText("Invalid").count(), 0);
  }, { path: "/docs" });
});

test("Try it out asks the stack", () =>
  visit("", async (page, { server }) => {
    assert.match(await tryIt(page), /Software development/);
    assert.ok(server.asked.some((path) => path.startsWith("/v1/tenants/jobs/terms/110")));
  }, { path: "/docs" }));

test("Try it out works behind a prefix", () =>
  staged("", async (page) => assert.match(await tryIt(page), /Software development/), { path: "/docs" }));

// Swagger UI itself writes buttons inside buttons, headings that skip a level, and text outside landmarks.
const ITS_OWN = ["nested-interactive", "heading-order", "region"];

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds three rules broken by Swagger UI, and nothing else: ${colorScheme}`, () =>
    visit("", async (page) => {
      await open(page).waitFor();
      await quiet(page);
      await accessible(page, `the API page, ${colorScheme}`, ITS_OWN);
    }, { path: "/docs", colorScheme }));
}
