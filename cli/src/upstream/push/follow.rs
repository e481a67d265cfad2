//! Follows an upload by polling the head of the tenant, until the service has committed, refused or superseded it. The commit publishes a version.

use std::time::Duration;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::{Committed, Head};
use tokio::time::{Instant, sleep};

use super::PushStack;
use super::job::Job;
use super::outcome::Outcome;
use crate::failure::Failure;
use crate::stack::LOOKUP_LAG;
use crate::upstream::refusal::RefusalReport;
use crate::upstream::tenant_state::TenantState;

/// The pause between two reads of the head. It grows from the first value to the second.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The state of an upload, derived from the head.
#[derive(Debug, PartialEq, Eq)]
enum UploadState {
    /// The projector has not processed it.
    Unseen,
    /// Its version is committed.
    Committed(Version),
    /// Another upload or a rollback replaced it; the version is the head's.
    Superseded(Version),
    /// It was refused; the value is the key of the report.
    Refused(String),
}

/// Derives the state of the upload with the version id `upload`. `current` is the version id of the tenant's source object.
fn state_of(upload: &str, head: &Head, current: &str) -> UploadState {
    if let Some(refusal) = head
        .refused
        .as_ref()
        .filter(|refusal| refusal.version_id == upload)
    {
        return UploadState::Refused(refusal.report_key.clone());
    }
    let Some(committed) = &head.committed else {
        return UploadState::Unseen;
    };
    let source = committed.source.version_id.as_str();
    let is_own = source == upload;
    if is_own && !committed.detached {
        return UploadState::Committed(committed.version);
    }
    let refused = head.refused.as_ref().map(|refusal| refusal.version_id.as_str());
    // An operator rolled back the version of this upload, or the service has processed a later upload.
    let is_over = is_own || (current != upload && (source == current || refused == Some(current)));
    if is_over {
        UploadState::Superseded(committed.version)
    } else {
        UploadState::Unseen
    }
}

impl Job<'_> {
    /// Polls the head until the service has finished with the upload. `before` is the version before it; 0 if there was none.
    pub(super) async fn follow(&self, before: u64, upload: &str, sha256: &Hash) -> Result<Outcome, Failure> {
        if self.push.no_wait {
            return Ok(Outcome::Uploaded);
        }
        if upload.is_empty() {
            return Err(Failure::Stack(
                "the source bucket keeps no versions, so an upload cannot be followed".to_owned(),
            ));
        }
        let PushStack { heads, sources, .. } = self.parts;
        let (tenant, timeout) = (&self.target.tenant, Duration::from_secs(self.push.timeout));
        let begin = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let state = TenantState::read(heads, sources, tenant).await?;
            let (head, current) = (&state.head, state.object_version().unwrap_or_default());
            match state_of(upload, head, current) {
                // The metadata of the object claims the hash of this file, but the content has another.
                UploadState::Committed(version) if !has_content(head, sha256) => {
                    return Ok(Outcome::Superseded { version });
                }
                UploadState::Committed(version) if self.push.wait_for_table && !is_written(head) => {
                    self.line.say(&format!(
                        "version {version} is served, its items are being written"
                    ));
                }
                UploadState::Committed(version) if version.get() > before => {
                    self.line.say(&format!("version {version} is committed"));
                    sleep(LOOKUP_LAG).await;
                    return Ok(Outcome::Published { version });
                }
                UploadState::Committed(version) => return Ok(Outcome::SameContent { version }),
                UploadState::Superseded(version) => {
                    sleep(LOOKUP_LAG).await;
                    return Ok(Outcome::Superseded { version });
                }
                UploadState::Refused(key) => return self.refused(head, &key).await,
                UploadState::Unseen if state.configuration.frozen.is_some() => {
                    return Err(frozen_meanwhile(tenant));
                }
                UploadState::Unseen => self.line.say("waiting for the service to process it"),
            }
            if begin.elapsed() >= timeout {
                let seconds = timeout.as_secs();
                return Ok(Outcome::TimedOut { seconds });
            }
            sleep(pause).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }

    async fn refused(&self, head: &Head, key: &str) -> Result<Outcome, Failure> {
        let report = self.parts.archive.report(key).await?;
        Ok(Outcome::Refused {
            report: RefusalReport::read(key, &report)?,
            serves: head.committed.as_ref().map(|head| head.version),
        })
    }
}

fn has_content(head: &Head, sha256: &Hash) -> bool {
    let committed = head.committed.as_ref();
    committed.is_some_and(|head| head.source.sha256 == *sha256)
}

fn is_written(head: &Head) -> bool {
    head.committed.as_ref().is_some_and(Committed::is_settled)
}

fn frozen_meanwhile(tenant: &TenantId) -> Failure {
    Failure::unable(
        format!("the tenant {tenant} was frozen, and the upload waits"),
        format!("The service processes it when the tenant is thawed: taxonomy tenant thaw {tenant}"),
    )
}

#[cfg(test)]
mod tests {
    use taxonomy_model::attribute::{self, Attributes};
    use taxonomy_store::Refusal;

    use super::UploadState::{Refused, Superseded, Unseen};
    use super::*;

    /// Returns a head at version 2 whose source is the object `source`.
    fn head(source: &str, projected: u64, detached: bool) -> Head {
        let id = Hash::digest(b"");
        let attributes = serde_json::json!({
            "V": 2, "ChangesetId": id, "StateHash": id, "SnapshotKey": "s", "IndexKey": "i", "CommittedAt": 1, "Format": 1, "Categories": 0,
            "Terms": 0, "DefaultCulture": "en-GB", "Provenance": {}, "Detached": detached, "Projected": projected, "ProjectedAt": 1,
            "Source": {"ETag": "e", "VersionId": source, "Sha256": id, "Size": 5},
        });
        let attributes: Attributes = attributes.as_object().cloned().unwrap();
        let committed: Committed = attribute::read(attributes).unwrap();
        Head {
            committed: Some(committed),
            ..Head::default()
        }
    }

    fn refusing(mut head: Head, version_id: &str) -> Head {
        head.refused = Some(Refusal {
            etag: "e".to_owned(),
            version_id: version_id.to_owned(),
            validator: 1,
            defaults: String::new(),
            code: "c".to_owned(),
            report_key: "reports/r".to_owned(),
            at: 1,
        });
        head
    }

    #[test]
    fn an_upload_is_judged_by_what_the_head_says_of_it() {
        let version = Version::new(2).unwrap();
        let (committed, superseded) = (UploadState::Committed(version), || Superseded(version));
        let (old, report) = (|| head("old", 2, false), Refused("reports/r".into()));
        for (why, head, current, expected) in [
            ("no version yet", Head::default(), "own", Unseen),
            ("another file's version", old(), "own", Unseen),
            ("being written", head("own", 1, false), "own", committed),
            ("refused", refusing(old(), "own"), "own", report),
            ("an older refusal", refusing(old(), "older"), "own", Unseen),
            ("a later one, not seen yet", old(), "later", Unseen),
            ("a later one", head("later", 2, false), "later", superseded()),
            ("being written", head("later", 1, false), "later", superseded()),
            ("refused", refusing(old(), "later"), "later", superseded()),
            ("rolled back", head("own", 2, true), "own", superseded()),
        ] {
            assert_eq!(state_of("own", &head, current), expected, "{why}");
        }
    }
}
