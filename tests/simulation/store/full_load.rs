//! A load that goes on as a full one, because nothing is left of the projected version's content. A known mistake is one that only this test sees.

use taxonomy_tests::prelude::*;

/// The writes of a full load are others than those that were counted, so it begins at its first.
#[tokio::test]
async fn a_load_that_becomes_a_full_one_begins_anew() {
    let world = World::new();
    let file = |name: &str, step: usize| named((1..=40).step_by(step), |id| format!("{name} {id}"));
    world.push(TENANT, &file("Old", 1)).await;
    let first = world.s3.keys(CHANGESETS_BUCKET);
    let v2 = file("New", 2);
    let event = world.upload_replacement(TENANT, &v2);
    let projector = world.projector();
    projector.handle(event, world.deadline_in(30)).await.unwrap();
    let done = world.committed(TENANT).await.cursor.unwrap().done;
    assert!((5..35).contains(&done), "{done}");
    first.iter().for_each(|key| world.lose(key));
    world.drain_retries(300).await;
    assert!(world.committed(TENANT).await.is_settled());
    assert_eq!(world.live(TENANT), expected(TENANT, &v2));
}
