//! Rows about one concept or scheme.

use super::columns::Column;
use super::row::EscoRow;
use crate::concept::{ConceptRef, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;
use crate::sources::rows::trimmed;

/// Reads a row about an occupation, a skill or a group.
pub(super) fn read(row: &EscoRow<'_>, graph: &mut Graph) -> Result<(), Stop> {
    let Some(concept) = key(row, Column::ConceptUri, graph)? else {
        return Ok(());
    };
    if graph.is_declared_here(concept) {
        return graph.second_row(concept, row.place);
    }
    graph.state(concept, Statement::Concept, row.place)?;
    texts(row, concept, graph)?;
    status(row, concept, graph)?;
    row.state_value(concept, Column::Code, Statement::Notation, graph)?;
    row.state_uris(concept, Column::InScheme, Statement::InScheme, graph)?;
    row.state_uris(concept, Column::BroaderConceptUri, Statement::Broader, graph)?;
    row.state_uris(concept, Column::ReplacedBy, Statement::ReplacedBy, graph)?;
    let without_language = [
        Column::SkillType,
        Column::ReuseLevel,
        Column::NaceCode,
        Column::RegulatedProfessionNote,
    ];
    for column in without_language {
        let property = |value| Statement::Property(column.header(), None, value);
        row.state_value(concept, column, property, graph)?;
    }
    Ok(())
}

/// Reads a row about a concept scheme.
pub(super) fn read_scheme(row: &EscoRow<'_>, graph: &mut Graph) -> Result<(), Stop> {
    let Some(scheme) = key(row, Column::SchemeUri, graph)? else {
        return Ok(());
    };
    graph.state(scheme, Statement::Scheme, row.place)?;
    let label = [Column::PreferredLabel, Column::Title].map(|column| row.text(column));
    if let Some(name) = label.into_iter().find(|text| !trimmed(text).is_empty()) {
        graph.state(scheme, Statement::Name(row.culture, name), row.place)?;
    }
    for uri in row.uris(Column::HasTopConcept) {
        let concept = graph.concept(uri)?;
        graph.state(concept, Statement::InScheme(scheme), row.place)?;
    }
    Ok(())
}

fn key(row: &EscoRow<'_>, column: Column, graph: &mut Graph) -> Result<Option<ConceptRef>, Stop> {
    match row.value(column) {
        "" => {
            let message = format_args!("the {} is empty", column.header());
            graph.unreadable(Code::MissingKey, row.place, None, message)?;
            Ok(None)
        }
        uri => graph.concept(uri).map(Some),
    }
}

fn texts(row: &EscoRow<'_>, concept: ConceptRef, graph: &mut Graph) -> Result<(), Stop> {
    let (culture, place) = (row.culture, row.place);
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
    let definition = |text| Statement::Definition(culture, text);
    row.state_value(concept, Column::Definition, definition, graph)?;
    row.state_value(concept, Column::Description, definition, graph)?;
    let scope_note = |text| Statement::ScopeNote(culture, text);
    row.state_value(concept, Column::ScopeNote, scope_note, graph)
}

fn status(row: &EscoRow<'_>, concept: ConceptRef, graph: &mut Graph) -> Result<(), Stop> {
    match row.value(Column::Status) {
        "" | "released" => Ok(()),
        "obsolete" => graph.state(concept, Statement::Deprecated, row.place),
        other => {
            let message = format_args!("the status is {other:?}, and neither released nor obsolete");
            graph.issue(Code::InvalidValue, row.place, Some(concept), message);
            Ok(())
        }
    }
}
