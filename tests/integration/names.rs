//! A public type has one name in all packages, unless two packages must have one each: the reasons are listed here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// Both sides of the HTTP API: the schema that the lookup writes, and the type that the client reads.
const BOTH_SIDES: &str = "the lookup's schema and the client's type of the same JSON";
/// The client may not depend on the crates of the service.
const CLIENT: &str = "the client's type of what a crate of the service stores or serves";
/// Each format of a file has its own.
const FORMATS: &str = "the same part of different file formats";

/// Names with more than one public type, and the reason of each.
const DUPLICATES: &[(&str, &str)] = &[
    ("Ancestor", BOTH_SIDES),
    ("Auth", "the lookup checks what the client sends"),
    ("BatchItem", BOTH_SIDES),
    (
        "Categories",
        "the list of the lookup, and the option of an import that chooses the categories of a source",
    ),
    ("Category", BOTH_SIDES),
    (
        "CategoryCounts",
        "the schema of the lookup, and the counts in the header of a changeset",
    ),
    ("CategoryName", BOTH_SIDES),
    ("CategoryStats", CLIENT),
    ("Config", "the environment of each function"),
    ("Counts", CLIENT),
    ("Cursor", "the client passes on the text that the store makes"),
    ("Deprecation", CLIENT),
    ("Event", "the fields of an HTTP event that each function reads"),
    ("Footer", FORMATS),
    ("Head", CLIENT),
    ("ListedCategory", BOTH_SIDES),
    ("Metadata", CLIENT),
    (
        "Metric",
        "a metric of a service, and a metric whose names the expander completes",
    ),
    ("Month", "the schema of the lookup, and the month in a key"),
    ("Notes", CLIENT),
    (
        "Page",
        "a page of the client has a cursor, a page of the table a position",
    ),
    ("Problem", BOTH_SIDES),
    ("Provenance", CLIENT),
    (
        "ReadError",
        "errors of reading a cached view, a changeset and a snapshot, each named with its module",
    ),
    ("RelatedId", CLIENT),
    ("Relation", CLIENT),
    ("RelationType", CLIENT),
    (
        "Response",
        "the responses of the two functions behind HTTP, one of which has binary bodies",
    ),
    (
        "RetryPolicy",
        "retries of HTTP by the client, and of AWS by the SDK",
    ),
    (
        "Severity",
        "the severities of an import, which has a third one, and of the validation",
    ),
    ("Tenant", BOTH_SIDES),
    (
        "TenantCounts",
        "the schema of the lookup, and the counts in the header of a changeset",
    ),
    ("TenantStats", CLIENT),
    ("Term", BOTH_SIDES),
    ("Terms", BOTH_SIDES),
    ("Totals", BOTH_SIDES),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the files of each public type of the shipped packages, by name.
fn public_types() -> BTreeMap<String, BTreeSet<String>> {
    let declaration = Regex::new(r"(?m)^ *pub (?:struct|enum|trait|type) (\w+)").unwrap();
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in ["functions", "shared"] {
        for package in fs::read_dir(root().join(folder)).unwrap() {
            let package = package.unwrap().path();
            let source = package.join("src");
            if package.ends_with("taxonomy-testkit") || !source.is_dir() {
                continue;
            }
            let mut files = Vec::new();
            sources(&source, &mut files);
            for file in files {
                let text = fs::read_to_string(&file).unwrap();
                let name = file.strip_prefix(root()).unwrap().display().to_string();
                for found in declaration.captures_iter(&text) {
                    types.entry(found[1].to_owned()).or_default().insert(name.clone());
                }
            }
        }
    }
    types
}

#[test]
fn a_public_name_has_one_meaning_or_a_reason() {
    let types = public_types();
    assert!(types.len() > 300, "{}", types.len());
    let found: BTreeMap<&str, &BTreeSet<String>> = types
        .iter()
        .filter(|(_, files)| files.len() > 1)
        .map(|(name, files)| (name.as_str(), files))
        .collect();
    let listed: BTreeSet<&str> = DUPLICATES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed.len(), DUPLICATES.len(), "a name is listed twice");
    for (name, files) in &found {
        assert!(listed.contains(name), "{name} has several meanings: {files:?}");
    }
    for name in listed {
        assert!(found.contains_key(name), "{name} has one meaning now");
    }
}
