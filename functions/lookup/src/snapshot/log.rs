//! The log of versions: the log of the table and, after its newest version, a preview (docs/decisions/0024-pages.md).

use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{Heads, LogEntry, StoreError, TenantPage};

/// The versions of tenants.
#[derive(Debug)]
pub(crate) struct Log {
    heads: Option<Heads>,
    preview: Option<(TenantId, LogEntry)>,
}

impl Log {
    /// Reads the log of the table.
    pub(crate) fn of_table(heads: Heads) -> Self {
        Self {
            heads: Some(heads),
            preview: None,
        }
    }

    /// Appends a version of a tenant to the log of the table, or serves it alone.
    pub(crate) fn of_preview(tenant: TenantId, entry: LogEntry, heads: Option<Heads>) -> Self {
        Self {
            heads,
            preview: Some((tenant, entry)),
        }
    }

    /// Returns the entry of a version; none if there is no such version.
    pub(crate) async fn entry(
        &self,
        tenant: &TenantId,
        version: Version,
    ) -> Result<Option<LogEntry>, StoreError> {
        match (self.preview(tenant), &self.heads) {
            (Some(preview), _) if preview.version == version => Ok(Some(preview.clone())),
            (_, Some(heads)) => heads.entry(tenant, version).await,
            (_, None) => Ok(None),
        }
    }

    /// Returns the entries from one version to another, both included, ascending: at most one page.
    pub(crate) async fn entries(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
    ) -> Result<Vec<LogEntry>, StoreError> {
        let preview = self
            .preview(tenant)
            .filter(|preview| (from..=to).contains(&preview.version));
        let last = preview.map_or(Some(to), |preview| Version::new(preview.version.get() - 1));
        let mut entries = match (&self.heads, last) {
            (Some(heads), Some(last)) => heads.entries(tenant, from, last).await?,
            _ => Vec::new(),
        };
        let is_next = entries.last().map_or(from, |entry| entry.version.next());
        entries.extend(preview.filter(|preview| preview.version == is_next).cloned());
        Ok(entries)
    }

    /// Returns a page of the tenants after the given one. A preview has one tenant, and no other one can be read beside it.
    pub(crate) async fn tenants(
        &self,
        after: Option<&TenantId>,
        limit: i32,
    ) -> Result<TenantPage, StoreError> {
        match (&self.preview, &self.heads) {
            (Some((tenant, _)), _) => Ok(TenantPage {
                tenants: [tenant]
                    .into_iter()
                    .filter(|tenant| Some(*tenant) > after)
                    .cloned()
                    .collect(),
                damaged: Vec::new(),
                is_last: true,
            }),
            (None, Some(heads)) => heads.tenants(after, limit).await,
            (None, None) => Ok(TenantPage {
                is_last: true,
                ..TenantPage::default()
            }),
        }
    }

    fn preview(&self, tenant: &TenantId) -> Option<&LogEntry> {
        let (of, entry) = self.preview.as_ref()?;
        (of == tenant).then_some(entry)
    }
}
