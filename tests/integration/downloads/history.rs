//! Tests that a `history` download contains the service's responses to `asOf`, for any term and any time.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_formats::Format;
use taxonomy_tests::budget::scaled;
use taxonomy_tests::prelude::*;

use super::{downloaded, form, process, target};

const CULTURES: [&str; 3] = ["en-GB", "fr-FR", "de-DE"];
const VERSIONS: u64 = 12;
const REQUESTS: u64 = 100;

fn terms() -> u64 {
    scaled(60, 150)
}

/// A term of a generated file: names by culture, and its children.
fn term(random: &mut fastrand::Rng, id: u64, below: &mut Vec<Value>) -> Value {
    let mut names = vec![json!({"culture": "en-GB", "name": format!("Term {id}{}", letter(random))})];
    for culture in &CULTURES[1..] {
        if random.u8(..3) > 0 {
            names
                .push(json!({"culture": culture, "name": format!("{culture} {id}, \"{}\"", letter(random))}));
        }
    }
    let children = std::mem::take(below);
    json!({"id": id, "names": names, "deprecated": random.u8(..6) == 0, "children": children})
}

fn letter(random: &mut fastrand::Rng) -> &'static str {
    ["", "", "", " a", " b"][random.usize(..5)]
}

/// Returns files, each with most of the terms of the one before, elsewhere or under other names.
fn file(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut categories = Vec::new();
    let mut ids: Vec<u64> = (1..=terms()).filter(|_| random.u8(..10) > 0).collect();
    for id in 1..=3 {
        let share = ids.len() / usize::try_from(4 - id).unwrap();
        let (mut terms, mut below) = (Vec::new(), Vec::new());
        for id in ids.drain(..share) {
            let made = term(random, id, &mut below);
            match random.u8(..3) {
                0 => terms.push(made),
                _ => below.push(made),
            }
        }
        terms.append(&mut below);
        let name = format!("Category {id}{}", letter(random));
        let french = json!({"culture": "fr-FR", "name": format!("Catégorie {id}")});
        let names = [json!({"culture": "en-GB", "name": name}), french];
        categories.push(json!({"id": id, "names": names, "terms": terms}));
    }
    json!({"defaultCulture": "en-GB", "categories": categories})
        .to_string()
        .into_bytes()
}

/// A row of the download, by the names of its columns.
type Row = BTreeMap<String, String>;

/// Returns the rows of a term in a culture.
fn rows(bytes: &[u8]) -> BTreeMap<(u64, String), Vec<Row>> {
    let mut reader = csv::Reader::from_reader(bytes);
    let mut rows: BTreeMap<(u64, String), Vec<Row>> = BTreeMap::new();
    for row in reader.deserialize() {
        let row: Row = row.unwrap();
        let key = (row["id"].parse().unwrap(), row["culture"].clone());
        rows.entry(key).or_default().push(row);
    }
    rows
}

/// Returns a time on the one day of all tests.
fn rfc3339(at: u64) -> String {
    let ms = at - NEW_YEAR_MS;
    assert!(ms < 86_400_000);
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!(
        "2026-01-01T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z",
        ms % 1000
    )
}

/// Returns a row in the form of a response.
fn said(row: &Row) -> Value {
    let list = |name: &str| serde_json::from_str::<Value>(&row[name]).unwrap();
    json!({
        "finalName": row["final_name"], "category": row["category_id"].parse::<u64>().unwrap(),
        "ids": list("lineage_ids"), "names": list("lineage_names"),
        "deprecated": row["deprecated"] == "true", "removed": row["removed"] == "true",
    })
}

fn answered(term: &Value) -> Value {
    let above = |name: &str| -> Vec<Value> {
        let ancestors = term["ancestors"].as_array().unwrap().iter();
        ancestors.map(|ancestor| ancestor[name].clone()).collect()
    };
    json!({
        "finalName": term["finalName"], "category": term["category"]["id"], "ids": above("id"),
        "names": above("name"), "deprecated": term["deprecated"], "removed": term["removed"],
    })
}

/// Returns the row of a term and a culture that is valid at a time: at most one.
fn counting<'r>(rows: Option<&'r Vec<Row>>, at: &str) -> Option<&'r Row> {
    let counts =
        |row: &&Row| *row["valid_from"] <= *at && (row["valid_to"].is_empty() || *at < *row["valid_to"]);
    let found: Vec<&Row> = rows.into_iter().flatten().filter(counts).collect();
    assert!(found.len() <= 1, "{found:?}");
    found.first().copied()
}

