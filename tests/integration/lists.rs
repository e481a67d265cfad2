//! Tests of lists with details and without deprecated items, against the responses by id.

use taxonomy_tests::files::SMALL;
use taxonomy_tests::plain::id;
use taxonomy_tests::prelude::*;

use crate::sweep::stray;

const DETAILS: [&str; 8] = [
    "ancestors",
    "altNames",
    "notes",
    "sortKey",
    "metadata",
    "deprecation",
    "replacedBy",
    "relations",
];

/// Returns the members of a response by id that are details.
fn details(whole: &Value) -> Value {
    let members = whole.as_object().unwrap().iter();
    let kept = members.filter(|(name, _)| DETAILS.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn ids(items: &[Value]) -> Vec<u64> {
    items.iter().map(id).collect()
}

#[tokio::test]
async fn details_are_what_the_answer_by_id_has_and_the_list_leaves_out() {
    let (_world, lookup) = served(SMALL).await;
    let mut compared = 0;
    for culture in ["en-GB", "fr-FR"] {
        for (list, kind) in [
            ("terms/100/children", "terms"),
            ("terms/100/descendants", "terms"),
            ("categories/1/terms", "terms"),
            ("categories", "categories"),
        ] {
            let items = pages(
                &lookup,
                &format!("{list}?include=details&culture={culture}&limit=2"),
            )
            .await;
            let brief = pages(&lookup, &format!("{list}?culture={culture}")).await;
            assert_eq!(ids(&items), ids(&brief), "{list}");
            for (item, brief) in items.iter().zip(&brief) {
                let node = format!("{kind}/{}", item["id"]);
                let (_, whole) = get(&lookup, &format!("{node}?culture={culture}")).await;
                assert_eq!(item["details"], details(&whole), "{list} {culture}");
                if kind == "terms" {
                    let above = get(&lookup, &format!("{node}/ancestors?culture={culture}")).await;
                    let expect = json!({"category": whole["category"], "items": whole["ancestors"]});
                    assert_eq!(above, (200, expect));
                }
                let mut item = item.clone();
                item.as_object_mut().unwrap().remove("details");
                assert_eq!(item, *brief, "{list} {culture}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 2 * (1 + 2 + 3 + 2));
    assert_eq!(get(&lookup, "terms/9/ancestors").await.0, 404);
    for wrong in [
        "deprecated=no 400 * /query/deprecated",
        "include=children 400 * /query/include",
        "include=details&include=details 400 * /query/include",
    ] {
        problems(&lookup, &format!("categories?{wrong}")).await;
        problems(&lookup, &format!("terms/100/children?{wrong}")).await;
    }
}

/// The response about the tenant at a version equals the response while that version was served.
#[tokio::test]
async fn the_head_of_a_version_is_the_one_that_it_was() {
    let (world, lookup) = served(SMALL).await;
    let target = format!("/v1/tenants/{TENANT}");
    let (_, first) = get(&lookup, &target).await;
    world
        .replace(TENANT, SMALL.replace("fr-FR", "it-IT").as_bytes())
        .await;
    let lookup = process(&world);
    let (_, second) = get(&lookup, &target).await;
    assert_ne!(first["cultures"], second["cultures"]);
    for (moment, expect) in [
        ("version=1", &first),
        ("version=2", &second),
        ("asOf=2099-01-01T00:00:00Z", &second),
    ] {
        assert_eq!(
            get(&lookup, &format!("{target}?{moment}")).await,
            (200, expect.clone())
        );
    }
    assert_eq!(get(&lookup, &format!("{target}?version=3")).await.0, 404);
}

/// A page of tenants with a damaged entry has fewer items than its limit, and still links to the next.
#[tokio::test]
async fn a_damaged_entry_does_not_end_the_list_of_tenants() {
    let world = World::new();
    for tenant in ["a", "b", "c", "d"] {
        world.push(tenant, SMALL.as_bytes()).await;
    }
    for place in ["0", "aa", "bb"] {
        world.put_by_hand(stray("TENANTS", place)).await;
    }
    let lookup = process(&world);
    for limit in 1..=8 {
        let listed = pages(&lookup, &format!("/v1/tenants?limit={limit}")).await;
        let listed: Vec<&str> = listed.iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!(listed, ["a", "b", "c", "d"], "{limit}");
    }
}
