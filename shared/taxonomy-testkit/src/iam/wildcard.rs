//! Patterns of IAM (IAM User Guide, "Resource", "Policy variables"): `*` matches any text, `/` included, `?` any one character, and `${key}`
//! the value of a condition key, in which nothing is a wildcard. `${*}`, `${?}` and `${$}` are those characters.

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Any text.
    Any,
    /// Any one character.
    One,
    /// This character.
    Just(char),
}

/// Whether a text matches a pattern without variables.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    matches_with(pattern, text, &|_| None)
}

/// Whether a text matches a pattern; `value` returns the values of variables. A pattern with a variable without a value matches nothing.
pub(super) fn matches_with(pattern: &str, text: &str, value: &dyn Fn(&str) -> Option<String>) -> bool {
    let Some(parts) = parts(pattern, true, value) else {
        return false;
    };
    let text: Vec<char> = text.chars().collect();
    is_of(&parts, &text)
}

/// Whether a text equals a value that may contain variables and in which `*` and `?` are literal characters.
pub(super) fn equals_with(pattern: &str, text: &str, value: &dyn Fn(&str) -> Option<String>) -> bool {
    let parts = parts(pattern, false, value);
    parts.is_some_and(|parts| parts.into_iter().eq(text.chars().map(Part::Just)))
}

/// Returns the parts of a pattern; `None` if a variable has no value.
fn parts(pattern: &str, wildcards: bool, value: &dyn Fn(&str) -> Option<String>) -> Option<Vec<Part>> {
    let (mut parts, mut rest) = (Vec::new(), pattern);
    while let Some(first) = rest.chars().next() {
        if let Some((name, behind)) = rest.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
            match name {
                "*" | "?" | "$" => parts.extend(name.chars().map(Part::Just)),
                name => parts.extend(value(name)?.chars().map(Part::Just)),
            }
            rest = behind;
            continue;
        }
        parts.push(match first {
            '*' if wildcards => Part::Any,
            '?' if wildcards => Part::One,
            other => Part::Just(other),
        });
        rest = &rest[first.len_utf8()..];
    }
    Some(parts)
}

fn is_of(parts: &[Part], text: &[char]) -> bool {
    match parts.split_first() {
        None => text.is_empty(),
        Some((Part::Any, rest)) => (0..=text.len()).any(|skipped| is_of(rest, &text[skipped..])),
        Some((part, rest)) => text.split_first().is_some_and(|(character, text)| {
            (*part == Part::One || *part == Part::Just(*character)) && is_of(rest, text)
        }),
    }
}
