//! Tests of trees of terms over HTTP, against an independent reading of the files: every branch, depth, filter and page.

use sha2::{Digest as _, Sha256};
use taxonomy_tests::plain::{Plain, nodes};
use taxonomy_tests::prelude::*;

/// What a list shows of a term, as the file has it.
fn shown(term: &Plain) -> Value {
    let deprecated = term.is_deprecated();
    json!([
        term.id(),
        term.above.first(),
        term.above.len() + 1,
        term.best("en-GB", "en-GB")["name"],
        deprecated,
        term.children().len(),
        term.descendant_count(),
    ])
}

/// The same of the items of a list.
fn listed(items: &[Value]) -> Vec<Value> {
    let names = "id parent depth name deprecated childCount descendantCount";
    let of_item = |item: &Value| names.split(' ').map(|name| item[name].clone()).collect();
    items.iter().map(of_item).collect()
}

#[tokio::test]
async fn every_branch_is_listed_in_the_order_of_the_tree() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    world.push(TENANT, &file).await;
    let lookup = process(&world);
    let nodes = nodes(&serde_json::from_slice(&file).unwrap());
    let (categories, terms): (Vec<_>, Vec<_>) = nodes.iter().partition(|node| node.kind == "category");
    let check = async |target: String, is_listed: &dyn Fn(&Plain) -> bool| {
        let expected = terms
            .iter()
            .filter(|term| is_listed(term))
            .map(|term| shown(term));
        let items = pages(&lookup, &target).await;
        assert_eq!(listed(&items), expected.collect::<Vec<_>>(), "{target}");
        items
    };
    for category in categories {
        let (path, id) = (category.path(), category.id());
        let name = category.best("en-GB", "en-GB")["name"].as_str().unwrap();
        for limit in [1, 7, 100] {
            let target = format!("{path}/terms?limit={limit}");
            for item in check(target, &|term| term.category == id).await {
                let own = item["name"].as_str().unwrap();
                assert_eq!(item["finalName"], format!("{name}:{own}"));
            }
        }
        for depth in [1, 2, 32] {
            let target = format!("{path}/terms?depth={depth}&limit=3");
            let is_listed = |term: &Plain| term.category == id && term.above.len() < depth;
            check(target, &is_listed).await;
        }
        for (filter, wanted) in [("exclude", false), ("only", true)] {
            let target = format!("{path}/terms?deprecated={filter}&limit=2");
            let is_listed = |term: &Plain| term.category == id && term.is_deprecated() == wanted;
            check(target, &is_listed).await;
        }
    }
    assert!(terms.len() > 50, "{}", terms.len());
    for above in &terms {
        let (path, id) = (above.path(), above.id());
        let target = format!("{path}/descendants?limit=5");
        check(target.clone(), &|term| term.above.contains(&id)).await;
        let is_child = |term: &Plain| term.above.first() == Some(&id);
        check(format!("{target}&depth=1"), &is_child).await;
    }
}

#[tokio::test]
async fn listed_categories_count_what_is_below_them() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    world.push(TENANT, &file).await;
    let nodes = nodes(&serde_json::from_slice(&file).unwrap());
    let listed = pages(&process(&world), "categories?limit=2").await;
    for category in nodes.iter().filter(|node| node.kind == "category") {
        let own = listed.iter().find(|item| item["id"] == category.id()).unwrap();
        let counts = json!([category.children().len(), category.descendant_count()]);
        assert_eq!(json!([own["childCount"], own["descendantCount"]]), counts);
    }
}

#[tokio::test]
async fn what_is_not_there_or_not_asked_well_is_a_problem() {
    let world = World::of(&[&sample("job-board-v1.json")]).await;
    let lookup = process(&world);
    let table = "
        terms/9007199254740991/descendants    404 term-not-found
        categories/9007199254740991/terms     404 category-not-found
        categories/1/terms?depth=0            400 invalid-parameter
        categories/1/terms?depth=33           400 invalid-parameter
        categories/1/terms?deprecated=perhaps 400 invalid-parameter
        categories/1/terms?cursor=e30         400 invalid-parameter
    ";
    problems(&lookup, table).await;
    // A cursor belongs to its depth and filter.
    let list = "categories/1/terms?limit=1";
    let (_, page) = get(&lookup, list).await;
    let cursor = page["nextCursor"].as_str().unwrap();
    problems(
        &lookup,
        &format!("{list}&depth=1&cursor={cursor} 400 invalid-parameter"),
    )
    .await;
}

