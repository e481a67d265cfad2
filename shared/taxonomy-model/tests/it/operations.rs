//! Operations between two versions.

use std::collections::BTreeSet;

use proptest::prelude::*;
use taxonomy_model::operations::{Action, Operation, between, changed_final_names};
use taxonomy_model::{Fact, changed_identifiers, diff};

use taxonomy_testfiles::{files, taxonomy};

const OLD: &str = r#"{"categories": [
    {"id": 1, "name": "Sector", "terms": [
        {"id": 1, "name": "IT", "children": [{"id": 2, "name": "Software", "children": [{"id": 3, "name": "Rust"}]}]},
        {"id": 4, "name": "Law", "children": [{"id": 5, "name": "Courts", "children": [{"id": 6, "name": "Appeal"}]}]}]},
    {"id": 2, "name": "Region", "terms": [{"id": 7, "name": "North"}, {"id": 8, "name": "South", "deprecated": true}]},
    {"id": 3, "name": "Level", "terms": [{"id": 9, "name": "Junior"}, {"id": 10, "name": "Senior"}]}]}"#;

/// Software moves with what is below it, Law stays and loses its subtree, a category comes and one goes.
const NEW: &str = r#"{"categories": [
    {"id": 1, "name": "Sector", "terms": [
        {"id": 1, "names": [{"culture": "en-GB", "name": "Computing"}, {"culture": "fr-FR", "name": "Informatique"}]},
        {"id": 4, "name": "Law", "notation": "69", "deprecated": true}]},
    {"id": 2, "name": "Area", "terms": [
        {"id": 7, "names": [{"culture": "en-GB", "name": "North", "path": "north"}],
         "children": [{"id": 2, "name": "Software", "children": [{"id": 3, "name": "Rust"}, {"id": 20, "name": "Go"}]}]},
        {"id": 8, "name": "South"}]},
    {"id": 4, "name": "Shift", "terms": [{"id": 21, "name": "Day", "children": [{"id": 22, "name": "Early"}]}]}]}"#;

fn line(operation: &Operation) -> String {
    let name = &operation.name;
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    match &operation.action {
        Action::Configure { default_culture, .. } => format!("configure {default_culture}"),
        Action::Add { terms } => format!("add {name} +{terms}"),
        Action::Rename { culture, from, to } => {
            format!("rename {name} {culture} {} {}", text(from), text(to))
        }
        Action::ChangePath { culture, from, to } => {
            format!("path {name} {culture} {} {}", text(from), text(to))
        }
        Action::Change { field } => format!("change {name} {field}"),
        Action::Move { from, to, terms } => {
            format!("move {name} from {} to {} +{terms}", from.name, to.name)
        }
        Action::Reinstate => format!("reinstate {name}"),
        Action::Deprecate => format!("deprecate {name}"),
        Action::Remove { terms } => format!("remove {name} +{terms}"),
    }
}

/// Numbers that an import gave to other concepts, a scheme that was added, and identifiers that came beside the old ones.
#[test]
fn ids_that_name_another_concept_are_found() {
    let relation = |text: &str| {
        let [kind, scheme, id] = text.split(' ').collect::<Vec<&str>>()[..] else {
            panic!("not a relation: {text}")
        };
        format!(r#"{{"type":"{kind}","scheme":"{scheme}","id":"{id}"}}"#)
    };
    let relations = |texts: &str| texts.split(", ").map(relation).collect::<Vec<String>>().join(",");
    // Those of the category, then of each term.
    let file = |nodes: &str| {
        let mut nodes = nodes.split(" | ").map(relations);
        let own = nodes.next().unwrap();
        let term = |(id, relations): (u64, String)| {
            format!(r#"{{"id":{id},"name":"T{id}","relations":[{relations}]}}"#)
        };
        let terms = (1..).zip(nodes).map(term).collect::<Vec<String>>().join(",");
        taxonomy(&format!(
            r#"{{"categories":[{{"id":1,"name":"Sector","relations":[{own}],"terms":[{terms}]}}]}}"#
        ))
    };
    let old = "exact isco C | exact isco A | exact isco B | close isco A | exact isco D | exact isco E, exact esco 1";
    let new = "exact isco C2 | exact isco B | exact isco B, exact isco B2 | close isco Z | exact wikidata Q1 | \
        exact esco 2, exact isco E";
    let (old, new) = (file(old), file(new));
    let found = changed_identifiers(&old, &new).into_iter();
    let found = found.map(|id| format!("{} {}: {} -> {}", id.name, id.scheme, id.from, id.to));
    let expect = "Sector isco: C -> C2 | Sector:T1 isco: A -> B | Sector:T5 esco: 1 -> 2";
    assert_eq!(found.collect::<Vec<String>>().join(" | "), expect);
    assert_eq!(changed_identifiers(&new, &new), []);
}

#[test]
fn a_subtree_is_one_operation_and_what_destroys_comes_last() {
    let (old, new) = (taxonomy(OLD), taxonomy(NEW));
    let lines: Vec<String> = between(Some(&old), &new).iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "add Shift +2",
            "add Area:Go +0",
            "rename Area en-GB Region Area",
            "rename Sector:Computing en-GB IT Computing",
            "rename Sector:Computing fr-FR - Informatique",
            "path Area:North en-GB - north",
            "change Sector:Law notation",
            "move Area:Software from Sector:IT to Area:North +1",
            "reinstate Area:South",
            "deprecate Sector:Law",
            "remove Level +2",
            "remove Sector:Courts +1",
        ]
    );
    // Software and Rust by the move, IT by its name, North and South by the category's.
    assert_eq!(changed_final_names(&old, &new), 5);
}

