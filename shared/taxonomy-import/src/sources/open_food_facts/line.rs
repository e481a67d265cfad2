//! A line of a text, and the names of one.

/// A line, by its form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockLine<'a> {
    Blank,
    Comment,
    Parent(&'a str, &'a str),
    Names(&'a str, &'a str),
    /// Words for the matching of names, which are no concepts.
    Words,
    Property(&'a str, &'a str, &'a str),
    Unknown,
}

impl<'a> BlockLine<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return Self::Blank;
        }
        if trimmed.starts_with('#') {
            return Self::Comment;
        }
        if let Some(parent) = trimmed.strip_prefix('<') {
            return match parent.trim_start().split_once(':') {
                Some((tag, name)) if is_language(tag.trim()) && !name.trim().is_empty() => {
                    Self::Parent(tag.trim(), name.trim())
                }
                _ => Self::Unknown,
            };
        }
        let Some((first, rest)) = trimmed.split_once(':') else {
            return Self::Unknown;
        };
        // Three letters before a language are the name of a property.
        let is_property = first.len() == 3
            && rest
                .split_once(':')
                .is_some_and(|(tag, _)| is_language(tag.trim()));
        if is_language(first) && !is_property {
            return Self::Names(first, rest.trim());
        }
        match rest.split_once(':') {
            Some((tag, _)) if matches!(first, "stopwords" | "synonyms") && is_language(tag.trim()) => {
                Self::Words
            }
            Some((tag, value)) if is_name(first) && is_language(tag.trim()) => {
                Self::Property(first, tag.trim(), value.trim())
            }
            _ => Self::Unknown,
        }
    }
}

/// Two or three letters, perhaps with a region or script; longer words are names of properties.
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split(['-', '_']);
    let first = parts.next().unwrap_or_default();
    let is_first = matches!(first.len(), 2 | 3) && first.bytes().all(|c| c.is_ascii_lowercase());
    is_first
        && parts.all(|part| (2..=8).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_alphanumeric()))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'))
}

/// The names of a line. A comma between digits and one behind a backslash are parts of a name.
pub(super) fn split_names(text: &str) -> Vec<String> {
    let (mut names, mut name) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_decimal = before.is_ascii_digit() && next.is_ascii_digit();
        if c == '\\' && next == ',' {
            chars.next();
            before = ',';
            name.push(',');
        } else if c == ',' && !is_decimal {
            before = c;
            names.push(std::mem::take(&mut name));
        } else {
            before = c;
            name.push(c);
        }
    }
    names.push(name);
    let names = names.into_iter().map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_known_by_their_form() {
        for (line, expect) in [
            ("  ", BlockLine::Blank),
            ("# en: a", BlockLine::Comment),
            ("<en:Fruits", BlockLine::Parent("en", "Fruits")),
            ("< fr: Fruits frais", BlockLine::Parent("fr", "Fruits frais")),
            ("<Fruits", BlockLine::Unknown),
            ("en:Apples, apple", BlockLine::Names("en", "Apples, apple")),
            ("pt-br: Maçã", BlockLine::Names("pt-br", "Maçã")),
            ("en:fr: odd", BlockLine::Names("en", "fr: odd")),
            ("stopwords:en: the", BlockLine::Words),
            ("vegan:en:yes", BlockLine::Property("vegan", "en", "yes")),
            ("ast: Cerveza", BlockLine::Names("ast", "Cerveza")),
            ("ean:en: 12", BlockLine::Property("ean", "en", "12")),
            ("wikidata:Q3995785", BlockLine::Unknown),
            ("https://example.org", BlockLine::Unknown),
            ("synonyms:a, b", BlockLine::Unknown),
            ("vegan: yes", BlockLine::Unknown),
            ("Apples", BlockLine::Unknown),
        ] {
            assert_eq!(BlockLine::new(line), expect, "{line}");
        }
    }

    #[test]
    fn commas_separate_names_but_in_numbers_and_behind_a_backslash() {
        for (text, expect) in [
            ("a, b ,c", vec!["a", "b", "c"]),
            ("milk 1,5 %, milk", vec!["milk 1,5 %", "milk"]),
            (r"a\, b, c", vec!["a, b", "c"]),
            (" , ,", vec![]),
        ] {
            assert_eq!(split_names(text), expect, "{text}");
        }
    }
}
