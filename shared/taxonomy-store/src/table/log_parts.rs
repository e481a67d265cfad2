//! Members of a log entry whose stored layout differs from their types. Attribute names are the storage format
//! (docs/decisions/0008-changeset-chain.md).

/// The cause of a version: its kind, and the version of a rollback. The hash of an upload is in `Source` alone.
pub(crate) mod cause {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};
    use serde_json::json;
    use taxonomy_model::Hash;
    use taxonomy_model::changeset::Cause;

    #[derive(serde::Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct StoredCause {
        cause: String,
        to: Option<u64>,
        source: Option<Source>,
    }

    #[derive(serde::Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Source {
        sha256: Hash,
    }

    pub(crate) fn serialize<S: Serializer>(cause: &Cause, serializer: S) -> Result<S::Ok, S::Error> {
        let to = match cause {
            Cause::Rollback { to } => Some(*to),
            Cause::Upload { .. } | Cause::Configuration | Cause::Format | Cause::Rebuild => None,
        };
        json!({ "Cause": cause.kind(), "To": to }).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cause, D::Error> {
        let StoredCause { cause, to, source } = StoredCause::deserialize(deserializer)?;
        match cause.as_str() {
            "upload" => {
                let Source { sha256 } = source.ok_or_else(|| D::Error::missing_field("Source"))?;
                Ok(Cause::Upload { sha256 })
            }
            "configuration" => Ok(Cause::Configuration),
            "format" => Ok(Cause::Format),
            "rebuild" => Ok(Cause::Rebuild),
            "rollback" => {
                let to = to.ok_or_else(|| D::Error::missing_field("To"))?;
                Ok(Cause::Rollback { to })
            }
            other => Err(D::Error::custom(format_args!("unknown cause `{other}`"))),
        }
    }
}

/// The changes of a version: in `Totals`, beside the absolute counts, and in `Activity`.
pub(crate) mod changes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use taxonomy_model::Changes;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct StoredChanges {
        totals: InTotals,
        activity: InActivity,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct InTotals {
        added: u64,
        changed: u64,
        removed: u64,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct InActivity {
        renamed: u64,
        moved: u64,
        deprecated: u64,
        restored: u64,
        final_names: u64,
    }

    pub(crate) fn serialize<S: Serializer>(changes: &Changes, serializer: S) -> Result<S::Ok, S::Error> {
        let Changes {
            added,
            changed,
            removed,
            renamed,
            moved,
            deprecated,
            restored,
            final_names,
        } = *changes;
        let stored = StoredChanges {
            totals: InTotals {
                added,
                changed,
                removed,
            },
            activity: InActivity {
                renamed,
                moved,
                deprecated,
                restored,
                final_names,
            },
        };
        stored.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Changes, D::Error> {
        let StoredChanges { totals, activity } = StoredChanges::deserialize(deserializer)?;
        Ok(Changes {
            added: totals.added,
            changed: totals.changed,
            removed: totals.removed,
            renamed: activity.renamed,
            moved: activity.moved,
            deprecated: activity.deprecated,
            restored: activity.restored,
            final_names: activity.final_names,
        })
    }
}
