//! What people type in many languages, and the name that must be first, or within five: `spellings.tsv`, written from the rules of the
//! languages. The names of a culture are those of its rows. A row that search misses so far has a `-` before its place; the test fails where
//! such a row is found, so that the mark goes with the gap.

use std::collections::BTreeMap;

use taxonomy_index::search::{Query, SearchOptions};

use crate::object::{Object, named, write_in};

/// A row: culture, rule, what is typed, the place, and the name that is found; without a rule further names.
type Row = [&'static str; 5];

#[test]
fn everyday_spellings_find_their_names() {
    let mut cultures: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for line in include_str!("spellings.tsv").lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let rows = cultures.entry(cells[0]).or_default();
        rows.push(cells.try_into().unwrap());
    }
    let failures = cultures.iter();
    let failures = failures.flat_map(|(culture, rows)| failed(culture, rows));
    let failures = failures.collect::<Vec<String>>().join("\n");
    assert!(failures.is_empty(), "rows are not as the table says:\n{failures}");
}

fn failed(culture: &str, rows: &[Row]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in rows.iter().flat_map(|row| row[4].split(" | ")) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let subtag = culture.split('-').next().unwrap();
    let object = Object::open(write_in(subtag, &named(&names))).unwrap();
    let options = SearchOptions::new(5).unwrap();
    let typed = rows.iter().filter(|row| !row[1].is_empty());
    let failed = typed.filter_map(|[_, rule, typed, place, name]| {
        let query = Query::parse(typed).unwrap();
        let hits = object.read(&query, &options).unwrap().0.hits;
        let most = if place.ends_with("first") { 1 } else { 5 };
        let is_found = hits.iter().take(most).any(|hit| hit.name == *name);
        let is = if is_found { "is" } else { "is not" };
        let is_wrong = is_found == place.starts_with('-');
        is_wrong.then(|| format!("{culture} {rule}: of {typed:?} {name:?} {is} within {most}: {hits:?}"))
    });
    failed.collect()
}
