//! The keys of the index GSI1: what can be listed, and in which order (docs/decisions/0001-table.md).

use crate::{CategoryId, Key, List, Place, TenantId, TermId};

/// What an item is listed under, and where in that list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are the ids that the variant speaks of")]
pub enum IndexKey {
    /// Among its siblings.
    Listed {
        tenant: TenantId,
        list: List,
        place: Place,
    },
    /// All tenants.
    Tenants { tenant: TenantId },
    /// Tenants whose projection is behind their head.
    Behind { tenant: TenantId },
}

impl IndexKey {
    /// The key in the index.
    #[must_use]
    pub fn key(&self) -> Key {
        let (pk, sk) = match self {
            Self::Listed { tenant, list, place } => (list.partition(tenant), place.to_string()),
            Self::Tenants { tenant } => (TENANTS.to_owned(), tenant.to_string()),
            Self::Behind { tenant } => (BEHIND.to_owned(), tenant.to_string()),
        };
        Key { pk, sk }
    }
}

pub(crate) const TENANTS: &str = "TENANTS";
pub(crate) const BEHIND: &str = "BEHIND";

pub(crate) fn categories(tenant: &TenantId) -> String {
    format!("CATEGORIES#{tenant}")
}

pub(crate) fn top_terms(tenant: &TenantId, category: CategoryId) -> String {
    format!("CHILDREN#{tenant}#CATEGORY#{category}")
}

pub(crate) fn children(tenant: &TenantId, parent: TermId) -> String {
    format!("CHILDREN#{tenant}#TERM#{parent}")
}
