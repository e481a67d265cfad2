//! Texts in which each row is the path of a concept, and the concept above is the one whose path is a line's beginning.

use std::io::BufRead;
use std::rc::Rc;

use super::lines::{Lines, place};
use super::shared_names::{NameRole, SharedNames};
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// Between the names of a path, in the texts of Google and Shopify and in keys that are paths.
pub(crate) const SEPARATOR: &str = " > ";

/// The maximum number of names of a path: twice the depth of a term, so that paths too deep are reported as such.
pub(super) const MOST_NAMES: usize = 64;

/// A row: the key, where the dialect has one, and the path.
pub(super) type PathRow<'a> = (Option<&'a str>, &'a str);

/// The form of a dialect's rows.
pub(super) struct PathDialect {
    /// The scheme of the keys.
    pub(super) scheme: &'static str,
    /// The form of a row, for messages.
    pub(super) form: &'static str,
    /// The key of the parent that a key names; none where keys name no parents.
    pub(super) key_above: Option<Above>,
    /// Splits a row; none where it is not of the form.
    pub(super) split: for<'l> fn(&'l str) -> Option<PathRow<'l>>,
    /// The release that a comment names.
    pub(super) release: for<'l> fn(&'l str) -> Option<&'l str>,
}

/// Reads a text of paths.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub(super) fn read(input: &mut dyn BufRead, dialect: &PathDialect, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(dialect.scheme);
    let tag = graph.file_tag();
    graph.claim_culture()?;
    let mut lines = Lines::new(input, graph);
    let mut positions = Positions::default();
    let mut has_keys = None;
    while let Some(line) = lines.next(graph)? {
        let number = lines.number;
        let comment = line.strip_prefix('#');
        if let Some(release) = comment.and_then(dialect.release) {
            graph.set_release(release);
            let first = graph.release().unwrap_or_default();
            if first != release {
                let message = format!("the file is of release {release}, the first of {first}");
                graph.issue(Code::SeveralReleases, SourcePlace::at(number, 1), None, message);
            }
        }
        if comment.is_some() || line.trim().is_empty() {
            continue;
        }
        if dialect.key_above.is_none() && line.starts_with("gid://shopify/") {
            let message = "a category of Shopify: `taxonomy import shopify` reads the file";
            return Err(graph.refuse(Code::Malformed, SourcePlace::at(number, 1), message));
        }
        let row =
            (dialect.split)(&line).filter(|(key, _)| *has_keys.get_or_insert(key.is_some()) == key.is_some());
        let Some((key, path)) = row else {
            let message = format_args!("not of the form {}", dialect.form);
            graph.unreadable(Code::Malformed, SourcePlace::at(number, 1), None, message)?;
            continue;
        };
        let names = match names_of(path) {
            Ok(names) => names,
            Err(fault) => {
                graph.unreadable(Code::Malformed, place(number, &line, path), None, fault)?;
                continue;
            }
        };
        if key.is_none() {
            use_path_keys(graph, number)?;
        }
        let row = (number, key, names.as_slice());
        positions.take(dialect, tag.as_deref(), row, graph)?;
    }
    positions.link(dialect.key_above, graph)
}

/// Makes the paths the keys, which no two files can share.
fn use_path_keys(graph: &mut Graph, line: u64) -> Result<(), Stop> {
    if graph.file_count() > 1 {
        let message = "files without ids cannot be joined";
        return Err(graph.refuse(Code::MissingKey, SourcePlace::at(line, 1), message));
    }
    graph.has_path_keys = true;
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

/// A whole number in its shortest form.
pub(super) fn whole_number(text: &str) -> Option<u64> {
    let is_shortest = text.bytes().all(|c| c.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_shortest.then(|| text.parse().ok()).flatten()
}

/// The path above a path.
fn path_above(path: &str) -> Option<&str> {
    path.rsplit_once(SEPARATOR).map(|(above, _)| above)
}

/// Returns the position above a position, a key or a path.
type Above = fn(&str) -> Option<&str>;

/// The concepts of a file by their positions: keys and paths.
#[derive(Default)]
struct Positions {
    concepts: SharedNames,
    /// Concepts with their keys, where those name parents, and their paths.
    waiting: Vec<(ConceptRef, Option<Rc<str>>, Rc<str>)>,
}

impl Positions {
    /// Takes the row of a line: states its concept and name, and keeps its position.
    fn take(
        &mut self,
        dialect: &PathDialect,
        tag: Option<&str>,
        (line, key, names): (u64, Option<&str>, &[&str]),
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        let path: Rc<str> = names.join(SEPARATOR).into();
        let names_parent = key.filter(|_| dialect.key_above.is_some());
        let (at, key) = (SourcePlace::at(line, 1), key.unwrap_or(&path));
        let concept = graph.concept(key)?;
        if graph.is_declared_here(concept) {
            return graph.second_row(concept, at);
        }
        let is_known = graph.is_declared(concept);
        graph.state(concept, Statement::Concept, at)?;
        if graph.file_count() > 1 && !is_known {
            graph.issue(Code::ExtraCulture, at, Some(concept), "is not in the file before");
        }
        if let Some(id) = whole_number(key).filter(|_| !is_known) {
            graph.state(concept, Statement::Number(id), at)?;
        }
        let name = names.last().copied().unwrap_or_default();
        graph.state(concept, Statement::Name(tag, name), at)?;
        let position: Option<Rc<str>> = names_parent.map(Rc::from);
        for position in position.iter().chain([&path]) {
            self.concepts.add(position, NameRole::Key, concept);
        }
        // The first file that has a concept places it.
        if !is_known {
            self.waiting.push((concept, position, path));
        }
        Ok(())
    }

    /// Puts each concept below the nearest one that its key names, else below the nearest one whose path is above its own: siblings may
    /// share a translated name, and so a path.
    fn link(self, key_above: Option<Above>, graph: &mut Graph) -> Result<(), Stop> {
        for (concept, key, path) in &self.waiting {
            let by_key = key.as_deref().zip(key_above);
            let by_key = by_key.map(|(key, above)| self.nearest(key, above));
            let by_key = by_key.filter(|(_, nearest)| nearest.is_some());
            let (missing, nearest) = by_key.unwrap_or_else(|| self.nearest(path, path_above));
            for position in missing {
                let message = format_args!("no row has the position {position}");
                graph.issue_of(Code::ImpliedParent, *concept, message);
            }
            if let Some(parent) = nearest.and_then(|nearest| self.concepts.parent(nearest, *concept, graph)) {
                graph.state(*concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
            }
        }
        Ok(())
    }

    /// The nearest position above one that has a row, and those between that have none.
    fn nearest<'p>(&self, position: &'p str, above: Above) -> (Vec<&'p str>, Option<&'p str>) {
        let mut missing = Vec::new();
        let mut next = above(position);
        while let Some(position) = next.filter(|position| !self.concepts.contains(position)) {
            missing.push(position);
            next = above(position);
        }
        (missing, next)
    }
}
