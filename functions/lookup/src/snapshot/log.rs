//! The log of versions: the log of the table and, after its newest version, a preview.

use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{ListedTenant, LogEntry, StoreError, TenantPage};

use crate::response::problem::Problem;
use crate::snapshot::context::{Context, Preview};

impl Context {
    /// Returns the log entry of a version that is or was served.
    pub(crate) async fn entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, Problem> {
        let entry = match (self.previewed(tenant), &self.heads) {
            (Some(preview), _) if preview.version == version => Some(preview.clone()),
            (_, Some(heads)) => heads.entry(tenant, version).await?,
            (Some(_), None) => None,
            (None, None) => return Err(Problem::internal("a lookup without the log of versions")),
        };
        entry.ok_or_else(|| Problem::internal("a version without its entry in the log"))
    }

    /// Returns the entries from one version to another, both included, ascending: at most one page.
    pub(crate) async fn entries(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
    ) -> Result<Vec<LogEntry>, StoreError> {
        let preview = self
            .previewed(tenant)
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
    ) -> Result<TenantPage<ListedTenant>, StoreError> {
        if let (None, Some(heads)) = (&self.preview, &self.heads) {
            return heads.listing(after, limit).await;
        }
        let preview = self.preview.as_ref().map(Preview::listed);
        Ok(TenantPage {
            tenants: preview
                .filter(|listed| Some(&listed.tenant) > after)
                .into_iter()
                .collect(),
            is_last: true,
            ..TenantPage::default()
        })
    }

    /// Returns those of some tenants that have had a version.
    pub(crate) async fn versioned(&self, tenants: &[TenantId]) -> Result<Vec<ListedTenant>, Problem> {
        let mut listed = self.table()?.reader.listed(tenants).await?;
        listed.retain(|tenant| tenant.newest.is_some());
        Ok(listed)
    }

    /// Returns the entry of the preview, if it is of this tenant.
    fn previewed(&self, tenant: &TenantId) -> Option<&LogEntry> {
        let preview = self
            .preview
            .as_ref()
            .filter(|preview| preview.tenant == *tenant)?;
        Some(&preview.entry)
    }
}
