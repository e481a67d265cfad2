//! The statements of all files of a source, collected. Nothing is decided here: statements come in any order, and concepts that are only
//! referred to may be described later.

mod order;
mod rows;
mod tags;

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use taxonomy_keys::Culture;

use crate::concept::{ConceptRef, NodeKind, Place, Statement};
use crate::report::{Code, Report};
use crate::sources::skos::Deferred;
use crate::texts::{Pieces, Texts};
use rows::{Concept, Value, pair, parts};

pub(crate) use rows::{Row, RowKind};

/// The most that is collected of a source.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Concepts, those that are only referred to included.
    pub concepts: usize,
    /// Statements.
    pub statements: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
}

impl Default for Bounds {
    /// Twice the concepts of the largest thesauri, and a few gigabytes of memory at the most.
    fn default() -> Self {
        Self {
            concepts: 2_000_000,
            statements: 50_000_000,
            file_bytes: 4 << 30,
        }
    }
}

/// Why a reader stopped before the end.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// An error that ends the reading is in the report.
    #[error("the source cannot be imported")]
    Refused,
}

/// The statements of a source.
#[derive(Debug)]
pub struct Graph {
    bounds: Bounds,
    default_culture: Culture,
    /// The source may not name another default culture.
    is_default_fixed: bool,
    /// The first concept of each hash; those with the same hash follow by `same_hash`.
    by_hash: HashMap<u64, u32>,
    hasher: RandomState,
    concepts: Pieces<Concept>,
    rows: Pieces<Row>,
    texts: Texts,
    cultures: Vec<Culture>,
    tags: HashMap<Box<str>, Option<u16>>,
    files: Vec<String>,
    file_culture: Option<Culture>,
    /// The category of all concepts, where there is one.
    pub(crate) one: Option<ConceptRef>,
    /// The order of the statements means nothing.
    pub(crate) is_unordered: bool,
    /// Keys are paths of names and no identifiers.
    pub(crate) has_path_keys: bool,
    pub(crate) scheme: Option<String>,
    pub(crate) release: Option<String>,
    /// Statements of RDF that wait for others.
    pub(crate) deferred: Deferred,
    pub(crate) report: Report,
}

/// The key of the one category in id maps. A concept of the source may have it, too.
pub(crate) const ONE: &str = "*";
/// No statement, no concept, no language.
const NONE: u32 = u32::MAX;
pub(crate) const NO_CULTURE: u16 = u16::MAX;
impl Graph {
    /// An empty graph.
    #[must_use]
    pub fn new(default_culture: Culture, bounds: Bounds) -> Self {
        Self {
            bounds,
            cultures: vec![default_culture.clone()],
            default_culture,
            is_default_fixed: false,
            by_hash: HashMap::new(),
            hasher: RandomState::new(),
            concepts: Pieces::default(),
            rows: Pieces::default(),
            texts: Texts::default(),
            tags: HashMap::new(),
            files: Vec::new(),
            file_culture: None,
            one: None,
            is_unordered: false,
            has_path_keys: false,
            scheme: None,
            release: None,
            deferred: Deferred::default(),
            report: Report::default(),
        }
    }

    /// Names the file that the next statements come from, and the culture of its texts, where the file has one.
    pub fn begin_file(&mut self, name: &str, culture: Option<Culture>) {
        self.files.push(name.to_owned());
        self.file_culture = culture;
    }

    /// Keeps the default culture, whatever the source says.
    pub fn fix_default_culture(&mut self) {
        self.is_default_fixed = true;
    }

    /// Names the default culture that the source itself has.
    pub fn set_default_culture(&mut self, culture: &Culture) {
        if !self.is_default_fixed {
            self.default_culture = culture.clone();
        }
    }

    /// The culture of texts without a language, and the one in which every node is named.
    #[must_use]
    pub fn default_culture(&self) -> &Culture {
        &self.default_culture
    }

    /// The number of files begun.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The culture of texts of the file that say none: its own, else the default one.
    #[must_use]
    pub fn culture(&self) -> &Culture {
        self.file_culture.as_ref().unwrap_or(&self.default_culture)
    }

