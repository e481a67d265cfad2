//! The authentication of callers, which the stack chooses.

/// The authentication of callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// Requests signed for AWS; the policy of the caller lists the tenants.
    Iam,
    /// Tokens, verified by the gateway; the claim `tenants` lists the tenants.
    Jwt {
        /// The scope that grants all tenants, if there is one.
        all_tenants_scope: Option<String>,
    },
    /// None: on a local machine only.
    None,
}

impl Auth {
    /// Returns the `WWW-Authenticate` header of the response to a request without authentication.
    pub fn challenge(&self) -> &'static str {
        match self {
            Auth::Iam => "AWS4-HMAC-SHA256",
            Auth::Jwt { .. } | Auth::None => "Bearer",
        }
    }
}
