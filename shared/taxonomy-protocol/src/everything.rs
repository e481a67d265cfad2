//! Full versions: every item of every id that ever was is written again, whatever became of the table.
//!
//! What lives comes from the head. What is gone for ever comes from the last version that had it. What hung on terms, in whatever
//! version, is not looked for in the past: what the table holds and the head does not is marked as gone.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::{CategoryId, ItemKey, TenantId, TermId, Version, pattern};
use taxonomy_model::writes::{self, Overlay, Write};
use taxonomy_model::{Fact, NodeId, Taxonomy, items};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Progress, Stopped, StoreError, Written};

use crate::course::Course;
use crate::error::ProtocolError;
use crate::taxonomies::Taxonomies;

/// Partitions that are read at once.
const CONCURRENCY: usize = 16;

/// Partitions between two looks at the clock.
const BATCH: usize = 256;

impl<C: Clock> Taxonomies<C> {
    /// Writes everything; none when it came to its end.
    pub(crate) async fn write_everything(
        &self,
        tenant: &TenantId,
        head: &Committed,
        course: &mut Course<'_>,
        overlay: &Overlay,
        last: &Taxonomy,
        expires_at: u64,
    ) -> Result<Option<Stopped>, ProtocolError> {
        let gone = |write: &Write| matches!(write, Write::Remove(_));
        let writes = || {
            let pending = overlay.writes(tenant, last, expires_at).filter(gone);
            writes::between(tenant, None, last, expires_at).chain(pending)
        };
        if let Some(stopped) = self.write_stretch(course, head, writes).await {
            return Ok(Some(stopped));
        }
        let past = self.past(tenant, course.version).await?;
        for (version, nodes) in &past.graves {
            // Each node is one write, so that a version that is done need not be read.
            if course.to_skip >= nodes.len() as u64 {
                course.advance(nodes.len() as u64, nothing());
                continue;
            }
            let state = self
                .load(&self.heads.required_entry(tenant, *version).await?)
                .await?;
            let graves = nodes.iter().filter_map(|node| grave(tenant, &state, *node));
            if let Some(stopped) = self.write(course, graves).await {
                return Ok(Some(stopped));
            }
        }
        let partitions: Vec<String> = past.partitions.into_iter().collect();
        for batch in partitions.chunks(BATCH) {
            if course.to_skip >= batch.len() as u64 {
                course.advance(batch.len() as u64, nothing());
                continue;
            }
            if !course.goes_on(0, &self.clock) {
                return Ok(Some(Stopped::Told));
            }
            let strays = self.strays(tenant, batch, last, expires_at).await?;
            // The units of this stretch are partitions, so its writes do not count.
            let go_on = |_| course.goes_on(0, &self.clock);
            let progress = self
                .projection
                .write(course.version, strays.into_iter(), go_on)
                .await;
            // A batch that was not finished is looked at again from its beginning.
            let units = if progress.stopped.is_some() {
                0
            } else {
                batch.len() as u64
            };
            course.to_skip = 0;
            let progress = Progress { done: 0, ..progress };
            if let Some(stopped) = course.advance(units, progress) {
                return Ok(Some(stopped));
            }
        }
        Ok(None)
    }

    /// Every id there ever was, and for those that are gone the last version that had them: from the changesets alone.
    async fn past(&self, tenant: &TenantId, to: Version) -> Result<Past, StoreError> {
        let mut last_seen: BTreeMap<NodeId, Version> = BTreeMap::new();
        let mut past = Past::default();
        let mut changesets = pin!(self.chain.forwards(tenant, None, to));
        let mut before = Version::FIRST;
        while let Some(changeset) = changesets.try_next().await? {
            for fact in &changeset.facts {
                match (fact, fact.subject()) {
                    (Fact::CategoryAdded(_) | Fact::TermAdded(_), Some(node)) => {
                        last_seen.remove(&node);
                        past.partitions.extend(partition(tenant, node));
                    }
                    (Fact::CategoryRemoved { .. } | Fact::TermRemoved { .. }, Some(node)) => {
                        last_seen.insert(node, before);
                    }
                    _ => {}
                }
            }
            before = changeset.header.version;
        }
        for (node, version) in last_seen {
            past.graves.entry(version).or_default().push(node);
        }
        Ok(past)
    }

    /// What hangs in the table on terms there ever were, and not in the content.
    async fn strays(
        &self,
        tenant: &TenantId,
        partitions: &[String],
        content: &Taxonomy,
        expires_at: u64,
    ) -> Result<Vec<Write>, StoreError> {
        let mut strays = Vec::new();
        let mut read = pin!(
            stream::iter(partitions)
                .map(async |partition| {
                    let found = self.reader.whole(pattern::whole(partition)).await?;
                    Ok::<_, StoreError>((partition, found))
                })
                .buffered(CONCURRENCY)
        );
        while let Some((partition, found)) = read.try_next().await? {
            let wanted: BTreeSet<_> = items::of_partition(tenant, content, partition)
                .into_iter()
                .map(|item| item.key.key())
                .collect();
            for item in found {
                if !item.is_tombstone() && !wanted.contains(&item.key) {
                    let key = ItemKey::parse(&item.key.pk, &item.key.sk);
                    strays.extend(key.ok().map(|key| writes::grave_of_satellite(key, expires_at)));
                }
            }
        }
        Ok(strays)
    }
}

/// What the changesets tell of the past.
#[derive(Default)]
struct Past {
    /// What is gone, by the last version that had it.
    graves: BTreeMap<Version, Vec<NodeId>>,
    /// Partition keys of everything there ever was.
    partitions: BTreeSet<String>,
}

pub(crate) fn partition(tenant: &TenantId, node: NodeId) -> Option<String> {
    match node {
        NodeId::Category(id) => CategoryId::new(id).map(|id| pattern::category(tenant, id).pk),
        NodeId::Term(id) => TermId::new(id).map(|id| pattern::term(tenant, id).pk),
    }
}

fn grave(tenant: &TenantId, last: &Taxonomy, node: NodeId) -> Option<Write> {
    match node {
        NodeId::Category(id) => {
            let category = last.category(CategoryId::new(id)?)?;
            Some(writes::grave_of_category(tenant, category))
        }
        NodeId::Term(id) => {
            let term = last.term(TermId::new(id)?)?;
            Some(writes::grave_of_term(tenant, term))
        }
    }
}

/// A stretch that needed no write.
fn nothing() -> Progress {
    Progress {
        written: Written::default(),
        done: 0,
        stopped: None,
    }
}
