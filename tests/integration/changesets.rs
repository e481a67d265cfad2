//! Changesets in the archive: read as a whole or fact by fact, they are the same, and so is what is refused.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Fact, Hash};
use taxonomy_store::{Archive, LogEntry, StoreError};
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_tests::world::{TENANT, World, sample, small};

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

    /// Stores `bytes` as the changeset of a version, and returns how each of both readers refuses it.
    async fn refused(&self, version: Version, id: &Hash, bytes: Vec<u8>) -> [String; 2] {
        let key = Archive::changeset_key(&self.tenant, version, id);
        self.world.s3.put(CHANGESETS_BUCKET, &key, bytes);
        let whole = self.archive.changeset(&self.tenant, version, id).await;
        let each = self.archive.each_fact(&self.tenant, version, id, |_| {}).await;
        [damage(whole), damage(each)]
    }
}

fn damage<T: std::fmt::Debug>(read: Result<T, StoreError>) -> String {
    match read {
        Err(StoreError::Damaged { source, .. }) => source.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn facts_read_one_by_one_are_those_of_the_changeset() {
    let chain = Chain::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await;
    for version in [Version::FIRST, Version::FIRST.next()] {
        let id = chain.entry(version).await.changeset;
        let whole = chain
            .archive
            .changeset(&chain.tenant, version, &id)
            .await
            .unwrap();
        let mut facts: Vec<Fact> = Vec::new();
        let each = |fact: &Fact| facts.push(fact.clone());
        let header = chain
            .archive
            .each_fact(&chain.tenant, version, &id, each)
            .await
            .unwrap();
        assert!(!facts.is_empty());
        assert_eq!(format!("{facts:?}"), format!("{:?}", whole.facts));
        assert_eq!(header, whole.header);
    }
}

#[tokio::test]
async fn a_changeset_that_is_not_the_one_of_its_key_is_refused_by_both_readers() {
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
    for message in chain.refused(second, &one, of_first.clone()).await {
        assert!(message.contains("it is version 1 of"), "{message}");
    }
    for message in chain.refused(second, &two, of_first).await {
        assert!(message.contains("its content has another hash"), "{message}");
    }
    chain.refused(second, &two, cut).await;
}
