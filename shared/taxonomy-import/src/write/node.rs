//! A node while its fields are written.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::concept::{ConceptRef, ExactField};
use crate::graph::{Graph, StatementKind};
use crate::report::Code;
use crate::tree::ConceptTree;

/// Issues of a node, until they are reported: texts are borrowed from the graph meanwhile.
pub(super) type Issues = Vec<(Code, String)>;

/// The JSON of a field; none where the field is absent.
pub(super) type FieldJson<'a> = Option<Cow<'a, RawValue>>;

/// A node while its fields are written, and the issues of its texts.
pub(super) struct NodeWriter<'a> {
    pub(super) tree: &'a ConceptTree,
    pub(super) graph: &'a Graph,
    pub(super) node: ConceptRef,
    pub(super) issues: Issues,
    /// Alternative names that are the preferred one of their culture.
    pub(super) repeated: u64,
}

impl<'a> NodeWriter<'a> {
    pub(super) fn new(tree: &'a ConceptTree, node: ConceptRef) -> Self {
        Self {
            tree,
            graph: &tree.graph,
            node,
            issues: Issues::new(),
            repeated: 0,
        }
    }

    pub(super) fn issue(&mut self, code: Code, message: impl Into<String>) {
        self.issues.push((code, message.into()));
    }

    /// A text without a language, which the source does not name either.
    pub(super) fn no_language(&mut self, message: impl Into<String>) {
        if !self.graph.names_its_language() {
            self.issue(Code::NoLanguage, message);
        }
    }

    /// A short value: none where it is blank or longer than `most`.
    pub(super) fn value(
        &mut self,
        field: &str,
        text: &'a str,
        most: usize,
        measure: fn(&str) -> usize,
    ) -> Option<&'a str> {
        let len = measure(text);
        if text.trim().is_empty() {
            self.issue(Code::EmptyText, format!("the {field} is blank"));
        } else if text.chars().any(char::is_control) {
            let message = format!("the {field} holds a control character");
            self.issue(Code::InvalidValue, message);
        } else if len > most {
            let message = format!("the {field} has a length of {len}, and {most} is taken");
            self.issue(Code::ValueLeftOut, message);
        } else {
            return Some(text);
        }
        None
    }

    /// The exact JSON of a field.
    pub(super) fn exact(&mut self, field: ExactField) -> FieldJson<'a> {
        let kind = StatementKind::Exact(field);
        let row = self.graph.rows_of(self.node, kind).next()?;
        match serde_json::from_str(self.graph.text(row)) {
            Ok(json) => Some(Cow::Borrowed(json)),
            Err(error) => {
                let message = format!("{} is not JSON: {error}", field.as_str());
                self.issue(Code::InvalidField, message);
                None
            }
        }
    }
}

/// A list as a field, unless it is empty.
pub(super) fn list<T: Serialize>(list: &[T]) -> FieldJson<'static> {
    match list {
        [] => None,
        // Texts and numbers always serialize.
        list => to_raw_value(list).ok().map(Cow::Owned),
    }
}
