//! The push of one file: what decides what becomes of it, the upload, and the plan that it must fit.

use taxonomy_keys::TenantId;
use taxonomy_model::{Changes, Hash, Provenance, Taxonomy, changed_identifiers};
use taxonomy_store::{Configuration, Head, Upload};
use taxonomy_versioning::VersioningError;

use super::outcome::{Compared, Outcome, PushedFile};
use super::plan_file::{PlanFile, PlannedHead};
use super::target::TenantFile;
use super::{Push, PushStack};
use crate::arguments::FailOn;
use crate::blocking;
use crate::difference::{ChangedTerms, KEEP_IDS, other_concepts};
use crate::failure::Failure;
use crate::file::{self, GZIP, MAX_BYTES};
use crate::output::{counted, grouped};
use crate::progress::ProgressLine;
use crate::upstream::tenant_state::{TenantState, defaults};
use crate::upstream::validate::{Validated, validate_content};

/// The advice if a plan is no longer valid.
const PLAN_AGAIN: &str = "Plan again, and check the difference.";

/// A file to push.
pub(super) struct Job<'a> {
    pub(super) push: &'a Push,
    pub(super) parts: &'a PushStack,
    pub(super) target: &'a TenantFile,
    pub(super) plan: Option<&'a PlanFile>,
    pub(super) provenance: &'a Provenance,
    pub(super) line: ProgressLine,
}

/// A file that the service would accept as the tenant is.
struct CheckedFile {
    bytes: Vec<u8>,
    sha256: Hash,
    before: TenantState,
    compared: Compared,
}

