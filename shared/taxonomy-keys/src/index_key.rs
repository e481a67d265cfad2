//! The keys of the index GSI1: its lists, and their orders (docs/decisions/0001-table.md).

use crate::{CategoryId, Key, List, ListPosition, TenantId, TermId};

/// The list of an item, and its position in the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are the ids that the variant speaks of")]
pub enum IndexKey {
    /// A category or term among its siblings.
    Listed {
        tenant: TenantId,
        list: List,
        place: ListPosition,
    },
    /// A tenant in the list of all tenants.
    Tenants { tenant: TenantId },
    /// A tenant in the list of those whose projection is behind their head.
    Behind { tenant: TenantId },
}

impl IndexKey {
    /// Returns the key in the index.
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
