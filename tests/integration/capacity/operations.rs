//! What requests of the API cost: requests to the table, read units and reads of S3, as the engines record them, against the tables of
//! docs/access-patterns.md.

use std::collections::BTreeMap;

use lookup::Lookup;
use taxonomy_tests::asking::process_at;
use taxonomy_tests::prelude::*;

use crate::downloads::{process, work};
use crate::examples::{FILE, job_board};
use crate::template::read;

const MINUTE_MS: u64 = 60_000;

/// Further requests: the operation, what sets them apart from its example, and their target below the tenant.
const FURTHER: [(&str, &str, &str); 5] = [
    ("getTerm", "default culture", "terms/112"),
    ("getTerm", "`version=1`", "terms/112?version=1"),
    (
        "getChildren",
        "`include=details`",
        "terms/110/children?limit=2&include=details",
    ),
    ("getTenantStats", "`version=1`", "stats?version=1"),
    ("getCategoryStats", "`version=1`", "categories/1/stats?version=1"),
];

/// Sends a request. Returns its cost as the cells of a row; the header `Taxonomy-Debug` states the same.
async fn cost(world: &World, lookup: &Lookup, target: &str, body: Option<&Value>) -> String {
    world.exchanges().clear();
    let method = if body.is_some() { "POST" } else { "GET" };
    let answer = ask_with(lookup, method, target, &json!({"taxonomy-debug": "1"}), body).await;
    assert!(matches!(answer.status_code, 200 | 202), "{target}: {answer:?}");
    let sent = world.exchanges();
    let count = |service| sent.all().iter().filter(|one| one.service == service).count();
    // The sum of no units is -0.
    let (requests, units, reads) = (count("DynamoDB"), sent.units() + 0.0, count("S3"));
    let stated = &answer.headers["taxonomy-debug"];
    assert!(
        stated.starts_with(&format!("table-requests={requests}, read-units={units:.1}, "))
            && stated.contains(&format!(" object-requests={reads}, ")),
        "{target}: {stated}\n{:#?}",
        sent.lines()
    );
    format!("{requests} | {units} | {reads}")
}

/// Asserts that the table below a heading of the page has these rows.
fn assert_stated(heading: &str, measured: &[String]) {
    let page = read("docs/access-patterns.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let table = section
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1);
    let stated: Vec<&str> = table.take_while(|line| line.starts_with('|')).collect();
    assert!(
        stated == measured,
        "{heading:?} of docs/access-patterns.md should have these rows:\n{}",
        measured.join("\n")
    );
}

#[tokio::test]
async fn each_operation_costs_what_is_documented() {
    let world = job_board().await;
    let examples: BTreeMap<String, Value> = serde_json::from_str(&read(FILE)).unwrap();
    let row = async |what: &str, target: &str, body: Option<&Value>| {
        let lookup = process(&world);
        let cold = cost(&world, &lookup, target, body).await;
        let again = cost(&world, &lookup, target, body).await;
        format!("| {what} | {cold} | {again} |")
    };
    let mut rows = Vec::new();
    for (operation, example) in &examples {
        let (target, body) = (example["request"].as_str().unwrap(), example.get("body"));
        rows.push(row(&format!("`{operation}`"), target, body).await);
        if work(&world).await > 0 {
            rows.push(row(&format!("`{operation}`, made before"), target, body).await);
        }
        for (_, what, target) in FURTHER.iter().filter(|(of, ..)| of == operation) {
            let target = format!("/v1/tenants/job-board/{target}");
            rows.push(row(&format!("`{operation}`, {what}"), &target, None).await);
        }
    }
    assert_stated("Operations", &rows);
}

#[tokio::test]
async fn a_term_with_its_ancestors_costs_what_is_documented() {
    let world = job_board().await;
    let committed = world.committed("job-board").await;
    let mut rows = Vec::new();
    for (age, now_ms) in [
        ("60 s or more", committed.projected_at + MINUTE_MS),
        ("less than 60 s", committed.projected_at + MINUTE_MS - 1),
    ] {
        let lookup = process_at(&world, now_ms, |parts| parts);
        let term = async |id: u64| {
            let target = format!("/v1/tenants/job-board/terms/{id}");
            cost(&world, &lookup, &target, None).await
        };
        let (cold, head, both) = (term(112).await, term(113).await, term(113).await);
        for (memory, cost) in [
            ("nothing", cold),
            ("the head", head),
            ("the head and the term", both),
        ] {
            rows.push(format!("| {age} | {memory} | {cost} |"));
        }
    }
    assert_stated("A term with its category and all its ancestors", &rows);
}
