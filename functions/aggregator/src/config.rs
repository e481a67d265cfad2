//! What the stack tells the function.

use taxonomy_runtime::{ConfigError, env};

/// Read once, at start.
#[derive(Debug, Clone)]
pub struct Config {
    /// The table.
    pub table: String,
}

impl Config {
    /// Reads `TABLE_NAME`.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            table: env::required("TABLE_NAME")?,
        })
    }
}
