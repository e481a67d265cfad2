//! IRIs as files have them.

use std::borrow::Cow;

/// The part of an IRI behind its last slash or number sign.
pub(super) fn last_segment(iri: &str) -> &str {
    iri.rsplit(['/', '#']).next().unwrap_or(iri)
}

/// An IRI in which percent signs stand for what none can hold (RFC 3987).
pub(super) fn encoded(iri: &str) -> Cow<'_, str> {
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || r#"<>"{}|\^`"#.contains(c);
    if !iri.contains(is_wrong) {
        return Cow::Borrowed(iri);
    }
    let mut written = String::new();
    for c in iri.chars() {
        if is_wrong(c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                written += &format!("%{byte:02X}");
            }
        } else {
            written.push(c);
        }
    }
    Cow::Owned(written)
}

/// Returns true if an IRI begins with a scheme.
pub(super) fn is_absolute(iri: &str) -> bool {
    let Some((scheme, rest)) = iri.split_once(':') else {
        return false;
    };
    let mut letters = scheme.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        && !rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iri_begins_with_a_scheme() {
        for iri in ["http://example.com/é?a#b", "urn:a", "a+b.c-d:e"] {
            assert!(is_absolute(iri), "{iri}");
        }
        for other in ["", "a", "/a/b", "urn:", ":a", "1a:b", "a b:c"] {
            assert!(!is_absolute(&encoded(other)), "{other}");
        }
    }

    #[test]
    fn percent_signs_stand_for_what_an_iri_cannot_hold() {
        for (iri, written) in [
            ("a%20b?x=1&y=2#frag", "a%20b?x=1&y=2#frag"),
            ("ÄÖ/日本", "ÄÖ/日本"),
            (" SERINE", "%20SERINE"),
            ("John_\"Jabo\"", "John_%22Jabo%22"),
            ("\u{85}|{}", "%C2%85%7C%7B%7D"),
        ] {
            let [iri, written] = [iri, written].map(|path| format!("http://v.test/{path}"));
            assert_eq!(encoded(&iri), written);
        }
    }
}
