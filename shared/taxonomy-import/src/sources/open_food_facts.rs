//! The taxonomies of Open Food Facts: blocks of lines, each block a concept.
//!
//! ```text
//! # a comment
//! < en:Fruits
//! en: Apples, apple
//! fr: Pommes
//! wikidata:en: Q89
//! ```
//!
//! The key of a concept is its canonical tag: the language and the first name of the first line of names, in lower case, in some languages
//! without accents, spaces and punctuation as hyphens. A parent is named by any of its names. The files are written for
//! Product Opener (<https://github.com/openfoodfacts/openfoodfacts-server>), which passes over lines that it does not know and reads two
//! blocks of a key as one; so does this reader, and reports them.

use std::collections::HashMap;
use std::io::BufRead;

use icu_normalizer::ComposingNormalizerBorrowed;
use taxonomy_model::RelationType;

use super::lines::Lines;
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// The scheme of the canonical tags.
const SCHEME: &str = "open-food-facts";
/// The languages in whose tags accents do not count.
const WITHOUT_ACCENTS: [&str; 8] = ["ca", "en", "es", "fr", "it", "nl", "pt", "sk"];
/// Letters without their accents; others keep theirs.
const PLAIN: [(&str, &str); 13] = [
    ("àáâãäå", "a"),
    ("ç", "c"),
    ("èéêë", "e"),
    ("ìíîï", "i"),
    ("ñ", "n"),
    ("òóôõö", "o"),
    ("ùúûü", "u"),
    ("ýÿ", "y"),
    ("œ", "oe"),
    ("æ", "ae"),
    ("ß", "ss"),
    ("ẞ", "ss"),
    ("Œ", "oe"),
];
/// The characters that separate the words of a tag, beside white space and control characters.
const SEPARATORS: &str =
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼⅓½⅔¾¿×ˆ˜–—‘’‚“”„†‡•…‰‹›€™\u{200b}";
/// The mark of names that are the same in every language.
const EVERY_LANGUAGE: &str = "xx";

/// Reads a text.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub(super) fn read(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(SCHEME);
    let mut lines = Lines::new(input, graph);
    let mut reader = BlockReader::default();
    while let Some(line) = lines.next(graph)? {
        reader.line(&line, lines.number, graph)?;
    }
    reader.end_block(graph);
    reader.link(graph)
}

/// A line, by its form.
#[derive(Debug, PartialEq, Eq)]
enum BlockLine<'a> {
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
    fn new(line: &'a str) -> Self {
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

#[derive(Default)]
struct BlockReader {
    /// The tags of its parents.
    parents: Vec<String>,
    /// The lines of properties before its first line of names.
    properties: Vec<(String, SourcePlace)>,
    begun: Option<u64>,
    concept: Option<ConceptRef>,
    tags: Tags,
    /// Parents by tag, since they may be described later.
    waiting: Vec<(ConceptRef, Box<str>)>,
}

/// The meaning of a name for its block, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameRole {
    /// The first name of all, which is the key.
    Key,
    /// The first name in a language.
    First,
    Other,
}

/// The concept of each name, as a tag, with its role there; true if several blocks have it in this role.
#[derive(Default)]
struct Tags(HashMap<Box<str>, (NameRole, ConceptRef, bool)>);

impl Tags {
    fn add(&mut self, tag: &str, role: NameRole, concept: ConceptRef) {
        let added = (role, concept, false);
        let found = self.0.entry(tag.into()).or_insert(added);
        if role < found.0 {
            *found = added;
        } else if role == found.0 && concept != found.1 {
            found.2 = true;
        }
    }
}

impl BlockReader {
    fn line(&mut self, line: &str, number: u64, graph: &mut Graph) -> Result<(), Stop> {
        let at = SourcePlace::at(number, 1);
        let parsed = BlockLine::new(line);
        if !matches!(parsed, BlockLine::Blank | BlockLine::Comment | BlockLine::Words) {
            self.begun.get_or_insert(number);
        }
        match parsed {
            BlockLine::Blank => self.end_block(graph),
            BlockLine::Comment => {}
            BlockLine::Words => {
                graph.issue(Code::Ignored, at, None, "words for the matching of names");
            }
            BlockLine::Parent(language, name) => {
                // A block without an empty line before the next one.
                if self.concept.is_some() {
                    self.end_block(graph);
                    self.begun = Some(number);
                }
                self.parents.push(tag_of(language, name));
            }
            BlockLine::Names(language, names) => self.names(language, names, at, graph)?,
            BlockLine::Property(name, language, value) => match self.concept {
                Some(concept) => property(graph, concept, (name, language, value), at)?,
                None => self.properties.push((line.to_owned(), at)),
            },
            BlockLine::Unknown => {
                let message = "neither names, parent, property nor comment";
                graph.issue(Code::UnknownLine, at, self.concept, message);
            }
        }
        Ok(())
    }

    /// A line of names: the first is the preferred one, the first of the block the key.
    fn names(&mut self, language: &str, names: &str, at: SourcePlace, graph: &mut Graph) -> Result<(), Stop> {
        let names = split_names(names);
        let Some(first) = names.first() else {
            let message = format_args!("no name in {language}");
            graph.issue(Code::EmptyText, at, self.concept, message);
            return Ok(());
        };
        let concept = match self.concept {
            Some(concept) => concept,
            None => self.begin(&tag_of(language, first), at, graph)?,
        };
        let tag = (language != EVERY_LANGUAGE).then_some(language);
        graph.state(concept, Statement::Name(tag, first), at)?;
        for name in &names[1..] {
            graph.state(concept, Statement::AltName(tag, name), at)?;
        }
        for (at, name) in names.iter().enumerate() {
            let tag = tag_of(language, name);
            let role = match at {
                0 if tag == graph.key(concept) => NameRole::Key,
                0 => NameRole::First,
                _ => NameRole::Other,
            };
            self.tags.add(&tag, role, concept);
        }
        Ok(())
    }

