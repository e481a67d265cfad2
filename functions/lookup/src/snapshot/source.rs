//! The source of the newest version of a tenant: the table, or memory.

use std::sync::Arc;

use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{Aggregates, Committed, StoreError};

use crate::cache::current_version::CurrentVersion;
use crate::cache::{CachedReader, TierErrors};
use crate::response::problem::Problem;

/// The source of heads, and of the data that index files do not contain.
#[derive(Debug)]
pub(crate) enum Source {
    /// The table.
    Table(Box<Table>),
    /// A preview: all other data of it is in its index files.
    Preview { tenant: TenantId, head: Arc<Committed> },
}

/// The projection, and its aggregates.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) reader: CachedReader,
    pub(crate) aggregates: Aggregates,
}

impl Source {
    /// Returns the current version of a tenant; none if it never had a version. A version that the request names is seen if any process serves it.
    pub(crate) async fn current(
        &self,
        tenant: &TenantId,
        named: Option<Version>,
    ) -> Result<Option<CurrentVersion>, StoreError> {
        match self {
            Self::Table(table) => table.reader.current(tenant, named).await,
            Self::Preview { tenant: known, head } => {
                Ok((known == tenant).then(|| CurrentVersion::of_preview(tenant, head.clone())))
            }
        }
    }

    /// Returns the table, for data that no other source has.
    pub(crate) fn table(&self) -> Result<&Table, Problem> {
        match self {
            Self::Table(table) => Ok(table),
            Self::Preview { .. } => Err(Problem::internal("a preview has no table")),
        }
    }

    /// Opens connections before the first request needs them.
    pub(crate) async fn warm_up(&self) {
        if let Self::Table(table) = self {
            table.reader.warm_up().await;
        }
    }

    /// The failures of the second cache tier since the last call.
    pub(crate) fn take_errors(&self) -> TierErrors {
        match self {
            Self::Table(table) => table.reader.take_errors(),
            Self::Preview { .. } => TierErrors::default(),
        }
    }
}
