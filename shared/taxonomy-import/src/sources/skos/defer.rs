//! Defers statements until all files are read, and states them then.

use std::collections::BTreeSet;

use super::deferred::{Deferred, Hint, Role, Text};
use super::vocabulary::{Label, Note};
use crate::concept::{ConceptRef, Field, SourcePlace, Statement};
use crate::graph::{Graph, Row, RowKind, Stop};
use crate::report::Code;

/// Adds a statement that waits for others, or refuses the source beyond the bound of statements.
fn add(graph: &mut Graph, add: impl FnOnce(&mut Deferred) -> Option<()>) -> Result<(), Stop> {
    let has_room = graph.deferred.len() < graph.bounds().statements;
    match has_room.then(|| add(&mut graph.deferred)).flatten() {
        Some(()) => Ok(()),
        None => {
            let message = || "the source has more statements or texts than an import takes".to_owned();
            Err(graph.refuse(Code::TooLarge, SourcePlace::UNKNOWN, message))
        }
    }
}

/// A resource is a label or a note of a concept.
pub(super) fn role(graph: &mut Graph, concept: ConceptRef, role: Role, resource: &str) -> Result<(), Stop> {
    add(graph, |deferred| {
        let resource = deferred.resource(resource)?;
        deferred.roles.push((resource, concept, role));
        Some(())
    })
}

/// A resource has a text: the literal form of a label, or the value of a note.
pub(super) fn value(
    graph: &mut Graph,
    resource: &str,
    is_label: bool,
    language: Option<&str>,
    text: &str,
) -> Result<(), Stop> {
    add(graph, |deferred| {
        let resource = deferred.resource(resource)?;
        let text = deferred.text(language, text)?;
        deferred.values.push((resource, is_label, text));
        Some(())
    })
}

/// A name for want of a preferred one.
pub(super) fn title(
    graph: &mut Graph,
    concept: ConceptRef,
    rank: u8,
    language: Option<&str>,
    text: &str,
) -> Result<(), Stop> {
    add(graph, |deferred| {
        let text = deferred.text(language, text)?;
        deferred.titles.push((concept, rank, text));
        Some(())
    })
}

/// A number by which the source identifies a concept; it counts in downloads of our own alone.
pub(super) fn identifier(graph: &mut Graph, concept: ConceptRef, number: u64) -> Result<(), Stop> {
    add(graph, |deferred| {
        deferred.identifiers.push((concept, number));
        Some(())
    })
}

/// The release of a resource, which counts where that is a scheme.
pub(super) fn release(graph: &mut Graph, concept: ConceptRef, release: &str) -> Result<(), Stop> {
    add(graph, |deferred| {
        deferred.releases.push((concept, release.into()));
        Some(())
    })
}

/// States that a resource is a concept scheme.
pub(super) fn scheme(graph: &mut Graph, scheme: ConceptRef, place: SourcePlace) -> Result<(), Stop> {
    match graph.deferred.schemes.insert(scheme) {
        true => graph.state(scheme, Statement::Scheme, place),
        false => Ok(()),
    }
}

/// Notes evidence that a resource without a type is a concept: it is one with a label and a property that only concepts have.
pub(super) fn hint(
    graph: &mut Graph,
    concept: ConceptRef,
    hint: Hint,
    place: SourcePlace,
) -> Result<(), Stop> {
    if graph.is_declared(concept) {
        graph.deferred.hints.remove(&concept);
        return Ok(());
    }
    let before = *graph.deferred.hints.entry(concept).or_insert(hint);
    if before == hint {
        return Ok(());
    }
    graph.deferred.hints.remove(&concept);
    graph.state(concept, Statement::Concept, place)
}

/// States the statements that waited for the last file.
pub(crate) fn state_deferred(graph: &mut Graph) -> Result<(), Stop> {
    let deferred = std::mem::take(&mut graph.deferred);
    finish_resources(graph, &deferred)?;
    finish_titles(graph, &deferred)?;
    for (concept, number) in &deferred.identifiers {
        if graph
            .rows(*concept)
            .any(|row| matches!(row.kind, RowKind::Own(_)))
        {
            graph.state(*concept, Statement::Number(*number), SourcePlace::UNKNOWN)?;
            finish_replacements(graph, *concept)?;
        }
    }
    if graph.is_unordered {
        let names: BTreeSet<String> = match deferred.schemes.is_empty() {
            true => graph
                .declared()
                .map(|concept| name_of(graph.key(concept)))
                .collect(),
            false => deferred
                .schemes
                .iter()
                .map(|scheme| name_of(graph.key(*scheme)))
                .collect(),
        };
        if let Some(name) = names.first() {
            graph.set_scheme(name);
        }
        graph.sort_statements();
    }
    Ok(())
}

/// The name of the scheme of an IRI, of a concept scheme or else of a concept: the host of its IRI, of a URN the namespace.
fn name_of(iri: &str) -> String {
    let behind = iri.split_once("://").map(|(_, rest)| rest);
    let host = behind.and_then(|rest| rest.split(['/', '?', '#']).next());
    let host = host.filter(|host| !host.is_empty());
    let before_colon = || iri.split(':').next().unwrap_or(iri);
    host.unwrap_or_else(before_colon).to_owned()
}

