//! The statements of all files of a source, collected. Nothing is decided here: statements come in any order, and concepts that are only
//! referred to may be described later.

mod concepts;
mod cultures;
mod order;
mod rows;
mod statements;
mod tags;

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt::Display;

use taxonomy_keys::Culture;

use crate::concept::{ConceptRef, SourcePlace};
use crate::options::ImportOptions;
use crate::report::{Code, ImportReport};
use crate::sources::skos::deferred::Deferred;
use crate::texts::{ChunkedList, Texts};
use rows::ConceptRow;

pub(crate) use rows::{StatementKind, StatementRow};

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

/// The reason for which a reader stopped before the end.
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
    /// The choices of the import.
    pub options: ImportOptions,
    pub(crate) bounds: Bounds,
    /// The default culture that the source states.
    stated_culture: Option<Culture>,
    /// The one language that the source says it is in.
    pub(crate) language: Option<Culture>,
    /// The first concept of each hash; those with the same hash follow by `same_hash`.
    by_hash: HashMap<u64, u32>,
    hasher: RandomState,
    concepts: ChunkedList<ConceptRow>,
    rows: ChunkedList<StatementRow>,
    texts: Texts,
    /// The cultures of texts; the first is the default one, which may become another one when all statements are there.
    cultures: Vec<Culture>,
    tags: HashMap<Box<str>, Option<u16>>,
    files: Vec<String>,
    /// The culture that the file has of its own.
    pub(crate) file_culture: Option<Culture>,
    /// The number of the culture of texts without a language in the current file.
    untagged: u16,
    /// The order of the statements means nothing.
    pub(crate) is_unordered: bool,
    /// Keys are paths of names and no identifiers.
    pub(crate) has_path_keys: bool,
    scheme: Option<String>,
    pub(crate) release: Option<String>,
    /// The file of each culture, where each culture has one.
    file_of_culture: HashMap<Option<Culture>, String>,
    /// Concepts by names that are perhaps their keys in another release.
    pub(crate) aliases: HashMap<Box<str>, ConceptRef>,
    /// Concepts come from rows of tables.
    pub(crate) has_rows: bool,
    /// Parents of rows that are words for none, unless a row has such a key.
    pub(crate) perhaps_parents: Vec<(ConceptRef, ConceptRef)>,
    /// Statements of RDF that wait for others.
    pub(crate) deferred: Deferred,
    pub(crate) report: ImportReport,
}

/// No statement, no concept, no language.
const NONE: u32 = u32::MAX;
const NO_CULTURE: u16 = u16::MAX;
/// The most that is stated of a concept, which holds 500 names, 100 alternative names and 50 relations in the end: a million relations, or
/// some hundred thousand texts. More is a source that repeats itself without end.
const MOST_STATED: u32 = 16 << 20;
/// The weight of a statement about another concept, and of one with a text beside the bytes of it.
const LINK: usize = 16;
const TEXT: usize = 160;
/// The number of the default culture.
const DEFAULT_CULTURE: u16 = 0;

impl Graph {
    /// An empty graph.
    pub fn new(options: ImportOptions, bounds: Bounds) -> Self {
        let default_culture = options.default_culture.as_ref();
        Self {
            bounds,
            cultures: vec![default_culture.unwrap_or(&options.usual_culture).clone()],
            options,
            stated_culture: None,
            language: None,
            by_hash: HashMap::new(),
            hasher: RandomState::new(),
            concepts: ChunkedList::default(),
            rows: ChunkedList::default(),
            texts: Texts::default(),
            tags: HashMap::new(),
            files: Vec::new(),
            file_culture: None,
            untagged: NO_CULTURE,
            is_unordered: false,
            has_path_keys: false,
            scheme: None,
            release: None,
            file_of_culture: HashMap::new(),
            aliases: HashMap::new(),
            has_rows: false,
            perhaps_parents: Vec::new(),
            deferred: Deferred::default(),
            report: ImportReport::default(),
        }
    }

    /// Names the file that the next statements come from, and the culture of its texts, where the file has one.
    pub fn begin_file(&mut self, name: &str, culture: Option<Culture>) {
        self.files.push(name.to_owned());
        self.file_culture = culture;
        self.untagged = NO_CULTURE;
    }

