/**
 * Signing in on stacks that take tokens: authorization code with PKCE. Tokens stay in memory; what survives the way to the provider and back
 * is the verifier and the page's address, in the session storage of the tab, until the reader returns.
 */

/**
 * @typedef {object} Settings
 * @property {"none" | "jwt" | "signed"} mode `signed`: `taxonomy explore` signs each request.
 * @property {string} [issuer]
 * @property {string} [clientId]
 * @property {string} [scope]
 * @property {string} [claim] The claim that names the tenants: the token that has it is sent.
 * @property {{ authorization: string, token: string, endSession?: string }} [endpoints] In place of discovery.
 */

const KEY = "taxonomy-explorer-signin";

export class SignIn {
  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = settings;
    /** @type {string | undefined} */
    this.token = undefined;
    this.isNeeded = true;
  }

  /** Leaves for the provider. */
  async leave() {
    const { oauth, client } = await this.#library();
    const server = await this.#server();
    if (!server.authorization_endpoint) throw new Error("the provider names no authorization endpoint");
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    sessionStorage.setItem(KEY, JSON.stringify({ verifier, state, search: location.search }));
    const to = new URL(server.authorization_endpoint);
    const parameters = {
      client_id: client.client_id,
      redirect_uri: redirectUri(),
      response_type: "code",
      scope: this.settings.scope ?? "openid",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    };
    for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value);
    location.assign(to);
  }

  /**
   * Takes the answer of the provider out of the page's address, where there is one, and puts the former address back.
   * @returns {Promise<void>}
   */
  async arrive() {
    const here = new URL(location.href);
    if (!here.searchParams.has("state") || !(here.searchParams.has("code") || here.searchParams.has("error"))) return;
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    sessionStorage.removeItem(KEY);
    history.replaceState(null, "", `${location.pathname}${kept?.search ?? ""}`);
    if (!kept) throw new Error("the sign-in was not begun in this tab");
    const { oauth, options, client } = await this.#library();
    const server = await this.#server();
    const parameters = oauth.validateAuthResponse(server, client, here, kept.state);
    const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirectUri(), kept.verifier, options);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
    this.token = chosen(this.settings.claim, tokens.access_token, tokens.id_token);
  }

  /** Forgets the token, and ends the session where the provider has a page for that. */
  leaveForGood() {
    this.token = undefined;
    const { endpoints, clientId } = this.settings;
    if (!endpoints?.endSession) {
      location.assign(location.pathname);
      return;
    }
    const to = new URL(endpoints.endSession);
    to.searchParams.set("client_id", clientId ?? "");
    // Two providers, two names: OpenID Connect's and Cognito's.
    to.searchParams.set("post_logout_redirect_uri", redirectUri());
    to.searchParams.set("logout_uri", redirectUri());
    location.assign(to);
  }

  async #library() {
    const oauth = await import("./vendor/oauth4webapi.js");
    const { hostname, protocol } = new URL(this.settings.issuer ?? location.href);
    // Plain HTTP is for a provider on this machine alone.
    const isLocal = protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost" || hostname.endsWith(".localhost"));
    const options = { [oauth.allowInsecureRequests]: isLocal };
    return { oauth, options, client: { client_id: this.settings.clientId ?? "" } };
  }

  /** @returns {Promise<import("./vendor/oauth4webapi.js").AuthorizationServer>} */
  async #server() {
    const { oauth, options } = await this.#library();
    const issuer = new URL(this.settings.issuer ?? "");
    const { endpoints } = this.settings;
    if (endpoints) return { issuer: this.settings.issuer ?? "", authorization_endpoint: endpoints.authorization, token_endpoint: endpoints.token };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    if (server.end_session_endpoint) {
      this.settings.endpoints = { authorization: server.authorization_endpoint ?? "", token: server.token_endpoint ?? "", endSession: server.end_session_endpoint };
    }
    return server;
  }
}

/** The page without its state: the address that the provider has on its list. */
function redirectUri() {
  return `${location.origin}${location.pathname}`;
}

/**
 * The access token, unless the ID token alone has the claim that names tenants.
 * @param {string | undefined} claim
 * @param {string} access
 * @param {string | undefined} id
 */
export function chosen(claim, access, id) {
  if (!claim || !id || claim in claims(access)) return access;
  return claim in claims(id) ? id : access;
}

/**
 * @param {string} token
 * @returns {object} The claims of a JWT, unverified: the service verifies them. Of another token, none.
 */
function claims(token) {
  try {
    const [, payload = ""] = token.split(".");
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const parsed = JSON.parse(new TextDecoder().decode(bytes));
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
