//! Tests of the redrive of dead letters to the retry queue.

use taxonomy_store::redrive;
use taxonomy_testkit::sqs::queue_url;
use taxonomy_tests::world::{DEAD_LETTERS, RETRIES, TENANT, World, expected, small};

#[tokio::test]
async fn dead_letters_are_moved_back() {
    let world = World::new();
    world.upload(TENANT, &small(&[(1, "IT")]));
    for body in [r#"{"tenant":"acme"}"#, r#"{"tenant":"acme"}"#] {
        world.sqs.send(DEAD_LETTERS, body);
    }
    let (from, to) = (queue_url(DEAD_LETTERS), queue_url(RETRIES));
    assert_eq!(redrive(&world.sqs.client(), &from, &to, 1).await.unwrap(), 1);
    assert_eq!(
        world.sqs.messages(DEAD_LETTERS).len(),
        1,
        "no more than requested"
    );
    assert_eq!(redrive(&world.sqs.client(), &from, &to, 100).await.unwrap(), 1);
    assert!(world.sqs.messages(DEAD_LETTERS).is_empty());
    assert_eq!(world.drain_retries(1000).await.len(), 2);
    assert_eq!(world.live(TENANT), expected(TENANT, &small(&[(1, "IT")])));
}