    /// Begins a concept with the parents and properties before its names, or goes on with the one that has its key.
    fn begin(&mut self, key: &str, at: SourcePlace, graph: &mut Graph) -> Result<ConceptRef, Stop> {
        let concept = graph.concept(key)?;
        if graph.is_declared(concept) {
            graph.issue(Code::SecondBlock, at, Some(concept), "a second block");
        }
        graph.state(concept, Statement::Concept, at)?;
        self.concept = Some(concept);
        for parent in self.parents.drain(..) {
            self.waiting.push((concept, parent.into()));
        }
        for (line, at) in self.properties.drain(..) {
            if let BlockLine::Property(name, language, value) = BlockLine::new(&line) {
                property(graph, concept, (name, language, value), at)?;
            }
        }
        Ok(concept)
    }

    fn end_block(&mut self, graph: &mut Graph) {
        let has_more = !self.parents.is_empty() || !self.properties.is_empty();
        if let (None, true, Some(line)) = (self.concept, has_more, self.begun) {
            let message = "a block without names";
            graph.issue(Code::UnknownLine, SourcePlace::at(line, 1), None, message);
        }
        self.parents.clear();
        self.properties.clear();
        (self.begun, self.concept) = (None, None);
    }

    /// Parents that no block describes are known by their tags.
    fn link(&mut self, graph: &mut Graph) -> Result<(), Stop> {
        for (concept, tag) in std::mem::take(&mut self.waiting) {
            let parent = match self.tags.0.get(&tag) {
                Some((_, parent, is_shared)) => {
                    if *is_shared {
                        let key = graph.key(*parent).to_owned();
                        let message = format_args!("several blocks have the name {tag}; {key} is the parent");
                        graph.issue_of(Code::AmbiguousParent, concept, message);
                    }
                    *parent
                }
                None => graph.concept(&tag)?,
            };
            graph.state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
        }
        let alone = self.tags.0.drain().filter(|(_, (.., is_shared))| !is_shared);
        graph
            .aliases
            .extend(alone.map(|(tag, (_, concept, _))| (tag, concept)));
        Ok(())
    }
}

/// A mapping to Wikidata, a description, or a property of the metadata.
fn property(
    graph: &mut Graph,
    concept: ConceptRef,
    (name, language, value): (&str, &str, &str),
    at: SourcePlace,
) -> Result<(), Stop> {
    let tag = (language != EVERY_LANGUAGE).then_some(language);
    let is_item = value
        .strip_prefix('Q')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()));
    let statement = match name {
        "wikidata" if is_item => Statement::Mapping(RelationType::Exact, Some("wikidata"), value),
        "description" => Statement::Definition(tag, value),
        _ => Statement::Property(name, tag, value),
    };
    graph.state(concept, statement, at)
}

/// The names of a line. A comma between digits and one behind a backslash are parts of a name.
fn split_names(text: &str) -> Vec<String> {
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

/// The tag of a name, as `get_string_id_for_lang` of Product Opener makes it.
fn tag_of(language: &str, name: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(name);
    let mut lower = without_brackets(&composed).to_lowercase();
    for entity in ["&quot;", "&lt;", "&gt;"] {
        lower = lower.replace(entity, "-");
    }
    let mut words = String::new();
    let is_plain = WITHOUT_ACCENTS.contains(&language);
    for c in lower.chars() {
        let plain = PLAIN.iter().find(|(letters, _)| is_plain && letters.contains(c));
        if let Some((_, plain)) = plain {
            words.push_str(plain);
        } else if c.is_whitespace() || c.is_control() || SEPARATORS.contains(c) {
            words.push('-');
        } else {
            words.push(c);
        }
    }
    let words = words.split('-').filter(|word| !word.is_empty());
    format!("{language}:{}", words.collect::<Vec<_>>().join("-"))
}

/// A name without the brackets of Roman numerals: `E101(ii)`.
fn without_brackets(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('(') {
        let numeral = behind.split_once(')').filter(|(inside, _)| {
            !inside.is_empty()
                && inside
                    .chars()
                    .all(|c| matches!(c.to_ascii_lowercase(), 'i' | 'v' | 'x'))
        });
        plain.push_str(before);
        rest = match numeral {
            Some((inside, after)) => {
                plain.push_str(inside);
                after
            }
            None => {
                plain.push('(');
                behind
            }
        };
    }
    plain + rest
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

    #[test]
    fn tags_are_lower_case_with_hyphens() {
        for (language, name, expect) in [
            ("en", "Fresh fruits & vegetables", "en:fresh-fruits-vegetables"),
            ("fr", "Pâtes à l’œuf", "fr:pates-a-l-oeuf"),
            (
                "fr",
                "Curriculum vitæ, STRASSE ẞ",
                "fr:curriculum-vitae-strasse-ss",
            ),
            ("de", "Äpfel", "de:äpfel"),
            ("de", "A\u{308}pfel, Straße", "de:äpfel-straße"),
            ("sk", "Šunka dusená", "sk:šunka-dusena"),
            ("en", "E101(ii), (a) (x)", "en:e101ii-a-x"),
            ("en", "a.b &quot;c&quot; ½ d", "en:a-b-c-d"),
            ("ja", "ソース、パン　粉", "ja:ソース、パン-粉"),
            ("en", "100% juice", "en:100-juice"),
            ("en", "!!", "en:"),
        ] {
            assert_eq!(tag_of(language, name), expect, "{name}");
        }
    }
}
