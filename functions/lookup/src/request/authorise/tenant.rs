//! The tenants that a caller may read.

use std::collections::BTreeSet;

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
    /// All tenants, of those that the gateway allowed.
    Everything,
    /// The tenants that this claim names.
    Claimed(String),
}

impl Readable {
    pub(super) fn has(&self, tenant: &TenantId) -> bool {
        match self {
            Self::Everything => true,
            Self::Claimed(claim) => listed(claim).any(|name| name == tenant.as_str()),
        }
    }
}

/// Returns the tenants in a claim.
pub(crate) fn claimed(claim: &str) -> BTreeSet<TenantId> {
    listed(claim).filter_map(|name| name.parse().ok()).collect()
}

/// Returns the names in a claim: one, or several with commas or spaces between them, or `[a b c]` as the gateway renders a list. Neither
/// brackets nor separators can be part of a tenant id; a bracket in any other place makes a name that no tenant has.
fn listed(claim: &str) -> impl Iterator<Item = &str> {
    let claim = claim.trim();
    let inner = claim.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner
        .unwrap_or(claim)
        .split([',', ' '])
        .filter(|name| !name.is_empty())
}
