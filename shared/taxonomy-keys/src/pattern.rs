//! The access patterns: one function for each, and one request to the table for each. RCU are those of an eventually consistent read; a
//! consistent one takes twice as many.

use crate::index_key::{ATTENTION, TENANTS};
use crate::{Attention, CategoryId, Culture, ItemKey, Key, TenantId, TermId, Version};

/// One Query: a partition of the table or of the index, and the part of it to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyQuery {
    /// The table or the index.
    pub index: KeySchema,
    /// The partition key, `PK` or `GSI1PK`.
    pub partition: String,
    /// The condition on the sort key, `SK` or `GSI1SK`.
    pub sort: SortCondition,
}

/// The key schema of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySchema {
    /// The table itself: `PK`, `SK`.
    Table,
    /// The index of tenants: `GSI1PK`, `GSI1SK`.
    Gsi1,
}

/// The part of a partition that a query reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortCondition {
    /// All of it.
    All,
    /// Sort keys with this prefix.
    BeginsWith(String),
    /// Sort keys from the first to the second, both included.
    Between(String, String),
}

/// A term with its category and all its ancestors, in the default culture: GetItem, 0.5 RCU up to 4 KB.
pub fn term(tenant: &TenantId, term: TermId) -> Key {
    let tenant = tenant.clone();
    ItemKey::Term { tenant, term }.key()
}

/// Term in another culture: GetItem, 0.5 RCU up to 4 KB.
pub fn term_in_culture(tenant: &TenantId, term: TermId, culture: &Culture) -> Key {
    ItemKey::TermCulture {
        tenant: tenant.clone(),
        term,
        culture: culture.clone(),
    }
    .key()
}

/// Category by id: GetItem, 0.5 RCU.
pub fn category(tenant: &TenantId, category: CategoryId) -> Key {
    let tenant = tenant.clone();
    ItemKey::Category { tenant, category }.key()
}

/// All items under a partition key, tombstones included, for verification: Query pages.
pub fn whole(partition: &str) -> KeyQuery {
    in_table(partition.to_owned(), SortCondition::All)
}

/// Head, configuration, log and marker of verification of a tenant: Query pages.
pub fn everything_but_items(tenant: &TenantId) -> KeyQuery {
    whole(&head(tenant).pk)
}

/// All aggregates of a tenant, with the markers of counted versions: Query pages.
pub fn all_stats(tenant: &TenantId) -> KeyQuery {
    whole(&tenant_stats(tenant).pk)
}

/// Configuration of a tenant: GetItem.
pub fn configuration(tenant: &TenantId) -> Key {
    let tenant = tenant.clone();
    ItemKey::Tenant { tenant }.key()
}

/// Head of a tenant: GetItem, always consistent, 1 RCU.
pub fn head(tenant: &TenantId) -> Key {
    let tenant = tenant.clone();
    ItemKey::Head { tenant }.key()
}

/// The head of a tenant and, before it, its log: a descending Query of one item has the head or, where that is lost, the newest log entry.
pub fn head_or_log(tenant: &TenantId) -> KeyQuery {
    let (first, head) = (changeset(tenant, Version::FIRST), head(tenant));
    in_table(head.pk, SortCondition::Between(first.sk, head.sk))
}

/// Head and configuration of a tenant: one Query, since no other key sorts between them.
pub fn head_and_configuration(tenant: &TenantId) -> KeyQuery {
    let (head, configuration) = (head(tenant), configuration(tenant));
    in_table(head.pk, SortCondition::Between(head.sk, configuration.sk))
}

/// The log of a version: GetItem.
pub fn changeset(tenant: &TenantId, version: Version) -> Key {
    let tenant = tenant.clone();
    ItemKey::Changeset { tenant, version }.key()
}

/// The last verified version of a tenant's chain: GetItem.
pub fn audit(tenant: &TenantId) -> Key {
    let tenant = tenant.clone();
    ItemKey::Audit { tenant }.key()
}

/// The log from one version to another, both included: one Query page.
pub fn changesets(tenant: &TenantId, from: Version, to: Version) -> KeyQuery {
    let (from, to) = (changeset(tenant, from), changeset(tenant, to));
    in_table(from.pk, SortCondition::Between(from.sk, to.sk))
}

/// The aggregates of a tenant, and its activity by month, oldest first: one Query, since no other key sorts between them.
pub fn stats_and_activity(tenant: &TenantId) -> KeyQuery {
    let stats = tenant_stats(tenant);
    in_table(stats.pk, SortCondition::Between("MONTH".to_owned(), stats.sk))
}

/// The aggregates of a tenant: GetItem.
pub fn tenant_stats(tenant: &TenantId) -> Key {
    let tenant = tenant.clone();
    ItemKey::TenantStats { tenant }.key()
}

/// The aggregates of a category: GetItem.
pub fn category_stats(tenant: &TenantId, category: CategoryId) -> Key {
    let tenant = tenant.clone();
    ItemKey::CategoryStats { tenant, category }.key()
}

/// The aggregates of every category that any version had: Query pages.
pub fn all_category_stats(tenant: &TenantId) -> KeyQuery {
    let partition = tenant_stats(tenant).pk;
    in_table(partition, SortCondition::BeginsWith("CATEGORY".to_owned()))
}

/// The marker that the activity of a version is counted: GetItem.
pub fn counted(tenant: &TenantId, version: Version) -> Key {
    let tenant = tenant.clone();
    ItemKey::Counted { tenant, version }.key()
}

/// All tenants, or those after one of them, ascending: one Query page on GSI1.
pub fn tenants(after: Option<&TenantId>) -> KeyQuery {
    after_entry(TENANTS, "", after)
}

/// Tenants that need attention for this reason, or those after one of them, ascending: one Query page on GSI1, usually empty.
pub fn attention(why: Attention, after: Option<&TenantId>) -> KeyQuery {
    after_entry(ATTENTION, &format!("{}#", why.as_str()), after)
}

fn in_table(partition: String, sort: SortCondition) -> KeyQuery {
    KeyQuery {
        index: KeySchema::Table,
        partition,
        sort,
    }
}

/// The entries whose sort key begins with `prefix`, or those after the entry of a tenant.
fn after_entry(partition: &str, prefix: &str, after: Option<&TenantId>) -> KeyQuery {
    // `!` is less than every character of an id, DEL is greater.
    let first = after.map_or_else(|| prefix.to_owned(), |after| format!("{prefix}{after}!"));
    KeyQuery {
        index: KeySchema::Gsi1,
        partition: partition.to_owned(),
        sort: match first.is_empty() {
            true => SortCondition::All,
            false => SortCondition::Between(first, format!("{prefix}\u{7f}")),
        },
    }
}
