//! The redelivery of a message whose work failed: it is sent again with a count of its failures, until it becomes a dead letter. Pure.
//!
//! The function counts failures itself. The receive count of SQS also grows when a poll is throttled, which is no failure of the message.

use std::time::Duration;

use serde_json::Value;

/// The number of failures after which a message becomes a dead letter.
pub const TRIES: u64 = 10;

/// The member of a message's body that contains the number of its failures.
const COUNT: &str = "tries";

/// Returns the delay after `tries` failures: a minute, then twice as long each time, up to a quarter of an hour,
/// the longest that SQS delays a message.
pub fn delay(tries: u64) -> Duration {
    let doublings = tries.saturating_sub(1).min(4);
    Duration::from_secs((60 << doublings).min(900))
}

/// The redelivery of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Redelivery {
    /// It is sent again, with this delay.
    Retry { body: String, delay: Duration },
    /// It becomes a dead letter, with its body from before the first failure, so that a redrive begins anew.
    DeadLetter { body: String, tries: u64 },
}

/// Returns the redelivery of a message whose work failed once more. It becomes a dead letter after [`TRIES`] failures, or where `is_hopeless`
/// finds after so many failures that every further try would fail alike. `run` is the time at which an audit was requested, which the message
/// keeps.
pub(crate) fn after_failure(
    raw: &str,
    run: Option<u64>,
    is_hopeless: impl FnOnce(u64) -> bool,
) -> Redelivery {
    let Ok(Value::Object(mut body)) = serde_json::from_str(raw) else {
        return unparseable(raw);
    };
    let failed = body.remove(COUNT).and_then(|tries| tries.as_u64()).unwrap_or(0);
    let tries = failed.saturating_add(1);
    if tries >= TRIES || is_hopeless(tries) {
        let body = Value::Object(body).to_string();
        return Redelivery::DeadLetter { body, tries };
    }
    if let Some(run) = run {
        body.insert("run".to_owned(), run.into());
    }
    body.insert(COUNT.to_owned(), tries.into());
    Redelivery::Retry {
        body: Value::Object(body).to_string(),
        delay: delay(tries),
    }
}

/// Returns the redelivery of a message of unknown form: a retry would not help.
pub(crate) fn unparseable(raw: &str) -> Redelivery {
    Redelivery::DeadLetter {
        body: raw.to_owned(),
        tries: 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The bodies of a message from its first failure on, the last one as a dead letter, and the delays in between.
    fn life(first: &str, run: Option<u64>) -> (Vec<Value>, String, Vec<u64>) {
        let (mut bodies, mut waits, mut body) = (Vec::new(), Vec::new(), first.to_owned());
        loop {
            match after_failure(&body, run, |_| false) {
                Redelivery::Retry { body: next, delay } => {
                    bodies.push(serde_json::from_str(&next).unwrap());
                    body = next;
                    waits.push(delay.as_secs());
                }
                Redelivery::DeadLetter { body, .. } => return (bodies, body, waits),
            }
        }
    }

    fn dead(body: &str, tries: u64) -> Redelivery {
        let body = body.to_owned();
        Redelivery::DeadLetter { body, tries }
    }

    #[test]
    fn a_message_waits_longer_each_time_and_dies_after_ten_failures() {
        let (bodies, dead, waits) = life(r#"{"tenant":"acme"}"#, None);
        assert_eq!(waits, [60, 120, 240, 480, 900, 900, 900, 900, 900]);
        assert_eq!(bodies[0], json!({"tenant": "acme", "tries": 1}));
        assert_eq!(bodies[8], json!({"tenant": "acme", "tries": 9}));
        // As it was, so that a redrive begins anew.
        assert_eq!(dead, r#"{"tenant":"acme"}"#);
    }

    #[test]
    fn a_body_keeps_everything_that_others_put_into_it() {
        let destination = json!({"version": "1.0", "requestPayload": {"Records": [{"EventSource": "aws:sns"}]}, "responsePayload": {"tries": 7}});
        let notification = json!({"Type": "Notification", "Message": "{\"Records\":[]}", "MessageId": "é"});
        for first in [destination, notification] {
            let (bodies, dead, _) = life(&first.to_string(), None);
            assert_eq!(serde_json::from_str::<Value>(&dead).unwrap(), first);
            let mut last = bodies[8].clone();
            assert_eq!(last.as_object_mut().unwrap().remove("tries"), Some(json!(9)));
            assert_eq!(last, first);
        }
        let (bodies, dead, _) = life(r#"{"audit":"acme"}"#, Some(5));
        assert_eq!(bodies[0], json!({"audit": "acme", "run": 5, "tries": 1}));
        assert_eq!(dead, r#"{"audit":"acme","run":5}"#);
    }

    #[test]
    fn a_message_without_hope_dies_at_once_as_it_was_before_its_first_failure() {
        let failed = |body, hopeless_after| after_failure(body, None, |tries| tries >= hopeless_after);
        let message = r#"{"download":"acme","tries":4}"#;
        assert_eq!(failed(message, 5), dead(r#"{"download":"acme"}"#, 5));
        assert!(matches!(failed(message, 6), Redelivery::Retry { .. }));
        assert_eq!(failed("{", 1), dead("{", 1));
    }

    #[test]
    fn a_body_that_cannot_count_dies_as_it_is() {
        for raw in ["", "null", "[1]", "{", "\"text\""] {
            assert_eq!(after_failure(raw, None, |_| false), dead(raw, 1));
        }
        let strange = after_failure(r#"{"tenant":"acme","tries":"many"}"#, None, |_| false);
        assert!(matches!(strange, Redelivery::Retry { .. }), "counted anew");
        let huge = r#"{"tenant":"acme","tries":18446744073709551615}"#;
        let huge = after_failure(huge, None, |_| false);
        assert!(matches!(huge, Redelivery::DeadLetter { .. }));
    }
}
