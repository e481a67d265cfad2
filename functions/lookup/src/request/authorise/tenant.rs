//! The tenants that a caller may read.

use taxonomy_keys::TenantId;

/// A tenant that the caller may read. Only [`authorise`](super::authorise()) constructs one, and handlers take no other tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorisedTenant(TenantId);

impl AuthorisedTenant {
    pub(super) fn new(tenant: TenantId) -> Self {
        Self(tenant)
    }

    /// Its id.
    pub fn id(&self) -> &TenantId {
        &self.0
    }
}

/// The tenants that a caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readable {
    /// All tenants.
    Everything,
    /// These tenants, ascending.
    These(Vec<TenantId>),
}
