//! Rows against the files of a chain of versions, by code that knows the files alone.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use taxonomy_formats::csv::Dialect;
use taxonomy_formats::history::{COLUMNS, HistoryError, HistoryWriter};
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;

use taxonomy_testfiles::nasty::nasty_files;
use taxonomy_testfiles::{files, taxonomy};

/// 2026-01-01T00:00:00Z.
const NEW_YEAR_MS: u64 = 1_767_225_600_000;

/// A time within the first minute of 2026.
fn time(offset_ms: u64) -> String {
    assert!(offset_ms < 60_000);
    let (seconds, rest) = (offset_ms / 1000, offset_ms % 1000);
    format!("2026-01-01T00:00:{seconds:02}.{rest:03}Z")
}

/// A file of a version, and when it was committed, in milliseconds of 2026.
type Chain = Vec<(String, u64)>;

fn version(position: usize) -> Version {
    Version::new(position as u64 + 1).unwrap()
}

fn written(chain: &Chain) -> String {
    let taxonomies: Vec<Taxonomy> = chain.iter().map(|(file, _)| taxonomy(file)).collect();
    let (mut writer, mut bytes) = (HistoryWriter::new(Dialect::Data), Vec::new());
    for (position, new) in taxonomies.iter().enumerate() {
        let old = position.checked_sub(1).map(|before| &taxonomies[before]);
        let at = NEW_YEAR_MS + chain[position].1;
        writer.step(version(position), at, old, new, &mut bytes).unwrap();
    }
    writer.finish(taxonomies.last(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    /// FinalName, category, lineage ids, lineage names, deprecated, removed: as the cells have them.
    says: Vec<String>,
    versions: [String; 2],
    times: [String; 2],
}

/// The rows by id and culture.
fn rows(text: &str) -> BTreeMap<(u64, String), Vec<Row>> {
    let mut rows: BTreeMap<(u64, String), Vec<Row>> = BTreeMap::new();
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), COLUMNS);
    for record in reader.records().map(|record| record.unwrap()) {
        let cell = |column: usize| record[column].to_owned();
        let row = Row {
            says: (2..8).map(cell).collect(),
            versions: [cell(8), cell(9)],
            times: [cell(10), cell(11)],
        };
        let key = (record[0].parse().unwrap(), cell(1));
        rows.entry(key).or_default().push(row);
    }
    rows
}

/// A term as a file has it: its category, what is above it from the top, and itself.
fn find<'v>(list: &'v Value, id: u64, above: &[&'v Value]) -> Option<Vec<&'v Value>> {
    list.as_array()?.iter().find_map(|node| {
        let path = [above, &[node]].concat();
        match above {
            [] => find(&node["terms"], id, &path),
            _ if node["id"] == id => Some(path),
            _ => find(&node["children"], id, &path),
        }
    })
}

fn name_in<'v>(node: &'v Value, culture: &str) -> Option<&'v str> {
    let mut names = node["names"].as_array().unwrap().iter();
    names.find(|name| name["culture"] == culture)?["name"].as_str()
}

/// By the order of docs/decisions/0005-http.md, of the cultures in which these files name something.
fn best_name<'v>(node: &'v Value, culture: &str) -> &'v str {
    let variant = match culture {
        "de-AT" => "de-DE",
        "de-DE" => "de-AT",
        other => other,
    };
    let mut tried = [culture, variant, "en-GB"].into_iter();
    tried.find_map(|culture| name_in(node, culture)).unwrap()
}

/// Returns the answer of the service about a term, in a culture and at a time, from the files alone.
fn expected(files: &[(Value, u64)], id: u64, culture: &str, at: u64) -> Option<Vec<String>> {
    let in_force = files.iter().filter(|(_, committed)| *committed <= at);
    let found = in_force.map(|(file, _)| find(&file["categories"], id, &[]));
    let found: Vec<Option<Vec<&Value>>> = found.collect();
    let last = found.iter().rposition(Option::is_some)?;
    let [category, above @ .., term] = found[last].as_deref()? else {
        return None;
    };
    let name = name_in(term, culture)?;
    let ids: Vec<&Value> = above.iter().rev().map(|above| &above["id"]).collect();
    let names = above.iter().rev().map(|above| best_name(above, culture));
    let names: Vec<&str> = names.collect();
    let is_removed = last + 1 < found.len();
    let is_deprecated = term["deprecated"] == true || !term["deprecation"].is_null();
    Some(vec![
        format!("{}:{name}", best_name(category, culture)),
        category["id"].to_string(),
        serde_json::to_string(&ids).unwrap(),
        serde_json::to_string(&names).unwrap(),
        (is_deprecated || is_removed).to_string(),
        is_removed.to_string(),
    ])
}

