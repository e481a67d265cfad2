//! Defers statements until all files are read, and states them then.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::deferred::{Deferred, DeferredText, Hint, Resource};
use super::vocabulary::CONCEPT;
use crate::concept::{ConceptRef, ExactField, SourcePlace, Statement};
use crate::graph::{Graph, StatementKind, Stop};
use crate::report::Code;

/// The most concepts above one of which the nearest are looked for: twice the depth of a term.
const MOST_ABOVE: usize = 64;

/// The statements that wait for others, with room for one more.
///
/// # Errors
/// [`Stop::Refused`] beyond the bound of statements.
pub(super) fn waiting(graph: &mut Graph) -> Result<&mut Deferred, Stop> {
    if graph.deferred.count == graph.bounds.statements {
        return Err(graph.too_large("statements"));
    }
    graph.deferred.count += 1;
    Ok(&mut graph.deferred)
}

/// A resource in its role.
///
/// # Errors
/// [`Stop::Refused`] beyond the bounds.
pub(super) fn resource(graph: &mut Graph, key: &str, is_label: bool) -> Result<Resource, Stop> {
    let resource = graph.deferred.resource(key, is_label);
    resource.ok_or_else(|| graph.too_large("texts"))
}

/// Keeps a text.
///
/// # Errors
/// [`Stop::Refused`] beyond the bounds.
pub(super) fn text(graph: &mut Graph, language: Option<&str>, text: &str) -> Result<DeferredText, Stop> {
    let text = graph.deferred.push_text(language, text);
    text.ok_or_else(|| graph.too_large("texts"))
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
    declare_subclasses(graph, &deferred);
    report_collections(graph, &deferred);
    finish_resources(graph, &deferred)?;
    finish_titles(graph, &deferred)?;
    for (concept, number) in &deferred.identifiers {
        if graph.own_kind(*concept).is_some() {
            graph.state(*concept, Statement::Number(*number), SourcePlace::UNKNOWN)?;
            finish_replacements(graph, *concept)?;
        }
    }
    graph.language = deferred.language();
    if graph.is_unordered {
        reduce_transitive(graph)?;
        let name = |concept| {
            let iri = graph.key(concept);
            authority(iri).unwrap_or(iri)
        };
        let name = match deferred.schemes.is_empty() {
            true => graph.declared().map(name).min(),
            false => deferred.schemes.iter().copied().map(name).min(),
        };
        if let Some(name) = name.map(str::to_owned) {
            graph.set_scheme(&name);
        }
        graph.sort_statements();
    }
    Ok(())
}

/// The host of an IRI, else the text before its first colon: what a scheme is called by that has no other name.
pub(crate) fn authority(iri: &str) -> Option<&str> {
    let behind = iri.split_once("://").map(|(_, rest)| rest);
    let host = behind.and_then(|rest| rest.split(['/', '?', '#']).next());
    let before_colon = || iri.split_once(':').map(|(before, _)| before);
    let host = host.filter(|host| !host.is_empty());
    host.or_else(before_colon).filter(|name| !name.is_empty())
}

/// Gives the replacements of a concept of a download of our own by their ids: a version may name some that it does not have.
fn finish_replacements(graph: &mut Graph, concept: ConceptRef) -> Result<(), Stop> {
    let others: BTreeSet<ConceptRef> = graph.others(concept, &[StatementKind::ReplacedBy]).collect();
    if others.is_empty() || graph.has(concept, StatementKind::Exact(ExactField::ReplacedBy)) {
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
        Statement::Exact(ExactField::ReplacedBy, &list),
        SourcePlace::UNKNOWN,
    )
}

/// Declares the resources of classes that a file states to be below that of concepts.
fn declare_subclasses(graph: &mut Graph, deferred: &Deferred) {
    let mut below = HashMap::<ConceptRef, Vec<ConceptRef>>::new();
    for (class, above) in &deferred.subclasses {
        below.entry(*above).or_default().push(*class);
    }
    let mut open: Vec<ConceptRef> = graph.known(CONCEPT).into_iter().collect();
    let mut classes: HashSet<ConceptRef> = open.iter().copied().collect();
    while let Some(class) = open.pop() {
        let more = below.get(&class).into_iter().flatten();
        open.extend(more.copied().filter(|class| classes.insert(*class)));
    }
    for (concept, class, file, place) in &deferred.types {
        if classes.contains(class) && !graph.is_declared(*concept) {
            graph.declare_in(*file, *concept, *place);
        }
    }
}

