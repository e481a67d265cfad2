//! A row of a file of ESCO.

use csv::StringRecord;

use super::columns::{Column, EscoColumns};
use crate::concept::{ConceptRef, LinkStatement, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;
use crate::sources::rows::trimmed;

/// A row, by its columns.
pub(super) struct EscoRow<'a> {
    pub(super) columns: &'a EscoColumns,
    pub(super) record: &'a StringRecord,
    /// The language of its texts, where the file has one.
    pub(super) culture: Option<&'a str>,
    pub(super) place: SourcePlace,
}

impl<'a> EscoRow<'a> {
    /// The cell of a column as it is; empty without such a column.
    pub(super) fn text(&self, column: Column) -> &'a str {
        let position = self.columns.position(column);
        position
            .and_then(|position| self.record.get(position))
            .unwrap_or_default()
    }

    /// The cell of a column without white space and invisible characters at its ends.
    pub(super) fn value(&self, column: Column) -> &'a str {
        trimmed(self.text(column))
    }

    /// The URIs of a cell that holds several.
    pub(super) fn uris(&self, column: Column) -> impl Iterator<Item = &'a str> {
        let parts = self
            .text(column)
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | '|'));
        parts.map(trimmed).filter(|uri| !uri.is_empty())
    }

    /// States the cell of a column about a concept, unless it is blank.
    pub(super) fn state_value(
        &self,
        concept: ConceptRef,
        column: Column,
        statement: impl FnOnce(&'a str) -> Statement<'a>,
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        match self.value(column) {
            "" => Ok(()),
            value => graph.state(concept, statement(value), self.place),
        }
    }

    /// States each URI of a column about a concept.
    pub(super) fn state_uris(
        &self,
        concept: ConceptRef,
        column: Column,
        statement: LinkStatement,
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        for uri in self.uris(column) {
            let other = graph.concept(uri)?;
            graph.state(concept, statement(other), self.place)?;
        }
        Ok(())
    }

    /// Adds the statement of a row of two URIs about the first one.
    pub(super) fn link(
        &self,
        subject: Column,
        object: Column,
        statement: LinkStatement,
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        for column in [subject, object] {
            if self.value(column).is_empty() {
                let message = format_args!("the {} is empty", column.header());
                graph.issue(Code::InvalidValue, self.place, None, message);
                return Ok(());
            }
        }
        let subject = graph.concept(self.value(subject))?;
        let object = graph.concept(self.value(object))?;
        graph.state(subject, statement(object), self.place)
    }

    /// States each level of a way through the skill groups to be below the one before.
    pub(super) fn levels(&self, graph: &mut Graph) -> Result<(), Stop> {
        let mut above = None;
        for column in Column::LEVELS {
            let uri = self.value(column);
            if uri.is_empty() {
                break;
            }
            let concept = graph.concept(uri)?;
            if let Some(above) = above {
                graph.state(concept, Statement::Broader(above), self.place)?;
            }
            above = Some(concept);
        }
        Ok(())
    }
}
