// A small OpenID provider: discovery, an authorization page that signs in at once, tokens for a code with PKCE. It has the checks of a real one.
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

export const CLIENT = "explorer";
const base64 = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** @param {{ deny?: boolean, discovery?: boolean }} options `deny`: the person refuses. `discovery`: whether the document of the endpoints exists. */
export async function provide({ deny = false, discovery = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map();
  const provider = { deny, tokens: /** @type {string[]} */ ([]), wrong: /** @type {string[]} */ ([]), lifetime: 3600 };
  const token = (claims) => {
    const text = `${base64({ alg: "RS256", typ: "JWT", kid: "1" })}.${base64(claims)}`;
    return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
  };
  const server = createServer(async (asked, answer) => {
    const url = new URL(asked.url ?? "/", provider.issuer);
    const json = (body, status = 200) => answer.writeHead(status, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store" }).end(JSON.stringify(body));
    if (asked.method === "OPTIONS") return answer.writeHead(204, { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" }).end();
    if (url.pathname === "/.well-known/openid-configuration" && discovery) {
      return json({ issuer: provider.issuer, authorization_endpoint: `${provider.issuer}/authorize`, token_endpoint: `${provider.issuer}/token`, jwks_uri: `${provider.issuer}/keys`, end_session_endpoint: `${provider.issuer}/logout`, response_types_supported: ["code"], subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] });
    }
    if (url.pathname === "/keys") return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] });
    if (url.pathname === "/authorize") {
      const query = Object.fromEntries(url.searchParams);
      for (const [name, value] of Object.entries({ response_type: "code", client_id: CLIENT, code_challenge_method: "S256" })) if (query[name] !== value) provider.wrong.push(`${name}=${query[name]}`);
      const back = new URL(query.redirect_uri);
      if (back.search) provider.wrong.push("the redirect URI has a query");
      const code = randomUUID();
      codes.set(code, query);
      for (const [name, value] of Object.entries(provider.deny ? { error: "access_denied", error_description: "The person said no" } : { code })) back.searchParams.set(name, value);
      back.searchParams.set("state", query.state);
      return answer.writeHead(302, { Location: back.href }).end();
    }
    if (url.pathname === "/token" && asked.method === "POST") {
      let text = "";
      for await (const chunk of asked) text += chunk;
      const body = Object.fromEntries(new URLSearchParams(text));
      const begun = codes.get(body.code);
      codes.delete(body.code);
      const challenge = createHash("sha256").update(body.code_verifier ?? "").digest("base64url");
      if (!begun || challenge !== begun.code_challenge || body.redirect_uri !== begun.redirect_uri || body.client_id !== CLIENT) return json({ error: "invalid_grant" }, 400);
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: provider.issuer, sub: "1", iat: now, exp: now + provider.lifetime };
      const access = token({ ...claims, tenants: ["jobs"], jti: randomUUID() });
      provider.tokens.push(access);
      return json({ access_token: access, id_token: token({ ...claims, aud: CLIENT }), token_type: "Bearer", expires_in: provider.lifetime });
    }
    if (url.pathname === "/logout") return answer.writeHead(302, { Location: url.searchParams.get("post_logout_redirect_uri") }).end();
    return json({ error: "not_found" }, 404);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  provider.issuer = `http://127.0.0.1:${server.address().port}`;
  provider.close = () => new Promise((done) => (server.closeAllConnections(), server.close(done)));
  return provider;
}