    /// The culture that the file has of its own.
    #[must_use]
    pub fn file_culture(&self) -> Option<&Culture> {
        self.file_culture.as_ref()
    }

    /// The bounds.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// States that the order of the statements means nothing, as in RDF: choices then follow the keys.
    pub fn set_unordered(&mut self) {
        self.is_unordered = true;
    }

    /// States that keys are paths of names and no identifiers.
    pub fn set_path_keys(&mut self) {
        self.has_path_keys = true;
    }

    /// Names the scheme of the source identifiers, where no option names it. The first call counts.
    pub fn set_scheme(&mut self, scheme: &str) {
        self.scheme.get_or_insert_with(|| scheme.to_owned());
    }

    /// Names the release of the source. The first call counts.
    pub fn set_release(&mut self, release: &str) {
        self.release.get_or_insert_with(|| release.to_owned());
    }

    /// The concept of a key, which may be only referred to so far.
    ///
    /// # Errors
    /// [`Stop::Refused`] beyond the bounds.
    pub fn concept(&mut self, key: &str) -> Result<ConceptRef, Stop> {
        let hash = self.hasher.hash_one(key);
        let first = self.by_hash.get(&hash).copied();
        if let Some(found) = first.and_then(|first| self.find(first, key)) {
            return Ok(found);
        }
        let number = self.push_concept(key, first.unwrap_or(NONE))?;
        self.by_hash.insert(hash, number);
        Ok(ConceptRef(number))
    }

    /// Adds a concept that is none of the source, and that no key finds.
    ///
    /// # Errors
    /// [`Stop::Refused`] beyond the bounds.
    pub(crate) fn add_one(&mut self) -> Result<ConceptRef, Stop> {
        let one = ConceptRef(self.push_concept(ONE, NONE)?);
        self.one = Some(one);
        Ok(one)
    }

    /// The concept of a key that stands in an id map for a node of this kind.
    pub(crate) fn known_as(&self, kind: NodeKind, key: &str) -> Option<ConceptRef> {
        let one = self.one.filter(|_| kind == NodeKind::Category && key == ONE);
        one.or_else(|| self.known(key))
    }

    fn push_concept(&mut self, key: &str, same_hash: u32) -> Result<u32, Stop> {
        let number = self.concepts.len();
        let (Some(span), true, Ok(number)) = (
            self.texts.push(key),
            number < self.bounds.concepts,
            u32::try_from(number),
        ) else {
            return Err(self.too_large("concepts"));
        };
        self.concepts.push(Concept {
            key: span,
            first: NONE,
            last: NONE,
            same_hash,
            file: 0,
            last_file: 0,
            is_declared: false,
            place: Place::UNKNOWN,
        });
        Ok(number)
    }

    /// The concept of a key, where there is one.
    #[must_use]
    pub fn known(&self, key: &str) -> Option<ConceptRef> {
        let first = self.by_hash.get(&self.hasher.hash_one(key))?;
        self.find(*first, key)
    }

    fn find(&self, first: u32, key: &str) -> Option<ConceptRef> {
        let mut number = first;
        while number != NONE {
            let concept = self.concepts.get(number as usize);
            if self.texts.get(concept.key) == key {
                return Some(ConceptRef(number));
            }
            number = concept.same_hash;
        }
        None
    }

    /// Returns true if any file describes the concept.
    #[must_use]
    pub fn is_declared(&self, concept: ConceptRef) -> bool {
        self.concepts.get(concept.at()).is_declared
    }

    /// Returns true if the current file describes the concept.
    #[must_use]
    pub fn is_declared_here(&self, concept: ConceptRef) -> bool {
        let concept = self.concepts.get(concept.at());
        concept.is_declared && usize::from(concept.last_file) + 1 == self.files.len()
    }

    /// The key of a concept.
    #[must_use]
    pub fn key(&self, concept: ConceptRef) -> &str {
        self.texts.get(self.concepts.get(concept.at()).key)
    }

