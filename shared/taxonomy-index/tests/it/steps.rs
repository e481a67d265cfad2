//! Histories: files that follow each other by small changes, returns to older files, and files that have little in common.

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_model::{Taxonomy, snapshot};

use taxonomy_testfiles::{files, taxonomy};

/// The changes from one file to the next. Numbers choose a category or term, modulo their count.
#[derive(Debug, Clone)]
enum Step {
    File(String),
    Same,
    RenameCategory(usize, bool),
    RenameTerm(usize, bool),
    RemoveCategory(usize),
    RemoveTerm(usize),
    MoveTerm(usize, usize),
    Default(&'static str),
    Back(usize),
    Empty,
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0..12_usize;
    prop_oneof![
        2 => files().prop_map(Step::File),
        1 => Just(Step::Same),
        3 => (at.clone(), any::<bool>()).prop_map(|(at, in_default)| Step::RenameCategory(at, in_default)),
        3 => (at.clone(), any::<bool>()).prop_map(|(at, in_default)| Step::RenameTerm(at, in_default)),
        1 => at.clone().prop_map(Step::RemoveCategory),
        2 => at.clone().prop_map(Step::RemoveTerm),
        2 => (at.clone(), at.clone()).prop_map(|(from, to)| Step::MoveTerm(from, to)),
        2 => prop_oneof![Just("en-GB"), Just("fr-FR")].prop_map(Step::Default),
        3 => at.prop_map(Step::Back),
        1 => Just(Step::Empty),
    ]
}

/// The versions of a tenant, first to last. In some histories every node is so large that few fit into a block.
pub(crate) fn histories() -> impl Strategy<Value = Vec<String>> {
    let steps = proptest::collection::vec(step(), 1..7);
    (files(), steps, proptest::bool::weighted(0.3)).prop_map(|(first, steps, is_padded)| {
        let mut versions: Vec<Value> = vec![serde_json::from_str(&first).unwrap()];
        for (number, step) in steps.into_iter().enumerate() {
            let next = follow(&versions, number, step);
            versions.push(next);
        }
        if is_padded {
            versions.iter_mut().for_each(pad);
        }
        versions.iter().map(Value::to_string).collect()
    })
}

/// The taxonomy of a file; an empty one cannot be uploaded, but a version can be empty.
pub(crate) fn version_of(json: &str) -> Taxonomy {
    let value: Value = serde_json::from_str(json).unwrap();
    if value["categories"] != json!([]) {
        return taxonomy(json);
    }
    let culture = &value["defaultCulture"];
    let empty = json!({"formatVersion": 1, "projectionFormat": 1, "defaultCulture": culture, "fallbackChain": [],
        "categories": [], "terms": []});
    snapshot::read(empty.to_string().as_bytes()).unwrap().0
}

fn follow(versions: &[Value], number: usize, step: Step) -> Value {
    let mut file = versions.last().unwrap().clone();
    let (categories, terms) = (pointers(&file, "/categories"), terms(&file));
    let pick = |list: &[String], at: usize| (!list.is_empty()).then(|| list[at % list.len()].clone());
    match step {
        Step::File(json) => return serde_json::from_str(&json).unwrap(),
        Step::Same => {}
        Step::Back(at) => return versions[at % versions.len()].clone(),
        Step::Empty => file["categories"] = json!([]),
        Step::RenameCategory(at, in_default) => rename(&mut file, pick(&categories, at), number, in_default),
        Step::RenameTerm(at, in_default) => rename(&mut file, pick(&terms, at), number, in_default),
        Step::RemoveCategory(at) => drop(pick(&categories, at).map(|at| take(&mut file, &at))),
        Step::RemoveTerm(at) => drop(pick(&terms, at).map(|at| take(&mut file, &at))),
        Step::MoveTerm(from, to) => {
            if let (Some(from), Some(to)) = (pick(&terms, from), pick(&categories, to)) {
                let term = take(&mut file, &from);
                let top = file.pointer_mut(&to).unwrap()["terms"].as_array_mut().unwrap();
                top.push(term);
            }
        }
        Step::Default(culture) => {
            for pointer in categories.iter().chain(&terms) {
                name(file.pointer_mut(pointer).unwrap(), culture, None);
            }
            file["defaultCulture"] = json!(culture);
        }
    }
    file
}

/// Gives every node some 15 KB of notes and alternative names.
fn pad(file: &mut Value) {
    for pointer in pointers(file, "/categories").iter().chain(&terms(file)) {
        let node = file.pointer_mut(pointer).unwrap();
        let cultures = ["en-GB", "fr-FR"];
        let notes = cultures.map(|culture| json!({"culture": culture, "definition": "d".repeat(3_500)}));
        let names =
            (0..16).map(|n| json!({"culture": cultures[n % 2], "name": format!("{n}{}", "a".repeat(490))}));
        node["notes"] = json!(notes);
        node["altNames"] = json!(names.collect::<Vec<Value>>());
    }
}

fn rename(file: &mut Value, pointer: Option<String>, number: usize, in_default: bool) {
    let default = file["defaultCulture"].as_str().unwrap().to_owned();
    let culture = if in_default { &default } else { "de-DE" };
    if let Some(node) = pointer.and_then(|pointer| file.pointer_mut(&pointer)) {
        name(node, culture, Some(format!("R{number}")));
    }
}

/// Names a node in a culture, or makes sure that it has a name there.
fn name(node: &mut Value, culture: &str, new: Option<String>) {
    let names = node["names"].as_array_mut().unwrap();
    let found = names.iter_mut().find(|name| name["culture"] == culture);
    match (found, new) {
        (Some(name), Some(new)) => name["name"] = json!(new),
        (Some(_), None) => {}
        (None, new) => names.push(json!({"culture": culture, "name": new.unwrap_or("D".to_owned())})),
    }
}

fn take(file: &mut Value, pointer: &str) -> Value {
    let (list, position) = pointer.rsplit_once('/').unwrap();
    let list = file.pointer_mut(list).unwrap().as_array_mut().unwrap();
    list.remove(position.parse().unwrap())
}

fn pointers(file: &Value, list: &str) -> Vec<String> {
    let members = file.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
    (0..members).map(|member| format!("{list}/{member}")).collect()
}

fn terms(file: &Value) -> Vec<String> {
    let categories = pointers(file, "/categories");
    let lists = categories.iter().map(|category| format!("{category}/terms"));
    let mut lists: Vec<String> = lists.collect();
    let mut terms = Vec::new();
    while let Some(list) = lists.pop() {
        for term in pointers(file, &list) {
            lists.push(format!("{term}/children"));
            terms.push(term);
        }
    }
    terms
}
