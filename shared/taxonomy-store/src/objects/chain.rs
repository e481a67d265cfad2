//! Reading the chain of changesets by the log. One changeset is in memory at a time, so a chain of any length can be read, and a caller may
//! stop anywhere.

use futures_util::{Stream, stream};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_model::changeset::{Changeset, Header};

use crate::error::StoreError;
use crate::objects::archive::Archive;
use crate::table::heads::Heads;

/// The chains of all tenants.
#[derive(Debug, Clone)]
pub struct Chain {
    heads: Heads,
    archive: Archive,
}

impl Chain {
    /// Returns the chains with the log in `heads` and the bodies in `archive`.
    pub fn new(heads: Heads, archive: Archive) -> Self {
        Self { heads, archive }
    }

    /// Returns the changesets after a version (`None`: from the first) up to another, in order. Each must follow its parent by
    /// id and by state hash. The stream ends after the first error.
    pub fn forwards<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Option<Version>,
        to: Version,
    ) -> impl Stream<Item = Result<Changeset, StoreError>> + 'a {
        let start = Forwards {
            next: after.map_or(Version::FIRST, Version::next),
            entries: Vec::new().into_iter(),
            after,
            last: None,
        };
        stream::try_unfold(start, move |mut at| async move {
            if at.next > to {
                return Ok(None);
            }
            if let Some(after) = at.after.take() {
                let entry = self.heads.required_entry(tenant, after).await?;
                at.last = Some((entry.changeset, entry.state));
            }
            let entry = match at.entries.next() {
                Some(entry) => Some(entry),
                None => {
                    at.entries = self.heads.entries(tenant, at.next, to).await?.into_iter();
                    at.entries.next()
                }
            };
            let entry = entry
                .filter(|entry| entry.version == at.next)
                .ok_or_else(|| broken(tenant, at.next, "the log lacks it"))?;
            let changeset = self
                .archive
                .changeset(tenant, entry.version, &entry.changeset)
                .await?;
            let Header {
                parent,
                before,
                after,
                ..
            } = &changeset.header;
            if (parent, after) != (&entry.parent, &entry.state) {
                return Err(broken(tenant, entry.version, "log and changeset disagree"));
            }
            let last = at.last.as_ref();
            if (parent.as_ref(), before.as_ref()) != (last.map(|last| &last.0), last.map(|last| &last.1)) {
                return Err(broken(
                    tenant,
                    entry.version,
                    "it does not follow the version before",
                ));
            }
            at.last = Some((entry.changeset, entry.state));
            at.next = at.next.next();
            Ok(Some((changeset, at)))
        })
    }
}

struct Forwards {
    next: Version,
    entries: std::vec::IntoIter<crate::table::head::LogEntry>,
    /// The version before, until its log entry is read.
    after: Option<Version>,
    /// Id and state hash of the version before; `None` before the first.
    last: Option<(Hash, Hash)>,
}

fn broken(tenant: &TenantId, version: Version, why: &str) -> StoreError {
    StoreError::damaged(
        format!("the chain of {tenant} at version {version}"),
        why.to_owned(),
    )
}
