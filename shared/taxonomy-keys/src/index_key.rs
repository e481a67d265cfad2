//! The keys of the index GSI1: its two lists of tenants (docs/decisions/0001-table.md).

use crate::{Key, TenantId};

/// The list of an item, and its position in the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are the ids that the variant speaks of")]
pub enum IndexKey {
    /// A tenant in the list of all tenants.
    Tenants { tenant: TenantId },
    /// A tenant in the list of those that need attention.
    Attention { why: Attention, tenant: TenantId },
}

/// The reason for which a tenant needs attention; the most urgent one is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Attention {
    /// The projector has work: items are behind the head, an operator's request is unanswered, or settings are not in effect.
    Behind,
    /// An upload waits, because the tenant is frozen.
    Waiting,
    /// The newest upload was refused.
    Refused,
}

impl Attention {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 3] = [Self::Behind, Self::Waiting, Self::Refused];

    /// Returns its name in keys and documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::Waiting => "waiting",
            Self::Refused => "refused",
        }
    }

    /// Returns the reason that a sort key of the list names.
    pub fn of_sort_key(sort_key: &str) -> Option<Self> {
        let (name, _) = sort_key.split_once('#')?;
        Self::ALL.into_iter().find(|why| why.as_str() == name)
    }
}

impl IndexKey {
    /// Returns the key in the index.
    pub fn key(&self) -> Key {
        let (pk, sk) = match self {
            Self::Tenants { tenant } => (TENANTS.to_owned(), tenant.to_string()),
            Self::Attention { why, tenant } => (ATTENTION.to_owned(), format!("{}#{tenant}", why.as_str())),
        };
        Key { pk, sk }
    }
}

pub(crate) const TENANTS: &str = "TENANTS";
pub(crate) const ATTENTION: &str = "ATTENTION";
