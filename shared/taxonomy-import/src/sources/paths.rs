//! Texts in which each row is the path of a concept, and the concept above is the one whose path is a line's beginning.

use std::collections::HashMap;
use std::io::BufRead;
use std::rc::Rc;

use super::lines::{Lines, place};
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// Between the names of a path, in the texts of Google and Shopify and in keys that are paths.
pub const SEPARATOR: &str = " > ";

/// The maximum number of names of a path: twice the depth of a term, so that paths too deep are reported as such.
pub(super) const MOST_NAMES: usize = 64;

/// A row: the key, where the dialect has one, and the path.
pub(super) type Row<'a> = (Option<&'a str>, &'a str);

/// The form of a dialect's rows.
pub(super) struct Dialect {
    /// The scheme of the keys.
    pub(super) scheme: &'static str,
    /// The form of a row, for messages.
    pub(super) form: &'static str,
    /// Keys are numbers, which are ids.
    pub(super) has_numbers: bool,
    /// Splits a row; none where it is not of the form.
    pub(super) split: for<'l> fn(&'l str) -> Option<Row<'l>>,
    /// The release that a comment names.
    pub(super) release: for<'l> fn(&'l str) -> Option<&'l str>,
}

/// Reads a text of paths.
pub(super) fn read(input: &mut dyn BufRead, dialect: &Dialect, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(dialect.scheme);
    let culture = file_culture(graph);
    let mut lines = Lines::of(input, graph);
    let mut paths = Paths::default();
    let mut has_keys = None;
    while let Some(line) = lines.next(graph)? {
        // The graph is borrowed for the next line only.
        let line = line.to_owned();
        let number = lines.number;
        let comment = line.strip_prefix('#');
        if let Some(release) = comment.and_then(dialect.release) {
            graph.set_release(release);
        }
        if comment.is_some() || line.trim().is_empty() {
            continue;
        }
        let row =
            (dialect.split)(&line).filter(|(key, _)| *has_keys.get_or_insert(key.is_some()) == key.is_some());
        let Some((key, path)) = row else {
            let message = || format!("not of the form {}", dialect.form);
            graph.issue(Code::Malformed, SourcePlace::at(number, 1), None, message);
            continue;
        };
        let names = match names_of(path) {
            Ok(names) => names,
            Err(fault) => {
                graph.issue(Code::Malformed, place(number, &line, path), None, || fault);
                continue;
            }
        };
        let path = names.join(SEPARATOR);
        if key.is_none() {
            use_path_keys(graph, number)?;
        }
        let key = key.unwrap_or(&path);
        let (at, concept) = (SourcePlace::at(number, 1), graph.concept(key)?);
        if graph.is_declared_here(concept) {
            let message = || format!("a second row of {key}");
            graph.issue(Code::DuplicateKey, at, Some(concept), message);
            continue;
        }
        let is_known = graph.is_declared(concept);
        let is_extra = graph.file_count() > 1 && !is_known;
        graph.state(concept, Statement::Concept, at)?;
        if is_extra {
            let message = || "is not in the file before".to_owned();
            graph.issue(Code::ExtraCulture, at, Some(concept), message);
        }
        if let Some(id) = whole_number(key).filter(|_| dialect.has_numbers && !is_known) {
            graph.state(concept, Statement::Number(id), at)?;
        }
        let name = names.last().copied();
        graph.state(
            concept,
            Statement::Name(Some(&culture), name.unwrap_or_default()),
            at,
        )?;
        // The first file that has a concept places it.
        paths.add(&path, concept, !is_known);
    }
    paths.link(graph)
}

/// Makes the paths the keys, which no two files can share.
fn use_path_keys(graph: &mut Graph, line: u64) -> Result<(), Stop> {
    if graph.file_count() > 1 {
        let message = || "files without ids cannot be joined".to_owned();
        return Err(graph.refuse(Code::MissingKey, SourcePlace::at(line, 1), message));
    }
    graph.set_path_keys();
    Ok(())
}

/// Returns the names of a path, or its fault.
fn names_of(path: &str) -> Result<Vec<&str>, String> {
    let names: Vec<&str> = path.split(SEPARATOR).map(str::trim).collect();
    if names.len() > MOST_NAMES {
        return Err(format!("the path has more than {MOST_NAMES} names"));
    }
    match names.iter().all(|name| !name.is_empty()) {
        true => Ok(names),
        false => Err("a name of the path is blank".to_owned()),
    }
}

/// The tag of the file's texts. A file without a culture of its own is reported once.
pub(super) fn file_culture(graph: &mut Graph) -> String {
    let tag = graph.culture().to_string();
    if graph.file_culture().is_none() {
        let message = format!("the file names no culture; its texts count in {tag}");
        graph.issue(Code::FileCulture, SourcePlace::UNKNOWN, None, move || message);
    }
    tag
}

/// A whole number in its shortest form.
pub(super) fn whole_number(text: &str) -> Option<u64> {
    let is_shortest = text.bytes().all(|c| c.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_shortest.then(|| text.parse().ok()).flatten()
}

/// The concepts of a file by their paths.
#[derive(Default)]
struct Paths {
    concepts: HashMap<Rc<str>, ConceptRef>,
    waiting: Vec<(ConceptRef, Rc<str>)>,
}

impl Paths {
    /// Of several rows with a path the first one counts.
    fn add(&mut self, path: &str, concept: ConceptRef, is_placed: bool) {
        let path: Rc<str> = path.into();
        self.concepts.entry(Rc::clone(&path)).or_insert(concept);
        if is_placed {
            self.waiting.push((concept, path));
        }
    }

    /// Puts each concept below the nearest one whose path is the beginning of its own.
    fn link(self, graph: &mut Graph) -> Result<(), Stop> {
        for (concept, path) in &self.waiting {
            let mut above = path.rsplit_once(SEPARATOR).map(|(above, _)| above);
            while let Some(prefix) = above {
                if let Some(parent) = self.concepts.get(prefix) {
                    graph.state(*concept, Statement::Broader(*parent), SourcePlace::UNKNOWN)?;
                    break;
                }
                graph.issue_of(Code::ImpliedParent, *concept, || {
                    format!("no row has the path {prefix}")
                });
                above = prefix.rsplit_once(SEPARATOR).map(|(above, _)| above);
            }
        }
        Ok(())
    }
}
