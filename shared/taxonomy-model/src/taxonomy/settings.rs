//! The settings of a version.

use serde::{Deserialize, Serialize};
use taxonomy_keys::Culture;

/// The settings of a version: everything but its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Settings {
    /// The culture in which every category and term has a name.
    pub default_culture: Culture,
    /// Cultures to try before the default.
    #[serde(default)]
    pub fallback_chain: Vec<Culture>,
}
