//! The configuration of a tenant.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use taxonomy_keys::Culture;
use taxonomy_model::{Changes, Provenance, exceeds_removal_limit};

/// The configuration of a tenant; empty where there is none. Attribute names are the storage format
/// (docs/decisions/0001-table.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Configuration {
    /// Takes precedence over the file's.
    pub default_culture: Option<Culture>,
    /// Cultures that are tried before the default culture.
    pub fallback_chain: Vec<Culture>,
    /// The name that people read in lists of tenants.
    pub display_name: Option<DisplayName>,
    /// What the taxonomy is, in a sentence or two.
    pub description: Option<Description>,
    /// The largest removal that an upload may make without permission.
    #[serde(rename = "*Fuse", skip_serializing)]
    pub removal_limit: RemovalLimit,
    /// Since when and why uploads and changes of settings wait; `None` where they do not.
    pub frozen: Option<Freeze>,
    /// Release, author and reason of the last change.
    pub provenance: Provenance,
    /// The number of changes; 0 before the first.
    pub revision: u64,
    /// A purge that has begun: no process loads, ingests or counts anything of the tenant. Only a purge sets it.
    #[serde(skip_serializing)]
    pub purge: Option<PurgeNote>,
}

/// The display name of a tenant.
pub type DisplayName = Line<100>;

/// The description of a tenant.
pub type Description = Line<500>;

/// A text of one line, with at most so many characters. Parsing removes white space at its ends; what is stored is taken as it is, since a text for
/// people must not keep a configuration from being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Line<const MOST: usize>(String);

/// A text that is no [`Line`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLine {
    /// There is nothing but white space.
    #[error("it is empty")]
    Empty,
    /// It has a line break or another control character.
    #[error("it has a line break or another control character")]
    Control,
    /// It is longer.
    #[error("it has more than {0} characters")]
    TooLong(usize),
}

impl<const MOST: usize> FromStr for Line<MOST> {
    type Err = InvalidLine;

    fn from_str(text: &str) -> Result<Self, InvalidLine> {
        let text = text.trim();
        match text.chars().count() {
            0 => Err(InvalidLine::Empty),
            _ if text.contains(char::is_control) => Err(InvalidLine::Control),
            count if count > MOST => Err(InvalidLine::TooLong(MOST)),
            _ => Ok(Self(text.to_owned())),
        }
    }
}

impl<const MOST: usize> Line<MOST> {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A freeze of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Freeze {
    /// Its beginning, in epoch milliseconds.
    pub at: u64,
    /// Release, author and reason.
    #[serde(default)]
    pub provenance: Provenance,
}

/// The progress of a purge, in the configuration of its tenant (docs/decisions/0028-purge.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PurgeNote {
    /// The start of the purge, in epoch milliseconds.
    pub at: u64,
    /// The current phase.
    pub phase: PurgePhase,
}

/// A phase of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PurgePhase {
    /// Items and aggregates are being deleted; all bodies are there.
    Items,
    /// Items and aggregates are gone; bodies and log are being deleted.
    Bodies,
}

/// An upload that removes more than `percent` of the terms and more than `terms` of them is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RemovalLimit {
    /// Of the terms at the head, 0 to 100.
    #[serde(rename = "FusePercent")]
    pub percent: u64,
    /// Terms.
    #[serde(rename = "FuseTerms")]
    pub terms: u64,
}

impl Default for RemovalLimit {
    fn default() -> Self {
        Self {
            percent: 50,
            terms: 20,
        }
    }
}

impl RemovalLimit {
    /// Whether these changes to `terms` terms remove more than an upload may do unasked.
    pub fn is_exceeded(self, terms: u64, changes: &Changes) -> bool {
        exceeds_removal_limit(terms, changes, self.percent, self.terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_trimmed_and_bounded() {
        for (text, expected) in [
            (" Shop\u{a0}", Ok("Shop")),
            ("größe", Ok("größe")),
            ("Shoppe", Err(InvalidLine::TooLong(5))),
            (" \n", Err(InvalidLine::Empty)),
            ("a\nb", Err(InvalidLine::Control)),
            ("a\u{1b}b", Err(InvalidLine::Control)),
        ] {
            let line = text.parse::<Line<5>>();
            let line = line.as_ref().map(Line::as_str).map_err(|error| *error);
            assert_eq!(line, expected, "{text:?}");
        }
    }

    #[test]
    fn the_fuse_blows_above_both_bounds_only() {
        let never = RemovalLimit {
            percent: 100,
            terms: u64::MAX,
        };
        let default = RemovalLimit::default;
        for (limit, terms, removed, added, is_exceeded) in [
            (default(), 100, 50, 0, false),
            (default(), 100, 51, 0, true),
            (default(), 40, 20, 0, false),
            (default(), 40, 21, 0, true),
            (default(), 10, 9, 0, false),
            (default(), 10, 10, 1, false),
            (default(), u64::MAX, u64::MAX, 0, true),
            // A file without a term, and one that never had any.
            (default(), 10, 10, 0, true),
            (default(), 1, 1, 0, true),
            (default(), 0, 0, 0, false),
            (never, 3, 3, 0, true),
        ] {
            let changes = Changes {
                added,
                removed,
                ..Changes::default()
            };
            let found = limit.is_exceeded(terms, &changes);
            assert_eq!(found, is_exceeded, "{removed} of {terms}, {added} added");
        }
    }
}