    /// Adds a statement that stands at `place` of the current file.
    ///
    /// # Errors
    /// [`Stop::Refused`] beyond the bounds.
    pub fn state(&mut self, subject: ConceptRef, statement: Statement<'_>, place: Place) -> Result<(), Stop> {
        use RowKind as Kind;
        match statement {
            Statement::Concept => {
                self.declare(subject, place);
                Ok(())
            }
            Statement::Implied => self.add(subject, Kind::Implied, NO_CULTURE, ""),
            Statement::Scheme => self.add(subject, Kind::Scheme, NO_CULTURE, ""),
            Statement::Own(kind) => self.add(subject, Kind::Own(kind), NO_CULTURE, ""),
            Statement::Number(number) => self.add(subject, Kind::Number, NO_CULTURE, &number.to_string()),
            Statement::Name(tag, text) => self.add_text(subject, Kind::Name, tag, text, place),
            Statement::ExactName(tag, text) => {
                self.add_text(subject, Kind::ExactName, Some(tag), text, place)
            }
            Statement::Path(tag, text) => self.add_text(subject, Kind::Path, Some(tag), text, place),
            Statement::AltName(tag, text) => self.add_text(subject, Kind::AltName, tag, text, place),
            Statement::Definition(tag, text) => self.add_text(subject, Kind::Definition, tag, text, place),
            Statement::ScopeNote(tag, text) => self.add_text(subject, Kind::ScopeNote, tag, text, place),
            Statement::Notation(text) => self.add(subject, Kind::Notation, NO_CULTURE, text),
            Statement::SortKey(text) => self.add(subject, Kind::SortKey, NO_CULTURE, text),
            Statement::Property(name, tag, text) => {
                self.add_text(subject, Kind::Property, tag, &pair(name, text), place)
            }
            Statement::Deprecated => self.add(subject, Kind::Deprecated, NO_CULTURE, ""),
            Statement::DeprecationReason(text) => {
                self.add(subject, Kind::DeprecationReason, NO_CULTURE, text)
            }
            Statement::DeprecatedSince(text) => self.add(subject, Kind::DeprecatedSince, NO_CULTURE, text),
            Statement::Broader(other) => self.link(subject, Kind::Broader, other),
            Statement::Narrower(other) => self.link(other, Kind::NarrowerOf, subject),
            Statement::Parent(other) => self.link(subject, Kind::Parent, other),
            Statement::InScheme(other) => self.link(subject, Kind::InScheme, other),
            Statement::Related(other) => {
                self.link(subject, Kind::Related, other)?;
                self.link(other, Kind::RelatedOf, subject)
            }
            Statement::ReplacedBy(other) => {
                self.link(subject, Kind::ReplacedBy, other)?;
                self.link(other, Kind::Replaces, subject)
            }
            Statement::Mapping(kind, scheme, id) => self.add(
                subject,
                Kind::Mapping(kind),
                NO_CULTURE,
                &pair(scheme.unwrap_or_default(), id),
            ),
            Statement::Exact(field, json) => self.add(subject, Kind::Exact(field), NO_CULTURE, json),
        }
    }

    /// The first place counts; a later file may describe the concept again.
    fn declare(&mut self, subject: ConceptRef, place: Place) {
        let file = u16::try_from(self.files.len().saturating_sub(1)).unwrap_or(u16::MAX);
        let concept = self.concepts.get_mut(subject.at());
        if !concept.is_declared {
            (concept.place, concept.file) = (place, file);
        }
        concept.is_declared = true;
        concept.last_file = file;
    }

    fn add_text(
        &mut self,
        subject: ConceptRef,
        kind: RowKind,
        tag: Option<&str>,
        text: &str,
        place: Place,
    ) -> Result<(), Stop> {
        let culture = match tag {
            Some(tag) => match self.tag(tag, subject, place) {
                Some(culture) => culture,
                None => return Ok(()),
            },
            None => NO_CULTURE,
        };
        self.add(subject, kind, culture, text)
    }

    fn add(&mut self, subject: ConceptRef, kind: RowKind, culture: u16, text: &str) -> Result<(), Stop> {
        match self.texts.push(text) {
            Some(span) => self.push(subject, kind, culture, Value::Text(span)),
            None => Err(self.too_large("texts")),
        }
    }

    fn link(&mut self, subject: ConceptRef, kind: RowKind, other: ConceptRef) -> Result<(), Stop> {
        self.push(subject, kind, NO_CULTURE, Value::Concept(other.0))
    }

