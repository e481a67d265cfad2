//! Changesets in the archive: read as a whole or fact by fact, they are the same, and so is what is refused.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::{Archive, LogEntry, StoreError};
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_tests::world::{TENANT, World, small};

struct Chain {
    world: World,
    archive: Archive,
    tenant: TenantId,
}

impl Chain {
    async fn of(files: &[&[u8]]) -> Self {
        let world = World::new();
        for file in files {
            world.push(TENANT, file).await;
        }
        Self {
            archive: Archive::new(world.s3.client(), CHANGESETS_BUCKET),
            tenant: TENANT.parse().unwrap(),
            world,
        }
    }

    async fn entry(&self, version: Version) -> LogEntry {
        let entry = self.world.heads().entry(&self.tenant, version).await;
        entry.unwrap().unwrap()
    }

    /// Stores `bytes` as the changeset of a version, and returns how a reader refuses it.
    async fn refused(&self, version: Version, id: &Hash, bytes: Vec<u8>) -> String {
        let key = Archive::changeset_key(&self.tenant, version, id);
        self.world.s3.put(CHANGESETS_BUCKET, &key, bytes);
        damage(self.archive.changeset(&self.tenant, version, id).await)
    }
}

fn damage<T: std::fmt::Debug>(read: Result<T, StoreError>) -> String {
    match read {
        Err(StoreError::Damaged { source, .. }) => source.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_changeset_that_is_not_the_one_of_its_key_is_refused() {
    let chain = Chain::of(&[&small(&[(1, "IT")]), &small(&[(1, "IT"), (2, "Law")])]).await;
    let (first, second) = (Version::FIRST, Version::FIRST.next());
    let (one, two) = (
        chain.entry(first).await.changeset,
        chain.entry(second).await.changeset,
    );
    let body = |version: Version, id: &Hash| {
        let key = Archive::changeset_key(&chain.tenant, version, id);
        chain
            .world
            .s3
            .object(CHANGESETS_BUCKET, &key)
            .unwrap()
            .bytes
            .to_vec()
    };
    let of_first = body(first, &one);
    let mut cut = body(second, &two);
    cut.truncate(cut.len() / 2);
    // An undamaged changeset of another version, under its own id.
    let message = chain.refused(second, &one, of_first.clone()).await;
    assert!(message.contains("it is version 1 of"), "{message}");
    let message = chain.refused(second, &two, of_first).await;
    assert!(message.contains("its content has another hash"), "{message}");
    chain.refused(second, &two, cut).await;
}
