//! The numbers of facets, where a filter leaves few of what a search finds. `random.rs` compares them with a search of every name.

use taxonomy_tests::prelude::*;

fn term(id: u64, name: &str) -> Value {
    json!({"id": id, "names": [{"culture": "en-GB", "name": name}]})
}

/// Twelve terms with a word in one category; in the other one of them, and one that is near.
async fn world() -> World {
    let many: Vec<Value> = (1..=12).map(|id| term(id, &format!("Red marble {id}"))).collect();
    let few = [term(20, "Blue marble run"), term(21, "Old Marple")];
    let category = |id: u64, terms: &[Value]| {
        let name = json!([{"culture": "en-GB", "name": format!("Category {id}")}]);
        json!({"id": id, "names": name, "terms": terms})
    };
    let file = json!({"defaultCulture": "en-GB", "categories": [category(1, &many), category(2, &few)]});
    World::of(&[file.to_string().as_bytes()]).await
}

#[tokio::test]
async fn the_number_of_a_value_is_the_total_after_its_choice() {
    let world = world().await;
    let lookup = process(&world);
    let (_, all) = get(&lookup, "suggest?q=marble&counts=facets").await;
    let of_category = |id: u64, total: u64| json!({"id": id, "name": format!("Category {id}"), "culture": "en-GB", "total": total});
    assert_eq!(json!([all["total"], all["totalIsMinimum"]]), json!([13, false]));
    let expect = json!([of_category(1, 12), of_category(2, 1)]);
    assert_eq!(all["counts"]["categories"], expect);
    let (_, one) = get(&lookup, "suggest?q=marble&counts=facets&category=2").await;
    assert_eq!(json!([one["total"], one["items"][0]["id"]]), json!([1, 20]));
    assert_eq!(one["counts"]["categories"], all["counts"]["categories"]);
    // A search within the category finds few, and so takes what is near.
    let (_, near) = get(&lookup, "suggest?q=marble&category=2").await;
    assert_eq!((near["total"].clone(), near.get("counts")), (json!(2), None));
}

#[tokio::test]
async fn what_is_near_is_counted_where_the_whole_search_finds_few() {
    let world = world().await;
    let lookup = process(&world);
    for (query, total) in [
        ("marple", 14),
        ("marple&category=2", 2),
        ("marple&category=1", 12),
        ("marple&kind=category", 0),
    ] {
        let (_, body) = get(&lookup, &format!("suggest?q={query}&counts=facets")).await;
        assert_eq!(body["total"], json!(total), "{query}: {body}");
        assert_eq!(body.get("nothingFound").is_some(), total == 0);
    }
}

#[tokio::test]
async fn an_id_is_counted_and_only_the_first_page_has_numbers() {
    let world = world().await;
    let lookup = process(&world);
    let (_, body) = get(&lookup, "suggest?q=20&counts=facets").await;
    let expect = json!([1, {"category": 0, "term": 1}]);
    assert_eq!(json!([body["total"], body["counts"]["kinds"]]), expect);
    let (_, body) = get(&lookup, "suggest?q=20&counts=facets&category=1").await;
    assert_eq!(json!([body["total"], body["items"]]), json!([0, []]));
    let list = "suggest?q=marble&counts=facets&limit=12";
    let (_, first) = get(&lookup, list).await;
    let cursor = first["nextCursor"].as_str().unwrap();
    let (_, second) = get(&lookup, &format!("{list}&cursor={cursor}")).await;
    let items = second["items"].as_array().unwrap().len();
    assert_eq!(
        (items, &second["total"], second.get("counts")),
        (1, &json!(13), None)
    );
    // The list with counts is another list.
    let (status, _) = get(&lookup, &format!("suggest?q=marble&limit=12&cursor={cursor}")).await;
    assert_eq!(status, 400);
}
