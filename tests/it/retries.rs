//! The retry queue and what becomes of messages that nobody could work off.

use taxonomy_store::RetryQueue;
use taxonomy_testkit::sqs::{queue_arn, queue_url};
use taxonomy_tests::world::{DEAD_LETTERS, RETRIES, TENANT, World, expected, small};

#[tokio::test]
async fn dead_letters_are_moved_back_by_the_queue_service() {
    let world = World::new();
    world.upload(TENANT, &small(&[(1, "IT")]));
    for body in [r#"{"tenant":"acme"}"#, r#"{"tenant":"acme"}"#] {
        world.sqs.send(DEAD_LETTERS, body);
    }
    let queue = RetryQueue::new(world.sqs.client(), &queue_url(RETRIES));
    queue
        .redrive(&queue_arn(DEAD_LETTERS), &queue_arn(RETRIES))
        .await
        .unwrap();
    assert!(world.sqs.messages(DEAD_LETTERS).is_empty());
    assert_eq!(world.drain_retries(1000).await, 2);
    assert_eq!(world.live(TENANT), expected(TENANT, &small(&[(1, "IT")])));
}
