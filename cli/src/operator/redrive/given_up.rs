//! Reads stream records that Lambda gave up on. The aggregator takes each from its deferred queue as it is (docs/decisions/0011-isolation.md).

use serde::Deserialize;
use serde_json::Value;

/// An object that Lambda wrote: metadata of the failure, and the event of the invocation.
#[derive(Deserialize)]
struct FailureObject {
    payload: Payload,
}

/// The event of an invocation. Lambda writes it as a JSON string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Payload {
    Text(String),
    Event(FailedEvent),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct FailedEvent {
    records: Vec<Value>,
}

/// Returns a message for each record, in their order.
///
/// # Errors
/// When the object is not in the form that Lambda writes.
pub(super) fn messages(object: &str) -> Result<Vec<String>, serde_json::Error> {
    let FailureObject { payload } = serde_json::from_str(object)?;
    let event = match payload {
        Payload::Text(text) => serde_json::from_str(&text)?,
        Payload::Event(event) => event,
    };
    Ok(event.records.iter().map(Value::to_string).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_record_becomes_a_message_and_an_object_of_another_form_is_refused() {
        let record = |number| json!({ "eventName": "MODIFY", "dynamodb": { "SequenceNumber": number } });
        let records = [1, 2].map(record);
        let event = json!({ "Records": records });
        let expected = records.map(|record| record.to_string());
        for payload in [json!(event.to_string()), event] {
            let batch = json!({ "shardId": "s" });
            let object = json!({ "version": "1.0", "DDBStreamBatchInfo": batch, "payload": payload });
            assert_eq!(messages(&object.to_string()).unwrap(), expected);
        }
        assert!(messages("{}").is_err());
        assert!(messages(r#"{"payload":"{"}"#).is_err());
    }
}
