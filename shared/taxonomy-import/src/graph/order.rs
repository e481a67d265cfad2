//! RDF is a set of statements: neither their order nor how often they come means anything. So the statements of each concept are sorted,
//! and those that repeat one are dropped, before anything is chosen.

use std::cmp::Ordering;

use super::rows::RowValue;
use super::{Graph, NONE};

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
            rows.sort_unstable_by(|one, other| self.compare(*one, *other).then(one.cmp(other)));
            rows.dedup_by(|one, other| self.compare(*one, *other) == Ordering::Equal);
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

    /// Compares statements of one concept by their content.
    fn compare(&self, one: u32, other: u32) -> Ordering {
        let (one, other) = (self.rows.get(one as usize), self.rows.get(other as usize));
        let tag = |culture: u16| self.cultures.get(usize::from(culture));
        let by_kind = one.kind.cmp(&other.kind);
        by_kind
            .then_with(|| tag(one.culture).cmp(&tag(other.culture)))
            .then_with(|| match (one.value, other.value) {
                (RowValue::Text(one), RowValue::Text(other)) => {
                    self.texts.get(one).cmp(self.texts.get(other))
                }
                (RowValue::Concept(one), RowValue::Concept(other)) => {
                    self.key_of(one).cmp(self.key_of(other))
                }
                // A kind has values of one form.
                (RowValue::Text(_), RowValue::Concept(_)) => Ordering::Less,
                (RowValue::Concept(_), RowValue::Text(_)) => Ordering::Greater,
            })
    }

    fn key_of(&self, concept: u32) -> &str {
        self.texts.get(self.concepts.get(concept as usize).key)
    }
}
