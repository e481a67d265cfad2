//! Tests of the names and values in the second tier, which are a storage format. A change of it requires another prefix of the keys
//! (decision page 10).

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
    world.term_in(&reader, 2, Some("fr-FR")).await;
    world.category(&reader, 1).await;
    let view = world.view(&reader).await;
    let lines = tier.lines().join("\n");
    let tag = view.tag();
    assert_eq!(lines.replace(&tag, "TAG"), EXPECT.trim());
}

const EXPECT: &str = r#"
acme TAG category:1 = {"entry":"category:1","found":{"V":1,"item":{"AltNames":{"fr-FR":["Domaine"]},"Culture":"en-GB","Metadata":"{\"a\":1}","Name":"Sector","Names":{"fr-FR":{"Name":"Secteur"}},"Path":"s"}}}
acme TAG term:2 = {"entry":"term:2","found":{"V":1,"item":{"CategoryId":1,"CategoryPath":"s","Culture":"en-GB","Deprecated":true,"FinalName":"Sector:Rust","Lineage":"1\tIT\t=it","Name":"Rust","Notation":"6201","ReplacedBy":[1]}}}
acme TAG term:2:fr-FR = {"entry":"term:2:fr-FR","found":{"V":1,"item":{"CategoryId":1,"Culture":"fr-FR","Deprecated":true,"FinalName":"Secteur:Rouille","Lineage":"1\tIT\t=it\ten-GB","Name":"Rouille","Notation":"6201","ReplacedBy":[1]}}}
acme TAG term:7 = {"entry":"term:7"}
"#;
