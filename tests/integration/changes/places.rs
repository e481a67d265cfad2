//! Tests of the places of changes: what is above a term before and after, from which change another follows, the totals by category, and filters.

use std::collections::BTreeMap;

use lookup::Lookup;
use taxonomy_tests::asking::sparse_pages;
use taxonomy_tests::prelude::*;

use super::draw::sequence;
use super::oracle::{Id, Plainly, cause, difference};
use super::{id, publish};

const OPERATIONS: [&str; 8] = [
    "added",
    "removed",
    "renamed",
    "moved",
    "deprecated",
    "restored",
    "changed",
    "finalName",
];

/// Lets the paths of terms continue the path above them, as those of real taxonomies do. Each node whose id is a multiple of `every` has another path.
fn continued(node: &mut Value, above: Option<&str>, every: u64) {
    let other = if node["id"].as_u64().unwrap().is_multiple_of(every) {
        "-other"
    } else {
        ""
    };
    let path = node["names"].as_array_mut().and_then(|names| {
        let name = names.iter_mut().find(|name| name["path"].is_string())?;
        let own = format!("{}{other}", name["path"].as_str()?);
        name["path"] = json!(above.map_or_else(|| own.clone(), |above| format!("{above}/{own}")));
        Some(name["path"].as_str()?.to_owned())
    });
    for below in ["terms", "children"] {
        let below = node.get_mut(below).and_then(Value::as_array_mut);
        for term in below.into_iter().flatten() {
            continued(term, path.as_deref(), every);
        }
    }
}

/// Returns the items that a difference with places must have.
fn expected(before: &Plainly, after: &Plainly, culture: Option<&str>) -> BTreeMap<Id, Value> {
    let mut items = difference(before, after, culture);
    for (id, item) in &mut items {
        for (side, file) in [("before", before), ("after", after)] {
            if let (Some(place), true) = (file.place(*id, culture), item[side].is_object()) {
                item[side]["place"] = place;
            }
        }
        // A side that is absent was made by the question for it.
        let sides = item.as_object_mut().unwrap();
        sides.retain(|_, side| !side.is_null());
        if let Some((kind, cause)) = cause(before, after, *id) {
            sides.insert("follows".to_owned(), json!({"kind": kind, "id": cause}));
        }
    }
    items
}

/// Counts items by their category, as it is after the change.
fn by_category(items: &BTreeMap<Id, Value>, before: &Plainly, after: &Plainly) -> BTreeMap<u64, Value> {
    let mut counted: BTreeMap<u64, Value> = BTreeMap::new();
    for (id, item) in items {
        let category = after.category(*id).or_else(|| before.category(*id)).unwrap();
        let entry = counted
            .entry(category)
            .or_insert_with(|| json!({"items": 0, "following": 0, "operations": {}}));
        let add = |number: &mut Value| *number = json!(number.as_u64().unwrap_or_default() + 1);
        add(&mut entry["items"]);
        if item["follows"].is_object() {
            add(&mut entry["following"]);
        }
        for operation in item["operations"].as_array().unwrap() {
            add(&mut entry["operations"][operation.as_str().unwrap()]);
        }
    }
    counted
}

async fn check(lookup: &Lookup, target: &str, [before, after]: [&Plainly; 2], culture: Option<&str>) {
    let culture_of = culture.map(|culture| format!("&culture={culture}"));
    let target = format!("{target}&include=places{}", culture_of.unwrap_or_default());
    let expected = expected(before, after, culture);
    let items = sparse_pages(lookup, &format!("{target}&limit=3")).await;
    let found: BTreeMap<Id, Value> = items.iter().map(|item| (id(item), item.clone())).collect();
    assert_eq!(found, expected, "{target}");
    for item in items.iter().filter(|item| item["follows"].is_object()) {
        let cause = &expected[&id(&item["follows"])];
        assert!(cause["follows"].is_null(), "{target}: {item} follows {cause}");
    }
    let (_, first) = get(lookup, &target).await;
    let mut counted = by_category(&expected, before, after);
    for category in first["totals"]["byCategory"].as_array().unwrap() {
        let mut category = category.clone();
        let entry = category.as_object_mut().unwrap();
        let number = entry.remove("id").unwrap().as_u64().unwrap();
        let name = json!({"name": entry.remove("name"), "culture": entry.remove("culture")});
        let file = if after.category(("category", number)).is_some() {
            after
        } else {
            before
        };
        let state = file.state(("category", number), culture).unwrap();
        assert_eq!(
            name,
            json!({"name": state["name"], "culture": state["culture"]}),
            "{target}"
        );
        assert_eq!(Some(category), counted.remove(&number), "{target}");
    }
    assert!(counted.is_empty(), "{target}: {counted:?}");
    for operation in OPERATIONS {
        let wanted = |item: &&Value| item["operations"].as_array().unwrap().contains(&json!(operation));
        let of_all: Vec<Value> = items.iter().filter(wanted).cloned().collect();
        let found = sparse_pages(lookup, &format!("{target}&operation={operation}&limit=2")).await;
        assert_eq!(found, of_all, "{target} {operation}");
        for category in 1..=3 {
            let is_in = |item: &&Value| {
                let of = after.category(id(item)).or_else(|| before.category(id(item)));
                of == Some(category)
            };
            let of_category: Vec<Value> = of_all.iter().filter(is_in).cloned().collect();
            let found = sparse_pages(
                lookup,
                &format!("{target}&operation={operation}&category={category}"),
            )
            .await;
            assert_eq!(found, of_category, "{target} {operation} of {category}");
        }
    }
}