fn chains() -> impl Strategy<Value = Chain> {
    let file = prop_oneof![
        4 => files(),
        2 => nasty_files(),
        // A removed tenant.
        1 => Just(r#"{"defaultCulture":"en-GB","categories":[]}"#.to_owned()),
    ];
    proptest::collection::vec((file, 1..9000_u64), 1..6).prop_map(|versions| {
        let mut at = 0;
        let later = |(file, wait)| {
            at += wait;
            (file, at)
        };
        versions.into_iter().map(later).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    /// The row of any time is the version in force. Versions and times agree, rows follow each other, and every row is as long as possible.
    #[test]
    fn rows_say_what_the_version_in_force_says(chain in chains(), spread in proptest::collection::vec(0..59_999_u64, 20)) {
        let rows = rows(&written(&chain));
        let files: Vec<(Value, u64)> = chain.iter().map(|(file, at)| (serde_json::from_str(file).unwrap(), *at)).collect();
        // Random times, and those around each commit.
        let around = chain.iter().flat_map(|(_, at)| [at.saturating_sub(1), *at, at + 1]);
        for at in around.chain(spread) {
            for id in 0..14 {
                for culture in ["en-GB", "fr-FR", "de-DE", "de-AT"] {
                    let all = rows.get(&(id, culture.to_owned())).map_or(&[][..], Vec::as_slice);
                    let now = time(at);
                    let covers = |row: &&Row| row.times[0] <= now && (row.times[1].is_empty() || now < row.times[1]);
                    let found: Vec<Vec<String>> = all.iter().filter(covers).map(|row| row.says.clone()).collect();
                    let expect: Vec<Vec<String>> = expected(&files, id, culture, at).into_iter().collect();
                    prop_assert_eq!(found, expect, "term {} in {} at {}", id, culture, at);
                }
            }
        }
        let time_of = |version: &String| version.parse::<usize>().map_or(String::new(), |version| time(chain[version - 1].1));
        for mut all in rows.into_values() {
            for row in &all {
                prop_assert_eq!(row.versions.each_ref().map(time_of), row.times.clone());
                prop_assert!(row.times[1].is_empty() || row.times[0] < row.times[1]);
            }
            all.sort_by(|a, b| a.times[0].cmp(&b.times[0]));
            for pair in all.windows(2) {
                prop_assert!(!pair[0].times[1].is_empty() && pair[0].times[1] <= pair[1].times[0]);
                prop_assert!(pair[0].times[1] < pair[1].times[0] || pair[0].says != pair[1].says, "could be one row: {pair:?}");
            }
        }
    }
}

const FIRST: &str = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","terms":[{"id":10,"name":"IT","children":[{"id":11,"name":"Web"}]}]}]}"#;

#[test]
fn rows_are_these() {
    let renamed = FIRST.replace("IT", "ICT");
    let removed = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","terms":[{"id":10,"name":"ICT"}]}]}"#;
    let restored = removed.replace(r#""ICT"}"#, r#""ICT"},{"id":11,"name":"Web"}"#);
    let chain = [(FIRST, 0), (&renamed, 1000), (removed, 2000), (&restored, 3000)];
    let chain = chain.map(|(file, at)| (file.to_owned(), at)).to_vec();
    let expect = [
        "id,culture,final_name,category_id,lineage_ids,lineage_names,deprecated,removed,valid_from_version,valid_to_version,valid_from,valid_to",
        "10,en-GB,Sector:IT,1,[],[],false,false,1,2,2026-01-01T00:00:00.000Z,2026-01-01T00:00:01.000Z",
        r#"11,en-GB,Sector:Web,1,[10],"[""IT""]",false,false,1,2,2026-01-01T00:00:00.000Z,2026-01-01T00:00:01.000Z"#,
        r#"11,en-GB,Sector:Web,1,[10],"[""ICT""]",false,false,2,3,2026-01-01T00:00:01.000Z,2026-01-01T00:00:02.000Z"#,
        r#"11,en-GB,Sector:Web,1,[10],"[""ICT""]",true,true,3,4,2026-01-01T00:00:02.000Z,2026-01-01T00:00:03.000Z"#,
        "10,en-GB,Sector:ICT,1,[],[],false,false,2,,2026-01-01T00:00:01.000Z,",
        "11,en-GB,Sector:Web,1,[],[],false,false,4,,2026-01-01T00:00:03.000Z,",
    ];
    assert_eq!(written(&chain).lines().collect::<Vec<_>>(), expect);
}

#[test]
fn a_chain_may_begin_with_any_version_but_not_go_back() {
    let taxonomy = taxonomy(FIRST);
    let begun = || {
        let mut writer = HistoryWriter::default();
        let step = writer.step(version(6), 1000, None, &taxonomy, &mut Vec::new());
        step.unwrap();
        writer
    };
    let step = |position, at, old| {
        let stepped = begun().step(version(position), at, old, &taxonomy, &mut Vec::new());
        stepped.map_or_else(|error| format!("{error:?}"), |()| String::new())
    };
    let old = Some(&taxonomy);
    for (found, expect) in [
        (step(7, 1001, old), ""),
        (step(6, 1001, old), "Order"),
        (step(7, 1000, old), "Order"),
        (step(7, 1_000_000_000_000_000, old), "Time"),
        (step(7, 1001, None), "OtherVersion"),
    ] {
        assert_eq!(found.split('(').next(), Some(expect));
    }
    let finished = begun().finish(None, &mut Vec::new());
    assert!(matches!(finished, Err(HistoryError::OtherVersion(_))));
}

#[test]
fn no_version_is_a_header_alone() {
    let (writer, mut bytes) = (HistoryWriter::new(Dialect::Spreadsheet), Vec::new());
    writer.finish(None, &mut bytes).unwrap();
    let header = format!("\u{feff}{}\r\n", COLUMNS.join(","));
    assert_eq!(String::from_utf8(bytes).unwrap(), header);
}