/// Gives the replacements of a concept of a download of our own by their ids: a version may name some that it does not have.
fn finish_replacements(graph: &mut Graph, concept: ConceptRef) -> Result<(), Stop> {
    let is_exact = |row: Row| row.kind == RowKind::Exact(Field::ReplacedBy);
    let others: BTreeSet<ConceptRef> = graph
        .rows(concept)
        .filter(|row| row.kind == RowKind::ReplacedBy)
        .filter_map(|row| graph.other(row))
        .collect();
    if others.is_empty() || graph.rows(concept).any(is_exact) {
        return Ok(());
    }
    let (siblings, _) = graph.key(concept).rsplit_once('/').unwrap_or_default();
    let id = |other: &ConceptRef| -> Option<u64> {
        let (above, id) = graph.key(*other).rsplit_once('/')?;
        id.parse().ok().filter(|_| above == siblings)
    };
    // A concept of elsewhere makes it an ordinary statement.
    let ids: Option<BTreeSet<u64>> = others.iter().map(id).collect();
    let Some(ids) = ids.filter(|ids| !ids.is_empty()) else {
        return Ok(());
    };
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    let list = format!("[{}]", ids.join(","));
    graph.state(
        concept,
        Statement::Exact(Field::ReplacedBy, &list),
        SourcePlace::UNKNOWN,
    )
}

/// Joins labels and notes with their texts.
fn finish_resources(graph: &mut Graph, deferred: &Deferred) -> Result<(), Stop> {
    let mut values: Vec<&(u32, bool, Text)> = deferred.values.iter().collect();
    values.sort_by_key(|(resource, is_label, _)| (*resource, *is_label));
    for (resource, concept, role) in &deferred.roles {
        let of_label = matches!(role, Role::Label(_));
        let wanted = (*resource, of_label);
        let first = values.partition_point(|(resource, is_label, _)| (*resource, *is_label) < wanted);
        let own = values[first..].iter();
        let own = own.take_while(|(resource, is_label, _)| (*resource, *is_label) == wanted);
        let mut is_found = false;
        for (.., text) in own {
            is_found = true;
            let language = Some(deferred.texts.get(text.language)).filter(|language| !language.is_empty());
            let text = deferred.texts.get(text.text);
            state(graph, *concept, *role, language, text)?;
        }
        if !is_found {
            let (what, text) = if of_label {
                ("label", "skosxl:literalForm")
            } else {
                ("note", "rdf:value")
            };
            graph.issue_of(Code::InvalidValue, *concept, || {
                format!("has a {what} without {text}")
            });
        }
    }
    Ok(())
}

fn state(
    graph: &mut Graph,
    concept: ConceptRef,
    role: Role,
    language: Option<&str>,
    text: &str,
) -> Result<(), Stop> {
    let place = SourcePlace::UNKNOWN;
    match role {
        Role::Label(label) => state_label(graph, concept, label, language, text, place),
        Role::Note(note) => state_note(graph, concept, note, language, text, place),
    }
}

/// Names concepts and schemes without a preferred label by the titles of the lowest rank.
fn finish_titles(graph: &mut Graph, deferred: &Deferred) -> Result<(), Stop> {
    let mut titles: Vec<&(ConceptRef, u8, Text)> = deferred.titles.iter().collect();
    titles.sort_by_key(|(concept, rank, _)| (*concept, *rank));
    for of_concept in titles.chunk_by(|(one, ..), (other, ..)| one == other) {
        let Some((concept, lowest, _)) = of_concept.first() else {
            continue;
        };
        let is_node = graph.is_declared(*concept) || deferred.schemes.contains(concept);
        let mut rows = graph.rows(*concept);
        let is_named = rows.any(|row| matches!(row.kind, RowKind::Name | RowKind::ExactName));
        drop(rows);
        if !is_node || is_named {
            continue;
        }
        for (.., text) in of_concept.iter().take_while(|(_, rank, _)| rank == lowest) {
            let language = Some(deferred.texts.get(text.language)).filter(|language| !language.is_empty());
            let text = deferred.texts.get(text.text);
            graph.state(*concept, Statement::Name(language, text), SourcePlace::UNKNOWN)?;
        }
    }
    Ok(())
}

/// States a label of a concept.
pub(super) fn state_label(
    graph: &mut Graph,
    concept: ConceptRef,
    label: Label,
    language: Option<&str>,
    text: &str,
    place: SourcePlace,
) -> Result<(), Stop> {
    let statement = match label {
        Label::Name => Statement::Name(language, text),
        Label::AltName => Statement::AltName(language, text),
        // Downloads of our own write a language with each of them.
        Label::ExactName => Statement::ExactName(language.unwrap_or_default(), text),
        Label::Path => Statement::Path(language.unwrap_or_default(), text),
    };
    graph.state(concept, statement, place)
}

/// States a note of a concept.
pub(super) fn state_note(
    graph: &mut Graph,
    concept: ConceptRef,
    note: Note,
    language: Option<&str>,
    text: &str,
    place: SourcePlace,
) -> Result<(), Stop> {
    let statement = match note {
        Note::Definition => Statement::Definition(language, text),
        Note::Scope => Statement::ScopeNote(language, text),
        Note::Property(name) => Statement::Property(name, language, text),
    };
    graph.state(concept, statement, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_called_by_its_host() {
        for (iri, name) in [
            ("http://eurovoc.europa.eu/100141", "eurovoc.europa.eu"),
            ("https://example.com", "example.com"),
            ("urn:example:a", "urn"),
        ] {
            assert_eq!(name_of(iri), name);
        }
    }
}