#[tokio::test]
async fn every_difference_says_the_places_and_the_causes_of_the_files() {
    let mut causes = BTreeMap::new();
    for (seed, cultures) in [(40, false), (41, false), (42, true), (43, false)] {
        let mut files = Vec::new();
        for drawn in sequence(seed, 3, cultures) {
            for every in [u64::MAX, 3] {
                let mut file = drawn.clone();
                for category in file["categories"].as_array_mut().unwrap() {
                    continued(category, None, every);
                }
                files.push(file);
            }
        }
        files.dedup();
        let (world, plain) = publish(&files).await;
        let lookup = process(&world);
        for to in 1..plain.len() {
            for from in 1..plain.len() {
                let pair = [&plain[from], &plain[to]];
                for culture in [None, Some("fr-FR")] {
                    check(&lookup, &format!("diff?from={from}&to={to}"), pair, culture).await;
                }
                for id in pair[1].ids() {
                    if let Some((kind, _)) = cause(pair[0], pair[1], id) {
                        *causes.entry(kind).or_insert(0) += 1;
                    }
                }
            }
            check(
                &lookup,
                &format!("changes?after=0&version={to}"),
                [&plain[0], &plain[to]],
                None,
            )
            .await;
        }
    }
    // Causes were drawn, among categories at least; the next test but one has those among terms.
    assert!(causes.get("category") > Some(&20), "{causes:?}");
}

/// The counts of a version are those of its difference.
#[tokio::test]
async fn the_totals_agree_with_the_counts_of_a_version() {
    let files =
        ["job-board-v1.json", "job-board-v2.json"].map(|name| serde_json::from_slice(&sample(name)).unwrap());
    let (world, _) = publish(&files).await;
    let lookup = process(&world);
    let (_, version) = get(&lookup, "versions/2").await;
    let (_, difference) = get(&lookup, "diff?from=1&to=2&include=places").await;
    let totals = &difference["totals"];
    let counted = &version["changes"];
    for name in ["added", "changed", "removed"] {
        assert_eq!(totals["ofTerms"][name], counted[name], "{name}");
    }
    let terms: u64 = ["added", "changed", "removed", "finalNameOnly"]
        .iter()
        .map(|name| totals["ofTerms"][name].as_u64().unwrap())
        .sum();
    assert_eq!(totals["terms"], json!(terms));
    assert!(counted["added"].as_u64().unwrap() > 0, "{counted}");
}

#[tokio::test]
async fn a_rename_of_a_parent_is_the_cause_of_the_paths_below_it() {
    let file = |it: &str, path: &str, category: u64| {
        let term = |id: u64, name: &str, path: &str| json!({"id": id, "names": [{"culture": "en-GB", "name": name, "path": path}]});
        let mut top = term(5, it, path);
        let mut below = term(6, "Software", &format!("{path}/software"));
        below["children"] = json!([term(7, "Rust", &format!("{path}/software/rust"))]);
        top["children"] = json!([below]);
        let of = |id: u64| if id == category { json!([top]) } else { json!([]) };
        json!({"categories": [{"id": 1, "name": "Sector", "terms": of(1)}, {"id": 2, "name": "Skill", "terms": of(2)}]})
    };
    let (world, _) = publish(&[
        file("IT", "it", 1),
        file("Computing", "computing", 1),
        file("Computing", "computing", 2),
    ])
    .await;
    let lookup = process(&world);
    let follows = |items: Vec<Value>| -> Vec<(u64, Value)> {
        let items = items.into_iter();
        items
            .map(|item| (item["id"].as_u64().unwrap(), item["follows"].clone()))
            .collect()
    };
    let top = json!({"kind": "term", "id": 5});
    let below = vec![(5, Value::Null), (6, top.clone()), (7, top)];
    assert_eq!(
        follows(sparse_pages(&lookup, "diff?from=1&to=2&include=places").await),
        below,
        "renamed"
    );
    assert_eq!(
        follows(sparse_pages(&lookup, "diff?from=2&to=3&include=places").await),
        below,
        "moved"
    );
    let (_, moved) = get(&lookup, "diff?from=2&to=3&include=places&operation=moved&limit=1").await;
    assert_eq!(moved["items"][0]["before"]["place"]["category"]["name"], "Sector");
    assert_eq!(moved["items"][0]["after"]["place"]["category"]["name"], "Skill");
    assert_eq!(moved["totals"]["byCategory"][0]["items"], 3);
    for refused in ["operation=other", "include=details", "category=x"] {
        let (status, _) = get(&lookup, &format!("diff?from=1&to=2&{refused}")).await;
        assert_eq!(status, 400, "{refused}");
    }
    // A cursor is of the list with its filters.
    let cursor = moved["nextCursor"].as_str().unwrap();
    let (status, _) = get(
        &lookup,
        &format!("diff?from=2&to=3&operation=finalName&cursor={cursor}"),
    )
    .await;
    assert_eq!(status, 400);
}