#[tokio::test]
async fn every_row_is_what_as_of_answers_at_random_terms_and_times() {
    let (world, mut random) = (World::new(), fastrand::Rng::with_seed(7));
    let mut commits = Vec::new();
    for _ in 0..VERSIONS {
        world.replace(TENANT, &file(&mut random)).await;
        commits.push(world.committed(TENANT).await.committed_at);
        world.pass(random.u64(..600));
    }
    let lookup = process(&world);
    let bytes = downloaded(&world, &lookup, &target(VERSIONS, form(Format::History))).await;
    let rows = rows(&bytes);
    let per_request = scaled(20, 100);
    let (first, last) = (commits[0], commits[commits.len() - 1]);
    let (mut own, mut removed, mut missing, mut versions) = (0, 0, 0, BTreeSet::new());
    for request in 0..REQUESTS {
        // At the exact moment of a commit, just before the next one, or at any other time.
        let commit = commits[random.usize(..commits.len())];
        let at = [commit, (commit - 1).max(first), random.u64(first..=last + 1000)][random.usize(..3)];
        let (time, culture) = (rfc3339(at), CULTURES[random.usize(..3)]);
        let ids: Vec<u64> = (0..per_request).map(|_| random.u64(1..=terms() + 1)).collect();
        let list: Vec<String> = ids.iter().map(u64::to_string).collect();
        let query = format!("terms?ids={}&asOf={time}&culture={culture}", list.join(","));
        let (status, answer) = get(&lookup, &query).await;
        assert_eq!(status, 200, "{request}: {answer}");
        for (id, item) in ids.iter().zip(answer["items"].as_array().unwrap()) {
            let of = |culture: &str| counting(rows.get(&(*id, culture.to_owned())), &time);
            if item["status"] == 404 {
                assert!(
                    CULTURES.iter().all(|culture| of(culture).is_none()),
                    "{id} at {time}"
                );
                missing += 1;
                continue;
            }
            let term = &item["term"];
            versions.insert(term["version"].as_u64().unwrap());
            let used = term["culture"].as_str().unwrap();
            let row = of(used).unwrap_or_else(|| panic!("{id} in {used} at {time}"));
            // A row has every name for readers of its culture; for readers of another one, the names above the term may be in that one.
            let term = match used == culture {
                true => term.clone(),
                false => {
                    let query = format!("terms/{id}?asOf={time}&culture={used}");
                    get(&lookup, &query).await.1
                }
            };
            assert_eq!(said(row), answered(&term), "{id} in {culture} at {time}");
            match row["removed"] == "true" {
                // The service keeps the names of a removed term only in the default culture.
                true => removed += 1,
                // Without a row in this culture it falls back to a culture with a row.
                false => assert_eq!(
                    used == culture,
                    of(culture).is_some(),
                    "{id} in {culture} at {time}"
                ),
            }
            own += u64::from(used == culture);
        }
    }
    assert_eq!(versions.len() as u64, VERSIONS, "every version was requested");
    assert!(
        own > 50 * per_request && removed > per_request && missing > per_request / 2,
        "{own} {removed} {missing}"
    );
}

/// The history up to a version contains nothing of later ones.
#[tokio::test]
async fn the_history_ends_with_its_version() {
    let (world, mut random) = (World::new(), fastrand::Rng::with_seed(8));
    let lookup = process(&world);
    let mut downloads = Vec::new();
    for version in 1..=3 {
        world.replace(TENANT, &file(&mut random)).await;
        if version == 1 {
            let bytes = downloaded(&world, &process(&world), &target(1, form(Format::History))).await;
            downloads.push(bytes);
        }
    }
    let (status, ready) = get(&lookup, &target(1, form(Format::History))).await;
    assert_eq!(status, 200);
    assert_eq!(
        super::fetched(&world, ready["url"].as_str().unwrap()),
        downloads[0]
    );
    let first = rows(&downloads[0]).into_values().flatten();
    let (mut count, mut ended) = (0, 0);
    for row in first {
        count += 1;
        ended += usize::from(!row["valid_to"].is_empty());
    }
    assert!(count > terms() && ended == 0, "{count} {ended}");
    let third = downloaded(&world, &lookup, &target(3, form(Format::History))).await;
    let third = rows(&third).into_values().flatten();
    assert!(third.filter(|row| !row["valid_to"].is_empty()).count() as u64 > terms() / 3);
}
