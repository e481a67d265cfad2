//! The settings of the explorer, out of the environment.

use crate::{Endpoints, Jwt, Origin, PageSettings, SignIn, TaxonomySource};
use taxonomy_runtime::ConfigError;
use taxonomy_runtime::env::{optional, required};

/// The requested scope if `PAGES_SCOPE` is not set.
const SCOPE: &str = "openid";
/// The claim that the lookup reads the tenants from.
const CLAIM: &str = "tenants";

/// The OpenID provider as the environment has it.
#[derive(Debug, Clone, Default)]
struct Provider {
    issuer: Option<String>,
    client_id: Option<String>,
    scope: Option<String>,
    claim: Option<String>,
    authorization: Option<String>,
    token: Option<String>,
    end_session: Option<String>,
}

/// Reads `STACK_NAME`, `AUTH_MODE` (`none` or `jwt`) and, with `jwt`, `PAGES_ISSUER`, `PAGES_CLIENT_ID` and, where set, `PAGES_SCOPE`,
/// `PAGES_CLAIM`, `PAGES_AUTHORIZATION_ENDPOINT` and `PAGES_TOKEN_ENDPOINT` (both or neither), `PAGES_END_SESSION_ENDPOINT`.
///
/// # Errors
/// [`ConfigError`] names the variable that is missing or wrong.
pub fn from_env() -> Result<PageSettings, ConfigError> {
    let source = TaxonomySource::Stack(required("STACK_NAME")?);
    let provider = Provider {
        issuer: optional("PAGES_ISSUER")?,
        client_id: optional("PAGES_CLIENT_ID")?,
        scope: optional("PAGES_SCOPE")?,
        claim: optional("PAGES_CLAIM")?,
        authorization: optional("PAGES_AUTHORIZATION_ENDPOINT")?,
        token: optional("PAGES_TOKEN_ENDPOINT")?,
        end_session: optional("PAGES_END_SESSION_ENDPOINT")?,
    };
    let sign_in = sign_in(&required("AUTH_MODE")?, provider)?;
    Ok(PageSettings { source, sign_in })
}

fn sign_in(mode: &str, provider: Provider) -> Result<SignIn, ConfigError> {
    match mode {
        "none" => Ok(SignIn::None),
        "jwt" => Ok(SignIn::Jwt(Box::new(jwt(provider)?))),
        _ => Err(ConfigError::Invalid {
            name: "AUTH_MODE",
            reason: "it is jwt or none: a browser cannot sign requests for IAM".to_owned(),
        }),
    }
}

fn jwt(provider: Provider) -> Result<Jwt, ConfigError> {
    let present = |name, value: Option<String>| value.ok_or(ConfigError::Missing { name });
    let issuer = url("PAGES_ISSUER", present("PAGES_ISSUER", provider.issuer)?)?;
    let client_id = present("PAGES_CLIENT_ID", provider.client_id)?;
    let end_session = provider
        .end_session
        .map(|text| url("PAGES_END_SESSION_ENDPOINT", text))
        .transpose()?;
    let endpoints = match (provider.authorization, provider.token) {
        (None, None) if end_session.is_some() => {
            return Err(ConfigError::Invalid {
                name: "PAGES_END_SESSION_ENDPOINT",
                reason: "it needs PAGES_AUTHORIZATION_ENDPOINT and PAGES_TOKEN_ENDPOINT".to_owned(),
            });
        }
        (None, None) => None,
        (authorization, token) => Some(Endpoints {
            authorization: url(
                "PAGES_AUTHORIZATION_ENDPOINT",
                present("PAGES_AUTHORIZATION_ENDPOINT", authorization)?,
            )?,
            token: url("PAGES_TOKEN_ENDPOINT", present("PAGES_TOKEN_ENDPOINT", token)?)?,
            end_session,
        }),
    };
    Ok(Jwt {
        issuer,
        client_id,
        scope: provider.scope.unwrap_or_else(|| SCOPE.to_owned()),
        claim: provider.claim.unwrap_or_else(|| CLAIM.to_owned()),
        endpoints,
    })
}

