// A small client over types that openapi-typescript generates from the description. It compiles only if the description fits its requests.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { env: Record<string, string | undefined>; exitCode: number };
declare const console: { log(text: string): void };

const { API_URL = "", TENANT = "" } = process.env;
// Lists in a query have commas between their elements, as the description of each states.
const api = createClient<paths>({ baseUrl: API_URL, querySerializer: { array: { style: "form", explode: false } } });
const tenant = { tenant: TENANT };

function expect(what: string, holds: boolean): void {
  console.log(`${holds ? "ok    " : "FAILED"} ${what}`);
  if (!holds) process.exitCode = 1;
}

/** Returns all pages of a list. */
async function terms(category: number): Promise<components["schemas"]["TreeTerm"][]> {
  const all = [];
  let cursor: string | undefined;
  do {
    const query: { limit: number; culture: string; cursor?: string } = { limit: 20, culture: "fr-FR" };
    if (cursor !== undefined) query.cursor = cursor;
    const { data, error } = await api.GET("/v1/tenants/{tenant}/categories/{id}/terms", {
      params: { path: { ...tenant, id: category }, query },
    });
    if (data === undefined) throw new Error(JSON.stringify(error));
    all.push(...data.items);
    cursor = data.nextCursor;
  } while (cursor !== undefined);
  return all;
}

const head = await api.GET("/v1/tenants/{tenant}", { params: { path: tenant } });
expect("a head names its cultures", head.data?.cultures.includes("fr-FR") === true);

const listed = await api.GET("/v1/tenants");
expect("the tenant is listed", listed.data?.items.some((item) => item.id === TENANT) === true);

const sector = await terms(1);
expect("a category has more terms than a page", sector.length > 20);
expect("they are named in the culture asked for", sector.some((term) => term.culture === "fr-FR"));
expect("depths begin with 1", Math.min(...sector.map((term) => term.depth)) === 1);

const ids = sector.slice(0, 100).map((term) => term.id);
const batch = await api.POST("/v1/tenants/{tenant}/terms:batchGet", {
  params: { path: tenant, query: { culture: "fr-FR" } },
  body: { ids },
});
const names = batch.data?.items.map((item) => item.term?.finalName);
expect("a batch answers in its order", JSON.stringify(names) === JSON.stringify(sector.slice(0, 100).map((term) => term.finalName)));

const missing = await api.GET("/v1/tenants/{tenant}/terms/{id}", { params: { path: { ...tenant, id: 9007199254740991 } } });
const problem = missing.error;
expect("a problem has a type", problem !== undefined && "type" in problem && problem.type === "/problems/term-not-found");

const fields = await api.GET("/v1/tenants/{tenant}/terms/{id}", {
  params: { path: { ...tenant, id: ids[0] ?? 0 }, query: { fields: ["finalName", "category.name"] } },
});
expect("fields are chosen", JSON.stringify(Object.keys(fields.data ?? {}).sort()) === '["category","finalName","id"]');
