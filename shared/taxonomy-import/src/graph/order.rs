//! RDF is a set of statements: neither their order nor how often they come means anything. So the statements of each concept are sorted,
//! and those that repeat one are dropped, before anything is chosen.

use taxonomy_keys::Culture;

use super::rows::{RowValue, StatementKind};
use super::{Graph, NONE};
use crate::concept::ConceptRef;

impl Graph {
    /// Sorts the statements of each concept by their content, and removes duplicates.
    pub(crate) fn sort_statements(&mut self) {
        let mut rows: Vec<u32> = Vec::new();
        for number in 0..self.concepts.len() {
            rows.clear();
            let mut at = self.concepts.get(number).first;
            while at != NONE {
                rows.push(at);
                at = self.rows.get(at as usize).next;
            }
            rows.sort_by_cached_key(|row| self.content(*row));
            rows.dedup_by_key(|row| self.content(*row));
            for pair in rows.windows(2) {
                if let [row, next] = pair {
                    self.rows.get_mut(*row as usize).next = *next;
                }
            }
            if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
                self.rows.get_mut(*last as usize).next = NONE;
                let concept = self.concepts.get_mut(number);
                (concept.first, concept.last) = (*first, *last);
            }
        }
    }

    /// The content of a statement. All of a kind are about a text, or all about another concept.
    fn content(&self, row: u32) -> (StatementKind, Option<&Culture>, &str) {
        let row = *self.rows.get(row as usize);
        let text = match row.value {
            RowValue::Text(span) => self.texts.get(span),
            RowValue::Concept(number) => self.key(ConceptRef(number)),
        };
        (row.kind, self.culture_of(row), text)
    }
}