/// A cursor is no secret, so anybody can write one with a valid check sum and any position.
#[tokio::test]
async fn a_forged_cursor_is_refused() {
    let world = World::of(&[&small(&[(1, "One")]), &small(&[(1, "One"), (5, "Five")])]).await;
    world.replace(TENANT, &sample("job-board-v1.json")).await;
    let lookup = process(&world);

    let long = "1".repeat(950);
    for (list, positions) in [
        (
            "categories/1/terms?limit=1",
            &["99999999", "4294967295", "0", "-1", "x"][..],
        ),
        ("terms/100/descendants?limit=1", &["99999999", "4294967295", "0"]),
        ("categories?limit=1", &[&long, "99999999", "-1", ""]),
        ("terms/100/children?limit=1", &[&long, "99999999", "0"]),
        ("versions?limit=1", &["0", "x", "1000000000000"]),
        // The first version had no such term.
        ("terms/5/history?limit=1", &["1", "x"]),
    ] {
        let (_, page) = get(&lookup, list).await;
        let cursor = page["nextCursor"].as_str().unwrap();
        for position in positions {
            let forged = forged(cursor, position);
            problems(&lookup, &format!("{list}&cursor={forged} 400 invalid-parameter")).await;
        }
        let same = forged(cursor, cursor_of(cursor)["after"].as_str().unwrap());
        let (answered, _) = get(&lookup, &format!("{list}&cursor={same}")).await;
        assert_eq!(answered, 200, "{list}");
    }
}

/// A difference is a walk along the ordinals of a file, so a position behind all of them is its end.
#[tokio::test]
async fn a_forged_position_behind_a_difference_is_its_end() {
    let world = World::of(&[&small(&[(1, "One")]), &small(&[(1, "Two"), (5, "Five")])]).await;
    let lookup = process(&world);
    for list in ["changes?after=0", "diff?from=1&to=2", "versions/2/changes?"] {
        let list = format!("{list}&limit=1");
        let (_, page) = get(&lookup, &list).await;
        let cursor = page["nextCursor"].as_str().unwrap();
        for position in ["99999999", "4294967295"] {
            let (answered, body) = get(&lookup, &format!("{list}&cursor={}", forged(cursor, position))).await;
            let found = (answered, &body["items"], body.get("nextCursor"));
            assert_eq!(found, (200, &json!([]), None), "{list} at {position}");
        }
        for position in ["-1", "4294967296", "x", ""] {
            let (answered, _) = get(&lookup, &format!("{list}&cursor={}", forged(cursor, position))).await;
            assert_eq!(answered, 400, "{list} at {position:?}");
        }
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The bits of some units as units of another number of bits, as Base64 does it without padding.
fn regrouped(units: impl Iterator<Item = u32>, from: u32, to: u32, is_padded: bool) -> Vec<u32> {
    let (mut bits, mut count, mut out) = (0, 0, Vec::new());
    for unit in units {
        (bits, count) = (bits << from | unit, count + from);
        while count >= to {
            count -= to;
            out.push(bits >> count & ((1 << to) - 1));
        }
        bits &= (1 << count) - 1;
    }
    if is_padded && count > 0 {
        out.push(bits << (to - count));
    }
    out
}

fn cursor_of(cursor: &str) -> Value {
    let value = |byte| ALPHABET.iter().position(|letter| *letter == byte).unwrap();
    let units = cursor.bytes().map(|byte| u32::try_from(value(byte)).unwrap());
    let bytes = regrouped(units, 6, 8, false).into_iter();
    let bytes: Vec<u8> = bytes.map(|byte| u8::try_from(byte).unwrap()).collect();
    serde_json::from_slice(&bytes).unwrap()
}

/// A cursor at another position, with the check sum that belongs to it.
fn forged(cursor: &str, position: &str) -> String {
    let mut forged = cursor_of(cursor);
    forged["after"] = position.into();
    let version = forged["version"].to_string();
    let parts = json!([forged["tenant"], forged["list"], version, position]).to_string();
    let sum = Sha256::digest(parts).into_iter().take(8);
    forged["check"] = sum.map(|byte| format!("{byte:02x}")).collect::<String>().into();
    let bytes = forged.to_string().into_bytes().into_iter().map(u32::from);
    let letters = regrouped(bytes, 8, 6, true).into_iter();
    letters.map(|unit| char::from(ALPHABET[unit as usize])).collect()
}

/// The table answers about the newest version without files; what needs one says which store cannot be read.
#[tokio::test]
async fn files_that_cannot_be_read_are_a_problem_that_names_the_archive() {
    let world = World::of(&[&small(&[(1, "One")]), &small(&[(1, "One"), (2, "Two")])]).await;
    world.pass(61);
    let needs_files = [
        "categories/1/terms",
        "suggest?q=one",
        "resolve?notation=1",
        "terms/1/history",
        "terms/1?version=1",
        "stats?version=2",
        "categories/1/stats?version=2",
        "categories?include=details&version=2",
        "changes?after=1",
        "diff?from=2&to=1",
        "versions/2/changes",
    ];
    world.lose_all(|key| key.starts_with("indexes/"));
    let lookup = process(&world);
    for target in needs_files {
        problems(&lookup, &format!("{target} 503 archive-unavailable")).await;
    }
    assert_eq!(get(&lookup, "terms/2").await.0, 200);

    let newer = world.committed(TENANT).await.index_key.replace("/1/", "/2/");
    let head = ("TAXONOMY#acme", "HEAD");
    world.alter(head, "IndexKey", Some(s(&newer))).await;
    let (status, body) = get(&process(&world), "categories/1/terms").await;
    assert_eq!(status, 503);
    assert_eq!(body["type"], "/problems/archive-unavailable");
    let detail = "The files of the version have format 2, which this build does not read.";
    assert_eq!(body["detail"], detail);
}
