//! The settings of the explorer, in the form of `explore/config.json`.

use serde::Serialize;

use crate::origin::{InvalidUrl, Origin};

/// The settings of the explorer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSettings {
    /// The source of the taxonomies that are shown.
    pub source: TaxonomySource,
    /// The sign-in of its reader; none if requests need no token, or if a proxy signs them.
    pub sign_in: SignIn,
}

/// The source of the taxonomies that are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "name", rename_all = "camelCase")]
pub enum TaxonomySource {
    /// A stack, by its name.
    Stack(String),
    /// A file of this machine, by its name.
    File(String),
    /// A file that may become the next version of a tenant of a stack, by its name.
    Plan(String),
}

/// The sign-in of the reader of the explorer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "mode", rename_all = "camelCase")]
pub enum SignIn {
    /// None.
    None,
    /// None by the page: `taxonomy explore` signs each request.
    Signed,
    /// At an OpenID provider.
    Jwt(Box<Jwt>),
}

/// An OpenID provider: authorization code with PKCE.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Jwt {
    /// The issuer, a URL.
    pub issuer: String,
    /// The public client of the explorer.
    pub client_id: String,
    /// The requested scopes, separated by blanks.
    pub scope: String,
    /// The claim with the tenants: the token that has it is sent.
    pub claim: String,
    /// The endpoints, in place of discovery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints: Option<Endpoints>,
}

/// The endpoints of a provider whose discovery a browser cannot read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoints {
    /// The page to sign in at.
    pub authorization: String,
    /// The endpoint that exchanges codes for tokens.
    pub token: String,
    /// The page to sign out at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_session: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'s> {
    format_version: u32,
    source: &'s TaxonomySource,
    auth: &'s SignIn,
}

impl PageSettings {
    /// Returns `explore/config.json`.
    ///
    /// # Errors
    /// None for these types; `serde_json` declares one.
    pub(crate) fn json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&Config {
            format_version: 1,
            source: &self.source,
            auth: &self.sign_in,
        })
    }

    /// Returns the origins that the explorer sends requests to: those of the provider.
    ///
    /// # Errors
    /// [`InvalidUrl`] if a URL of the provider is invalid, or not safe.
    pub(crate) fn origins(&self) -> Result<Vec<Origin>, InvalidUrl> {
        let SignIn::Jwt(jwt) = &self.sign_in else {
            return Ok(Vec::new());
        };
        let mut origins = vec![Origin::from_url(&jwt.issuer)?];
        if let Some(Endpoints {
            authorization,
            token,
            end_session,
        }) = &jwt.endpoints
        {
            // Pages that the browser navigates to need no permission for requests, but must be safe all the same.
            for page in [Some(authorization), end_session.as_ref()].into_iter().flatten() {
                Origin::from_url(page)?;
            }
            let token = Origin::from_url(token)?;
            if !origins.contains(&token) {
                origins.push(token);
            }
        }
        Ok(origins)
    }
}
