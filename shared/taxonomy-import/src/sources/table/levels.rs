//! Rows that name the way from the top, a column each level.

use std::rc::Rc;

use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::sources::SEPARATOR;
use crate::sources::shared_names::{NameRole, SharedNames};

/// The concepts of a table by their paths.
#[derive(Default)]
pub(super) struct Levels {
    /// The names of the row before.
    last: Vec<String>,
    concepts: SharedNames,
    waiting: Vec<(ConceptRef, Rc<str>)>,
}

impl Levels {
    /// Returns the path of a row. Blank cells before the first name mean those of the previous row; after the last one they end the path.
    pub(super) fn path<'c>(&mut self, cells: impl Iterator<Item = &'c str>) -> Result<String, &'static str> {
        let names: Vec<&str> = cells.map(str::trim).collect();
        let Some(first) = names.iter().position(|name| !name.is_empty()) else {
            return Err("no level has a name");
        };
        let last = names.iter().rposition(|name| !name.is_empty()).unwrap_or(first);
        if names[first..=last].iter().any(|name| name.is_empty()) {
            return Err("a level between two others is blank");
        }
        if names.iter().any(|name| name.contains(SEPARATOR)) {
            return Err("a name holds ' > ', which separates the names of a path");
        }
        if first > self.last.len() {
            return Err("the levels above are blank, and the row before does not name them");
        }
        self.last.truncate(first);
        self.last
            .extend(names[first..=last].iter().map(|name| (*name).to_owned()));
        Ok(self.last.join(SEPARATOR))
    }

    /// The last name of the path.
    pub(super) fn last_name(&self) -> &str {
        self.last.last().map_or("", String::as_str)
    }

    /// Adds the concept of a row.
    pub(super) fn add(&mut self, path: &str, concept: ConceptRef) {
        let path = path.into();
        self.concepts.add(&path, NameRole::Key, concept);
        self.waiting.push((concept, path));
    }

    /// Puts each concept below the one of the path above. Levels that no row describes are concepts all the same, with their paths as keys.
    pub(super) fn link(mut self, tag: Option<&str>, graph: &mut Graph) -> Result<(), Stop> {
        for (concept, path) in std::mem::take(&mut self.waiting) {
            let (mut concept, mut path) = (concept, path);
            while let Some((above, _)) = path.rsplit_once(SEPARATOR) {
                if let Some(parent) = self.concepts.parent(above, concept, graph) {
                    graph.state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
                    break;
                }
                let parent = graph.concept(above)?;
                let name = above.rsplit_once(SEPARATOR).map_or(above, |(_, name)| name);
                let name = Statement::Name(tag, name);
                for statement in [Statement::Concept, Statement::Implied, name] {
                    graph.state(parent, statement, SourcePlace::UNKNOWN)?;
                }
                graph.state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
                path = above.into();
                self.concepts.add(&path, NameRole::Key, parent);
                concept = parent;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_cells_before_a_name_are_those_of_the_row_before() {
        let mut levels = Levels::default();
        let mut path = |cells: [&str; 3]| levels.path(cells.into_iter());
        assert_eq!(path(["a", " b ", ""]).unwrap(), "a > b");
        assert_eq!(path(["", "", "c"]).unwrap(), "a > b > c");
        assert_eq!(path(["", "d", ""]).unwrap(), "a > d");
        assert_eq!(path(["e", "", ""]).unwrap(), "e");
        assert!(path(["", "", "f"]).is_err());
        assert!(path(["a", "", "c"]).is_err());
        assert!(path(["", " ", ""]).is_err());
    }
}
