//! What others are told. Pure. The bytes are the message format (docs/decisions/0008-changeset-chain.md).

use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Changes, Hash, Provenance, Totals};
use taxonomy_store::LogEntry;

use crate::change::{Projected, Refused};

/// The format that this build writes.
const FORMAT_VERSION: u32 = 1;

/// A message, and what subscriptions filter it by.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Notification {
    pub(crate) kind: &'static str,
    /// The same each time the same thing is told.
    pub(crate) id: String,
    pub(crate) message: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a, T> {
    format_version: u32,
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    tenant: &'a str,
    #[serde(flatten)]
    what: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaxonomyPublished<'a> {
    from: u64,
    to: u64,
    totals: Counts,
    changes: Changes,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
    changeset: ChangesetAt<'a>,
    committed_at: u64,
    projected_at: u64,
}

#[derive(Serialize)]
struct Counts {
    categories: u64,
    terms: u64,
    leaves: u64,
    deprecated: u64,
}

#[derive(Serialize)]
struct ChangesetAt<'a> {
    bucket: &'a str,
    key: &'a str,
    id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaxonomyRejected<'a> {
    version: u64,
    etag: &'a str,
    version_id: &'a str,
    code: &'a str,
    report: ReportAt<'a>,
    at: u64,
}

#[derive(Serialize)]
struct ReportAt<'a> {
    bucket: &'a str,
    key: &'a str,
}

/// That a version can be read, as the log has it.
pub(crate) fn published(
    bucket: &str,
    tenant: &TenantId,
    projected: Projected,
    entry: &LogEntry,
) -> Result<Notification, serde_json::Error> {
    let Totals {
        categories,
        terms,
        leaves,
        deprecated,
    } = entry.totals;
    let what = TaxonomyPublished {
        from: projected.from.map_or(0, Version::get),
        to: projected.to.get(),
        totals: Counts {
            categories,
            terms,
            leaves,
            deprecated,
        },
        changes: entry.changes,
        provenance: &entry.provenance,
        changeset: ChangesetAt {
            bucket,
            key: &entry.changeset_key,
            id: entry.changeset.as_str(),
        },
        committed_at: entry.committed_at,
        projected_at: projected.at,
    };
    let id = format!("published-{}", entry.changeset);
    notification("TaxonomyPublished", id, tenant, what)
}

/// That an upload was refused.
pub(crate) fn rejected(
    bucket: &str,
    tenant: &TenantId,
    refused: &Refused,
) -> Result<Notification, serde_json::Error> {
    let what = TaxonomyRejected {
        version: refused.version,
        etag: &refused.etag,
        version_id: &refused.version_id,
        code: &refused.code,
        report: ReportAt {
            bucket,
            key: &refused.report_key,
        },
        at: refused.at,
    };
    // No part can hold a line feed, so no two refusals share a text.
    let identity = format!(
        "{tenant}\n{}\n{}\n{}\n{}",
        refused.etag, refused.version_id, refused.validator, refused.defaults
    );
    let id = format!("rejected-{}", Hash::of(identity.as_bytes()));
    notification("TaxonomyRejected", id, tenant, what)
}

fn notification<T: Serialize>(
    kind: &'static str,
    id: String,
    tenant: &TenantId,
    what: T,
) -> Result<Notification, serde_json::Error> {
    let message = serde_json::to_string(&Message {
        format_version: FORMAT_VERSION,
        kind,
        id: &id,
        tenant: tenant.as_str(),
        what,
    })?;
    Ok(Notification { kind, id, message })
}

#[cfg(test)]
mod tests {
    use taxonomy_model::changeset::Cause;

    use super::*;

    fn hash(digit: &str) -> Hash {
        Hash::parse(&digit.repeat(64)).unwrap()
    }

    fn entry() -> LogEntry {
        LogEntry {
            version: Version::new(3).unwrap(),
            changeset: hash("a"),
            parent: Some(hash("b")),
            state: hash("c"),
            snapshot_key: "snapshots/acme/000000000003-c.json.zst".to_owned(),
            changeset_key: "changesets/acme/000000000003-a.json.zst".to_owned(),
            cause: Cause::Rebuild,
            provenance: Provenance::of(|name| (name != "author").then(|| format!("the {name}"))),
            full: true,
            facts: 0,
            source: None,
            committed_at: 1000,
            totals: Totals {
                categories: 2,
                terms: 5,
                leaves: 3,
                deprecated: 1,
            },
            changes: Changes {
                added: 1,
                changed: 2,
                removed: 3,
                renamed: 4,
                moved: 5,
                deprecated: 6,
                restored: 7,
                final_names: 8,
            },
        }
    }

