//! The published JSON Schema and the parser agree about the shape of a file.

use std::fs;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use taxonomy_model::{Issue, Severity};
use taxonomy_testfiles::{files, read};

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/taxonomy.schema.json");
    let text = fs::read_to_string(path).unwrap();
    jsonschema::draft202012::new(&serde_json::from_str(&text).unwrap()).unwrap()
});

/// The rules that a schema cannot express: rules across values, and the content of texts.
const BEYOND_A_SCHEMA: &[&str] = &[
    "duplicate-key",
    "duplicate-category-id",
    "duplicate-term-id",
    "duplicate-culture",
    "missing-default-name",
    "empty-name",
    "control-character",
    "depth-exceeded",
    "metadata-too-large",
    "category-too-large",
    "names-too-large",
    "self-replacement",
    "self-relation",
    "invalid-date",
    "misnamed-field",
    "too-many-nodes",
];

fn agree(json: &str) {
    let Ok(value) = serde_json::from_str::<Value>(json) else {
        return;
    };
    let report = match read(json) {
        Ok(parsed) => parsed.report,
        Err(report) => *report,
    };
    let errors = report.issues.into_iter();
    let errors: Vec<Issue> = errors.filter(|issue| issue.severity == Severity::Error).collect();
    let is_of_shape = |issue: &Issue| !BEYOND_A_SCHEMA.contains(&issue.code.as_str());
    let schema_errors = SCHEMA.iter_errors(&value);
    let schema_errors = schema_errors.map(|error| format!("{} {error}", error.instance_path()));
    let schema_errors: Vec<String> = schema_errors.collect();
    let said = format!("{json}\nparser: {errors:#?}\nschema: {schema_errors:#?}");
    let (by_schema, by_parser) = (!schema_errors.is_empty(), !errors.is_empty());
    let is_of_shape = errors.iter().any(is_of_shape);
    assert!(!is_of_shape || by_schema, "the schema takes it: {said}");
    assert!(!by_schema || by_parser, "the parser takes it: {said}");
}

#[test]
fn they_agree_on_the_samples() {
    let samples = format!("{}/../../samples", env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in [samples.clone(), format!("{samples}/invalid")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json")
                && let Ok(text) = fs::read_to_string(&path)
            {
                agree(&text);
                seen += 1;
            }
        }
    }
    assert!(seen >= 17, "{seen} samples");
}

/// A value that may or may not belong where it is put.
fn intruders() -> impl Strategy<Value = Value> {
    let (largest, long) = (1_u64 << 53, "x".repeat(2100));
    let values = json!([null, true, -1, 1.5, largest, "en-GB", "not a tag!", long, [], {}]);
    prop::sample::select(values.as_array().unwrap().clone())
}

/// Puts `intruder` in the place of one value of the file.
fn intrude(value: &mut Value, place: &mut usize, intruder: &Value) {
    if *place == 0 {
        *value = intruder.clone();
    }
    *place = place.wrapping_sub(1);
    let below = |value: &mut Value| intrude(value, place, intruder);
    match value {
        Value::Array(values) => values.iter_mut().for_each(below),
        Value::Object(fields) => fields.values_mut().for_each(below),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn they_agree_on_any_file_with_one_strange_value(file in files(), mut place in 0..60_usize, intruder in intruders()) {
        let mut value: Value = serde_json::from_str(&file).unwrap();
        intrude(&mut value, &mut place, &intruder);
        agree(&value.to_string());
    }
}