    /// The number of the current file, from 0. The names of 2^32 files would not fit into memory.
    pub(crate) fn file(&self) -> u32 {
        u32::try_from(self.files.len().saturating_sub(1)).unwrap_or(NONE)
    }

    /// The number of files begun.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The name of the first file without its folder and extension.
    pub(crate) fn first_file(&self) -> &str {
        let name = self.files.first().map_or("", String::as_str);
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        name.split('.').next().unwrap_or(name)
    }

    /// States that the order of the statements means nothing, as in RDF: choices then follow the keys.
    pub fn set_unordered(&mut self) {
        self.is_unordered = true;
    }

    /// Names the scheme of the source identifiers, where no option names it. The first call counts.
    pub fn set_scheme(&mut self, scheme: &str) {
        self.scheme.get_or_insert_with(|| scheme.to_owned());
    }

    /// The scheme of the source identifiers: that of the options, else that of the reader.
    pub(crate) fn named_scheme(&self) -> Option<&str> {
        self.options.scheme.as_deref().or(self.scheme.as_deref())
    }

    /// Names the release of the source. The first call counts.
    pub fn set_release(&mut self, release: &str) {
        self.release.get_or_insert_with(|| release.to_owned());
    }

    pub(crate) fn too_large(&mut self, what: &str) -> Stop {
        let message = format!("the source has more {what} than an import takes");
        self.refuse(Code::TooLarge, SourcePlace::UNKNOWN, message)
    }

    /// Records an issue at a place of the current file.
    pub fn issue(
        &mut self,
        code: Code,
        place: SourcePlace,
        concept: Option<ConceptRef>,
        message: impl Display,
    ) {
        let key = concept.map(|concept| self.texts.get(self.concepts.get(concept.at()).key));
        let file = self.files.last().map(String::as_str);
        self.report.add(code, file, place, key, message);
    }

    /// Records an issue at the place where a concept is described.
    pub(crate) fn issue_of(&mut self, code: Code, concept: ConceptRef, message: impl Display) {
        let found = self.concepts.get(concept.at());
        let file = self.files.get(found.file as usize).map(String::as_str);
        let key = self.texts.get(found.key);
        self.report.add(code, file, found.place, Some(key), message);
    }

    /// Records a row, line or statement that cannot be read: an error, or the warning that it is left out, as the options say.
    ///
    /// # Errors
    /// [`Stop::Refused`] if the report is full.
    pub(crate) fn unreadable(
        &mut self,
        code: Code,
        place: SourcePlace,
        concept: Option<ConceptRef>,
        message: impl Display,
    ) -> Result<(), Stop> {
        let code = if self.options.is_lenient {
            Code::Skipped
        } else {
            code
        };
        self.issue(code, place, concept, message);
        match self.report.is_full() {
            true => Err(Stop::Refused),
            false => Ok(()),
        }
    }

    /// Records a second row of a concept that the current file describes.
    ///
    /// # Errors
    /// [`Stop::Refused`] if the report is full.
    pub(crate) fn second_row(&mut self, concept: ConceptRef, place: SourcePlace) -> Result<(), Stop> {
        let known = self.concepts.get(concept.at());
        // Of a concept that an earlier file describes as well, the place is in that one.
        let message = match known.file == self.file() {
            true => format!("a second row; the first one is in line {}", known.place.line),
            false => "a second row".to_owned(),
        };
        self.unreadable(Code::DuplicateKey, place, Some(concept), message)
    }

    /// Records an error that ends the reading.
    pub fn refuse(&mut self, code: Code, place: SourcePlace, message: impl Display) -> Stop {
        self.issue(code, place, None, message);
        Stop::Refused
    }

    /// The release that the source names.
    pub fn release(&self) -> Option<&str> {
        self.release.as_deref().or_else(|| self.deferred.release())
    }

    /// The report of a source that is not imported.
    pub fn into_report(self) -> ImportReport {
        self.report
    }

    /// The report so far.
    pub fn report(&self) -> &ImportReport {
        &self.report
    }
}
