//! An operator with a projector at hand: a request or an audit that is carried out at once.

use std::collections::BTreeSet;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Answer, Configuration, LogEntry, Request};
use taxonomy_versioning::{
    Audit, AuditRequest, Audited, Deadline, Outcome, RepairReport, Service, Verdict, VersioningError,
};

use crate::world::{World, tenant};

/// Requests of an operator, carried out by the process that asks; afterwards the tenant is at rest.
pub trait Operator {
    /// Returns the version with the content of version `to`.
    ///
    /// # Errors
    /// As [`Service::ask`] and [`Service::answer`].
    fn roll_back(
        &self,
        tenant: &TenantId,
        to: Version,
        provenance: Provenance,
    ) -> impl Future<Output = Result<Version, VersioningError>>;

    /// Returns the version that has every item written again.
    ///
    /// # Errors
    /// As [`Service::ask`] and [`Service::answer`].
    fn rebuild(
        &self,
        tenant: &TenantId,
        provenance: Provenance,
    ) -> impl Future<Output = Result<Version, VersioningError>>;

    /// Has everything of the tenant put right, and returns what was found.
    ///
    /// # Errors
    /// As [`Service::ask`] and [`Service::answer`].
    fn mend(
        &self,
        tenant: &TenantId,
        partitions: Vec<String>,
    ) -> impl Future<Output = Result<RepairReport, VersioningError>>;
}

impl Operator for Service {
    async fn roll_back(
        &self,
        tenant: &TenantId,
        to: Version,
        provenance: Provenance,
    ) -> Result<Version, VersioningError> {
        carried_out(self, tenant, Request::Rollback { to }, provenance).await
    }

    async fn rebuild(&self, tenant: &TenantId, provenance: Provenance) -> Result<Version, VersioningError> {
        carried_out(self, tenant, Request::Rebuild, provenance).await
    }

    async fn mend(
        &self,
        tenant: &TenantId,
        partitions: Vec<String>,
    ) -> Result<RepairReport, VersioningError> {
        let request = Request::Repair { partitions };
        match answered(self, tenant, request, Provenance::default()).await? {
            Answer::Repaired { report, .. } => self.report_of_repair(&report).await,
            other => panic!("{other:?}"),
        }
    }
}

async fn carried_out(
    service: &Service,
    tenant: &TenantId,
    request: Request,
    provenance: Provenance,
) -> Result<Version, VersioningError> {
    match answered(service, tenant, request, provenance).await? {
        Answer::Committed { version } => Ok(version),
        other => panic!("{other:?}"),
    }
}

async fn answered(
    service: &Service,
    tenant: &TenantId,
    request: Request,
    provenance: Provenance,
) -> Result<Answer, VersioningError> {
    let asked = service.ask(tenant, request, provenance).await?;
    service.reconcile(tenant, Deadline::NONE).await?;
    let answer = service.answer(tenant, &asked).await?;
    answer.ok_or(VersioningError::Overtaken)
}

/// Audits a tenant, which nobody requested. An audit that is paused did not have the time.
///
/// # Errors
/// As [`Service::audit`].
pub async fn whole_audit(
    service: &Service,
    tenant: &TenantId,
    deadline: Deadline,
) -> Result<Audit, VersioningError> {
    match service.audit(tenant, AuditRequest::default(), deadline).await? {
        Audited::Ended(audit) => Ok(audit),
        Audited::Before | Audited::Paused { .. } => Err(VersioningError::OutOfTime),
    }
}

impl World {
    /// Has every item of a tenant written again. Returns the version that has them.
    pub async fn rebuild(&self, tenant: &str) -> Version {
        let tenant = tenant.parse().unwrap();
        let rebuilt = Operator::rebuild(&self.service(), &tenant, Provenance::default()).await;
        rebuilt.unwrap()
    }

    /// Gives a tenant the content of an earlier version. Returns the version that has it.
    pub async fn roll_back(&self, tenant: &str, to: u64) -> Version {
        let (tenant, to) = (tenant.parse().unwrap(), Version::new(to).unwrap());
        let rolled_back = Operator::roll_back(&self.service(), &tenant, to, Provenance::default()).await;
        rolled_back.unwrap()
    }

    /// Changes the configuration of a tenant, which is at rest afterwards. Returns the revision.
    pub async fn configure(&self, tenant: &str, change: impl FnOnce(&mut Configuration)) -> u64 {
        self.try_configure(tenant, change).await.unwrap()
    }

    /// The same for a change that may be refused.
    ///
    /// # Errors
    /// As [`Service::configure`].
    pub async fn try_configure(
        &self,
        tenant: &str,
        change: impl FnOnce(&mut Configuration),
    ) -> Result<u64, VersioningError> {
        let (service, tenant) = (self.service(), tenant.parse().unwrap());
        let mut wanted = service.configuration(&tenant).await.unwrap();
        change(&mut wanted);
        let configured = service.configure(&tenant, &wanted).await?;
        let outcome = service.reconcile(&tenant, Deadline::NONE).await.unwrap();
        assert_eq!(outcome, Outcome::AtRest);
        Ok(configured)
    }

    /// Verifies the tenant of most tests.
    pub async fn verdict(&self) -> Verdict {
        let verified = self.service().verify(&tenant(), BTreeSet::new()).await;
        verified.unwrap()
    }

    /// Returns what a verification of the tenant of most tests lists, a line each.
    pub async fn listed(&self) -> Vec<String> {
        let listed = self.verdict().await.findings.listed;
        listed.iter().map(ToString::to_string).collect()
    }

    /// Checks that a verification of the tenant of most tests finds nothing. Returns the version that is counted.
    pub async fn clean(&self) -> Option<u64> {
        let verdict = self.verdict().await;
        assert!(verdict.is_clean(), "{verdict:?}");
        verdict.counted
    }

    /// Audits the tenant of most tests.
    pub async fn audit(&self) -> Audit {
        let audited = whole_audit(&self.service(), &tenant(), Deadline::NONE).await;
        audited.unwrap()
    }

    /// Returns the log entry of a version, which must exist.
    pub async fn entry(&self, tenant: &str, version: u64) -> LogEntry {
        let (tenant, version) = (tenant.parse().unwrap(), Version::new(version).unwrap());
        self.heads().entry(&tenant, version).await.unwrap().unwrap()
    }
}