    fn push(&mut self, subject: ConceptRef, kind: RowKind, culture: u16, value: Value) -> Result<(), Stop> {
        let number = match u32::try_from(self.rows.len()) {
            Ok(number) if self.rows.len() < self.bounds.statements => number,
            _ => return Err(self.too_large("statements")),
        };
        self.rows.push(Row {
            next: NONE,
            culture,
            kind,
            value,
        });
        let concept = self.concepts.get_mut(subject.at());
        let last = std::mem::replace(&mut concept.last, number);
        if last == NONE {
            concept.first = number;
        } else {
            self.rows.get_mut(last as usize).next = number;
        }
        Ok(())
    }

    fn too_large(&mut self, what: &str) -> Stop {
        let message = format!("the source has more {what} than an import takes");
        self.refuse(Code::TooLarge, Place::UNKNOWN, move || message)
    }

    /// Records an issue at a place of the current file.
    pub fn issue(
        &mut self,
        code: Code,
        place: Place,
        concept: Option<ConceptRef>,
        message: impl FnOnce() -> String,
    ) {
        let key = concept.map(|concept| self.texts.get(self.concepts.get(concept.at()).key));
        let file = self.files.last().map(String::as_str);
        self.report.add(code, file, place, key, message);
    }

    /// Records an issue at the place where a concept is described.
    pub(crate) fn issue_of(&mut self, code: Code, concept: ConceptRef, message: impl FnOnce() -> String) {
        let found = self.concepts.get(concept.at());
        let file = self.files.get(usize::from(found.file));
        let (file, key) = (
            file.filter(|_| found.is_declared).map(String::as_str),
            self.texts.get(found.key),
        );
        self.report.add(code, file, found.place, Some(key), message);
    }

    /// Records an error that ends the reading.
    pub fn refuse(&mut self, code: Code, place: Place, message: impl FnOnce() -> String) -> Stop {
        self.issue(code, place, None, message);
        Stop::Refused
    }

    /// The release that the source names.
    #[must_use]
    pub fn release(&self) -> Option<&str> {
        self.release.as_deref().or_else(|| self.deferred.release())
    }

    /// The report of a source that is not imported.
    #[must_use]
    pub fn into_report(self) -> Report {
        self.report
    }

    /// The report so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Every concept, those that are only referred to included.
    pub(crate) fn all(&self) -> impl Iterator<Item = ConceptRef> + use<> {
        (0..self.concepts.len()).map(number)
    }

    /// Every concept that is described.
    pub(crate) fn declared(&self) -> impl Iterator<Item = ConceptRef> {
        self.all().filter(|concept| self.is_declared(*concept))
    }

    /// The concept of a number.
    pub(crate) fn at(&self, at: usize) -> ConceptRef {
        number(at.min(self.concepts.len()))
    }

    pub(crate) fn concept_count(&self) -> usize {
        self.concepts.len()
    }

    pub(crate) fn cultures(&self) -> &[Culture] {
        &self.cultures
    }

    /// The statements of a concept, in the order in which they came.
    pub(crate) fn rows(&self, concept: ConceptRef) -> impl Iterator<Item = Row> {
        let row = |number: u32| (number != NONE).then(|| *self.rows.get(number as usize));
        let first = row(self.concepts.get(concept.at()).first);
        std::iter::successors(first, move |last| row(last.next))
    }

    /// The text of a statement; empty for one about another concept.
    pub(crate) fn text(&self, row: Row) -> &str {
        match row.value {
            Value::Text(span) => self.texts.get(span),
            Value::Concept(_) => "",
        }
    }

    /// The two texts of a statement that has two.
    pub(crate) fn pair(&self, row: Row) -> (&str, &str) {
        parts(self.text(row))
    }

    /// The other concept of a statement.
    pub(crate) fn other(&self, row: Row) -> Option<ConceptRef> {
        match row.value {
            Value::Text(_) => None,
            Value::Concept(number) => Some(ConceptRef(number)),
        }
    }
}

/// There are fewer concepts than 32 bits count.
fn number(at: usize) -> ConceptRef {
    ConceptRef(u32::try_from(at).unwrap_or(NONE))
}
