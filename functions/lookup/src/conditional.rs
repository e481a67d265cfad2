//! Tags of answers, and whether the caller has one already (RFC 9110, section 13.1.2). Pure.

use taxonomy_http::{Accepted, Coding};
use taxonomy_keys::Culture;

/// Raised whenever the same version is answered in other bytes, so that no tag of before is good any more.
const ANSWER_FORMAT: u32 = 1;
/// API Gateway passes on 10 KB of headers in all; a list that is longer than this is not looked at.
const MAX_HEADER: usize = 8 * 1024;

/// The strong tags of what is answered of a view, one for each form of the body. A representation that was chosen by `Accept-Language` has the
/// culture in its tag, and a compressed one its coding: they are other bytes under the same URL (RFC 9110, section 8.8.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tags(String);

impl Tags {
    /// Of a view, in the culture that was chosen by `Accept-Language`, if one was.
    pub(crate) fn new(view: &str, chosen: Option<&Culture>) -> Self {
        Self(match chosen {
            None => format!("{view}-{ANSWER_FORMAT}"),
            Some(culture) => format!("{view}-{ANSWER_FORMAT}-{culture}"),
        })
    }

    /// The tag of one form.
    pub(crate) fn of(&self, coding: Coding) -> String {
        format!("\"{}{}\"", self.0, coding.suffix())
    }

    /// The tag that `If-None-Match` names, of a form that the request accepts.
    pub(crate) fn named_by(&self, if_none_match: &str, accepted: Accepted) -> Option<String> {
        let allowed = [Coding::Identity, Coding::Gzip, Coding::Brotli].into_iter();
        let mut tags = allowed
            .filter(|coding| accepted.allows(*coding))
            .map(|coding| self.of(coding));
        tags.find(|tag| names(if_none_match, tag))
    }
}

/// Whether `If-None-Match` names the tag. `*` names none: on reads that may find nothing it could only be answered by reading. A header
/// that is no list of tags is ignored.
pub(crate) fn names(if_none_match: &str, etag: &str) -> bool {
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
        // Compared weakly, so a weak form is as good.
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

/// Behind the closing quote. Commas may stand in a tag, quotes, blanks and control characters may not.
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

    fn tags(culture: Option<&str>) -> Tags {
        let culture = culture.map(|tag| tag.parse().unwrap());
        Tags::new("7-0123456789abcdef", culture.as_ref())
    }

    #[test]
    fn a_tag_is_a_view_and_the_format_of_answers() {
        assert_eq!(tags(None).of(Coding::Identity), TAG);
    }

    #[test]
    fn another_language_and_another_form_have_other_tags() {
        let all = [None, Some("fr-FR"), Some("fr")]
            .map(|culture| Coding::ALL.map(|coding| tags(culture).of(coding)))
            .concat();
        assert_eq!(
            all[3..6],
            [
                "\"7-0123456789abcdef-1-fr-FR-br\"",
                "\"7-0123456789abcdef-1-fr-FR-gzip\"",
                "\"7-0123456789abcdef-1-fr-FR\""
            ]
        );
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }

    #[test]
    fn a_tag_is_named_in_a_form_that_the_request_accepts() {
        let named = |if_none_match: &str, accept: Option<&str>| {
            let named = tags(None).named_by(if_none_match, Accepted::by(accept));
            named.map(|tag| tag.trim_matches('"')["7-0123456789abcdef-1".len()..].to_owned())
        };
        let all = Coding::ALL.map(|coding| tags(None).of(coding));
        let [br, gzip, identity] = &all;
        for accept in [None, Some("br, gzip")] {
            assert_eq!(named(identity, accept).as_deref(), Some(""));
            assert_eq!(named(gzip, accept).as_deref(), Some("-gzip"));
            assert_eq!(named(br, accept).as_deref(), Some("-br"));
            assert_eq!(named(&all.join(", "), accept).as_deref(), Some(""));
        }
        assert_eq!(named(gzip, Some("identity")), None);
        assert_eq!(named(gzip, Some("br")), None);
        assert_eq!(
            named(&all.join(", "), Some("br, identity;q=0")).as_deref(),
            Some("-br")
        );
        assert_eq!(named(&tags(Some("fr")).of(Coding::Gzip), None), None);
    }

    #[test]
    fn a_list_names_each_of_its_tags() {
        for header in [
            TAG.to_owned(),
            format!("W/{TAG}"),
            format!("\"x\", {TAG}"),
            format!("\"x\",{TAG},\"y\""),
            format!(" , \"a,b\"\t, W/{TAG} ,, W/\"y\""),
            format!("\"\", {TAG}"),
            format!("\"é\", {TAG}"),
        ] {
            assert!(names(&header, TAG), "{header}");
        }
    }

    #[test]
    fn nothing_else_names_it() {
        for header in [
            String::new(),
            "*".to_owned(),
            ",".to_owned(),
            "7-0123456789abcdef-1".to_owned(),
            "\"7-0123456789abcdef-2\"".to_owned(),
            "\"7-0123456789abcdef-1".to_owned(),
            format!("w/{TAG}"),
            format!("W/ {TAG}"),
            format!("*, {TAG}"),
            format!("\"x,{TAG}"),
            format!("{TAG} x"),
            format!("{TAG}{TAG}"),
            format!("{TAG}, x"),
            format!("\"a b\", {TAG}"),
            format!("{}{TAG}", " ".repeat(MAX_HEADER)),
        ] {
            assert!(!names(&header, TAG), "{header}");
        }
    }
}
