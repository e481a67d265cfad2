//! Tags of answers, and whether the caller has one already (RFC 9110, section 13.1.2). Pure.

/// Raised whenever the same version is answered in other bytes, so that no tag of before is good any more.
const ANSWER_FORMAT: u32 = 1;
/// API Gateway passes on 10 KB of headers in all; a list that is longer than this is not looked at.
const MAX_HEADER: usize = 8 * 1024;

/// The strong tag of what was answered of a view.
pub(crate) fn etag(view: &str) -> String {
    format!("\"{view}-{ANSWER_FORMAT}\"")
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

    #[test]
    fn a_tag_is_a_view_and_the_format_of_answers() {
        assert_eq!(etag("7-0123456789abcdef"), TAG);
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
