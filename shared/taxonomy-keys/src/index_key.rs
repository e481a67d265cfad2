//! The keys of the index GSI1: its lists, and their orders (docs/decisions/0001-table.md).

use crate::{CategoryId, ItemKey, Key, List, ListPosition, TenantId, TermId};

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

impl List {
    /// Returns the keys of the entry at `place`, of its item and of the index. The next page begins after them.
    #[must_use]
    pub fn entry(self, tenant: &TenantId, place: &ListPosition) -> (ItemKey, IndexKey) {
        let item = match self {
            Self::Categories => ItemKey::Category {
                tenant: tenant.clone(),
                category: CategoryId::new(place.id()).unwrap_or(CategoryId::MAX),
            },
            Self::TopTerms(_) | Self::Children(_) => ItemKey::Term {
                tenant: tenant.clone(),
                term: TermId::new(place.id()).unwrap_or(TermId::MAX),
            },
        };
        let index = IndexKey::Listed {
            tenant: tenant.clone(),
            list: self,
            place: place.clone(),
        };
        (item, index)
    }
}

pub(crate) const TENANTS: &str = "TENANTS";
pub(crate) const BEHIND: &str = "BEHIND";
