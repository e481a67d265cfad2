//! Tests of uploads by the command line: conditional, and recognised after a lost response.

use taxonomy_store::{SourceObject, Upload, UploadError};
use taxonomy_tests::prelude::*;

const KEY: &str = "taxonomies/acme.json";

fn file(name: &str) -> Upload {
    Upload {
        bytes: small(&[(1, name)]),
        is_gzip: false,
        provenance: Provenance {
            release: Some("2026.1".to_owned()),
            ..Provenance::default()
        },
        allows_removals: true,
    }
}

async fn current(world: &World) -> Option<SourceObject> {
    world.service().sources.find(&tenant()).await.unwrap()
}

async fn upload(world: &World, name: &str, onto: Option<&SourceObject>) -> Result<String, UploadError> {
    world.service().sources.upload(&tenant(), &file(name), onto).await
}

fn stored(world: &World) -> Vec<u8> {
    world.s3.object(SOURCE_BUCKET, KEY).unwrap().bytes.to_vec()
}

#[tokio::test(start_paused = true)]
async fn an_upload_keeps_what_its_uploader_said() {
    let world = World::new();
    let version_id = upload(&world, "IT", None).await.unwrap();
    let object = current(&world).await.unwrap();
    assert_eq!(object.version_id, version_id);
    assert_eq!(object.provenance, file("IT").provenance);
    assert!(object.allows_removals);
    let second = upload(&world, "Law", Some(&object)).await.unwrap();
    assert_ne!(second, version_id);
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_came_between_is_not_replaced() {
    let world = World::new();
    let nothing = upload(&world, "IT", None).await.unwrap();
    let seen = current(&world).await.unwrap();
    assert_eq!(seen.version_id, nothing);
    world.upload(TENANT, &small(&[(1, "Law")]));
    for onto in [None, Some(&seen)] {
        let late = upload(&world, "Mining", onto).await;
        assert!(matches!(late, Err(UploadError::Replaced)), "{late:?}");
    }
    assert_eq!(stored(&world), small(&[(1, "Law")]));
}

#[tokio::test(start_paused = true)]
async fn an_upload_whose_answer_was_lost_is_known_again() {
    for fault in [
        Fault::AnswerLost,
        Fault::ServerErrorAfterApply,
        Fault::TransactionConflict,
        Fault::Throttle,
        Fault::DropBeforeSend,
    ] {
        for exists in [false, true] {
            let world = World::new();
            if exists {
                world.upload(TENANT, &small(&[(1, "Law")]));
            }
            let onto = current(&world).await;
            world.inject(When::nth(1).operation("PutObject"), fault);
            let version_id = upload(&world, "IT", onto.as_ref()).await;
            let version_id = version_id.unwrap_or_else(|error| panic!("{fault:?} {exists}: {error:?}"));
            assert_eq!(current(&world).await.unwrap().version_id, version_id, "{fault:?}");
            assert_eq!(stored(&world), small(&[(1, "IT")]));
            let puts = world.s3.versions(SOURCE_BUCKET, KEY).len();
            assert_eq!(puts, usize::from(exists) + 1, "{fault:?}: once");
        }
    }
}

/// Whatever request fails, the file is stored whole or not at all, and the command never reports a false success.
#[tokio::test(start_paused = true)]
async fn an_upload_under_any_fault_is_whole_or_absent() {
    for fault in Fault::ALL {
        for at in 1..=3 {
            let world = World::new();
            world.upload(TENANT, &small(&[(1, "Law")]));
            let onto = current(&world).await;
            world.inject(When::nth(at), fault);
            let done = upload(&world, "IT", onto.as_ref()).await;
            world.transport.reset_faults();
            let is_new = stored(&world) == small(&[(1, "IT")]);
            assert!(is_new || stored(&world) == small(&[(1, "Law")]));
            assert!(is_new || done.is_err(), "{fault:?} at {at}: {done:?}");
        }
    }
}
