//! The provenance of a version, in the words of its uploader or operator. The names are the storage format
//! (docs/decisions/0008-changeset-chain.md).

use serde::{Deserialize, Serialize};

/// The maximum number of characters of each text.
pub(crate) const MAX_CHARACTERS: usize = 500;

/// Release, author and reason of a version; each may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provenance {
    /// The upstream's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The person or system that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The reason for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Provenance {
    /// Reads the texts that `of` returns for `release`, `author` and `reason`: without white space at the ends, without control
    /// characters, at most 500 characters; an empty one is absent.
    pub fn new(of: impl Fn(&'static str) -> Option<String>) -> Self {
        let text = |name| {
            let text: String = of(name)?.chars().filter(|c| !c.is_control()).collect();
            let text: String = text.trim().chars().take(MAX_CHARACTERS).collect();
            Some(text).filter(|text| !text.is_empty())
        };
        Self {
            release: text("release"),
            author: text("author"),
            reason: text("reason"),
        }
    }

    /// Returns whether all of it is absent.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_cut_and_dropped_where_they_are_empty() {
        let of = |release: &str, author: &str| {
            let (release, author) = (release.to_owned(), author.to_owned());
            Provenance::new(move |name| match name {
                "release" => Some(release.clone()),
                "author" => Some(author.clone()),
                _ => None,
            })
        };
        let long = "é".repeat(MAX_CHARACTERS);
        for (text, expect) in [
            (" 2026.2\t", Some("2026.2")),
            ("a\u{7}b", Some("ab")),
            (" \n ", None),
            ("", None),
            (&format!("{long}x"), Some(&*long)),
        ] {
            let provenance = of(text, "");
            assert_eq!(provenance.release.as_deref(), expect, "{text}");
            assert_eq!(provenance.is_empty(), expect.is_none());
            assert_eq!((provenance.author, provenance.reason), (None, None));
        }
    }
}
