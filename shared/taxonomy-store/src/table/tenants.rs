//! The lists of tenants in the index. A list is a hint: the index may lag, and an entry in it may be damaged.

use taxonomy_keys::pattern::{self, KeyQuery};
use taxonomy_keys::{Attention, IndexKey, ItemKey, TenantId};

use crate::error::StoreError;
use crate::table::attributes::{SdkItem, from_sdk};
use crate::table::heads::Heads;
use crate::table::listing::ListedTenant;
use crate::table::{Consistency, page};

/// A part of a list of tenants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantPage<T = TenantId> {
    /// Ascending; empty only at the end of the list.
    pub tenants: Vec<T>,
    /// Keys of the entries before the last of these tenants, or before the end, that are no tenant's. They are skipped.
    pub damaged: Vec<String>,
    /// Whether nothing follows. A page may have fewer tenants than requested although more follow.
    pub is_last: bool,
}

impl<T> Default for TenantPage<T> {
    fn default() -> Self {
        Self {
            tenants: Vec::new(),
            damaged: Vec::new(),
            is_last: false,
        }
    }
}

impl Heads {
    /// Returns the tenants that need attention for this reason, at most `limit` of those after `after`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn attention(
        &self,
        why: Attention,
        after: Option<&TenantId>,
        limit: i32,
    ) -> Result<TenantPage, StoreError> {
        let query = pattern::attention(why, after);
        let place = |tenant| IndexKey::Attention { why, tenant };
        self.list(query, limit, place, |tenant, _| tenant).await
    }

    /// Returns the tenants that ever had a version or a configuration, at most `limit` of those after `after`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn tenants(&self, after: Option<&TenantId>, limit: i32) -> Result<TenantPage, StoreError> {
        let place = |tenant| IndexKey::Tenants { tenant };
        self.list(pattern::tenants(after), limit, place, |tenant, _| tenant)
            .await
    }

    /// Returns the same tenants with what the list shows of them. The index may be behind by a moment.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn listing(
        &self,
        after: Option<&TenantId>,
        limit: i32,
    ) -> Result<TenantPage<ListedTenant>, StoreError> {
        let place = |tenant| IndexKey::Tenants { tenant };
        let read = |tenant, item: SdkItem| ListedTenant::read(tenant, &from_sdk(item).unwrap_or_default());
        self.list(pattern::tenants(after), limit, place, read).await
    }

    /// Reads past pages without any tenant; each page begins after the last entry of the previous one, damaged or not.
    async fn list<T>(
        &self,
        query: KeyQuery,
        limit: i32,
        place: impl Fn(TenantId) -> IndexKey,
        read: impl Fn(TenantId, SdkItem) -> T,
    ) -> Result<TenantPage<T>, StoreError> {
        let request = self
            .table
            .query_request(query, Consistency::Eventual)
            .limit(limit);
        let (mut found, mut start) = (TenantPage::default(), None);
        loop {
            let page = page(request.clone().set_exclusive_start_key(start)).await?;
            // The next page reads damaged entries after the last tenant again, since it begins after that tenant.
            let mut trailing = Vec::new();
            for item in page.items {
                match tenant(&item, &place) {
                    Some(tenant) => {
                        found.tenants.push(read(tenant, item));
                        found.damaged.append(&mut trailing);
                    }
                    None => trailing.push(name(&item)),
                }
            }
            if found.tenants.is_empty() {
                found.damaged.append(&mut trailing);
            }
            start = page.next;
            found.is_last = start.is_none();
            if found.is_last || !found.tenants.is_empty() {
                return Ok(found);
            }
        }
    }
}

/// The tenant of an entry in its place; a list that continues after the tenant then continues after the entry.
fn tenant(item: &SdkItem, place: &impl Fn(TenantId) -> IndexKey) -> Option<TenantId> {
    let tenant = match ItemKey::parse(text(item, "PK")?, text(item, "SK")?) {
        Ok(ItemKey::Head { tenant } | ItemKey::Tenant { tenant }) => tenant,
        Ok(_) | Err(_) => return None,
    };
    let belongs = place(tenant.clone()).key();
    let stands = (text(item, "GSI1PK")?, text(item, "GSI1SK")?);
    (stands == (belongs.pk.as_str(), belongs.sk.as_str())).then_some(tenant)
}

/// The entry's keys, for the log.
fn name(item: &SdkItem) -> String {
    ["PK", "SK", "GSI1SK"]
        .map(|name| text(item, name).unwrap_or("?"))
        .join(" ")
}

fn text<'a>(item: &'a SdkItem, name: &str) -> Option<&'a str> {
    item.get(name)?.as_s().ok().map(String::as_str)
}
