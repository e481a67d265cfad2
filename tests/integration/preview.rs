//! Tests of a preview: its objects are byte for byte those that the projector stores, and its responses are those of the stack with the
//! published version.

use std::collections::BTreeMap;
use std::sync::Arc;

use lookup::files::{Objects, VersionFiles};
use lookup::{Auth, CacheControl, Lookup};
use taxonomy_model::Taxonomy;
use taxonomy_tests::budget::scaled;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::{Preview, PreviewBase};

use crate::any_version::{at_version, essence, questions};

const BYTES: u64 = 16 << 20;

fn files() -> [Vec<u8>; 4] {
    [
        sample("job-board-v1.json"),
        sample("job-board-v2.json"),
        small(&[(1, "One"), (102, "Nearly")]),
        sample("job-board-v1.json"),
    ]
}

fn archive(world: &World) -> Archive {
    Archive::new(world.s3.client(), CHANGESETS_BUCKET)
}

/// Returns the newest version of the world.
async fn base(world: &World) -> Option<PreviewBase> {
    let head = world.head(TENANT).await.committed?;
    let archive = archive(world);
    Some(PreviewBase {
        taxonomy: archive.snapshot(&head.snapshot_key, &head.state).await.unwrap(),
        index: archive.whole(&head.index_key).await.unwrap(),
        head,
    })
}

fn build(base: Option<&PreviewBase>, file: &[u8], now: u64) -> Preview {
    let new: Taxonomy = read(file);
    Preview::build(&tenant(), base, &new, Hash::digest(file), now).unwrap()
}

/// Returns a lookup over a preview and the world behind it, or over a preview alone.
fn lookup(preview: Preview, world: Option<&World>) -> Lookup {
    let Preview { head, entry, objects } = preview;
    let versions = VersionFiles::new(Objects::in_memory(objects, world.map(archive)), BYTES);
    let parts = lookup::Context::of_preview(tenant(), head, entry, versions, world.map(World::heads));
    let clock = Arc::new(|| NEW_YEAR_MS + 86_400_000);
    Lookup::new(Auth::None, CacheControl::default(), parts, clock)
}

#[tokio::test]
async fn its_objects_are_those_that_the_projector_stores() {
    let world = World::new();
    for (number, file) in (1..).zip(files()) {
        let base = base(&world).await;
        world.replace(TENANT, &file).await;
        let stored = world.entry(TENANT, number).await;
        let preview = build(base.as_ref(), &file, stored.committed_at);
        assert_eq!(preview.entry.changeset, stored.changeset, "version {number}");
        assert_eq!(preview.head.index_key, stored.index_key, "version {number}");
        let prefix = format!("/{number:012}-");
        let mut stored = world.bodies();
        stored.retain(|key, _| key.starts_with("indexes/") && key.contains(&prefix));
        let built: BTreeMap<String, Vec<u8>> = preview
            .objects
            .into_iter()
            .map(|(key, bytes)| (key, bytes.to_vec()))
            .collect();
        assert!(stored.len() > 1);
        assert_eq!(
            built.keys().collect::<Vec<_>>(),
            stored.keys().collect::<Vec<_>>()
        );
        assert!(built == stored, "version {number}");
    }
}

/// Compares responses about the newest version, earlier versions and the differences between them.
#[tokio::test]
async fn it_answers_as_the_stack_will() {
    let files = files();
    let mut asked: Vec<String> = questions(&files).into_iter().step_by(scaled(4, 1)).collect();
    asked.extend(
        [
            "versions",
            "versions?limit=1",
            "changes?after=0",
            "suggest?q=rust",
            "resolve?notation=x",
            "terms/101/history",
            "terms/101/history?limit=1",
        ]
        .map(|path| format!("/v1/tenants/{TENANT}/{path}")),
    );
    asked.push("/v1/tenants".to_owned());
    let (ahead, behind) = (World::new(), World::new());
    for (number, file) in (1..).zip(&files) {
        ahead.replace(TENANT, file).await;
        let stored = ahead.entry(TENANT, number).await;
        let preview = lookup(
            build(base(&behind).await.as_ref(), file, stored.committed_at),
            (number > 1).then_some(&behind),
        );
        let stack = process(&ahead);
        for version in 1..=number {
            asked.extend([
                format!("/v1/tenants/{TENANT}/versions/{version}"),
                format!("/v1/tenants/{TENANT}/versions/{version}/changes"),
                format!("/v1/tenants/{TENANT}/diff?from={version}&to={number}"),
            ]);
        }
        for question in &asked {
            for question in [question.clone(), at_version(question, 1)] {
                let (expect, answer) = (
                    ask(&stack, "GET", &question, None).await,
                    ask(&preview, "GET", &question, None).await,
                );
                assert_eq!(essence(&answer), essence(&expect), "version {number}: {question}");
            }
        }
        behind.replace(TENANT, file).await;
        // Their clocks tick alike.
        assert_eq!(behind.entry(TENANT, number).await, stored);
    }
}

#[tokio::test]
async fn it_counts_as_the_stack_does_and_knows_no_other_tenant() {
    let [file, ..] = files();
    let preview = lookup(build(None, &file, NEW_YEAR_MS), None);
    let (status, counts) = get(&preview, "stats").await;
    assert_eq!((status, &counts["version"]), (200, &1.into()));
    assert_eq!(counts["months"], Value::Null);
    let (status, of_version) = get(&preview, "stats?version=1").await;
    assert_eq!((status, of_version), (200, counts));
    assert_eq!(get(&preview, "/v1/tenants/globex/categories").await.0, 404);
    assert_eq!(get(&preview, "categories?version=2").await.0, 404);
    assert_eq!(get(&preview, "categories?asOf=1999-01-01T00:00:00Z").await.0, 404);
}