    fn refused() -> Refused {
        Refused {
            version: 1,
            etag: "0123".to_owned(),
            version_id: "v7".to_owned(),
            validator: 1,
            defaults: "||en-GB|50%20".to_owned(),
            code: "mass-removal".to_owned(),
            report_key: "reports/acme/0123.json".to_owned(),
            at: 3000,
        }
    }

    #[test]
    fn a_published_version_is_these_bytes() {
        let projected = Projected {
            from: Version::new(1),
            to: Version::new(3).unwrap(),
            at: 2000,
        };
        let told = published("changesets", &"acme".parse().unwrap(), projected, &entry()).unwrap();
        let id = format!("published-{}", "a".repeat(64));
        let message = format!(
            "{{\"formatVersion\":1,\"type\":\"TaxonomyPublished\",\"id\":\"{id}\",\"tenant\":\"acme\",\"from\":1,\"to\":3,\
             \"totals\":{{\"categories\":2,\"terms\":5,\"leaves\":3,\"deprecated\":1}},\
             \"changes\":{{\"added\":1,\"changed\":2,\"removed\":3,\"renamed\":4,\"moved\":5,\"deprecated\":6,\"restored\":7,\"finalNames\":8}},\
             \"provenance\":{{\"release\":\"the release\",\"reason\":\"the reason\"}},\
             \"changeset\":{{\"bucket\":\"changesets\",\"key\":\"changesets/acme/000000000003-a.json.zst\",\"id\":\"{}\"}},\
             \"committedAt\":1000,\"projectedAt\":2000}}",
            "a".repeat(64)
        );
        assert_eq!(
            told,
            Notification {
                kind: "TaxonomyPublished",
                id,
                message
            }
        );
    }

    #[test]
    fn a_refused_upload_is_these_bytes() {
        let told = rejected("changesets", &"acme".parse().unwrap(), &refused()).unwrap();
        // printf 'acme\n0123\nv7\n1\n||en-GB|50%%20' | sha256sum
        let id = "rejected-d08ec1fe515d73bc82559705ab6632a69466aa279be7508efb7216b6b2780856";
        let message = format!(
            "{{\"formatVersion\":1,\"type\":\"TaxonomyRejected\",\"id\":\"{id}\",\"tenant\":\"acme\",\"version\":1,\
             \"etag\":\"0123\",\"versionId\":\"v7\",\"code\":\"mass-removal\",\
             \"report\":{{\"bucket\":\"changesets\",\"key\":\"reports/acme/0123.json\"}},\"at\":3000}}"
        );
        assert_eq!(told.id, id);
        assert_eq!((told.kind, told.message), ("TaxonomyRejected", message));
    }

    #[test]
    fn what_a_refusal_is_known_by_is_in_its_id_and_nothing_else() {
        let id = |tenant: &str, refused: &Refused| {
            rejected("changesets", &tenant.parse().unwrap(), refused)
                .unwrap()
                .id
        };
        let same = id("acme", &refused());
        let told_again = Refused {
            at: 9,
            version: 2,
            ..refused()
        };
        assert_eq!(id("acme", &told_again), same);
        let others = [
            ("acme2", refused()),
            (
                "acme",
                Refused {
                    etag: "4567".to_owned(),
                    ..refused()
                },
            ),
            (
                "acme",
                Refused {
                    version_id: "v8".to_owned(),
                    ..refused()
                },
            ),
            (
                "acme",
                Refused {
                    validator: 2,
                    ..refused()
                },
            ),
            (
                "acme",
                Refused {
                    defaults: "fr-FR||en-GB|50%20".to_owned(),
                    ..refused()
                },
            ),
        ];
        for (tenant, other) in others {
            assert_ne!(id(tenant, &other), same, "{tenant} {other:?}");
        }
    }
}
