//! Tests of the names and values in the second tier, which are a storage format. A change of it requires another prefix of the keys
//! (decision page 10).

use super::tier::Tier;
use super::world::World;

const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"s"},{"culture":"fr-FR","name":"Secteur"}],
  "altNames":[{"culture":"fr-FR","name":"Domaine"}],"metadata":{"a":1},
  "terms":[{"id":1,"names":[{"culture":"en-GB","name":"IT","path":"it"}],"children":[
    {"id":2,"names":[{"culture":"en-GB","name":"Rust"},{"culture":"fr-FR","name":"Rouille"}],"notation":"6201","deprecated":true,"replacedBy":[1]}]}]}]}"#;

#[tokio::test]
async fn names_and_values_are_pinned() {
    let (world, tier) = (World::new(), Tier::new());
    let long_ago = taxonomy_testkit::fixtures::NEW_YEAR_MS - 60_000;
    world.publish(FILE, long_ago).await;
    let process = world.process_with(tier.clone());
    world.term(&process, 2).await;
    world.term(&process, 7).await;
    world.term_in_french(&process, 2).await;
    world.category(&process, 1).await;
    let lines = tier.lines().join("\n");
    let tag = world.get(&process, "").await.headers["etag"].clone();
    let tag = tag.trim_matches('"').trim_end_matches("-1");
    assert_eq!(lines.replace(tag, "TAG"), EXPECT.trim());
}

const EXPECT: &str = r#"
acme TAG category:1 = {"entry":"category:1","answer":{"tenant":"acme","version":1,"id":1,"name":"Sector","culture":"en-GB","path":"s","altNames":[],"metadata":{"a":1},"deprecated":false,"replacedBy":[],"relations":[],"removed":false}}
acme TAG term:2 = {"entry":"term:2","answer":{"tenant":"acme","version":1,"id":2,"name":"Rust","culture":"en-GB","finalName":"Sector:Rust","category":{"id":1,"name":"Sector","culture":"en-GB","path":"s"},"depth":2,"ancestors":[{"id":1,"name":"IT","finalName":"Sector:IT","culture":"en-GB","path":"it"}],"notation":"6201","altNames":[],"metadata":{},"deprecated":true,"replacedBy":[1],"relations":[],"removed":false}}
acme TAG term:2:fr-FR = {"entry":"term:2:fr-FR","answer":{"tenant":"acme","version":1,"id":2,"name":"Rouille","culture":"fr-FR","finalName":"Secteur:Rouille","category":{"id":1,"name":"Secteur","culture":"fr-FR"},"depth":2,"ancestors":[{"id":1,"name":"IT","finalName":"Secteur:IT","culture":"en-GB","path":"it"}],"notation":"6201","altNames":[],"metadata":{},"deprecated":true,"replacedBy":[1],"relations":[],"removed":false}}
acme TAG term:7 = {"entry":"term:7","answer":null}
"#;
