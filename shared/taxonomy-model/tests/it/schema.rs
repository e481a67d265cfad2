//! The published JSON Schema and the parser agree about the shape of a file.

use std::fs;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;

use taxonomy_testfiles::{files, issues, read};

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let text = fs::read_to_string(format!(
        "{}/../../docs/taxonomy.schema.json",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
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
    let errors: Vec<String> = match read(json) {
        Ok(_) => Vec::new(),
        Err(_) => issues(json.as_bytes()),
    };
    let shape = |issue: &String| !BEYOND_A_SCHEMA.iter().any(|code| issue.starts_with(code));
    let is_error = |issue: &&String| {
        taxonomy_model::Code::ALL.iter().any(|code| {
            code.severity() == taxonomy_model::Severity::Error
                && issue.split(' ').next() == Some(code.as_str())
        })
    };
    let errors: Vec<&String> = errors.iter().filter(is_error).collect();
    let about_shape: Vec<&&String> = errors.iter().filter(|issue| shape(issue)).collect();
    let schema_errors: Vec<String> = SCHEMA
        .iter_errors(&value)
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect();
    let said = format!("{json}\nparser: {errors:#?}\nschema: {schema_errors:#?}");
    assert!(
        about_shape.is_empty() || !schema_errors.is_empty(),
        "the schema takes what the parser refuses: {said}"
    );
    assert!(
        schema_errors.is_empty() || !errors.is_empty(),
        "the parser takes what the schema refuses: {said}"
    );
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
    prop_oneof![
        Just(Value::Null),
        Just(Value::from(true)),
        Just(Value::from(-1)),
        Just(Value::from(1.5)),
        Just(Value::from(1_u64 << 53)),
        Just(Value::from("en-GB")),
        Just(Value::from("not a tag!")),
        Just(Value::from("x".repeat(2100))),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
    ]
}

/// Puts `intruder` in the place of one value of the file.
fn intrude(value: &mut Value, place: &mut usize, intruder: &Value) {
    if *place == 0 {
        *value = intruder.clone();
    }
    *place = place.wrapping_sub(1);
    match value {
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| intrude(value, place, intruder)),
        Value::Object(fields) => fields
            .iter_mut()
            .for_each(|(_, value)| intrude(value, place, intruder)),
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
