//! The configuration of the function, from its environment.

use std::str::FromStr;

use taxonomy_runtime::ConfigError;
use taxonomy_runtime::env::{optional, parsed, required};
use taxonomy_valkey::ValkeyConfig;

use crate::request::auth::Auth;

/// The function's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The name of the function in this stack, a dimension of its metrics: two stacks in one account must not share a metric.
    pub function: String,
    /// The table, `TABLE_NAME`.
    pub table: String,
    /// The authentication of callers, `AUTH_MODE` and `ALL_TENANTS_SCOPE`.
    pub auth: Auth,
    /// The `Cache-Control` of responses with an entity tag, `CACHE_CONTROL`.
    pub cache_control: CacheControl,
    /// The capacity of the caches of a process, in bytes, `CACHE_BYTES`: a quarter for responses, the rest for entries.
    pub cache_bytes: u64,
    /// The bucket of index files, `CHANGESETS_BUCKET`.
    pub changesets_bucket: String,
    /// The queue of requests for downloads, `DOWNLOAD_QUEUE_URL`.
    pub download_queue: String,
    /// The capacity of the cache of index files in a process, in bytes, `INDEX_CACHE_BYTES`.
    pub index_cache_bytes: u64,
    /// The second cache tier, if the stack has one: `CACHE_URL` and the variables that belong to it.
    pub valkey: Option<ValkeyConfig>,
}

/// The default of `CACHE_BYTES`: a quarter of the function's memory.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// The default of `INDEX_CACHE_BYTES`: an eighth of the function's memory.
const INDEX_CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// The value of a `Cache-Control` header: 1 to 256 characters of visible ASCII and blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheControl(String);

impl CacheControl {
    /// The value.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Kept by the caller alone, and revalidated before each use.
impl Default for CacheControl {
    fn default() -> Self {
        Self("private, no-cache".to_owned())
    }
}

impl FromStr for CacheControl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let text = text.trim_matches(' ');
        let visible = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if visible && (1..=256).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err("it has 1 to 256 characters of visible ASCII and blanks")
        }
    }
}

impl Config {
    /// Reads `AWS_LAMBDA_FUNCTION_NAME`, `TABLE_NAME`, `CHANGESETS_BUCKET`, `DOWNLOAD_QUEUE_URL`, `AUTH_MODE` (`iam`, `jwt` or `none`), `STAGE` and,
    /// where set, `ALL_TENANTS_SCOPE`, `CACHE_CONTROL`, `CACHE_BYTES`, `INDEX_CACHE_BYTES` and the variables of [`ValkeyConfig::from_env`].
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing or invalid. `AUTH_MODE=none` is invalid unless `STAGE=local`.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            function: required("AWS_LAMBDA_FUNCTION_NAME")?,
            table: required("TABLE_NAME")?,
            auth: auth(
                &required("AUTH_MODE")?,
                optional("STAGE")?.as_deref(),
                optional("ALL_TENANTS_SCOPE")?,
            )?,
            cache_control: parsed("CACHE_CONTROL", CacheControl::default())?,
            cache_bytes: parsed("CACHE_BYTES", CACHE_BYTES)?,
            changesets_bucket: required("CHANGESETS_BUCKET")?,
            download_queue: required("DOWNLOAD_QUEUE_URL")?,
            index_cache_bytes: parsed("INDEX_CACHE_BYTES", INDEX_CACHE_BYTES)?,
            valkey: ValkeyConfig::from_env()?,
        })
    }
}

fn auth(mode: &str, stage: Option<&str>, all_tenants_scope: Option<String>) -> Result<Auth, ConfigError> {
    let invalid = |reason: &str| ConfigError::invalid("AUTH_MODE", reason);
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
        for scope in [None, Some("taxonomy/all".to_owned())] {
            assert_eq!(auth("iam", Some("prod"), scope.clone()), Ok(Auth::Iam));
            let all_tenants_scope = scope.clone();
            let expect = Auth::Jwt { all_tenants_scope };
            assert_eq!(auth("jwt", Some("prod"), scope.clone()), Ok(expect.clone()));
            assert_eq!(auth("jwt", None, scope), Ok(expect));
        }
    }

    #[test]
    fn none_needs_the_local_stage_and_anything_else_is_refused_without_showing_it() {
        assert_eq!(auth("none", Some("local"), None), Ok(Auth::None));
        let check = |mode, stage, says: &str| {
            let refused = auth(mode, stage, None).unwrap_err().to_string();
            let expect = format!("environment variable AUTH_MODE is not valid: {says}");
            assert_eq!(refused, expect);
        };
        for stage in [None, Some("prod"), Some("Local"), Some("local2")] {
            let says = "none lets everybody read every tenant; it needs STAGE=local";
            check("none", stage, says);
        }
        for mode in ["IAM", "", "off", "iam "] {
            check(mode, Some("local"), "it is one of iam, jwt and none");
        }
    }

    #[test]
    fn cache_control_is_a_header_on_one_line() {
        let parse = |text: &str| text.parse().map(|value: CacheControl| value.as_str().to_owned());
        assert_eq!(parse("private, no-cache"), Ok(CacheControl::default().0));
        assert_eq!(parse(" public, max-age=60 "), Ok("public, max-age=60".to_owned()));
        let reason = "it has 1 to 256 characters of visible ASCII and blanks";
        for text in ["", " ", "a\r\nset-cookie: x", "a\u{7f}", "é", &"x".repeat(257)] {
            assert_eq!(parse(text), Err(reason), "{text}");
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        assert_eq!(
            Config::from_env().unwrap_err().to_string(),
            "environment variable AWS_LAMBDA_FUNCTION_NAME is not set"
        );
    }
}