impl Job<'_> {
    /// Pushes the file.
    pub(super) async fn run(self) -> PushedFile {
        let (outcome, compared) = match self.check().await {
            Ok(file) => self.upload(file).await,
            Err(outcome) => (outcome, Compared::default()),
        };
        PushedFile {
            tenant: self.target.tenant.clone(),
            file: file::name(&self.target.path),
            compared,
            outcome,
        }
    }

    /// Reads the file, and whatever decides what becomes of it. Returns it, unless its outcome is certain without an upload.
    async fn check(&self) -> Result<CheckedFile, Outcome> {
        let PushStack { heads, sources, .. } = self.parts;
        let tenant = &self.target.tenant;
        self.line.say("reading the file");
        let bytes = self.read().await?;
        let sha256 = Hash::digest(&bytes);
        let before = TenantState::read(heads, sources, tenant).await?;
        if before.configuration.purge.is_some() {
            return Err(Failure::from(VersioningError::Purging).into());
        }
        if let Some(plan) = self.plan {
            plan.check_file(&sha256)?;
        }
        if let Some(outcome) = self.known(&before, &sha256).await? {
            return Err(outcome);
        }
        if let Some(plan) = self.plan {
            plan.check(&before)?;
        }
        if before.configuration.frozen.is_some() && !self.push.no_wait {
            return Err(frozen(tenant).into());
        }
        self.line.say("validating");
        let (bytes, taxonomy, validated) = self.validate(&before.configuration, bytes).await?;
        let Some(taxonomy) = taxonomy.filter(|_| !validated.fails(self.push.fail_on)) else {
            return Err(Outcome::Invalid(Box::new(validated)));
        };
        self.line.say("comparing");
        let compared = self.compare(&before, taxonomy, validated).await?;
        Ok(CheckedFile {
            bytes,
            sha256,
            before,
            compared,
        })
    }

    /// Compares the content with that of the head, and refuses what the service would refuse.
    async fn compare(
        &self,
        before: &TenantState,
        new: Taxonomy,
        validated: Validated,
    ) -> Result<Compared, Failure> {
        let warned = validated.has_warnings().then(|| Box::new(validated));
        let Some(head) = &before.head.committed else {
            return Ok(Compared {
                warned,
                changed_identifiers: Vec::new(),
                terms: Some(ChangedTerms::from(&Changes::between(None, &new))),
            });
        };
        let old = self
            .parts
            .archive
            .snapshot(&head.snapshot_key, &head.state)
            .await?;
        let (limit, terms) = (before.configuration.removal_limit, head.terms);
        let (allows_removals, fail_on) = (self.push.allow_removals, self.push.fail_on);
        blocking::run(move || {
            let changes = Changes::between(Some(&old), &new);
            if !allows_removals && limit.is_exceeded(terms, &changes) {
                let removed = counted(changes.removed, "term");
                return Err(Failure::refused(
                    format!(
                        "the service would refuse to remove {removed} of {}",
                        grouped(terms)
                    ),
                    "`taxonomy plan` lists them, `--allow-removals` uploads the file all the same.",
                ));
            }
            let changed_identifiers = changed_identifiers(&old, &new);
            match other_concepts(&changed_identifiers).filter(|_| fail_on == FailOn::Warning) {
                Some(message) => Err(Failure::refused(message, KEEP_IDS)),
                None => Ok(Compared {
                    warned,
                    changed_identifiers,
                    terms: Some(ChangedTerms::from(&changes)),
                }),
            }
        })
        .await
    }

    /// Uploads the file and follows it.
    async fn upload(&self, file: CheckedFile) -> (Outcome, Compared) {
        let CheckedFile {
            bytes,
            sha256,
            before,
            compared,
        } = file;
        self.line.say("uploading");
        let upload = Upload {
            is_gzip: bytes.starts_with(&GZIP),
            bytes,
            provenance: self.provenance.clone(),
            allows_removals: self.push.allow_removals,
        };
        let uploaded = self
            .parts
            .sources
            .upload(&self.target.tenant, &upload, before.object.as_ref());
        let uploaded = uploaded.await;
        drop(upload);
        let outcome = match uploaded {
            Ok(version_id) => self.follow(before.version(), &version_id, &sha256).await,
            Err(error) => Err(error.into()),
        };
        let outcome = outcome.unwrap_or_else(Outcome::Failed);
        let compared = compared.after(before.version(), &outcome);
        (outcome, compared)
    }

    async fn read(&self) -> Result<Vec<u8>, Failure> {
        let path = self.target.path.clone();
        let most = self.most();
        let stored = blocking::run(move || file::stored(&path, most)).await?;
        stored.ok_or_else(|| {
            Failure::refused(
                format!("{} has more than {most} bytes", file::name(&self.target.path)),
                "The service would refuse it.",
            )
        })
    }

    /// Returns the outcome of a file that is already uploaded: that of the head, or that of an upload that the projector has not
    /// processed yet.
    async fn known(&self, before: &TenantState, sha256: &Hash) -> Result<Option<Outcome>, Failure> {
        let Some(object) = &before.object else {
            return Ok(None);
        };
        let is = |version_id: &str| version_id == object.version_id;
        let Head {
            committed, refused, ..
        } = &before.head;
        let is_refused = refused.as_ref().is_some_and(|refused| is(&refused.version_id));
        if let Some(head) = committed.as_ref().filter(|head| is(&head.source.version_id)) {
            // After a rollback the head is detached from its source, so pushing the same file again is a change.
            if head.source.sha256 != *sha256 || head.detached {
                return Ok(None);
            }
            if head.is_settled() || !self.push.wait_for_table {
                let version = head.version;
                return Ok(Some(Outcome::Unchanged { version }));
            }
            // The version belongs to this file, even if another run uploaded it. With 0, its publication counts as new.
            return self.follow(0, &object.version_id, sha256).await.map(Some);
        } else if object.claimed_sha256.as_ref() != Some(sha256)
            || object.allows_removals != self.push.allow_removals
            || is_refused
        {
            return Ok(None);
        } else if before.configuration.frozen.is_some() && !self.push.no_wait {
            return Err(frozen(&self.target.tenant));
        }
        let followed = self.follow(before.version(), &object.version_id, sha256);
        followed.await.map(Some)
    }

    /// Validates the file as the service will. Returns it with its content, if it is valid, and its report.
    async fn validate(
        &self,
        configuration: &Configuration,
        bytes: Vec<u8>,
    ) -> Result<(Vec<u8>, Option<Taxonomy>, Validated), Failure> {
        let defaults = defaults(configuration, self.parts.stack_culture.clone());
        let (name, most) = (file::name(&self.target.path), self.most());
        blocking::run(move || {
            let (taxonomy, validated) = validate_content(name, Some(&bytes), most, &defaults);
            Ok((bytes, taxonomy, validated))
        })
        .await
    }

    /// The most bytes that the stack takes, stored and decoded.
    fn most(&self) -> u64 {
        self.parts.max_file_bytes.min(MAX_BYTES)
    }
}

/// Returns the failure of a push for a frozen tenant.
fn frozen(tenant: &TenantId) -> Failure {
    Failure::unable(
        format!("the tenant {tenant} is frozen"),
        format!(
            "Uploads wait until `taxonomy tenant thaw {tenant}`; `--no-wait` uploads now and does not wait."
        ),
    )
}

impl PlanFile {
    /// Refuses a file other than the planned one.
    fn check_file(&self, sha256: &Hash) -> Result<(), Failure> {
        if self.sha256 == *sha256 {
            return Ok(());
        }
        Err(Failure::refused(
            "the file is not the one that was planned",
            PLAN_AGAIN,
        ))
    }

    /// Refuses the plan if the head, the configuration or the source object of the tenant has changed since.
    fn check(&self, state: &TenantState) -> Result<(), Failure> {
        let tenant = &self.tenant;
        let now = PlannedHead::new(&state.head);
        let changed = if self.base != now {
            let version = |base: &Option<PlannedHead>| base.as_ref().map_or(0, |base| base.version.get());
            let (was, is) = (version(&self.base), version(&now));
            format!("the tenant {tenant} has moved from version {was} to {is} since the plan")
        } else if self.revision != state.configuration.revision {
            format!("the tenant {tenant} was configured since the plan")
        } else if self.object.as_deref() != state.object_version() {
            format!("another file was uploaded for the tenant {tenant} since the plan")
        } else {
            return Ok(());
        };
        Err(Failure::refused(changed, PLAN_AGAIN))
    }
}
