//! Losses of each format, counted again from the JSON, which holds every field.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::{Content, Format, SortedTaxonomy, json, losses};
use taxonomy_model::Taxonomy;

use taxonomy_testfiles::nasty::nasty_files;
use taxonomy_testfiles::{files, taxonomy};

fn list<'v>(node: &'v Value, member: &str) -> &'v [Value] {
    let list = node.get(member).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn has(node: &Value, member: &str) -> usize {
    usize::from(node.get(member).is_some())
}

fn paths(node: &Value) -> usize {
    list(node, "names").iter().map(|name| has(name, "path")).sum()
}

/// The cultures in which any of some terms, or a term below them, has a name.
fn cultures(terms: &[Value]) -> BTreeSet<&str> {
    let names = terms.iter().flat_map(|term| list(term, "names"));
    let mut found: BTreeSet<&str> = names.map(|name| name["culture"].as_str().unwrap()).collect();
    for term in terms {
        found.extend(cultures(list(term, "children")));
    }
    found
}

/// By the members of the JSON.
fn expected(taxonomy: &Taxonomy, is_history: bool) -> BTreeMap<Content, u64> {
    let mut bytes = Vec::new();
    json::write(&SortedTaxonomy::new(taxonomy, sibling_keys), &mut bytes).unwrap();
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    let mut counts: Vec<(Content, usize)> = Vec::new();
    let (mut nodes, mut terms) = (Vec::new(), Vec::new());
    for category in list(&file, "categories") {
        let fields = paths(category)
            + has(category, "notation")
            + list(category, "altNames").len()
            + has(category, "deprecated")
            + list(category, "replacedBy").len();
        counts.push((Content::CategoryField, fields));
        let is_empty = list(category, "terms").is_empty();
        counts.push((Content::EmptyCategory, usize::from(is_empty)));
        let named = cultures(list(category, "terms"));
        let own = list(category, "names").iter();
        let unnamed = own.filter(|name| !is_empty && !named.contains(&name["culture"].as_str().unwrap()));
        counts.push((Content::CategoryField, unnamed.count()));
        terms.extend(list(category, "terms"));
        nodes.push(category);
    }
    while let Some(term) = terms.pop() {
        let named: Vec<&Value> = list(term, "names").iter().map(|name| &name["culture"]).collect();
        let others = list(term, "altNames").iter();
        let others = others.filter(|name| is_history || !named.contains(&&name["culture"]));
        counts.push((Content::AlternativeName, others.count()));
        if is_history {
            counts.push((Content::PathOrNotation, paths(term) + has(term, "notation")));
            counts.push((Content::Replacement, list(term, "replacedBy").len()));
        }
        terms.extend(list(term, "children"));
        nodes.push(term);
    }
    for node in nodes {
        counts.push((Content::Note, list(node, "notes").len()));
        counts.push((Content::SortKey, has(node, "sortKey")));
        counts.push((Content::Metadata, has(node, "metadata")));
        counts.push((Content::Deprecation, has(node, "deprecation")));
        counts.push((Content::Relation, list(node, "relations").len()));
    }
    let mut all = BTreeMap::new();
    for (content, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        *all.entry(content).or_default() += count as u64;
    }
    all
}

fn check(taxonomy: &Taxonomy) {
    let tree = SortedTaxonomy::new(taxonomy, sibling_keys);
    for format in Format::ALL {
        let expected = match format {
            Format::Json | Format::Ndjson | Format::Skos => BTreeMap::new(),
            Format::Csv => expected(taxonomy, false),
            Format::History => expected(taxonomy, true),
        };
        let counted = losses(&tree, format).into_iter();
        let counted: Vec<_> = counted.map(|loss| (loss.content, loss.count)).collect();
        assert_eq!(counted, expected.into_iter().collect::<Vec<_>>(), "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn losses_are_counted_of_any_taxonomy(plain in files(), nasty in nasty_files()) {
        check(&taxonomy(&plain));
        check(&taxonomy(&nasty));
    }
}

#[test]
fn losses_are_told_in_words() {
    let file = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"A","path":"a"},{"culture":"fr-FR","name":"A"}],"terms":[
        {"id":1,"name":"B","sortKey":"1","notes":[{"culture":"en-GB","definition":"d"}]},
        {"id":2,"name":"C","sortKey":"2"}]}]}"#;
    let taxonomy = taxonomy(file);
    let losses = losses(&SortedTaxonomy::new(&taxonomy, sibling_keys), Format::Csv);
    let words: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(words, ["2 fields of categories", "1 note", "2 sort keys"]);
}
