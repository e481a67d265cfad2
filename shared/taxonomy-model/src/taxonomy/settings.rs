//! The settings of a version.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Culture, fallback};

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

impl Settings {
    /// Returns those of the `available` cultures that a reader of `culture` takes, the best first and the default last.
    pub(crate) fn order<'a>(
        &self,
        culture: &Culture,
        available: impl IntoIterator<Item = &'a Culture>,
    ) -> Vec<Culture> {
        fallback(culture, available, &self.fallback_chain, &self.default_culture)
    }
}
