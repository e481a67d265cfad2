//! Validation of notifications against their published schema, and against the rules of CloudEvents 1.0.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};
use taxonomy_testkit::sns::Published;

/// The published schema.
pub static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../docs/notification.schema.json")).unwrap());

/// A validator of the published schema, which allows members that the schema does not name.
static OPEN: LazyLock<Validator> = LazyLock::new(|| validator(&SCHEMA));

/// A validator of the published schema that refuses members that the schema does not name.
static CLOSED: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema = SCHEMA.clone();
    close(&mut schema);
    validator(&schema)
});

/// A validator of the core of <https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md>, and of its JSON format for structured mode.
static CLOUD_EVENTS: LazyLock<Validator> = LazyLock::new(|| {
    validator(&json!({
        "type": "object",
        "required": ["specversion", "id", "source", "type"],
        "propertyNames": {"pattern": "^([a-z0-9]+|data_base64)$"},
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {"type": "string", "minLength": 1},
            "source": {"type": "string", "minLength": 1, "format": "uri-reference"},
            "type": {"type": "string", "minLength": 1},
            "datacontenttype": {"type": "string", "pattern": "^[^/ ]+/[^/ ]+$"},
            "dataschema": {"type": "string", "minLength": 1, "format": "uri"},
            "subject": {"type": "string", "minLength": 1},
            "time": {"type": "string", "format": "date-time"},
            "data": true,
            "data_base64": {"type": "string"},
        },
        // Extension attributes: a text, a Boolean or an integer of 32 bits.
        "additionalProperties": {"type": ["string", "boolean", "integer"], "minimum": i32::MIN, "maximum": i32::MAX},
        "not": {"required": ["data", "data_base64"]},
    }))
});

/// Builds a validator of draft 2020-12 that also checks formats.
pub fn validator(schema: &Value) -> Validator {
    let options = jsonschema::draft202012::options();
    options.should_validate_formats(true).build(schema).unwrap()
}

/// Restricts every object of a schema to the members that the schema names.
pub fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("properties").is_some_and(Value::is_object) {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}

/// Returns whether a subscriber that validates events accepts this one.
pub fn is_valid(event: &Value) -> bool {
    OPEN.is_valid(event)
}

/// Returns every rule that an event of this service breaks: rules of CloudEvents and of the published schema, without members that the
/// schema does not name.
pub fn violations(event: &Value) -> Vec<String> {
    let rules: [(&str, &Validator); 2] = [("schema", &CLOSED), ("CloudEvents", &CLOUD_EVENTS)];
    let errors = rules.into_iter().flat_map(|(rules, validator)| {
        let errors = validator.iter_errors(event);
        errors.map(move |error| format!("{rules}: {} {error}", error.instance_path()))
    });
    errors.collect()
}

/// Checks a message of the events topic: its body, and the attributes that subscription filters use. The topic of every world calls it with
/// each published message.
pub fn check(published: &Published) {
    let event: Value = serde_json::from_str(&published.message).unwrap();
    assert_eq!(violations(&event), [""; 0], "{event:#}");
    let attributes = published.attributes.iter();
    let attributes =
        attributes.map(|(name, value)| (name.as_str(), value.data_type.as_str(), value.value.as_str()));
    let repeated = [("tenant", "subject"), ("type", "type")]
        .map(|(name, member)| (name, "String", event[member].as_str().unwrap()));
    assert_eq!(attributes.collect::<Vec<_>>(), repeated);
}
