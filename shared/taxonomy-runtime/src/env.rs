//! Configuration from environment variables. Each function reads them once, in its `Config::from_env`.

use std::env::VarError;
use std::fmt::Display;
use std::str::FromStr;

/// The cause for which a function does not start. Names the variable and never shows its value, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The variable is unset or empty.
    #[error("environment variable {name} is not set")]
    Missing {
        /// The variable.
        name: &'static str,
    },
    /// The value of the variable is invalid.
    #[error("environment variable {name} is not valid: {reason}")]
    Invalid {
        /// The variable.
        name: &'static str,
        /// The reason.
        reason: String,
    },
}

impl ConfigError {
    /// Returns the error of a variable whose value is invalid.
    pub fn invalid(name: &'static str, reason: impl Display) -> Self {
        let reason = reason.to_string();
        Self::Invalid { name, reason }
    }
}

/// Returns the value of a required variable.
pub fn required(name: &'static str) -> Result<String, ConfigError> {
    optional(name)?.ok_or(ConfigError::Missing { name })
}

/// Returns the value of an optional variable. Empty counts as unset: templates pass unused parameters as empty texts.
pub fn optional(name: &'static str) -> Result<Option<String>, ConfigError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    let value = std::env::var(name);
    present(name, value)
}

/// Parses the value of a required variable as a number, a culture or the like.
pub fn required_as<T: FromStr<Err: Display>>(name: &'static str) -> Result<T, ConfigError> {
    parse(name, &required(name)?)
}

/// Parses the value of an optional variable as a number, a duration or the like; returns the default where it is unset.
pub fn parsed<T: FromStr<Err: Display>>(name: &'static str, default: T) -> Result<T, ConfigError> {
    match optional(name)? {
        None => Ok(default),
        Some(value) => parse(name, &value),
    }
}

fn parse<T: FromStr<Err: Display>>(name: &'static str, value: &str) -> Result<T, ConfigError> {
    let parsed = value.parse();
    parsed.map_err(|reason| ConfigError::invalid(name, reason))
}

fn present(name: &'static str, value: Result<String, VarError>) -> Result<Option<String>, ConfigError> {
    match value {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(ConfigError::invalid(name, "not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Cargo sets variables for every test, so the test needs none of its own.

    #[test]
    fn a_variable_is_read_or_named_and_replaced_by_the_default() {
        assert_eq!(required("CARGO_PKG_NAME").as_deref(), Ok("taxonomy-runtime"));
        assert_eq!(parsed("CARGO_PKG_VERSION_MAJOR", 7), Ok(0));
        let missing = required("TAXONOMY_NO_SUCH_VARIABLE").unwrap_err().to_string();
        let text = "environment variable TAXONOMY_NO_SUCH_VARIABLE is not set";
        assert_eq!(missing, text);
        assert_eq!(parsed("TAXONOMY_NO_SUCH_VARIABLE", 7), Ok(7));
        assert_eq!(present("X", Ok(String::new())), Ok(None), "empty is not set");
        let wrong = parsed("CARGO_PKG_NAME", 7).unwrap_err().to_string();
        let text = "environment variable CARGO_PKG_NAME is not valid: invalid digit found in string";
        assert_eq!(wrong, text, "without its value");
    }
}
