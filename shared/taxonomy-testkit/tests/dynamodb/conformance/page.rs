//! Compares the page `docs/conformance.md` with the listed deviations.

use std::fs;

use super::deviations::{EMBEDDED_ENGINE, LOCAL_ENGINE};
use super::{behaviours, listed};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/conformance.md");

/// Returns one row for each behaviour from which an engine deviates.
fn rows() -> Vec<String> {
    let mut rows = Vec::new();
    for behaviour in behaviours() {
        let [embedded, local] = [EMBEDDED_ENGINE, LOCAL_ENGINE].map(|engine| listed(engine, behaviour));
        let done: Vec<_> = [embedded, local]
            .into_iter()
            .flatten()
            .map(|one| one.done)
            .collect();
        if !done.is_empty() {
            rows.push(format!(
                "| {} | {} | {} | {} | {} | {} |",
                behaviour.name,
                behaviour.aws,
                behaviour.page,
                embedded.map_or("as AWS", |one| one.seen),
                local.map_or("as AWS", |one| one.seen),
                done.join(" ")
            ));
        }
    }
    rows
}

#[test]
fn the_page_lists_every_difference_and_no_other() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, section) = page.split_once("## Differences\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let listed: Vec<_> = section
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .collect();
    assert_eq!(listed, rows(), "the table should be:\n{}", rows().join("\n"));
    let count = format!("{} behaviours", behaviours().count());
    assert!(page.contains(&count), "the page should contain: {count}");
}
