//! The partitions of everything that a tenant ever had: the newest index file names every id.

use std::collections::BTreeSet;

use futures_util::{Stream, StreamExt, stream};
use taxonomy_keys::{CategoryId, ItemKey, TenantId, TermId, pattern};
use taxonomy_model::{NodeId, Taxonomy};
#[cfg(feature = "purge")]
use taxonomy_store::Committed;
use taxonomy_store::{StoreError, StoredItem};

use crate::ingest::files::StoredIndex;
use crate::service::Service;

/// The maximum number of partitions that are read concurrently.
const CONCURRENCY: usize = 16;

impl Service {
    /// Returns the partitions of all categories and terms that the versions up to the head had.
    #[cfg(feature = "purge")]
    pub(crate) async fn partitions_up_to(
        &self,
        tenant: &TenantId,
        head: &Committed,
    ) -> Result<BTreeSet<String>, StoreError> {
        self.partitions_of(tenant, &self.stored_index(head).await?)
    }

    /// Returns the partitions of all categories and terms that an index file names.
    pub(crate) fn partitions_of(
        &self,
        tenant: &TenantId,
        index: &StoredIndex,
    ) -> Result<BTreeSet<String>, StoreError> {
        let file = index.open(tenant)?;
        let mut partitions = BTreeSet::new();
        for nodes in file.nodes() {
            let nodes = nodes.map_err(|error| index.damaged(error))?;
            partitions.extend(nodes.into_iter().filter_map(|(node, _)| partition(tenant, node)));
        }
        Ok(partitions)
    }

    /// Returns the items of partitions, in the order of the partitions.
    pub(crate) fn items_of(
        &self,
        partitions: impl IntoIterator<Item = String>,
    ) -> impl Stream<Item = Result<(String, Vec<StoredItem>), StoreError>> {
        stream::iter(partitions)
            .map(async |partition| {
                let items = self.reader.whole(pattern::whole(&partition)).await?;
                Ok((partition, items))
            })
            .buffered(CONCURRENCY)
    }
}

/// Returns the categories and terms of a version.
pub(crate) fn nodes_of(content: &Taxonomy) -> impl Iterator<Item = NodeId> {
    let categories = content.categories().map(|category| category.id().get());
    let terms = content.terms().map(|term| term.id().get());
    categories.map(NodeId::Category).chain(terms.map(NodeId::Term))
}

/// Returns the partition of a category or a term; none for a number that is no id.
pub(crate) fn partition(tenant: &TenantId, node: NodeId) -> Option<String> {
    own_key(tenant, node).map(|key| key.key().pk)
}

/// Returns the key of the own item of a category or a term; none for a number that is no id.
pub(crate) fn own_key(tenant: &TenantId, node: NodeId) -> Option<ItemKey> {
    let tenant = tenant.clone();
    match node {
        NodeId::Category(id) => CategoryId::new(id).map(|category| ItemKey::Category { tenant, category }),
        NodeId::Term(id) => TermId::new(id).map(|term| ItemKey::Term { tenant, term }),
    }
}
