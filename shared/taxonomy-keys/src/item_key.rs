//! The primary key of every item: its construction and its parsing. The strings are the storage format
//! (docs/decisions/0001-table.md).

use crate::{CategoryId, Culture, Month, SEPARATOR, TenantId, TermId, Version};

/// A primary key in the form of the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Partition key, attribute `PK`.
    pub pk: String,
    /// Sort key, attribute `SK`.
    pub sk: String,
}

/// The kind of an item and its ids: all that its key contains.
///
/// Building is total and injective, and [`ItemKey::parse`] accepts exactly the keys that [`ItemKey::key`] builds:
///
/// ```
/// use taxonomy_keys::{ItemKey, TermId};
/// let item = ItemKey::Term { tenant: "acme".parse().unwrap(), term: TermId::new(100).unwrap() };
/// let key = item.key();
/// assert_eq!((key.pk.as_str(), key.sk.as_str()), ("TERM#acme#100", "TERM#acme#100"));
/// assert_eq!(ItemKey::parse(&key.pk, &key.sk), Ok(item));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are the ids that the variant speaks of")]
pub enum ItemKey {
    /// A category with its names.
    Category { tenant: TenantId, category: CategoryId },
    /// A term in the default culture, with its category and its lineage, as a complete answer.
    Term { tenant: TenantId, term: TermId },
    /// A term in a further culture, as a complete answer.
    TermCulture {
        tenant: TenantId,
        term: TermId,
        culture: Culture,
    },
    /// A tenant's configuration.
    Tenant { tenant: TenantId },
    /// The head of a tenant's changeset chain.
    Head { tenant: TenantId },
    /// A version in the log.
    Changeset { tenant: TenantId, version: Version },
    /// The last verified version of a tenant's chain.
    Audit { tenant: TenantId },
    /// The aggregates of a tenant.
    TenantStats { tenant: TenantId },
    /// The aggregates of a category.
    CategoryStats { tenant: TenantId, category: CategoryId },
    /// The activity of a month.
    MonthActivity { tenant: TenantId, month: Month },
    /// The marker that the activity of a version is counted.
    Counted { tenant: TenantId, version: Version },
}

/// A key of the table has no known form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a key of the table: PK {pk:?}, SK {sk:?}")]
pub struct InvalidKey {
    pk: String,
    sk: String,
}

impl ItemKey {
    /// Returns the name of the kind, stored as `EntityType`.
    pub fn entity_type(&self) -> &'static str {
        match self {
            Self::Category { .. } => "Category",
            Self::Term { .. } => "Term",
            Self::TermCulture { .. } => "TermCulture",
            Self::Tenant { .. } => "Tenant",
            Self::Head { .. } => "Head",
            Self::Changeset { .. } => "Changeset",
            Self::Audit { .. } => "Audit",
            Self::TenantStats { .. } => "TenantStats",
            Self::CategoryStats { .. } => "CategoryStats",
            Self::MonthActivity { .. } => "MonthActivity",
            Self::Counted { .. } => "Counted",
        }
    }

    /// Returns the key in the table.
    pub fn key(&self) -> Key {
        let pk = match self {
            Self::Category { tenant, category } => format!("CATEGORY#{tenant}#{category}"),
            Self::Term { tenant, term } | Self::TermCulture { tenant, term, .. } => {
                format!("TERM#{tenant}#{term}")
            }
            Self::Tenant { tenant }
            | Self::Head { tenant }
            | Self::Changeset { tenant, .. }
            | Self::Audit { tenant } => format!("TAXONOMY#{tenant}"),
            Self::TenantStats { tenant }
            | Self::CategoryStats { tenant, .. }
            | Self::MonthActivity { tenant, .. }
            | Self::Counted { tenant, .. } => format!("STATS#{tenant}"),
        };
        let sk = match self {
            Self::Category { .. } | Self::Term { .. } => pk.clone(),
            Self::TermCulture { culture, .. } => format!("CULTURE#{culture}"),
            Self::Tenant { .. } | Self::TenantStats { .. } => "TENANT".to_owned(),
            Self::Head { .. } => "HEAD".to_owned(),
            Self::Changeset { version, .. } => format!("CHANGESET#{:012}", version.get()),
            Self::Audit { .. } => "AUDIT".to_owned(),
            Self::CategoryStats { category, .. } => format!("CATEGORY#{category}"),
            Self::MonthActivity { month, .. } => format!("MONTH#{month}"),
            Self::Counted { version, .. } => format!("DONE#{:012}", version.get()),
        };
        Key { pk, sk }
    }

    /// Parses a key.
    ///
    /// # Errors
    /// [`InvalidKey`] if [`ItemKey::key`] does not build this pair.
    pub fn parse(pk: &str, sk: &str) -> Result<Self, InvalidKey> {
        Self::recognise(pk, sk)
            // The comparison with the rebuilt key excludes other spellings, such as a number with leading zeros.
            .filter(|item| {
                let key = item.key();
                (&*key.pk, &*key.sk) == (pk, sk)
            })
            .ok_or_else(|| InvalidKey {
                pk: pk.to_owned(),
                sk: sk.to_owned(),
            })
    }

    /// Returns the tenant of a partition of the table; none for a partition key of no known form.
    pub fn owner(pk: &str) -> Option<TenantId> {
        let (mut parts, is_id) = (pk.split(SEPARATOR), |id: &str| !id.is_empty());
        let (entity, tenant, id) = (parts.next()?, parts.next()?, parts.next());
        let is_known = match entity {
            "CATEGORY" | "TERM" => id.is_some_and(is_id),
            "TAXONOMY" | "STATS" => id.is_none(),
            _ => false,
        };
        (is_known && parts.next().is_none())
            .then(|| tenant.parse().ok())
            .flatten()
    }

    fn recognise(pk: &str, sk: &str) -> Option<Self> {
        let mut parts = pk.split(SEPARATOR);
        let (entity, tenant, id) = (parts.next()?, parts.next()?.parse().ok()?, parts.next());
        let (sort, sort_id) = sk.split_once(SEPARATOR).unwrap_or((sk, ""));
        Some(match (entity, id) {
            ("CATEGORY", Some(id)) => Self::Category {
                tenant,
                category: id.parse().ok()?,
            },
            ("TERM", Some(id)) => {
                let term = id.parse().ok()?;
                match sort {
                    "TERM" => Self::Term { tenant, term },
                    "CULTURE" => Self::TermCulture {
                        tenant,
                        term,
                        culture: sort_id.parse().ok()?,
                    },
                    _ => return None,
                }
            }
            ("TAXONOMY", None) => match sort {
                "TENANT" => Self::Tenant { tenant },
                "HEAD" => Self::Head { tenant },
                "AUDIT" => Self::Audit { tenant },
                "CHANGESET" => Self::Changeset {
                    tenant,
                    version: Version::new(sort_id.parse().ok()?)?,
                },
                _ => return None,
            },
            ("STATS", None) => match sort {
                "TENANT" => Self::TenantStats { tenant },
                "CATEGORY" => Self::CategoryStats {
                    tenant,
                    category: sort_id.parse().ok()?,
                },
                "MONTH" => Self::MonthActivity {
                    tenant,
                    month: sort_id.parse().ok()?,
                },
                "DONE" => Self::Counted {
                    tenant,
                    version: Version::new(sort_id.parse().ok()?)?,
                },
                _ => return None,
            },
            _ => return None,
        })
    }
}
