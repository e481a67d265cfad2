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
    const AUTHORIZATION: (&str, &str) = ("PAGES_AUTHORIZATION_ENDPOINT", PAGE);
    const TOKEN: (&str, &str) = ("PAGES_TOKEN_ENDPOINT", "https://login.example/token");
    const END_SESSION: (&str, &str) = ("PAGES_END_SESSION_ENDPOINT", "https://login.example/out");

    fn sign_in(mode: &str, variables: &[(&str, &str)]) -> Result<SignIn, ConfigError> {
        super::sign_in(mode, &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            Ok(found.map(|(_, value)| (*value).to_owned()))
        })
    }

    #[track_caller]
    fn check_refused(mode: &str, variables: &[(&str, &str)], says: &str) {
        let refused = sign_in(mode, variables).unwrap_err().to_string();
        assert_eq!(refused, format!("environment variable {says}"));
    }

    #[test]
    fn a_provider_needs_an_issuer_and_a_client_and_has_defaults_for_the_rest() {
        let jwt = |scope: &str, claim: &str, endpoints| Jwt {
            issuer: "https://id.example/pool".to_owned(),
            client_id: "explorer".to_owned(),
            scope: scope.to_owned(),
            claim: claim.to_owned(),
            endpoints,
        };
        let least = sign_in("jwt", &[ISSUER, CLIENT]);
        let expect = jwt("openid", "tenants", None);
        assert_eq!(least, Ok(SignIn::Jwt(Box::new(expect))));
        let scope = ("PAGES_SCOPE", "openid taxonomy/all-tenants");
        let claim = ("PAGES_CLAIM", "custom:tenants");
        let variables = [ISSUER, CLIENT, scope, claim, AUTHORIZATION, TOKEN, END_SESSION];
        let endpoints = Endpoints {
            authorization: PAGE.to_owned(),
            token: TOKEN.1.to_owned(),
            end_session: Some(END_SESSION.1.to_owned()),
        };
        let expect = jwt(scope.1, claim.1, Some(endpoints));
        assert_eq!(sign_in("jwt", &variables), Ok(SignIn::Jwt(Box::new(expect))));
    }

    #[test]
    fn without_authentication_there_is_no_provider_and_a_browser_does_not_sign() {
        for variables in [&[][..], &[ISSUER, CLIENT]] {
            assert_eq!(sign_in("none", variables), Ok(SignIn::None));
        }
        let says = "AUTH_MODE is not valid: it is jwt or none: a browser cannot sign requests for IAM";
        for mode in ["iam", "", "JWT", "none "] {
            check_refused(mode, &[ISSUER, CLIENT], says);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (name, variables) in [
            ("PAGES_ISSUER", &[CLIENT][..]),
            ("PAGES_CLIENT_ID", &[ISSUER]),
            ("PAGES_TOKEN_ENDPOINT", &[ISSUER, CLIENT, AUTHORIZATION]),
            ("PAGES_AUTHORIZATION_ENDPOINT", &[ISSUER, CLIENT, TOKEN]),
        ] {
            check_refused("jwt", variables, &format!("{name} is not set"));
        }
        let needs = "it needs PAGES_AUTHORIZATION_ENDPOINT and PAGES_TOKEN_ENDPOINT";
        let says = format!("PAGES_END_SESSION_ENDPOINT is not valid: {needs}");
        check_refused("jwt", &[ISSUER, CLIENT, END_SESSION], &says);
        let unset = from_env().unwrap_err().to_string();
        assert_eq!(unset, "environment variable STACK_NAME is not set");
    }

    #[test]
    fn a_url_that_is_none_is_named_without_showing_it() {
        for wrong in ["PAGES_ISSUER", AUTHORIZATION.0, TOKEN.0, END_SESSION.0] {
            let mut variables = [ISSUER, CLIENT, AUTHORIZATION, TOKEN, END_SESSION];
            let replaced = variables.iter_mut().find(|(name, _)| *name == wrong);
            replaced.unwrap().1 = "https://id.example; script-src *";
            let refused = sign_in("jwt", &variables).unwrap_err().to_string();
            let expect = format!("environment variable {wrong} is not valid: it is an https: URL");
            assert!(refused.starts_with(&expect), "{refused}");
            assert!(!refused.contains("script-src"), "{refused}");
        }
    }
}
