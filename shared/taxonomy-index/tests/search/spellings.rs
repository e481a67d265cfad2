//! What people type in many languages, and the name that must be first, or within five: `spellings.tsv`, written from the rules of the
//! languages. The names of a culture are those of its rows. A row that search misses so far has a `-` before its place; the test fails where
//! such a row is found, so that the mark goes with the gap.

use std::collections::BTreeMap;

use taxonomy_index::search::{Query, SearchOptions, SearchResult};

use crate::object::{Object, OwnEntry, write_in};

/// Something that people type.
struct Row {
    rule: &'static str,
    typed: &'static str,
    first: bool,
    is_missed: bool,
    name: &'static str,
}

#[derive(Default)]
struct Language {
    names: Vec<&'static str>,
    rows: Vec<Row>,
}

#[test]
fn everyday_spellings_find_their_names() {
    let languages = languages();
    let failures: Vec<String> = languages
        .iter()
        .flat_map(|(culture, language)| failures(culture, language))
        .collect();
    let rows: usize = languages.values().map(|language| language.rows.len()).sum();
    assert!(
        failures.is_empty(),
        "{} of {rows} rows are not as the table says:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn languages() -> BTreeMap<&'static str, Language> {
    let mut languages: BTreeMap<&str, Language> = BTreeMap::new();
    for line in include_str!("spellings.tsv").lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [culture, rule, typed, place, names] = cells[..] else {
            panic!("not a row: {line}");
        };
        let language = languages.entry(culture).or_default();
        for name in names.split(" | ") {
            if !language.names.contains(&name) {
                language.names.push(name);
            }
        }
        if !rule.is_empty() {
            language.rows.push(Row {
                rule,
                typed,
                first: place.ends_with("first"),
                is_missed: place.starts_with('-'),
                name: names,
            });
        }
    }
    languages
}

fn failures(culture: &str, language: &Language) -> Vec<String> {
    let names = (0..).zip(&language.names);
    let entries: Vec<OwnEntry> = names
        .map(|(ordinal, name)| OwnEntry::new(ordinal, name))
        .collect();
    let subtag = culture.split('-').next().unwrap();
    let object = Object::open(write_in(subtag, &entries)).unwrap();
    let options = SearchOptions::new(5).unwrap();
    let failed = language.rows.iter().filter_map(|row| {
        let hits: Vec<String> = match Query::parse(row.typed) {
            Ok(query) => names_of(object.read(&query, &options).unwrap().0),
            Err(error) => vec![error.to_string()],
        };
        let place = hits.iter().position(|hit| hit == row.name);
        let found = if row.first {
            place == Some(0)
        } else {
            place.is_some()
        };
        let expected = if row.first { "first" } else { "within five" };
        (found == row.is_missed).then(|| {
            let is = if found { "is" } else { "is not" };
            format!(
                "{culture} {}: of {:?} {:?} {is} {expected}: {hits:?}",
                row.rule, row.typed, row.name
            )
        })
    });
    failed.collect()
}

fn names_of(result: SearchResult) -> Vec<String> {
    result.hits.into_iter().map(|hit| hit.name).collect()
}
