//! The `source` of a stack's events (docs/decisions/0030-notifications.md).

use std::str::FromStr;

/// The `source` of every event of a stack: a path such as `/taxonomy/eu-west-1/taxonomy`.
///
/// CloudEvents accepts any URI reference that is not empty. An absolute path of unreserved characters is one for every reader, and needs no
/// escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSource(String);

/// The text is no valid `source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is a path like /taxonomy/eu-west-1/taxonomy, of letters, digits, `-`, `.`, `_` and `~`")]
pub struct NotASource;

impl EventSource {
    /// Returns the path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EventSource {
    type Err = NotASource;

    fn from_str(text: &str) -> Result<Self, NotASource> {
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_segment = |segment: &str| !segment.is_empty() && segment.bytes().all(is_unreserved);
        let path = text.strip_prefix('/').ok_or(NotASource)?;
        if path.split('/').all(is_segment) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotASource)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_an_absolute_path_of_unreserved_characters() {
        for text in ["/taxonomy/eu-west-1/taxonomy", "/a", "/a.b_c~d-1/2"] {
            let source: EventSource = text.parse().unwrap();
            assert_eq!(source.as_str(), text);
        }
        let others = ["", "/", "taxonomy", "/a//b", "/a/", "/a b", "/a?b", "/a%20", "/é"];
        for text in others.into_iter().chain(["//host/path"]) {
            assert_eq!(text.parse::<EventSource>(), Err(NotASource), "{text}");
        }
    }
}
