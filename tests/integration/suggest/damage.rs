//! Tests of search objects that are large, missing or damaged, and of the reads per response.

use lookup::Lookup;
use lookup::files::VersionFiles;
use taxonomy_store::{Heads, Table};
use taxonomy_tests::prelude::*;

use super::{FILE, hits};

/// Starts a process that caches at most `bytes` bytes of parts.
fn process_of(world: &World, bytes: u64) -> Lookup {
    process_with(world, |parts| {
        let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), bytes);
        parts.with_versions(versions, Heads::new(Table::new(world.db.client(), TABLE)))
    })
}

fn object(world: &World, culture: &str) -> String {
    let mut found = world.keys(|key| key.ends_with(&format!(".search-{culture}")));
    found.pop().unwrap()
}

/// Returns a file with enough terms that the object has many parts.
fn large() -> Vec<u8> {
    let terms = (0..2_000).map(|id| {
        let (product, line, grade) = (id * 7919 % 6_000, id % 37, id % 11);
        json!({"id": id, "name": format!("Product {product} of line {line} grade {grade}")})
    });
    let terms: Vec<Value> = terms.collect();
    of_categories(&json!([{"id": 1, "name": "Products", "terms": terms}]))
}

#[tokio::test]
async fn a_large_object_is_read_by_parts_and_once() {
    let world = World::of(&[&large()]).await;
    let key = object(&world, "en-GB");
    let size = world.body(&key).len();
    assert!(size > 128 << 10, "{size} bytes");
    let mut total = 0;
    let (lookup, forgetful) = (process(&world), process_of(&world, 1));
    for query in [
        "product 4711",
        "line 36 grade 10",
        "gradr 3 line 5",
        "pro&limit=50",
        "4711&category=1",
    ] {
        world.exchanges().clear();
        let first = hits(&lookup, query).await;
        assert!(!first.is_empty(), "{query}");
        let reads = world.exchanges().all();
        let reads = reads.iter().filter(|read| read.target.contains(&key)).count();
        assert!(reads < 40, "{query}: {reads} reads");
        total += reads;
        world.exchanges().clear();
        assert_eq!(hits(&lookup, query).await, first, "{query}");
        assert_eq!(world.exchanges().count("GetObject"), 0, "{query}: parts are kept");
        assert_eq!(hits(&forgetful, query).await, first, "{query}: nothing is kept");
        assert!(world.exchanges().count("GetObject") > 0);
    }
    assert!(total > 10, "{total} reads of {size} bytes");
}

/// The object under the key is valid, but of another version or of another tenant's content.
#[tokio::test]
async fn an_object_of_another_content_is_a_problem() {
    let (world, _) = served(FILE).await;
    let second = FILE.replace(r#"{"id":201,"#, r#"{"id":202,"#);
    world.replace(TENANT, second.as_bytes()).await;
    let third = second.replace(
        r#"{"id":200,"names":[{"culture":"en-GB","name":"🚀 Crème brûlée"}]},"#,
        "",
    );
    let first = world.body(&world.keys(|key| key.ends_with(".search-en-GB"))[0]);
    let refused = async |query: &str| {
        world.put_body(&object(&world, "en-GB"), first.clone());
        problems(&process(&world), &format!("{query} 503 archive-unavailable")).await;
    };
    // The ordinal belongs to another term.
    refused("suggest?q=removal").await;
    // The number of ordinals differs, though this term has the same one.
    world.replace(TENANT, third.as_bytes()).await;
    refused("suggest?q=rustac").await;
}

/// Only a category has a name in this culture: it is found, and the next culture is searched as well.
#[tokio::test]
async fn a_culture_in_which_no_term_is_named_falls_back() {
    let world = World::new();
    let file = FILE.replace(
        r#"{"culture":"en-GB","name":"Skill"}"#,
        r#"{"culture":"en-GB","name":"Skill"},{"culture":"it-IT","name":"Abilità"}"#,
    );
    world.push(TENANT, file.as_bytes()).await;
    object(&world, "it-IT");
    let lookup = process(&world);
    let (_, body) = get(&lookup, "suggest?q=rustac&culture=it").await;
    assert_eq!(body["items"][0]["matched"]["culture"], "en-GB");
    let (_, body) = get(&lookup, "suggest?q=abilita&culture=it").await;
    let found = &body["items"][0];
    assert_eq!(json!([found["kind"], found["id"]]), json!(["category", 2]));
}