/// A URL whose origin may be in a policy.
fn url(name: &'static str, text: String) -> Result<String, ConfigError> {
    match Origin::from_url(&text) {
        Ok(_) => Ok(text),
        Err(reason) => Err(ConfigError::Invalid {
            name,
            reason: reason.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://login.example/page";

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn least() -> Provider {
        Provider {
            issuer: text("https://id.example/pool"),
            client_id: text("explorer"),
            ..Provider::default()
        }
    }

    fn refused(mode: &str, provider: Provider) -> String {
        sign_in(mode, provider).unwrap_err().to_string()
    }

    #[test]
    fn a_provider_needs_an_issuer_and_a_client_and_has_defaults_for_the_rest() {
        let expect = Jwt {
            issuer: "https://id.example/pool".to_owned(),
            client_id: "explorer".to_owned(),
            scope: "openid".to_owned(),
            claim: "tenants".to_owned(),
            endpoints: None,
        };
        assert_eq!(sign_in("jwt", least()), Ok(SignIn::Jwt(Box::new(expect))));
        let all = Provider {
            scope: text("openid taxonomy/all-tenants"),
            claim: text("custom:tenants"),
            authorization: text(PAGE),
            token: text("https://login.example/token"),
            end_session: text("https://login.example/out"),
            ..least()
        };
        let expect = Jwt {
            issuer: "https://id.example/pool".to_owned(),
            client_id: "explorer".to_owned(),
            scope: "openid taxonomy/all-tenants".to_owned(),
            claim: "custom:tenants".to_owned(),
            endpoints: Some(Endpoints {
                authorization: PAGE.to_owned(),
                token: "https://login.example/token".to_owned(),
                end_session: text("https://login.example/out"),
            }),
        };
        assert_eq!(sign_in("jwt", all), Ok(SignIn::Jwt(Box::new(expect))));
    }

    #[test]
    fn without_authentication_there_is_no_provider() {
        assert_eq!(sign_in("none", Provider::default()), Ok(SignIn::None));
        assert_eq!(sign_in("none", least()), Ok(SignIn::None));
    }

    #[test]
    fn a_browser_does_not_sign() {
        for mode in ["iam", "", "JWT", "none "] {
            assert_eq!(
                refused(mode, least()),
                "environment variable AUTH_MODE is not valid: it is jwt or none: a browser cannot sign requests for IAM"
            );
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = |provider| refused("jwt", provider);
        for (name, provider) in [
            (
                "PAGES_ISSUER",
                Provider {
                    issuer: None,
                    ..least()
                },
            ),
            (
                "PAGES_CLIENT_ID",
                Provider {
                    client_id: None,
                    ..least()
                },
            ),
            (
                "PAGES_TOKEN_ENDPOINT",
                Provider {
                    authorization: text(PAGE),
                    ..least()
                },
            ),
            (
                "PAGES_AUTHORIZATION_ENDPOINT",
                Provider {
                    token: text(PAGE),
                    ..least()
                },
            ),
        ] {
            assert_eq!(
                missing(provider),
                format!("environment variable {name} is not set")
            );
        }
        assert_eq!(
            missing(Provider {
                end_session: text(PAGE),
                ..least()
            }),
            "environment variable PAGES_END_SESSION_ENDPOINT is not valid: it needs PAGES_AUTHORIZATION_ENDPOINT and PAGES_TOKEN_ENDPOINT"
        );
        assert_eq!(
            from_env().unwrap_err().to_string(),
            "environment variable STACK_NAME is not set"
        );
    }

    #[test]
    fn a_url_that_is_none_is_named_without_showing_it() {
        let wrong = || text("https://id.example; script-src *");
        for (name, provider) in [
            (
                "PAGES_ISSUER",
                Provider {
                    issuer: wrong(),
                    ..least()
                },
            ),
            (
                "PAGES_AUTHORIZATION_ENDPOINT",
                Provider {
                    authorization: wrong(),
                    token: text(PAGE),
                    ..least()
                },
            ),
            (
                "PAGES_TOKEN_ENDPOINT",
                Provider {
                    authorization: text(PAGE),
                    token: wrong(),
                    ..least()
                },
            ),
            (
                "PAGES_END_SESSION_ENDPOINT",
                Provider {
                    end_session: wrong(),
                    ..least()
                },
            ),
        ] {
            let refused = refused("jwt", provider);
            let expect = format!("environment variable {name} is not valid: it is an https: URL");
            assert!(
                refused.starts_with(&expect) && !refused.contains("script-src"),
                "{refused}"
            );
        }
    }
}
