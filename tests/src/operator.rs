//! An operator with a projector at hand: a request or an audit that is carried out at once.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Answer, Request};
use taxonomy_versioning::{Audit, AuditRequest, Audited, Deadline, RepairReport, Service, VersioningError};

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
