//! The authentication of a caller.

use std::fmt;
use std::time::SystemTime;

use aws_credential_types::provider::token::{ProvideToken, SharedTokenProvider};
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_credential_types::{Credentials, Token};
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;

use crate::error::{BoxError, ClientError};
use crate::transport::Headers;

/// The service that a signature names.
const SERVICE: &str = "execute-api";

/// The authentication of a caller, according to the stack's `AuthMode`. The `Debug` output contains no secret.
#[derive(Clone)]
#[non_exhaustive]
pub enum Auth {
    /// AWS Signature Version 4, for `AuthMode=iam`.
    Iam {
        /// The source of credentials; it is called again shortly before they expire.
        credentials: SharedCredentialsProvider,
        /// The region of the API.
        region: String,
    },
    /// `Authorization: Bearer`, for `AuthMode=jwt`.
    Bearer(SharedTokenProvider),
    /// No proof, for `AuthMode=none`.
    None,
}

impl Auth {
    /// Signs with these credentials: a provider of `aws-config`, or fixed ones.
    pub fn iam(credentials: impl ProvideCredentials + 'static, region: impl Into<String>) -> Self {
        Self::Iam {
            credentials: SharedCredentialsProvider::new(credentials),
            region: region.into(),
        }
    }

    /// Sends one token, which is not renewed. [`Auth::Bearer`] takes a provider.
    pub fn bearer(token: impl Into<String>) -> Self {
        Self::Bearer(SharedTokenProvider::new(Token::new(token, None)))
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A provider may print more than it should.
            Self::Iam { region, .. } => f
                .debug_struct("Iam")
                .field("region", region)
                .finish_non_exhaustive(),
            Self::Bearer(_) => f.write_str("Bearer(..)"),
            Self::None => f.write_str("None"),
        }
    }
}

impl Auth {
    /// Asks the provider. Returns what authenticates requests, and its time of expiry.
    pub(crate) async fn load(&self) -> Result<(Authenticator, Option<SystemTime>), BoxError> {
        match self {
            Self::Iam { credentials, region } => {
                let (credentials, region) = (credentials.provide_credentials().await?, region.clone());
                let expires = credentials.expiry();
                Ok((Authenticator::Signature { credentials, region }, expires))
            }
            Self::Bearer(provider) => {
                let token = provider.provide_token().await?;
                let expires = token.expiration();
                Ok((Authenticator::Bearer(token), expires))
            }
            Self::None => Ok((Authenticator::None, None)),
        }
    }
}

/// What authenticates requests until it expires.
#[derive(Clone)]
pub(crate) enum Authenticator {
    Signature {
        credentials: Credentials,
        region: String,
    },
    Bearer(Token),
    None,
}

impl Authenticator {
    /// The headers that prove who sends this request. `url` names the API, wherever the request is sent to.
    pub(crate) fn headers(
        self,
        method: &str,
        url: &str,
        body: &[u8],
        now: SystemTime,
    ) -> Result<Headers, ClientError> {
        match self {
            Self::Signature { credentials, region } => signed(credentials, &region, method, url, body, now),
            Self::Bearer(token) => Ok(vec![("authorization", bearer(token.token())?)]),
            Self::None => Ok(Vec::new()),
        }
    }
}

/// A header cannot hold every character, and an error of the header would show the token.
fn bearer(token: &str) -> Result<String, ClientError> {
    if token.is_empty() || !token.bytes().all(|c| c.is_ascii_graphic()) {
        return Err(ClientError::NoCredentials {
            source: "the token has characters that no header can have".into(),
        });
    }
    Ok(format!("Bearer {token}"))
}

fn signed(
    credentials: Credentials,
    region: &str,
    method: &str,
    url: &str,
    body: &[u8],
    now: SystemTime,
) -> Result<Headers, ClientError> {
    let unsigned = |_| ClientError::Configuration("the request cannot be signed");
    let identity = credentials.into();
    let params = SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(SERVICE)
        .time(now)
        .settings(SigningSettings::default())
        .build();
    let params = params.map_err(|_| ClientError::Configuration("the request cannot be signed"))?;
    // Host, date and session token are signed in any case; no other header changes what a request means.
    let request = SignableRequest::new(method, url, std::iter::empty(), SignableBody::Bytes(body));
    let (instructions, _) = sign(request.map_err(unsigned)?, &params.into())
        .map_err(unsigned)?
        .into_parts();
    let (headers, _) = instructions.into_parts();
    let headers = headers.iter();
    Ok(headers
        .map(|header| (header.name(), header.value().to_owned()))
        .collect())
}
