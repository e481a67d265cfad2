//! Tests of exact responses about changes: category renames, default cultures, cursors, tags, problems.

use lookup::Lookup;

use taxonomy_tests::prelude::*;

use super::draw::sequence;
use super::{id, publish};

#[tokio::test]
async fn another_default_culture_is_said_once_and_its_final_names_are_items() {
    let file = |default: &str| {
        json!({"defaultCulture": default, "categories": [{"id": 1, "names": in_two_cultures("Sector", "Sector"), "terms": [
            {"id": 5, "names": in_two_cultures("Law", "Droit")}, {"id": 6, "names": in_two_cultures("Rust", "Rust")}]}]})
    };
    let (world, _) = publish(&[file("en-GB"), file("fr-FR")]).await;
    let lookup = process(&world);
    let (_, page) = get(&lookup, "diff?from=1&to=2").await;
    assert_eq!(
        page["defaultCulture"],
        json!({"before": "en-GB", "after": "fr-FR"})
    );
    // A FinalName with the same text has not changed.
    let items = page["items"].as_array().unwrap();
    assert_eq!((items.len(), id(&items[0])), (1, ("term", 5)));
    assert_eq!(items[0]["operations"], json!(["finalName"]));
    let final_names = [&items[0]["before"]["finalName"], &items[0]["after"]["finalName"]];
    assert_eq!(final_names, [&json!("Sector:Law"), &json!("Sector:Droit")]);
    let (_, back) = get(&lookup, "diff?from=2&to=1").await;
    assert_eq!(
        back["defaultCulture"],
        json!({"before": "fr-FR", "after": "en-GB"})
    );
    assert_eq!(pages(&lookup, "terms/6/history").await.len(), 1);
    assert_eq!(pages(&lookup, "terms/5/history").await.len(), 2);
}

/// A list that was begun before a version was published ends as it would have ended then.
#[tokio::test]
async fn later_pages_are_of_the_versions_of_the_first() {
    let world = World::new();
    for terms in [
        &[(1, "One"), (2, "Two"), (3, "Three")][..],
        &[(1, "Uno"), (3, "Tres"), (4, "Four")],
    ] {
        world.replace(TENANT, &small(terms)).await;
    }
    let lookup = process(&world);
    let whole = pages(&lookup, "changes?after=1").await;
    let history = pages(&lookup, "terms/1/history").await;
    assert_eq!((whole.len(), history.len()), (4, 2));
    let (_, first) = get(&lookup, "changes?after=1&limit=1").await;
    let (_, newest) = get(&lookup, "terms/1/history?limit=1").await;
    assert_eq!((&first["from"], &first["to"]), (&json!(1), &json!(2)));
    world
        .replace(TENANT, &small(&[(1, "Eins"), (3, "Drei"), (4, "Vier")]))
        .await;
    let lookup = process(&world);
    let cursor = |page: &Value| page["nextCursor"].as_str().unwrap().to_owned();
    let mut seen: Vec<Value> = first["items"].as_array().unwrap().clone();
    let mut next = Some(cursor(&first));
    while let Some(at) = next {
        let (status, page) = get(&lookup, &format!("changes?after=1&limit=1&cursor={at}")).await;
        assert_eq!((status, &page["to"]), (200, &json!(2)));
        seen.extend(page["items"].as_array().unwrap().iter().cloned());
        next = page["nextCursor"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, whole);
    let target = format!("terms/1/history?limit=1&cursor={}", cursor(&newest));
    let (_, older) = get(&lookup, &target).await;
    assert_eq!(older["items"][0], history[1]);
    for refused in [
        format!("changes?after=1&version=3&cursor={}", cursor(&first)),
        format!("changes?after=0&cursor={}", cursor(&first)),
        format!("diff?from=1&to=2&cursor={}", cursor(&first)),
        format!("terms/3/history?cursor={}", cursor(&newest)),
    ] {
        let (status, problem) = get(&lookup, &refused).await;
        assert_eq!(
            (status, &problem["pointer"]),
            (400, &json!("/query/cursor")),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn questions_that_name_no_versions_are_problems() {
    let (world, _) = publish(&sequence(40, 2, false)).await;
    let lookup = process(&world);
    let table = "
        changes                        400 invalid-parameter /query/after
        changes?after=x                400 invalid-parameter /query/after
        changes?after=-1               400 invalid-parameter /query/after
        changes?after=+1               400 invalid-parameter /query/after
        changes?after=1000000000000    400 invalid-parameter /query/after
        changes?after=1&after=1        400 invalid-parameter /query/after
        changes?after=1&limit=101      400 invalid-parameter /query/limit
        changes?after=3                404 version-not-found -
        changes?after=2&version=1      404 version-not-found -
        changes?after=1&version=3      404 version-not-found -
        diff?to=1                      400 invalid-parameter /query/from
        diff?from=1                    400 invalid-parameter /query/to
        diff?from=0&to=1               400 invalid-parameter /query/from
        diff?from=1&to=3               404 version-not-found -
        diff?from=3&to=1               404 version-not-found -
        versions/0/changes             400 invalid-parameter /path/id
        versions/3/changes             404 version-not-found -
        terms/1/history?limit=21       400 invalid-parameter /query/limit
        terms/x/history                400 invalid-id /path/id
        terms/9007199254740991/history 404 term-not-found -
    ";
    problems(&lookup, table).await;
}

#[tokio::test]
async fn a_version_and_itself_have_no_difference() {
    let (world, _) = publish(&sequence(40, 2, false)).await;
    let lookup = process(&world);
    let none =
        json!({"from": 2, "to": 2, "totals": {"categories": 0, "terms": 0, "operations": {}}, "items": []});
    for target in ["diff?from=2&to=2", "changes?after=2"] {
        assert_eq!(get(&lookup, target).await, (200, none.clone()), "{target}");
    }
}

/// The difference of two versions never changes, so its tag remains valid under later versions.
#[tokio::test]
async fn a_difference_keeps_its_tag_while_versions_are_published() {
    let world = World::new();
    world.replace(TENANT, &small(&[(1, "One")])).await;
    world.replace(TENANT, &small(&[(1, "Uno")])).await;
    let targets = [
        "diff?from=1&to=2",
        "diff?from=2&to=1",
        "versions/2/changes",
        "changes?after=1&version=2",
    ];
    let mut tags = Vec::new();
    for target in targets {
        tags.push(ask(&process(&world), "GET", target, None).await.headers["etag"].clone());
    }
    let served = ask(&process(&world), "GET", "changes?after=1", None)
        .await
        .headers["etag"]
        .clone();
    world.replace(TENANT, &small(&[(1, "Eins")])).await;
    let lookup = process(&world);
    for (target, tag) in targets.iter().zip(&tags) {
        assert_eq!(
            ask(&lookup, "GET", target, None).await.headers["etag"],
            *tag,
            "{target}"
        );
        assert_eq!(conditionally(&lookup, target, tag).await, 304, "{target}");
        let head = ask(&lookup, "HEAD", target, None).await;
        assert_eq!((head.status_code, head.body.as_str()), (200, ""), "{target}");
    }
    assert_ne!(
        ask(&lookup, "GET", "changes?after=1", None).await.headers["etag"],
        served
    );
    assert_eq!(conditionally(&lookup, "changes?after=1", &served).await, 200);
}

/// Returns the status of a conditional request with this tag.
async fn conditionally(lookup: &Lookup, target: &str, tag: &str) -> u16 {
    let headers = json!({"if-none-match": tag});
    ask_with(lookup, "GET", target, &headers, None).await.status_code
}
