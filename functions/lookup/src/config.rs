//! What the function is told by its environment.

use taxonomy_runtime::ConfigError;
use taxonomy_runtime::env::{optional, required};
use taxonomy_valkey::ValkeyConfig;

use crate::authorise::Auth;

/// The function's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The table, `TABLE_NAME`.
    pub table: String,
    /// Who may ask, `AUTH_MODE` and `ALL_TENANTS_SCOPE`.
    pub auth: Auth,
    /// The second cache tier, where the stack names one: `CACHE_URL` and what belongs to it.
    pub valkey: Option<ValkeyConfig>,
}

impl Config {
    /// Reads `TABLE_NAME`, `AUTH_MODE` (`iam`, `jwt` or `none`), `STAGE` and, where set, `ALL_TENANTS_SCOPE` and what
    /// [`ValkeyConfig::from_env`] reads.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing or wrong. `AUTH_MODE=none` is wrong unless `STAGE=local`.
    pub fn from_env() -> Result<Self, ConfigError> {
        let table = required("TABLE_NAME")?;
        let auth = auth(
            &required("AUTH_MODE")?,
            optional("STAGE")?.as_deref(),
            optional("ALL_TENANTS_SCOPE")?,
        )?;
        let valkey = ValkeyConfig::from_env()?;
        Ok(Self { table, auth, valkey })
    }
}

fn auth(mode: &str, stage: Option<&str>, all_tenants_scope: Option<String>) -> Result<Auth, ConfigError> {
    let invalid = |reason: &str| ConfigError::Invalid {
        name: "AUTH_MODE",
        reason: reason.to_owned(),
    };
    match (mode, stage) {
        ("iam", _) => Ok(Auth::Iam),
        ("jwt", _) => Ok(Auth::Jwt { all_tenants_scope }),
        ("none", Some("local")) => Ok(Auth::None),
        ("none", _) => Err(invalid(
            "none lets everybody read every tenant; it needs STAGE=local",
        )),
        _ => Err(invalid("it is one of iam, jwt and none")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_iam_or_jwt() {
        assert_eq!(auth("iam", Some("prod"), None), Ok(Auth::Iam));
        assert_eq!(auth("iam", None, Some("all".to_owned())), Ok(Auth::Iam));
        let all_tenants_scope = Some("taxonomy/all".to_owned());
        assert_eq!(
            auth("jwt", Some("prod"), all_tenants_scope.clone()),
            Ok(Auth::Jwt { all_tenants_scope })
        );
        assert_eq!(
            auth("jwt", None, None),
            Ok(Auth::Jwt {
                all_tenants_scope: None
            })
        );
    }

    #[test]
    fn none_needs_the_local_stage() {
        assert_eq!(auth("none", Some("local"), None), Ok(Auth::None));
        for stage in [None, Some("prod"), Some("Local"), Some("local2")] {
            let refused = auth("none", stage, None).unwrap_err().to_string();
            assert_eq!(
                refused,
                "environment variable AUTH_MODE is not valid: none lets everybody read every tenant; it needs STAGE=local"
            );
        }
    }

    #[test]
    fn anything_else_is_refused_without_showing_it() {
        for mode in ["IAM", "", "off", "iam "] {
            let refused = auth(mode, Some("local"), None).unwrap_err().to_string();
            assert_eq!(
                refused,
                "environment variable AUTH_MODE is not valid: it is one of iam, jwt and none"
            );
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        assert_eq!(
            Config::from_env().unwrap_err().to_string(),
            "environment variable TABLE_NAME is not set"
        );
    }
}
