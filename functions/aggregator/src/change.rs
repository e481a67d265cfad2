//! What a record of the stream means. Pure.

use taxonomy_keys::{ItemKey, TenantId, Version};

use crate::record::{Image, Record};

/// What a record asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The table holds this version of the tenant now.
    Projected { tenant: TenantId, version: Version },
    /// Nothing.
    Ignored(Reason),
}

/// Why a record asks for nothing. The stream's filter passes heads only; this holds without the filter too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// An aggregate, which this function writes itself.
    OwnWrite,
    /// Another item than a head.
    NotAHead,
    /// The item is gone.
    Removed,
    /// The projection stands where it stood.
    NotMoved,
}

/// Reads a record by its keys first, so that nothing but a head is ever looked into.
pub(crate) fn change(record: &Record) -> Change {
    let keys = &record.dynamodb.keys;
    let (Some(pk), Some(sk)) = (keys.text("PK"), keys.text("SK")) else {
        return Change::Ignored(Reason::NotAHead);
    };
    let tenant = match ItemKey::parse(pk, sk) {
        Ok(ItemKey::Head { tenant }) => tenant,
        Ok(
            ItemKey::TenantStats { .. }
            | ItemKey::CategoryStats { .. }
            | ItemKey::MonthActivity { .. }
            | ItemKey::Counted { .. },
        ) => return Change::Ignored(Reason::OwnWrite),
        Ok(_) | Err(_) => return Change::Ignored(Reason::NotAHead),
    };
    if record.event_name == "REMOVE" {
        return Change::Ignored(Reason::Removed);
    }
    let projected = |image: &Image| image.number("Projected").and_then(Version::new);
    match (
        projected(&record.dynamodb.old_image),
        projected(&record.dynamodb.new_image),
    ) {
        (old, Some(version)) if old != Some(version) => Change::Projected { tenant, version },
        _ => Change::Ignored(Reason::NotMoved),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Batch;

    fn changes(sample: &str) -> Vec<Change> {
        let path = format!(
            "{}/../../events/aggregator/{sample}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let batch: Batch = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        batch.records.iter().map(change).collect()
    }

    fn projected(version: u64) -> Change {
        Change::Projected {
            tenant: "job-board".parse().unwrap(),
            version: Version::new(version).unwrap(),
        }
    }

    #[test]
    fn the_sample_events_are_understood() {
        assert_eq!(changes("head-modified"), [projected(1)]);
        assert_eq!(changes("own-write"), [Change::Ignored(Reason::OwnWrite)]);
        assert!(changes("mixed-batch").contains(&Change::Ignored(Reason::OwnWrite)));
    }

    fn head(name: &str, old: Option<u64>, new: Option<u64>) -> Change {
        let image = |projected: Option<u64>| match projected {
            Some(projected) => serde_json::json!({"Projected": {"N": projected.to_string()}}),
            None => serde_json::Value::Null,
        };
        let record = serde_json::json!({"eventName": name, "dynamodb": {"SequenceNumber": "1", "Keys": {"PK": {"S": "TAXONOMY#job-board"}, "SK": {"S": "HEAD"}}, "OldImage": image(old), "NewImage": image(new)}});
        change(&serde_json::from_value(record).unwrap())
    }

    #[test]
    fn only_a_projection_that_moved_is_a_change() {
        assert_eq!(head("MODIFY", Some(0), Some(1)), projected(1));
        assert_eq!(head("MODIFY", Some(1), Some(3)), projected(3));
        assert_eq!(head("INSERT", None, Some(1)), projected(1));
        assert_eq!(
            head("MODIFY", Some(1), Some(1)),
            Change::Ignored(Reason::NotMoved)
        );
        assert_eq!(head("INSERT", None, Some(0)), Change::Ignored(Reason::NotMoved));
        assert_eq!(head("INSERT", None, None), Change::Ignored(Reason::NotMoved));
        assert_eq!(head("REMOVE", Some(1), None), Change::Ignored(Reason::Removed));
    }
}
