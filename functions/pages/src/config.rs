//! The settings of the explorer, out of the environment.

use crate::{Endpoints, Jwt, Origin, PageSettings, SignIn, TaxonomySource};
use taxonomy_runtime::ConfigError;
use taxonomy_runtime::env::{optional, required};

/// The requested scope if `PAGES_SCOPE` is not set.
const SCOPE: &str = "openid";
/// The claim that the lookup reads the tenants from.
const CLAIM: &str = "tenants";

/// Reads a variable of the environment, if it is set.
type ReadVariable<'v> = &'v dyn Fn(&'static str) -> Result<Option<String>, ConfigError>;

/// Reads `STACK_NAME`, `AUTH_MODE` (`none` or `jwt`) and, with `jwt`, `PAGES_ISSUER`, `PAGES_CLIENT_ID` and, where set, `PAGES_SCOPE`,
/// `PAGES_CLAIM`, `PAGES_AUTHORIZATION_ENDPOINT` and `PAGES_TOKEN_ENDPOINT` (both or neither), `PAGES_END_SESSION_ENDPOINT`.
///
/// # Errors
/// [`ConfigError`] names the variable that is missing or wrong.
pub fn from_env() -> Result<PageSettings, ConfigError> {
    let source = TaxonomySource::Stack(required("STACK_NAME")?);
    let sign_in = sign_in(&required("AUTH_MODE")?, &optional)?;
    Ok(PageSettings { source, sign_in })
}

fn sign_in(mode: &str, read: ReadVariable<'_>) -> Result<SignIn, ConfigError> {
    match mode {
        "none" => Ok(SignIn::None),
        "jwt" => Ok(SignIn::Jwt(Box::new(jwt(read)?))),
        _ => {
            let reason = "it is jwt or none: a browser cannot sign requests for IAM";
            Err(ConfigError::invalid("AUTH_MODE", reason))
        }
    }
}

fn jwt(read: ReadVariable<'_>) -> Result<Jwt, ConfigError> {
    let present = |name| read(name)?.ok_or(ConfigError::Missing { name });
    let url = |name| safe_url(name, present(name)?);
    let issuer = url("PAGES_ISSUER")?;
    let client_id = present("PAGES_CLIENT_ID")?;
    let end_session = read("PAGES_END_SESSION_ENDPOINT")?
        .map(|text| safe_url("PAGES_END_SESSION_ENDPOINT", text))
        .transpose()?;
    let endpoints = match (
        read("PAGES_AUTHORIZATION_ENDPOINT")?,
        read("PAGES_TOKEN_ENDPOINT")?,
    ) {
        (None, None) if end_session.is_some() => {
            let reason = "it needs PAGES_AUTHORIZATION_ENDPOINT and PAGES_TOKEN_ENDPOINT";
            return Err(ConfigError::invalid("PAGES_END_SESSION_ENDPOINT", reason));
        }
        (None, None) => None,
        _ => Some(Endpoints {
            authorization: url("PAGES_AUTHORIZATION_ENDPOINT")?,
            token: url("PAGES_TOKEN_ENDPOINT")?,
            end_session,
        }),
    };
    Ok(Jwt {
        issuer,
        client_id,
        scope: read("PAGES_SCOPE")?.unwrap_or_else(|| SCOPE.to_owned()),
        claim: read("PAGES_CLAIM")?.unwrap_or_else(|| CLAIM.to_owned()),
        endpoints,
    })
}

/// Returns a URL whose origin may be in a policy.
fn safe_url(name: &'static str, text: String) -> Result<String, ConfigError> {
    match Origin::from_url(&text) {
        Ok(_) => Ok(text),
        Err(reason) => Err(ConfigError::invalid(name, reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://login.example/page";
    const ISSUER: (&str, &str) = ("PAGES_ISSUER", "https://id.example/pool");
    const CLIENT: (&str, &str) = ("PAGES_CLIENT_ID", "explorer");

    fn sign_in(mode: &str, variables: &[(&str, &str)]) -> Result<SignIn, ConfigError> {
        super::sign_in(mode, &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            Ok(found.map(|(_, value)| (*value).to_owned()))
        })
    }

    fn refused(mode: &str, variables: &[(&str, &str)]) -> String {
        sign_in(mode, variables).unwrap_err().to_string()
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
        let least = sign_in("jwt", &[ISSUER, CLIENT]);
        assert_eq!(least, Ok(SignIn::Jwt(Box::new(expect))));
        let all = sign_in(
            "jwt",
            &[
                ISSUER,
                CLIENT,
                ("PAGES_SCOPE", "openid taxonomy/all-tenants"),
                ("PAGES_CLAIM", "custom:tenants"),
                ("PAGES_AUTHORIZATION_ENDPOINT", PAGE),
                ("PAGES_TOKEN_ENDPOINT", "https://login.example/token"),
                ("PAGES_END_SESSION_ENDPOINT", "https://login.example/out"),
            ],
        );
        let expect = Jwt {
            issuer: "https://id.example/pool".to_owned(),
            client_id: "explorer".to_owned(),
            scope: "openid taxonomy/all-tenants".to_owned(),
            claim: "custom:tenants".to_owned(),
            endpoints: Some(Endpoints {
                authorization: PAGE.to_owned(),
                token: "https://login.example/token".to_owned(),
                end_session: Some("https://login.example/out".to_owned()),
            }),
        };
        assert_eq!(all, Ok(SignIn::Jwt(Box::new(expect))));
    }

    #[test]
    fn without_authentication_there_is_no_provider() {
        assert_eq!(sign_in("none", &[]), Ok(SignIn::None));
        assert_eq!(sign_in("none", &[ISSUER, CLIENT]), Ok(SignIn::None));
    }

    #[test]
    fn a_browser_does_not_sign() {
        for mode in ["iam", "", "JWT", "none "] {
            assert_eq!(
                refused(mode, &[ISSUER, CLIENT]),
                "environment variable AUTH_MODE is not valid: it is jwt or none: a browser cannot sign requests for IAM"
            );
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (name, variables) in [
            ("PAGES_ISSUER", &[CLIENT][..]),
            ("PAGES_CLIENT_ID", &[ISSUER]),
            (
                "PAGES_TOKEN_ENDPOINT",
                &[ISSUER, CLIENT, ("PAGES_AUTHORIZATION_ENDPOINT", PAGE)],
            ),
            (
                "PAGES_AUTHORIZATION_ENDPOINT",
                &[ISSUER, CLIENT, ("PAGES_TOKEN_ENDPOINT", PAGE)],
            ),
        ] {
            assert_eq!(
                refused("jwt", variables),
                format!("environment variable {name} is not set")
            );
        }
        assert_eq!(
            refused("jwt", &[ISSUER, CLIENT, ("PAGES_END_SESSION_ENDPOINT", PAGE)]),
            "environment variable PAGES_END_SESSION_ENDPOINT is not valid: it needs PAGES_AUTHORIZATION_ENDPOINT and PAGES_TOKEN_ENDPOINT"
        );
        assert_eq!(
            from_env().unwrap_err().to_string(),
            "environment variable STACK_NAME is not set"
        );
    }

    #[test]
    fn a_url_that_is_none_is_named_without_showing_it() {
        const WRONG: &str = "https://id.example; script-src *";
        for (name, variables) in [
            ("PAGES_ISSUER", &[("PAGES_ISSUER", WRONG), CLIENT][..]),
            (
                "PAGES_AUTHORIZATION_ENDPOINT",
                &[
                    ISSUER,
                    CLIENT,
                    ("PAGES_AUTHORIZATION_ENDPOINT", WRONG),
                    ("PAGES_TOKEN_ENDPOINT", PAGE),
                ],
            ),
            (
                "PAGES_TOKEN_ENDPOINT",
                &[
                    ISSUER,
                    CLIENT,
                    ("PAGES_AUTHORIZATION_ENDPOINT", PAGE),
                    ("PAGES_TOKEN_ENDPOINT", WRONG),
                ],
            ),
            (
                "PAGES_END_SESSION_ENDPOINT",
                &[ISSUER, CLIENT, ("PAGES_END_SESSION_ENDPOINT", WRONG)],
            ),
        ] {
            let refused = refused("jwt", variables);
            let expect = format!("environment variable {name} is not valid: it is an https: URL");
            assert!(
                refused.starts_with(&expect) && !refused.contains("script-src"),
                "{refused}"
            );
        }
    }
}
