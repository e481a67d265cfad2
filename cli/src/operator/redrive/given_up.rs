//! Converts stream records that Lambda gave up on to messages of the deferred queue (docs/decisions/0011-isolation.md).

use serde::Deserialize;
use serde_json::{Map, Value, json};
use taxonomy_keys::{ItemKey, TenantId};

/// An object that Lambda wrote: metadata of the failure, and the event of the invocation.
#[derive(Deserialize)]
struct Object {
    payload: Payload,
}

/// The event of an invocation. Lambda writes it as a JSON string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Payload {
    Text(String),
    Event(Event),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    records: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    event_name: String,
    dynamodb: Images,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Images {
    keys: Image,
    #[serde(default)]
    old_image: Image,
    #[serde(default)]
    new_image: Image,
}

/// An item in DynamoDB's typed JSON.
#[derive(Default, Deserialize)]
struct Image(Map<String, Value>);

impl Image {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.get("S")?.as_str()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.get("N")?.as_str()?.parse().ok()
    }

    fn map(&self, name: &str) -> Option<Self> {
        Some(Self(self.0.get(name)?.get("M")?.as_object()?.clone()))
    }
}

/// Returns a message for each record that contains a new projected version or a new refusal, in the order of the records.
///
/// # Errors
/// When the object is not in the form that Lambda writes.
pub(super) fn messages(object: &str) -> Result<Vec<String>, serde_json::Error> {
    let Object { payload } = serde_json::from_str(object)?;
    let event = match payload {
        Payload::Text(text) => serde_json::from_str(&text)?,
        Payload::Event(event) => event,
    };
    Ok(event.records.iter().filter_map(message).collect())
}

fn message(record: &Record) -> Option<String> {
    let Images {
        keys,
        old_image: old,
        new_image: new,
    } = &record.dynamodb;
    let Ok(ItemKey::Head { tenant }) = ItemKey::parse(keys.text("PK")?, keys.text("SK")?) else {
        return None;
    };
    if record.event_name == "REMOVE" {
        return None;
    }
    let (projected, refused) = (projected(old, new), refused(old, new));
    (projected.is_some() || refused.is_some()).then(|| deferred(&tenant, projected, refused))
}

fn deferred(tenant: &TenantId, projected: Option<Value>, refused: Option<Value>) -> String {
    let mut message = json!({ "formatVersion": 1, "tenant": tenant });
    for (name, value) in [("projected", projected), ("refused", refused)] {
        if let Some(value) = value {
            message[name] = value;
        }
    }
    message.to_string()
}

fn projected(old: &Image, new: &Image) -> Option<Value> {
    let (from, to) = (old.number("Projected").unwrap_or(0), new.number("Projected")?);
    (from != to).then(|| json!({ "from": from, "to": to, "at": new.number("ProjectedAt").unwrap_or(0) }))
}

/// Returns the refusal of the new head, unless the old head already had it.
fn refused(old: &Image, new: &Image) -> Option<Value> {
    let refusal = new.map("Refused")?;
    let same = |name: &str| {
        let before = old.map("Refused");
        before.is_some_and(|before| before.0.get(name) == refusal.0.get(name))
    };
    if ["ETag", "VersionId", "Validator", "Defaults"]
        .into_iter()
        .all(same)
    {
        return None;
    }
    Some(json!({
        "version": new.number("V").unwrap_or(0),
        "etag": refusal.text("ETag")?,
        "versionId": refusal.text("VersionId").unwrap_or_default(),
        "validator": refusal.number("Validator")?,
        "defaults": refusal.text("Defaults").unwrap_or_default(),
        "code": refusal.text("Code")?,
        "report": refusal.text("Report")?,
        "at": refusal.number("At")?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(records: &Value) -> String {
        let event = json!({ "Records": records }).to_string();
        json!({ "version": "1.0", "DDBStreamBatchInfo": { "shardId": "s" }, "payload": event }).to_string()
    }

    fn head(old: &Value, new: &Value) -> Value {
        let keys = json!({ "PK": { "S": "TAXONOMY#acme" }, "SK": { "S": "HEAD" } });
        json!({ "eventName": "MODIFY", "dynamodb": { "Keys": keys, "OldImage": old, "NewImage": new } })
    }

    fn read(records: &Value) -> Vec<Value> {
        let messages = messages(&object(records)).unwrap();
        messages
            .iter()
            .map(|message| serde_json::from_str(message).unwrap())
            .collect()
    }

    #[test]
    fn a_projection_and_a_refusal_become_the_messages_that_the_aggregator_defers() {
        let projected = |version: &str| json!({ "Projected": { "N": version }, "ProjectedAt": { "N": "7" } });
        let refused = json!({ "V": { "N": "2" }, "Projected": { "N": "2" }, "Refused": { "M": {
            "ETag": { "S": "e" }, "VersionId": { "S": "v" }, "Validator": { "N": "1" }, "Defaults": { "S": "d" },
            "Code": { "S": "mass-removal" }, "Report": { "S": "reports/r" }, "At": { "N": "9" } } } });
        let stats = json!({ "eventName": "MODIFY", "dynamodb": { "Keys": { "PK": { "S": "STATS#acme" }, "SK": { "S": "TENANT" } } } });
        let records = json!([
            head(&json!({}), &projected("1")),
            stats,
            head(&projected("2"), &refused),
            head(&refused, &refused),
        ]);
        let expected = [
            json!({ "formatVersion": 1, "tenant": "acme", "projected": { "from": 0, "to": 1, "at": 7 } }),
            json!({ "formatVersion": 1, "tenant": "acme", "refused": {
                "version": 2, "etag": "e", "versionId": "v", "validator": 1, "defaults": "d", "code": "mass-removal",
                "report": "reports/r", "at": 9 } }),
        ];
        assert_eq!(read(&records), expected);
    }

    #[test]
    fn an_object_of_another_form_is_refused() {
        assert!(messages("{}").is_err());
        assert!(messages(r#"{"payload":"{"}"#).is_err());
    }
}