/// Reports the collections, which have no place in our format, with the number of their members.
fn report_collections(graph: &mut Graph, deferred: &Deferred) {
    let mut collections = deferred.collections.clone();
    // Lists that share their end, or have none, are counted as far as there are nodes.
    let mut left = deferred.rests.len();
    for (collection, first) in &deferred.lists {
        let nodes = std::iter::successors(deferred.rests.get_key_value(first), |(_, rest)| {
            deferred.rests.get_key_value(*rest)
        });
        let nodes = nodes.take(left).count();
        left -= nodes;
        // Each node of its list is a member, whether that is stated or not: S36 of the SKOS Reference.
        let members = collections.entry(*collection).or_default();
        *members = (*members).max(nodes as u64);
    }
    let mut collections: Vec<(String, u64)> = collections
        .into_iter()
        .map(|(collection, members)| (graph.key(collection).to_owned(), members))
        .collect();
    collections.sort();
    for (key, members) in collections {
        let message = format_args!("a collection; members: {members}");
        graph.report.add_unplaced(Code::Ignored, Some(&key), message);
    }
}

/// Gives a concept that only says what lies somewhere above it the nearest of these as its parents.
fn reduce_transitive(graph: &mut Graph) -> Result<(), Stop> {
    const UP: &[StatementKind] = &[StatementKind::Broader, StatementKind::NarrowerOf];
    const ANY: &[StatementKind] = &[
        StatementKind::Above,
        StatementKind::Broader,
        StatementKind::NarrowerOf,
    ];
    let above = |concept, kinds| -> HashSet<ConceptRef> {
        graph
            .others(concept, kinds)
            .filter(|other| *other != concept)
            .collect()
    };
    let mut known = HashMap::new();
    let mut found = Vec::new();
    for concept in graph
        .all()
        .filter(|concept| graph.others(*concept, UP).next().is_none())
    {
        let all = above(concept, &[StatementKind::Above]);
        for other in &all {
            known.entry(*other).or_insert_with(|| above(*other, ANY));
        }
        let is_higher = |other: &ConceptRef| all.iter().any(|nearer| known[nearer].contains(other));
        let is_few = all.len() <= MOST_ABOVE;
        let nearest = all.iter().copied().filter(|other| !(is_few && is_higher(other)));
        let mut nearest: Vec<ConceptRef> = nearest.collect();
        if nearest.is_empty() {
            // They lie above each other.
            nearest.extend(&all);
        }
        found.extend(nearest.into_iter().map(|parent| (concept, parent)));
    }
    for (concept, parent) in found {
        graph.state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
    }
    Ok(())
}

/// Joins labels and notes with their texts.
fn finish_resources(graph: &mut Graph, deferred: &Deferred) -> Result<(), Stop> {
    let mut values: Vec<&(Resource, DeferredText)> = deferred.values.iter().collect();
    values.sort_by_key(|(resource, _)| *resource);
    for (resource, concept, statement) in &deferred.roles {
        let first = values.partition_point(|(other, _)| other < resource);
        let own = values[first..].iter().take_while(|(other, _)| other == resource);
        let mut is_found = false;
        for (_, text) in own {
            is_found = true;
            let (language, text) = deferred.text(*text);
            graph.state(*concept, statement(language, text), SourcePlace::UNKNOWN)?;
        }
        if !is_found {
            let (what, text) = match resource.is_label {
                true => ("label", "skosxl:literalForm"),
                false => ("note", "rdf:value"),
            };
            let message = format_args!("has a {what} without {text}");
            graph.issue_of(Code::InvalidValue, *concept, message);
        }
    }
    Ok(())
}

/// Names concepts and schemes without a preferred label by the titles of the lowest rank.
fn finish_titles(graph: &mut Graph, deferred: &Deferred) -> Result<(), Stop> {
    let mut titles: Vec<&(ConceptRef, u8, DeferredText)> = deferred.titles.iter().collect();
    titles.sort_by_key(|(concept, rank, _)| (*concept, *rank));
    for of_concept in titles.chunk_by(|(one, ..), (other, ..)| one == other) {
        let Some((concept, lowest, _)) = of_concept.first() else {
            continue;
        };
        let is_node = graph.is_declared(*concept) || deferred.schemes.contains(concept);
        let is_named =
            graph.has(*concept, StatementKind::Name) || graph.has(*concept, StatementKind::ExactName);
        if !is_node || is_named {
            continue;
        }
        for (.., text) in of_concept.iter().take_while(|(_, rank, _)| rank == lowest) {
            let (language, text) = deferred.text(*text);
            graph.state(*concept, Statement::Name(language, text), SourcePlace::UNKNOWN)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_called_by_its_host() {
        for (iri, name) in [
            ("http://eurovoc.europa.eu/100141", Some("eurovoc.europa.eu")),
            ("http://data.europa.eu/esco/skill/1", Some("data.europa.eu")),
            ("https://example.com", Some("example.com")),
            ("urn:example:a", Some("urn")),
            ("urn:isbn:1", Some("urn")),
            ("http:///a", Some("http")),
            ("Q1", None),
        ] {
            assert_eq!(authority(iri), name, "{iri}");
        }
    }
}
