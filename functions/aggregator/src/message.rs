//! Unfinished records: messages of the deferred queue, and objects of the failures bucket. Pure. The bytes are the format of
//! decision page 11 (docs/decisions/0011-isolation.md).

use serde::{Deserialize, Serialize};
use taxonomy_model::Hash;

use crate::change::HeadChange;
use crate::record::{EventRecord, RecordKind};

/// The format that this build writes.
const FORMAT_VERSION: u32 = 1;

/// A deferred record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deferred {
    pub(crate) change: HeadChange,
    /// The time at which the record was deferred first, in epoch milliseconds.
    pub(crate) since: u64,
    /// The number of tries from the queue.
    pub(crate) tries: u32,
}

/// A message is not one of this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the message is no deferred record")]
pub(crate) struct NotDeferred;

/// The stored form; `C` is the change, or a reference to it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeferredBody<C> {
    format_version: u32,
    #[serde(flatten)]
    change: C,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tries: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parked_at: Option<u64>,
}

impl<C> DeferredBody<C> {
    fn new(change: C) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            change,
            since: None,
            tries: None,
            error: None,
            parked_at: None,
        }
    }
}

impl Deferred {
    /// Returns a record that is deferred for the first time.
    pub(crate) fn new(change: HeadChange, now: u64) -> Self {
        Self {
            change,
            since: now,
            tries: 0,
        }
    }

    /// Returns the record after one more try.
    pub(crate) fn tried(self) -> Self {
        Self {
            tries: self.tries.saturating_add(1),
            ..self
        }
    }

    /// Parses a message. A parked record is one as well, and a record of the stream that Lambda gave up; both count as deferred from `now` on.
    /// Returns `None` for a record of the stream without a change.
    pub(crate) fn read(body: &str, now: u64) -> Result<Option<Self>, NotDeferred> {
        if let Ok(RecordKind::Stream(head)) = serde_json::from_str(body).map(EventRecord::kind) {
            return Ok(head.map(|head| Self::new(head.change, now)));
        }
        let body: DeferredBody<HeadChange> = serde_json::from_str(body).map_err(|_| NotDeferred)?;
        let is_change = body.change.committed.is_some() || body.change.refused.is_some();
        if body.format_version != FORMAT_VERSION || !is_change {
            return Err(NotDeferred);
        }
        Ok(Some(Self {
            change: body.change,
            since: body.since.unwrap_or(now),
            tries: body.tries.unwrap_or(0),
        }))
    }

    /// Returns the message.
    pub(crate) fn body(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&DeferredBody {
            since: Some(self.since),
            tries: Some(self.tries),
            ..DeferredBody::new(&self.change)
        })
    }
}

/// Returns key and content of a parked record.
pub(crate) fn parked(
    change: &HeadChange,
    error: &str,
    now: u64,
) -> Result<(String, Vec<u8>), serde_json::Error> {
    let identity = Hash::digest(&serde_json::to_vec(&DeferredBody::new(change))?);
    let version = change.committed.map_or(0, |committed| committed.version.get());
    let key = format!("parked/{}/{version:012}-{identity}.json", change.tenant);
    let body = serde_json::to_vec(&DeferredBody {
        error: Some(error.to_owned()),
        parked_at: Some(now),
        ..DeferredBody::new(change)
    })?;
    Ok((key, body))
}

/// Returns the key of a message of unknown form, which is stored unchanged.
pub(crate) fn unknown(body: &str) -> String {
    format!("parked-unknown/{}", Hash::digest(body.as_bytes()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::change::tests::{committed, refused};

    fn change() -> HeadChange {
        committed("acme", 2, 1000)
    }

    fn refusal() -> HeadChange {
        HeadChange {
            committed: None,
            refused: Some(refused()),
            ..change()
        }
    }

    #[test]
    fn a_deferred_record_is_these_bytes() {
        let deferred = Deferred::new(change(), 2000).tried();
        let body = r#"{"formatVersion":1,"tenant":"acme","committed":{"version":2,"at":1000},"since":2000,"tries":1}"#;
        assert_eq!(deferred.body().unwrap(), body);
        assert_eq!(Deferred::read(body, 9000), Ok(Some(deferred)));
        let body = r#"{"formatVersion":1,"tenant":"acme","refused":{"version":1,"etag":"0123","versionId":"v7","validator":1,"defaults":"||en-GB|50%20","code":"mass-removal","report":"reports/acme/0123.json","at":3000},"since":2000,"tries":0}"#;
        assert_eq!(Deferred::new(refusal(), 2000).body().unwrap(), body);
        let deferred = Deferred::new(refusal(), 2000);
        assert_eq!(Deferred::read(body, 9000), Ok(Some(deferred)));
    }

    #[test]
    fn a_parked_record_can_be_sent_as_it_is() {
        let (key, body) = parked(&change(), "the store failed: x", 5000).unwrap();
        // printf '{"formatVersion":1,"tenant":"acme","committed":{"version":2,"at":1000}}' | sha256sum
        let hash = "9dea1936986c09a00fb635c178d26829d25617635ab9253c76c7b15fa84f9d8c";
        assert_eq!(key, format!("parked/acme/000000000002-{hash}.json"));
        let body = String::from_utf8(body).unwrap();
        let expect = r#"{"formatVersion":1,"tenant":"acme","committed":{"version":2,"at":1000},"error":"the store failed: x","parkedAt":5000}"#;
        assert_eq!(body, expect);
        let deferred = Deferred::new(change(), 9000);
        assert_eq!(Deferred::read(&body, 9000), Ok(Some(deferred)));
        let (again, _) = parked(&change(), "another cause", 6000).unwrap();
        assert_eq!(again, key, "one object a record");
        let (other, _) = parked(&refusal(), "the store failed: x", 5000).unwrap();
        assert!(other.starts_with("parked/acme/000000000000-"), "{other}");
    }

    #[test]
    fn a_record_of_the_stream_is_read_as_the_stream_delivers_it() {
        let record = |before: u64| {
            json!({ "eventName": "MODIFY", "dynamodb": {
                "SequenceNumber": "7",
                "Keys": { "PK": { "S": "TAXONOMY#acme" }, "SK": { "S": "HEAD" } },
                "OldImage": { "V": { "N": before.to_string() } },
                "NewImage": { "V": { "N": "2" }, "CommittedAt": { "N": "1000" } } } })
        };
        let read = |before| Deferred::read(&record(before).to_string(), 9000);
        assert_eq!(read(1), Ok(Some(Deferred::new(change(), 9000))));
        assert_eq!(read(2), Ok(None), "its load ended");
    }

    #[test]
    fn a_message_of_another_form_is_none() {
        for body in [
            "",
            "{}",
            r#"{"tenant":"acme"}"#,
            r#"{"formatVersion":2,"tenant":"acme"}"#,
            r#"{"formatVersion":1,"tenant":"acme"}"#,
            r#"{"formatVersion":1,"tenant":"acme","projected":{"from":1,"to":2,"at":0}}"#,
            r#"{"formatVersion":1,"tenant":"no tenant","committed":{"version":1,"at":0}}"#,
            r#"{"formatVersion":1,"tenant":"acme","committed":{"version":0,"at":0}}"#,
        ] {
            assert_eq!(Deferred::read(body, 0), Err(NotDeferred), "{body}");
        }
    }
}
