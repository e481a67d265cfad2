//! Entity tags, and the condition of `If-None-Match` (RFC 9110, section 13.1.2). Pure.

use taxonomy_keys::Culture;
use taxonomy_runtime::http::{Accepted, Coding};

/// Raised whenever the bytes of the response for a version change, which invalidates all earlier tags.
const ANSWER_FORMAT: &str = "1";
/// The longest header that is parsed: API Gateway accepts 10 KB of headers in all.
const MAX_HEADER: usize = 8 * 1024;

/// The strong tags of a response about a version, one for each coding of the body. A representation that `Accept-Language` chose has the
/// culture in its tag, and a compressed one its coding: they are other bytes under the same URL (RFC 9110, section 8.8.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tags(String);

impl Tags {
    /// Builds the tags of a version, in the culture that `Accept-Language` chose, if it chose one.
    pub(crate) fn new(version: &str, chosen: Option<&Culture>) -> Self {
        Self(match chosen {
            None => [version, "-", ANSWER_FORMAT].concat(),
            Some(culture) => [version, "-", ANSWER_FORMAT, "-", culture.as_str()].concat(),
        })
    }

    /// Returns the part that the tags of all codings share.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the tag of one coding.
    pub(crate) fn with_coding(&self, coding: Coding) -> String {
        ["\"", &self.0, coding.suffix(), "\""].concat()
    }

    /// Returns the tag in `If-None-Match` that is one of these, for a coding that the request accepts.
    pub(crate) fn named_by(&self, if_none_match: &str, accepted: Accepted) -> Option<String> {
        let allowed = [Coding::Identity, Coding::Gzip, Coding::Brotli].into_iter();
        let mut tags = allowed
            .filter(|coding| accepted.allows(*coding))
            .map(|coding| self.with_coding(coding));
        tags.find(|tag| matches_etag(if_none_match, tag))
    }
}

/// Returns whether `If-None-Match` contains the tag. `*` matches none: whether a representation exists takes a read to find out. A header that is
/// not a list of tags is ignored.
pub(crate) fn matches_etag(if_none_match: &str, etag: &str) -> bool {
    if if_none_match.len() > MAX_HEADER {
        return false;
    }
    let (mut rest, mut is_named) = (if_none_match, false);
    loop {
        // Empty elements of a list are allowed.
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return is_named;
        }
        // The comparison is weak, so a weak tag matches as well.
        let strong = rest.strip_prefix("W/").unwrap_or(rest);
        let Some(end) = end_of_tag(strong) else {
            return false;
        };
        let (tag, behind) = strong.split_at(end);
        is_named |= tag == etag;
        rest = behind.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return false;
        }
    }
}

/// Returns the position after the closing quote. A tag may contain commas, but no quotes, blanks and control characters.
fn end_of_tag(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('"')?;
    let end = inner.find('"')?;
    let allowed = |c: char| c == '!' || ('#'..='~').contains(&c) || !c.is_ascii();
    inner[..end].chars().all(allowed).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"7-0123456789abcdef-1\"";

    #[test]
    fn a_list_names_each_of_its_tags_and_nothing_else_names_one() {
        let long = format!("{}TAG", " ".repeat(MAX_HEADER));
        let is_named = |header: &str| matches_etag(&header.replace("TAG", TAG), TAG);
        for header in [
            "TAG",
            "W/TAG",
            "\"x\", TAG",
            "\"x\",TAG,\"y\"",
            " , \"a,b\"\t, W/TAG ,, W/\"y\"",
            "\"\", TAG",
            "\"é\", TAG",
        ] {
            assert!(is_named(header), "{header}");
        }
        let none = [
            "", "*", ",", "w/TAG", "W/ TAG", "*, TAG", "\"x,TAG", "TAG x", "TAGTAG", "TAG, x",
        ];
        for header in none.into_iter().chain([
            "7-0123456789abcdef-1",
            "\"7-0123456789abcdef-2\"",
            "\"7-0123456789abcdef-1",
            "\"a b\", TAG",
            &long,
        ]) {
            assert!(!is_named(header), "{header}");
        }
    }
}
