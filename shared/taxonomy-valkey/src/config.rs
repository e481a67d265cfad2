//! The configuration of the second tier, from the environment.

use std::fmt;
use std::time::Duration;

use taxonomy_runtime::ConfigError;
use taxonomy_runtime::env::{optional, parsed};

use crate::address;

const TTL: Duration = Duration::from_secs(3600);
const DEFAULT_TIMEOUT_MS: u32 = 20;

/// A text that no log shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The address of the server, its credentials and its time-outs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValkeyConfig {
    /// `rediss://[user@]host[:port]`; `redis://` without encryption.
    pub url: String,
    /// The password of the user, or of the server where there is no user.
    pub password: Option<Secret>,
    /// The time to live of a value.
    pub ttl: Duration,
    /// The time-out of a request, waiting for a connection included.
    pub timeout: Duration,
    /// Certificates (PEM) that are trusted beside those of AWS.
    pub additional_roots: Option<String>,
}

impl ValkeyConfig {
    /// Returns a configuration without a password, with the defaults of [`ValkeyConfig::from_env`].
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            password: None,
            ttl: TTL,
            timeout: Duration::from_millis(DEFAULT_TIMEOUT_MS.into()),
            additional_roots: None,
        }
    }

    /// Reads `CACHE_URL` and, where set, `CACHE_PASSWORD` and `CACHE_TIMEOUT_MS` (20). Returns `None` without
    /// `CACHE_URL`: the stack has no second tier.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is invalid, and never shows its value.
    pub fn from_env() -> Result<Option<Self>, ConfigError> {
        let Some(url) = optional("CACHE_URL")? else {
            return Ok(None);
        };
        let config = Self {
            password: optional("CACHE_PASSWORD")?.map(Secret),
            timeout: Duration::from_millis(parsed("CACHE_TIMEOUT_MS", DEFAULT_TIMEOUT_MS)?.into()),
            ..Self::new(url)
        };
        config.check().map(|()| Some(config))
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.address()?;
        if self.timeout.is_zero() {
            return Err(ConfigError::invalid("CACHE_TIMEOUT_MS", "it is more than 0"));
        }
        Ok(())
    }

    pub(crate) fn address(&self) -> Result<address::Address, ConfigError> {
        let address = address::parse(&self.url);
        address.map_err(|reason| ConfigError::invalid("CACHE_URL", reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_address_there_is_no_second_tier() {
        assert_eq!(ValkeyConfig::from_env(), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_named_and_a_password_not_shown() {
        let (url, mut config) = ("CACHE_URL", ValkeyConfig::new("rediss://cache.example"));
        config.timeout = Duration::ZERO;
        let with_password = ValkeyConfig::new("rediss://user:hunter2@cache.example");
        for (config, name, says) in [
            (with_password, url, "a password is not part of it"),
            (config, "CACHE_TIMEOUT_MS", "it is more than 0"),
        ] {
            let refused = config.check().unwrap_err().to_string();
            let expect = format!("environment variable {name} is not valid: {says}");
            assert_eq!(refused, expect);
        }
        let mut config = ValkeyConfig::new("rediss://cache.example");
        config.password = Some(Secret::new("hunter2"));
        let shown = format!("{config:?}");
        assert!(shown.contains("Some(Secret)"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
