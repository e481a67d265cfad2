//! Tests of the names and values in the second tier, which are a storage format. A change of it requires another prefix of the keys
//! (decision page 10).

use taxonomy_keys::{List, ListPosition, TermId};

use crate::tier::Tier;
use crate::world::World;

const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"s"},{"culture":"fr-FR","name":"Secteur"}],
  "altNames":[{"culture":"fr-FR","name":"Domaine"}],"metadata":{"a":1},
  "terms":[{"id":1,"names":[{"culture":"en-GB","name":"IT","path":"it"}],"children":[
    {"id":2,"names":[{"culture":"en-GB","name":"Rust"},{"culture":"fr-FR","name":"Rouille"}],"notation":"6201","deprecated":true,"replacedBy":[1]}]}]}]}"#;

#[tokio::test]
async fn names_and_values_are_pinned() {
    let (world, tier) = (World::new(), Tier::new());
    let long_ago = taxonomy_testkit::fixtures::NEW_YEAR_MS - 60_000;
    world.publish(FILE, long_ago).await;
    let reader = world.reader_with(tier.clone());
    world.term(&reader, 2).await;
    world.term(&reader, 7).await;
    world.term_in(&reader, 2, &["fr-FR", "en-GB"]).await;
    world.category(&reader, 1).await;
    let view = world.view(&reader).await;
    let start = ListPosition::parse("a b\t0000000000000000").unwrap();
    reader.categories(&view, 50, None).await.unwrap();
    reader.categories(&view, 1, None).await.unwrap();
    drop(reader.categories(&view, 50, Some(start.clone())).await);
    let children = List::Children(TermId::new(1).unwrap());
    reader.listed_terms(&view, children, 50, None).await.unwrap();
    drop(reader.listed_terms(&view, children, 50, Some(start)).await);
    let lines = tier.lines().join("\n");
    let tag = view.tag().unwrap();
    assert_eq!(lines.replace(&tag, "TAG"), EXPECT.trim());
}

const EXPECT: &str = r#"
acme TAG categories:1 = {"entry":"categories:1","found":{"items":[{"id":1,"item":{"Culture":"en-GB","Name":"Sector","Names":{"fr-FR":{"Name":"Secteur"}},"Path":"s"}}],"next":"sector\t0000000000000001"}}
acme TAG categories:50 = {"entry":"categories:50","found":{"items":[{"id":1,"item":{"Culture":"en-GB","Name":"Sector","Names":{"fr-FR":{"Name":"Secteur"}},"Path":"s"}}]}}
acme TAG categories:50:5b01d86bda47b853c7fcf1e8684811f73b64ad2653db465601da71dda41972f1 = {"entry":"categories:50:5b01d86bda47b853c7fcf1e8684811f73b64ad2653db465601da71dda41972f1","found":{"items":[{"id":1,"item":{"Culture":"en-GB","Name":"Sector","Names":{"fr-FR":{"Name":"Secteur"}},"Path":"s"}}]}}
acme TAG category:1 = {"entry":"category:1","found":{"V":1,"item":{"AltNames":{"fr-FR":["Domaine"]},"Culture":"en-GB","Metadata":"{\"a\":1}","Name":"Sector","Names":{"fr-FR":{"Name":"Secteur"}},"Path":"s"}}}
acme TAG children:1:50 = {"entry":"children:1:50","found":{"items":[{"id":2,"item":{"Culture":"en-GB","Deprecated":true,"Name":"Rust","Names":{"fr-FR":"Rouille"},"Notation":"6201"}}]}}
acme TAG children:1:50:5b01d86bda47b853c7fcf1e8684811f73b64ad2653db465601da71dda41972f1 = {"entry":"children:1:50:5b01d86bda47b853c7fcf1e8684811f73b64ad2653db465601da71dda41972f1","found":{"items":[{"id":2,"item":{"Culture":"en-GB","Deprecated":true,"Name":"Rust","Names":{"fr-FR":"Rouille"},"Notation":"6201"}}]}}
acme TAG term:2 = {"entry":"term:2","found":{"V":1,"item":{"CategoryId":1,"CategoryPath":"s","Culture":"en-GB","Deprecated":true,"FinalName":"Sector:Rust","Lineage":"1\tIT\t=it","Name":"Rust","Notation":"6201","ReplacedBy":[1]}}}
acme TAG term:2:fr-FR = {"entry":"term:2:fr-FR","found":{"V":1,"item":{"CategoryId":1,"Culture":"fr-FR","Deprecated":true,"FinalName":"Secteur:Rouille","Lineage":"1\tIT\t=it\ten-GB","Name":"Rouille","Notation":"6201","ReplacedBy":[1]}}}
acme TAG term:7 = {"entry":"term:7"}
"#;

#[tokio::test]
async fn a_page_goes_on_where_the_last_one_ended() {
    let (world, tier) = (World::old("old").await, Tier::new());
    for _ in 0..2 {
        let reader = world.reader_with(tier.clone());
        let view = world.view(&reader).await;
        let first = reader.categories(&view, 1, None).await.unwrap();
        let second = reader.categories(&view, 1, first.next.clone()).await.unwrap();
        let names = [&first, &second].map(|page| page.items[0].value.name.as_str());
        assert_eq!(names, ["old sector", "old place"]);
    }
    assert_eq!(tier.names().len(), 2);
    assert!(
        tier.names()
            .iter()
            .all(|name| name.len() < 128 && name.is_ascii())
    );
}
