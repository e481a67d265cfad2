//! A first changeset with as many categories as a test needs, without the items that a real load of them would write.

use taxonomy_model::{CategoryCounts, Counts};
use taxonomy_store::{Object, Packed};
use taxonomy_tests::prelude::*;

/// Replaces the first changeset of a tenant by one with these categories, all of which have the same counts and are touched.
pub(crate) async fn put_categories(world: &World, tenant: &TenantId, count: u64, counts: &Counts) {
    let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
    let entry = world.entry(tenant.as_str(), 1).await;
    let mut header = archive
        .header(tenant, entry.version, &entry.changeset)
        .await
        .unwrap();
    let category = |id| CategoryCounts {
        id,
        counts: counts.clone(),
    };
    header.census.categories = (1..=count).map(category).collect();
    header.touched = Some((1..=count).collect());
    let (packed, _) = Packed::changeset(&header, std::iter::empty()).unwrap();
    let id = packed.hash.clone();
    let changeset = Object::changeset(&header, packed);
    archive.put(&changeset).await.unwrap();
    let partition = format!("TAXONOMY#{tenant}");
    let mut item = world.item(&partition, "CHANGESET#000000000001");
    let index = entry
        .index_key
        .replace(&entry.changeset.to_string(), &id.to_string());
    item.insert("IndexKey".to_owned(), s(&index));
    item.insert("ChangesetId".to_owned(), s(id.as_str()));
    item.insert("ChangesetKey".to_owned(), s(&changeset.key));
    world.put_by_hand(item).await;
}
