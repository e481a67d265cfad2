//! The keys of the index GSI1: what can be listed, and in which order (docs/decisions/0001-table.md).

use std::fmt;

use crate::{CategoryId, Key, TenantId, TermId};

/// The text that orders siblings: the author's sort key, or the name in lower case.
///
/// At most 900 bytes, so that a sort key of the index stays below DynamoDB's 1,024.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(String);

impl Order {
    const MAX_LEN: usize = 900;

    /// As the author ordered it.
    #[must_use]
    pub fn by_sort_key(sort_key: &str) -> Self {
        Self(cut(sort_key).to_owned())
    }

    /// By name, without regard to case.
    ///
    /// ```
    /// use taxonomy_keys::Order;
    /// assert_eq!(Order::by_name("Éclair").to_string(), "éclair");
    /// assert_eq!(Order::by_name(&"é".repeat(500)).to_string().len(), 900);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Self {
        Self(cut(&name.to_lowercase()).to_owned())
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ends the order in a sort key. It sorts before everything that an order can hold, so that `IT` comes before `IT support`; no
/// name or sort key holds a TAB.
const END_OF_ORDER: char = '\t';

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(Order::MAX_LEN)]
}

/// What an item is listed under, and where in that list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are the ids that the variant speaks of")]
pub enum IndexKey {
    /// The categories of a tenant.
    Categories {
        tenant: TenantId,
        order: Order,
        category: CategoryId,
    },
    /// The top terms of a category.
    TopTerms {
        tenant: TenantId,
        category: CategoryId,
        order: Order,
        term: TermId,
    },
    /// The children of a term.
    Children {
        tenant: TenantId,
        parent: TermId,
        order: Order,
        term: TermId,
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
        let sk = match self {
            Self::Categories { order, category, .. } => {
                format!("{order}{END_OF_ORDER}{:016}", category.get())
            }
            Self::TopTerms { order, term, .. } | Self::Children { order, term, .. } => {
                format!("{order}{END_OF_ORDER}{:016}", term.get())
            }
            Self::Tenants { tenant } | Self::Behind { tenant } => tenant.to_string(),
        };
        Key {
            pk: self.partition(),
            sk,
        }
    }

    /// The partition of the index that holds the list.
    fn partition(&self) -> String {
        match self {
            Self::Categories { tenant, .. } => categories(tenant),
            Self::TopTerms { tenant, category, .. } => top_terms(tenant, *category),
            Self::Children { tenant, parent, .. } => children(tenant, *parent),
            Self::Tenants { .. } => TENANTS.to_owned(),
            Self::Behind { .. } => BEHIND.to_owned(),
        }
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
