//! Files for tests: any taxonomy as the text of a file, files with everything that a format could trip over, and the real taxonomies.
#![expect(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, here as well"
)]

pub mod nasty;
pub mod real;

use std::fmt::Write as _;

use proptest::prelude::*;
use taxonomy_model::{Defaults, Limits, Parsed, Report, Taxonomy, parse};

pub fn defaults() -> Defaults {
    Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    }
}

pub fn read(json: &str) -> Result<Parsed, Box<Report>> {
    parse(json.as_bytes(), &defaults(), Limits::default())
}

pub fn taxonomy(json: &str) -> Taxonomy {
    read(json).unwrap_or_else(|report| panic!("{report:#?}")).taxonomy
}

/// `code pointer` of every issue of a file.
pub fn issues(bytes: &[u8]) -> Vec<String> {
    let report = match parse(bytes, &defaults(), Limits::default()) {
        Ok(parsed) => parsed.report,
        Err(report) => *report,
    };
    report
        .issues
        .iter()
        .map(|issue| {
            format!("{} {}", issue.code.as_str(), issue.pointer)
                .trim_end()
                .to_owned()
        })
        .collect()
}

/// A node of the file, without what lies below it.
#[derive(Debug, Clone)]
struct Plain {
    id: u64,
    names: Vec<(usize, u8, bool)>,
    notation: Option<u8>,
    alt_name: Option<u8>,
    sort_key: Option<u8>,
    metadata: Option<u8>,
    concept: Option<u8>,
    deprecated: bool,
    replaced_by: Option<u64>,
}

const CULTURES: [&str; 4] = ["en-GB", "fr-FR", "de-DE", "de-AT"];

fn nodes(ids: std::ops::Range<u64>, count: usize) -> impl Strategy<Value = Vec<Plain>> {
    let name = || (0..6_u8, any::<bool>());
    let names = (
        name(),
        proptest::option::of(name()),
        proptest::option::of(name()),
        proptest::option::of(name()),
    );
    let node = (
        names,
        proptest::option::weighted(0.2, 0..3_u8),
        proptest::option::weighted(0.2, 0..3_u8),
        proptest::option::weighted(0.2, 0..3_u8),
        proptest::option::weighted(0.2, 0..3_u8),
        proptest::option::weighted(0.2, 0..3_u8),
        any::<bool>(),
        proptest::option::weighted(0.2, 100..110_u64),
    );
    let node = node.prop_map(
        |((en, fr, de, at), notation, alt_name, sort_key, metadata, concept, deprecated, replaced_by)| {
            let names = [Some(en), fr, de, at].into_iter().enumerate();
            let names = names
                .filter_map(|(culture, name)| name.map(|(name, path)| (culture, name, path)))
                .collect();
            Plain {
                id: 0,
                names,
                notation,
                alt_name,
                sort_key,
                metadata,
                concept,
                deprecated,
                replaced_by,
            }
        },
    );
    (
        proptest::sample::subsequence(ids.collect::<Vec<_>>(), 1..=count),
        proptest::collection::vec(node, count),
    )
        .prop_map(|(ids, nodes)| {
            ids.into_iter()
                .zip(nodes)
                .map(|(id, node)| Plain { id, ..node })
                .collect()
        })
}

/// Files over the same few ids, so that two of them differ by additions, removals, moves and changes of every kind.
pub fn files() -> impl Strategy<Value = String> {
    let places = proptest::collection::vec((0..3_usize, proptest::option::of(0..12_usize)), 12);
    (
        nodes(0..3, 3),
        nodes(0..14, 12),
        places,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(categories, terms, places, rotation)| {
            // Which term comes first decides who can be whose parent; rotating the order makes parents and children swap.
            let mut terms = terms;
            let middle = rotation.index(terms.len());
            terms.rotate_left(middle);
            let mut below: Vec<Vec<usize>> = vec![Vec::new(); categories.len() + terms.len()];
            for (position, (category, parent)) in places.iter().take(terms.len()).enumerate() {
                let above = match parent.filter(|parent| *parent < position) {
                    Some(parent) => categories.len() + parent,
                    None => category % categories.len(),
                };
                below[above].push(position);
            }
            let mut json = r#"{"defaultCulture":"en-GB","categories":["#.to_owned();
            for (position, category) in categories.iter().enumerate() {
                separate(&mut json, position);
                write_node(
                    &mut json,
                    category,
                    "terms",
                    position,
                    &below,
                    &terms,
                    categories.len(),
                );
            }
            json + "]}"
        })
}

fn separate(json: &mut String, position: usize) {
    if position > 0 {
        json.push(',');
    }
}

#[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
fn write_node(
    json: &mut String,
    node: &Plain,
    field: &str,
    own: usize,
    below: &[Vec<usize>],
    terms: &[Plain],
    categories: usize,
) {
    write!(json, r#"{{"id":{},"names":["#, node.id).unwrap();
    for (position, (culture, name, path)) in node.names.iter().enumerate() {
        separate(json, position);
        let path = if *path {
            // Shorter ones are beginnings of longer ones, as the paths of parents are.
            format!(r#","path":"p{}""#, "/q".repeat(usize::from(*name)))
        } else {
            String::new()
        };
        write!(
            json,
            r#"{{"culture":"{}","name":"N{name}"{path}}}"#,
            CULTURES[*culture]
        )
        .unwrap();
    }
    json.push(']');
    for (field, value) in [("notation", node.notation), ("sortKey", node.sort_key)] {
        if let Some(value) = value {
            write!(json, r#","{field}":"{value}""#).unwrap();
        }
    }
    if let Some(value) = node.alt_name {
        write!(json, r#","altNames":[{{"culture":"fr-FR","name":"A{value}"}}]"#).unwrap();
    }
    if let Some(value) = node.metadata {
        write!(json, r#","metadata":{{"z":{value},"a":[1.5,null,"x"]}}"#).unwrap();
    }
    if let Some(id) = node.replaced_by {
        write!(json, r#","replacedBy":[{id}]"#).unwrap();
    }
    if let Some(value) = node.concept {
        let broader = 1000 + u64::from(value);
        let exact = format!(r#"{{"type":"exact","scheme":"esco","id":"c{value}"}}"#);
        write!(
            json,
            r#","relations":[{exact},{{"type":"broad","id":{broader}}}]"#
        )
        .unwrap();
        write!(json, r#","notes":[{{"culture":"fr-FR","scopeNote":"S{value}\\n"}},{{"culture":"en-GB","definition":"D{value}"}}]"#).unwrap();
    }
    if let (true, Some(day)) = (node.deprecated, node.metadata) {
        write!(
            json,
            r#","deprecation":{{"reason":"R","since":"2026-01-1{}"}}"#,
            day % 10
        )
        .unwrap();
    }
    write!(json, r#","deprecated":{},"{field}":["#, node.deprecated).unwrap();
    for (position, child) in below[own].iter().enumerate() {
        separate(json, position);
        write_node(
            json,
            &terms[*child],
            "children",
            categories + child,
            below,
            terms,
            categories,
        );
    }
    json.push_str("]}");
}
