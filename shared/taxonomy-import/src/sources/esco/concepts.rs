//! Rows about one concept or scheme.

use super::columns::Column;
use super::row::Row;
use super::trimmed::trimmed;
use crate::concept::{ConceptRef, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// Reads a row about an occupation, a skill or a group.
pub(super) fn read(row: &Row<'_>, graph: &mut Graph) -> Result<(), Stop> {
    let Some(concept) = key(row, Column::ConceptUri, graph)? else {
        return Ok(());
    };
    if graph.is_declared_here(concept) {
        graph.issue(Code::DuplicateKey, row.place, Some(concept), || {
            "a second row".to_owned()
        });
        return Ok(());
    }
    graph.state(concept, Statement::Concept, row.place)?;
    texts(row, concept, graph)?;
    status(row, concept, graph)?;
    let code = row.value(Column::Code);
    if !code.is_empty() {
        graph.state(concept, Statement::Notation(code), row.place)?;
    }
    for uri in row.uris(Column::InScheme) {
        let scheme = graph.concept(uri)?;
        graph.state(concept, Statement::InScheme(scheme), row.place)?;
    }
    for uri in row.uris(Column::BroaderConceptUri) {
        let broader = graph.concept(uri)?;
        graph.state(concept, Statement::Broader(broader), row.place)?;
    }
    for uri in row.uris(Column::ReplacedBy) {
        let replacement = graph.concept(uri)?;
        graph.state(concept, Statement::ReplacedBy(replacement), row.place)?;
    }
    let without_language = [
        Column::SkillType,
        Column::ReuseLevel,
        Column::NaceCode,
        Column::RegulatedProfessionNote,
    ];
    for column in without_language {
        let value = row.value(column);
        if !value.is_empty() {
            let statement = Statement::Property(column.header(), None, value);
            graph.state(concept, statement, row.place)?;
        }
    }
    Ok(())
}

/// Reads a row about a concept scheme.
pub(super) fn read_scheme(row: &Row<'_>, graph: &mut Graph) -> Result<(), Stop> {
    let Some(scheme) = key(row, Column::SchemeUri, graph)? else {
        return Ok(());
    };
    graph.state(scheme, Statement::Scheme, row.place)?;
    let label = [Column::PreferredLabel, Column::Title].map(|column| row.text(column));
    if let Some(name) = label.into_iter().find(|text| !trimmed(text).is_empty()) {
        graph.state(scheme, Statement::Name(Some(row.culture), name), row.place)?;
    }
    for uri in row.uris(Column::HasTopConcept) {
        let concept = graph.concept(uri)?;
        graph.state(concept, Statement::InScheme(scheme), row.place)?;
    }
    Ok(())
}

fn key(row: &Row<'_>, column: Column, graph: &mut Graph) -> Result<Option<ConceptRef>, Stop> {
    match row.value(column) {
        "" => {
            let message = || format!("the {} is empty", column.header());
            graph.issue(Code::MissingKey, row.place, None, message);
            Ok(None)
        }
        uri => graph.concept(uri).map(Some),
    }
}

fn texts(row: &Row<'_>, concept: ConceptRef, graph: &mut Graph) -> Result<(), Stop> {
    let (culture, place) = (Some(row.culture), row.place);
    // Without a name in its culture, a concept has one in another, or the report says so.
    let name = row.text(Column::PreferredLabel);
    if !trimmed(name).is_empty() {
        graph.state(concept, Statement::Name(culture, name), place)?;
    }
    for column in [Column::AltLabels, Column::HiddenLabels] {
        for label in row.text(column).split(['\n', '\r']) {
            if !trimmed(label).is_empty() {
                graph.state(concept, Statement::AltName(culture, label), place)?;
            }
        }
    }
    for column in [Column::Definition, Column::Description] {
        let text = row.value(column);
        if !text.is_empty() {
            graph.state(concept, Statement::Definition(culture, text), place)?;
        }
    }
    let scope_note = row.value(Column::ScopeNote);
    if !scope_note.is_empty() {
        graph.state(concept, Statement::ScopeNote(culture, scope_note), place)?;
    }
    Ok(())
}

fn status(row: &Row<'_>, concept: ConceptRef, graph: &mut Graph) -> Result<(), Stop> {
    match row.value(Column::Status) {
        "" | "released" => Ok(()),
        "obsolete" => graph.state(concept, Statement::Deprecated, row.place),
        other => {
            let message = || format!("the status is {other:?}, and neither released nor obsolete");
            graph.issue(Code::InvalidValue, row.place, Some(concept), message);
            Ok(())
        }
    }
}
