// Tests of the sign-in by code with PKCE, against a small OpenID provider. The server refuses requests without one of its tokens, as API Gateway does.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accessible, heading, served } from "./browser.mjs";
import { CLIENT, provide } from "./provider.mjs";

const provider = await provide();
const bare = await provide({ discovery: false });
after(() => Promise.all([provider.close(), bare.close()]));

const settings = (issuer, endpoints) => ({ formatVersion: 1, source: { kind: "stack", name: "taxonomy" }, auth: { mode: "jwt", issuer, clientId: CLIENT, scope: "openid taxonomy", claim: "tenants", ...(endpoints && { endpoints }) } });
const { visit } = served(() => ({ connect: provider.issuer, config: settings(provider.issuer) }));
const explicit = served(() => ({ connect: bare.issuer, config: settings(bare.issuer, { authorization: `${bare.issuer}/authorize`, token: `${bare.issuer}/token`, endSession: `${bare.issuer}/logout` }) }));

/** Refuses a request without a token of the provider, and removes the token for the stack, which accepts none. */
const guard = (from) => ({ headers }) => {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (!from.tokens.includes(token)) return { status: 401, body: { message: "Unauthorized" } };
  delete headers.authorization;
  return undefined;
};
const guarded = (from) => ({ before: ({ server }) => (server.fault = guard(from)), allow: [from.issuer] });
const enter = async (page) => page.getByRole("button", { name: "Sign in" }).click();

test("a reader signs in and is back at the address that was asked for", () =>
  visit("?tenant=jobs&culture=fr-FR&term=110", async (page, { server }) => {
    await heading(page, "Taxonomy explorer").waitFor();
    assert.equal(server.asked.length, 0, "nothing is asked without a token");
    await accessible(page, "signing in");
    const { url } = { url: page.url() };
    await enter(page);
    await heading(page, "Développement logiciel").waitFor();
    assert.equal(page.url(), url);
    assert.deepEqual(provider.wrong, []);
    const kept = await page.evaluate(() => ({ local: JSON.stringify({ ...localStorage }), session: { ...sessionStorage }, cookie: document.cookie }));
    assert.ok(provider.tokens.length > 0 && !provider.tokens.some((token) => kept.local.includes(token)), "no token outside of memory");
    assert.deepEqual([kept.session, kept.cookie], [{}, ""]);
    assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 1);
    await page.reload();
    await enter(page);
    await heading(page, "Développement logiciel").waitFor();
  }, guarded(provider)));

test("a copied curl command names the token, and does not hold it", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await enter(page);
    await page.getByRole("button", { name: "Copy curl command" }).click();
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /Bearer \$TAXONOMY_TOKEN"/);
    assert.ok(!provider.tokens.some((token) => text.includes(token)));
  }, { ...guarded(provider), permissions: ["clipboard-read", "clipboard-write"] }));

test("a token that has ended: the page says so, signs in again, and stays where it was", () =>
  visit("?tenant=jobs&term=110", async (page) => {
    await enter(page);
    await heading(page, "Software development").waitFor();
    provider.tokens.length = 0;
    await page.getByRole("link", { name: "Information technology" }).click();
    await page.getByText("You are not signed in, or your sign-in has ended").first().waitFor();
    await page.getByRole("button", { name: "Sign in" }).first().click();
    await heading(page, "Information technology").waitFor();
  }, { ...guarded(provider), mayFail: true }));

test("a reader who says no to the provider can try again", () =>
  visit("?tenant=jobs", async (page) => {
    provider.deny = true;
    await enter(page);
    await page.getByText("You could not be signed in").waitFor();
    await accessible(page, "a refused sign-in");
    provider.deny = false;
    await enter(page);
    await heading(page, "jobs").waitFor();
  }, guarded(provider)));

test("an answer that this tab did not ask for is not taken", () =>
  visit("?code=stolen&state=made-up", async (page, { server }) => {
    await page.getByText("You could not be signed in").waitFor();
    assert.equal(server.asked.length, 0);
    assert.equal(new URL(page.url()).search, "");
  }, guarded(provider)));

test("signing out ends the session", () =>
  visit("?tenant=jobs", async (page) => {
    await enter(page);
    await heading(page, "jobs").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Taxonomy explorer").waitFor();
  }, guarded(provider)));

test("endpoints that are named need no discovery", () =>
  explicit.visit("?tenant=jobs&term=110", async (page) => {
    await enter(page);
    await heading(page, "Software development").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Taxonomy explorer").waitFor();
  }, guarded(bare)));

