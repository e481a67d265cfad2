//! Rule 7: names while the default culture changes.

use std::time::Duration;

use taxonomy_cache::ReadError;
use taxonomy_keys::ItemKey;
use taxonomy_model::writes::Write;
use taxonomy_testkit::Fault;

use crate::world::{Answered, World, cultures, firm, soft, term};

/// A term with an English and a French name.
fn file(default: &str) -> String {
    format!(
        r#"{{"defaultCulture":"{default}","categories":[
        {{"id":1,"names":[{{"culture":"en-GB","name":"sector"}},{{"culture":"fr-FR","name":"secteur"}}],"terms":[
          {{"id":1,"names":[{{"culture":"en-GB","name":"one"}},{{"culture":"fr-FR","name":"un"}}]}}]}}]}}"#
    )
}

fn is_own(write: &Write) -> bool {
    matches!(write.item().key, ItemKey::Term { .. })
}

fn is_of_culture(write: &Write) -> bool {
    matches!(write.item().key, ItemKey::TermCulture { .. })
}

/// English is served, French is on its way.
async fn changing() -> World {
    let world = World::new();
    world.publish(&file("en-GB"), 0).await;
    world.commit(&file("fr-FR")).await;
    world.db.exchanges().clear();
    world
}

#[tokio::test]
async fn a_name_in_the_new_default_culture_is_read_where_it_still_is() {
    let world = changing().await;
    let reader = world.reader();
    assert_eq!(world.term_in(&reader, 1, &["fr-FR"]).await, soft("un"));
    assert_eq!(world.term_in(&reader, 1, &["en-GB", "fr-FR"]).await, soft("one"));
    // Consistently, a unit an item that is looked for, and from one request each.
    assert_eq!(world.requests(), ["Head 1", "BatchGetItem 2", "BatchGetItem 3"]);
    assert_eq!(world.term_in(&reader, 1, &[]).await, soft("one"), "its own item");
    assert_eq!(world.requests(), ["GetItem 0.5"]);
    world.write().await;
    world.settle(0).await;
    world.wait_ms(2_000);
    assert_eq!(world.term_in(&reader, 1, &["fr-FR"]).await, firm(2, "un"));
    assert_eq!(
        world.term_in(&reader, 1, &["en-GB", "fr-FR"]).await,
        firm(2, "one")
    );
}

/// One request reads several items, and not at one moment: the English name may be looked for where it is not yet, and the own item read when
/// it is no longer there.
#[tokio::test(start_paused = true)]
async fn a_name_that_changes_places_while_it_is_read_is_looked_for_again() {
    let world = changing().await;
    let reader = world.reader();
    // The own item as it is later, the item beside it as it was before.
    world.write_where(is_own).await;
    world.db.transport().close_gate();
    let (answered, ()) = tokio::join!(world.term_in(&reader, 1, &["en-GB", "fr-FR"]), async {
        let head = world.arrived("HEAD").await;
        world.db.transport().release(head, None);
        let torn = world.arrived("TERM#").await;
        world.db.transport().release(torn, None);
        let again = loop {
            let next = world.arrived("TERM#").await;
            if next != torn {
                break next;
            }
            tokio::task::yield_now().await;
        };
        let late = Fault::SlowBeforeApply(Duration::from_millis(500));
        world.db.transport().release(again, Some(late));
        world.db.transport().open_gate();
        world.write_where(is_of_culture).await;
    });
    assert_eq!(answered, soft("one"));
}

#[tokio::test]
async fn an_answer_from_an_older_head_is_asked_for_again() {
    let world = World::new();
    world.publish(&file("en-GB"), 0).await;
    let reader = world.reader();
    let view = world.view(&reader).await;
    reader.confirm(&view).await.unwrap();
    world.commit(&file("fr-FR")).await;
    world.write_where(is_own).await;
    let found = reader
        .terms(&view, &[term(1)], &cultures(&["en-GB"]))
        .await
        .unwrap();
    assert_eq!(found[&term(1)].value.name, "un", "no longer there");
    assert!(matches!(reader.confirm(&view).await, Err(ReadError::Moved)));
    // The head is known now.
    let view = world.view(&reader).await;
    assert_eq!(view.head().version.get(), 2);
    let found: Answered = world.term_in(&reader, 1, &["fr-FR"]).await;
    assert_eq!(found, soft("un"));
}
