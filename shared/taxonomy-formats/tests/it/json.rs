//! A download as JSON is the pushed file again.

use proptest::prelude::*;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::{SortedTaxonomy, json};
use taxonomy_model::{Defaults, Limits, Settings, Taxonomy, parse, snapshot};

use taxonomy_testfiles::nasty::nasty_files;
use taxonomy_testfiles::real;
use taxonomy_testfiles::{files, taxonomy};

fn written(taxonomy: &Taxonomy) -> Vec<u8> {
    let mut bytes = Vec::new();
    json::write(&SortedTaxonomy::new(taxonomy, sibling_keys), &mut bytes).unwrap();
    bytes
}

/// Parses a download with the settings of its version.
fn read(bytes: &[u8], settings: &Settings) -> Taxonomy {
    let defaults = Defaults {
        tenant_culture: Some(settings.default_culture.clone()),
        stack_culture: "x-none".parse().unwrap(),
        fallback_chain: settings.fallback_chain.clone(),
    };
    let parsed = parse(bytes, &defaults, Limits::default());
    let text = String::from_utf8_lossy(bytes);
    let parsed = parsed.unwrap_or_else(|report| panic!("{report:#?}\n{text}"));
    parsed.taxonomy
}

fn check(original: &Taxonomy) {
    let bytes = written(original);
    let read = read(&bytes, original.settings());
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(snapshot::hash(&read), snapshot::hash(original), "{text}");
    assert!(written(&read) == bytes, "one content has one text");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_download_has_the_state_hash_of_its_version(plain in files(), nasty in nasty_files()) {
        check(&taxonomy(&plain));
        let original = taxonomy(&nasty);
        check(&original);
        // A version is read from its snapshot before it is written.
        let mut stored = Vec::new();
        snapshot::write(&original, &mut stored).unwrap();
        let (read, _) = snapshot::read(&*stored).unwrap();
        prop_assert!(written(&read) == written(&original));
        let settings = Settings {
            default_culture: "fr-FR".parse().unwrap(),
            fallback_chain: vec!["de-DE".parse().unwrap(), "x-own".parse().unwrap()],
        };
        if let Ok(other) = original.under(settings) {
            check(&other);
        }
    }
}

#[test]
#[ignore = "real taxonomies: make prove NAMES=memory"]
fn every_real_file_comes_back() {
    for file in real::files() {
        check(&real::taxonomy(&file));
    }
}

#[test]
fn siblings_stand_in_their_order_each_on_a_line() {
    let file = r#"{"defaultCulture":"en-GB","categories":[
        {"id":2,"name":"B"},
        {"id":1,"name":"C","sortKey":"1","terms":[
            {"id":9,"name":"b","metadata":{"z":1,"a":[0.1]},"deprecation":{"reason":"R"}},
            {"id":8,"name":"a","children":[{"id":7,"names":[{"culture":"en-GB","name":"c","path":"p"}]}]}]}]}"#;
    let expect = r#"{"defaultCulture":"en-GB","categories":[
{"id":1,"names":[{"culture":"en-GB","name":"C"}],"sortKey":"1","terms":[
{"id":8,"names":[{"culture":"en-GB","name":"a"}],"children":[
{"id":7,"names":[{"culture":"en-GB","name":"c","path":"p"}]}]},
{"id":9,"names":[{"culture":"en-GB","name":"b"}],"metadata":{"a":[0.1],"z":1},"deprecated":true,"deprecation":{"reason":"R"}}]},
{"id":2,"names":[{"culture":"en-GB","name":"B"}]}]}
"#;
    assert_eq!(String::from_utf8(written(&taxonomy(file))).unwrap(), expect);
}

#[test]
fn a_version_without_content_is_a_file() {
    let file = "{\"defaultCulture\":\"fr-FR\",\"categories\":[]}\n";
    let empty = taxonomy(file);
    assert_eq!(written(&empty), file.as_bytes());
    check(&empty);
}