#[test]
fn a_first_version_configures_and_adds_its_categories() {
    let lines: Vec<String> = between(None, &taxonomy(OLD)).iter().map(line).collect();
    let expect = "configure en-GB, add Sector +6, add Region +2, add Level +2";
    assert_eq!(lines.join(", "), expect);
}

/// The lookup names the category and the term each by its own cultures.
#[test]
fn final_names_change_where_the_lookup_answers_differently() {
    let named = |cultures: &[&str], names: &[&str]| {
        let names = cultures.iter().zip(names);
        let names = names.map(|(culture, name)| format!(r#"{{"culture":"{culture}","name":"{name}"}}"#));
        format!("[{}]", names.collect::<Vec<String>>().join(","))
    };
    let cultures = ["en-GB", "fr-FR"];
    let file = |names: [&str; 2], of_term: usize| {
        let category = named(&cultures, &names);
        let term = named(&cultures[..of_term], &["IT", "IT"]);
        taxonomy(&format!(
            r#"{{"categories":[{{"id":1,"names":{category},"terms":[{{"id":1,"names":{term}}}]}}]}}"#
        ))
    };
    let both = ["Sector", "Secteur"];
    let (other_english, other_french) = (["Branch", "Secteur"], ["Sector", "Branche"]);
    for (old, new, expect, why) in [
        (1, file(other_french, 1), 1, "the category answers in French"),
        (1, file(other_english, 1), 1, "it answers in English"),
        (1, file(both, 2), 0, "its French name is the English one"),
        (2, file(other_french, 2), 1, "both answer in French"),
    ] {
        assert_eq!(changed_final_names(&file(both, old), &new), expect, "{why}");
    }
}

proptest! {
    /// Each fact is in exactly one operation, but for those of terms that came along with the parent that they have.
    #[test]
    fn operations_cover_the_facts(old in proptest::option::of(files()), new in files()) {
        let (old, new) = (old.map(|file| taxonomy(&file)), taxonomy(&new));
        let operations = between(old.as_ref(), &new);
        let counted = |counts: fn(&Action) -> Option<u64>| -> u64 {
            operations.iter().filter_map(|operation| counts(&operation.action)).sum()
        };
        let facts = diff(old.as_ref(), &new);
        let of = |is: fn(&Fact) -> bool| facts.iter().filter(|fact| is(fact)).count() as u64;
        let (added, removed) = (
            of(|fact| matches!(fact, Fact::CategoryAdded(_) | Fact::TermAdded(_))),
            of(|fact| matches!(fact, Fact::CategoryRemoved { .. } | Fact::TermRemoved { .. })),
        );
        prop_assert_eq!(added, counted(|action| match action { Action::Add { terms } => Some(terms + 1), _ => None }));
        prop_assert_eq!(removed, counted(|action| match action { Action::Remove { terms } => Some(terms + 1), _ => None }));
        let others = counted(|action| match action { Action::Add { .. } | Action::Remove { .. } => None, _ => Some(1) });
        let along = of(|fact| matches!(fact, Fact::TermMoved { from, to, .. } if from.parent.is_some() && from.parent == to.parent));
        prop_assert_eq!(facts.len() as u64, added + removed + along + others);
        // Those that came along, counted from below: the next term above them that is not where it was.
        let moved: BTreeSet<u64> = facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::TermMoved { id, from, to } if from.parent.is_none() || from.parent != to.parent => Some(*id),
                _ => None,
            })
            .collect();
        let had: BTreeSet<u64> = old.iter().flat_map(|old| old.terms().map(|term| term.id().get())).collect();
        let came_along = new.terms().filter(|term| {
            let id = term.id().get();
            let mut above = term.ancestors().map(|above| above.id().get());
            had.contains(&id) && !moved.contains(&id) && above.any(|above| moved.contains(&above))
        });
        prop_assert_eq!(
            came_along.count() as u64,
            counted(|action| match action { Action::Move { terms, .. } => Some(*terms), _ => None })
        );
        prop_assert!(operations.iter().all(|operation| operation.node.is_none() == operation.name.is_empty()));
    }
}
