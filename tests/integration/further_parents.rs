//! Tests of further parents, which are relations of a file, against a plain reading of random files with circles.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_tests::plain::{id, members};
use taxonomy_tests::prelude::*;

/// A term of a random file.
#[derive(Debug, Clone)]
struct Plain {
    id: u64,
    parent: Option<u64>,
    deprecated: bool,
    /// Relations without a scheme: their types and the terms.
    relations: BTreeSet<(&'static str, u64)>,
}

const TYPES: [&str; 5] = ["exact", "close", "broad", "narrow", "related"];

/// Returns the terms in the order of the tree, whose names are in the order of their ids, in French the other way round.
fn random(seed: u64, terms: u64) -> Vec<Plain> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut all: Vec<Plain> = Vec::new();
    for id in 1..=terms {
        let parent = (id > 1 && random.u8(0..8) > 0).then(|| random.u64(1..id));
        let mut relations = BTreeSet::new();
        for _ in 0..random.u8(0..3) {
            let kind = if random.bool() {
                "broad"
            } else {
                TYPES[random.usize(0..5)]
            };
            let other = random.u64(1..=terms);
            if other != id {
                relations.insert((kind, other));
            }
        }
        all.push(Plain {
            id,
            parent,
            deprecated: random.u8(0..4) == 0,
            relations,
        });
    }
    all
}

fn file(terms: &[Plain]) -> Value {
    fn below(terms: &[Plain], parent: Option<u64>) -> Vec<Value> {
        let own = terms.iter().filter(|term| term.parent == parent);
        let node = |term: &Plain| {
            let relations: Vec<Value> = term
                .relations
                .iter()
                .map(|(kind, id)| json!({"type": kind, "id": id}))
                .chain([json!({"type": "broad", "scheme": "other", "id": "1"})])
                .collect();
            let names = json!([
                {"culture": "en-GB", "name": format!("{:05}", term.id)},
                {"culture": "fr-FR", "name": format!("{:05}", 99_999 - term.id)},
            ]);
            json!({"id": term.id, "names": names, "deprecated": term.deprecated, "relations": relations,
                "children": below(terms, Some(term.id))})
        };
        own.map(node).collect()
    }
    json!({"categories": [{"id": 1, "name": "All", "terms": below(terms, None)}]})
}

/// The terms below each term by any of its parents, directly.
fn children(terms: &[Plain]) -> BTreeMap<u64, BTreeSet<u64>> {
    let mut children: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for term in terms {
        if let Some(parent) = term.parent {
            children.entry(parent).or_default().insert(term.id);
        }
        for (kind, other) in &term.relations {
            match *kind {
                "broad" => drop(children.entry(*other).or_default().insert(term.id)),
                "narrow" => drop(children.entry(term.id).or_default().insert(*other)),
                _ => {}
            }
        }
    }
    children
}

fn descendants(children: &BTreeMap<u64, BTreeSet<u64>>, id: u64) -> BTreeSet<u64> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![id]);
    while let Some(next) = waiting.pop() {
        for child in children.get(&next).into_iter().flatten() {
            if found.insert(*child) {
                waiting.push(*child);
            }
        }
    }
    found.remove(&id);
    found
}

/// The ids of all terms, each before those below it, siblings by id; for French readers by descending id.
fn tree_order(terms: &[Plain], parent: Option<u64>, is_french: bool) -> Vec<u64> {
    let mut own: Vec<u64> = terms
        .iter()
        .filter(|term| term.parent == parent)
        .map(|term| term.id)
        .collect();
    if is_french {
        own.reverse();
    }
    let with_below = |id: u64| [vec![id], tree_order(terms, Some(id), is_french)].concat();
    own.into_iter().flat_map(with_below).collect()
}

fn ids(items: &[Value]) -> Vec<u64> {
    items.iter().map(id).collect()
}

#[tokio::test]
async fn lists_follow_all_parents_and_circles_end() {
    let mut circles = 0;
    for seed in 0..6 {
        let terms = random(seed, 40);
        let world = World::of(&[file(&terms).to_string().as_bytes()]).await;
        let (lookup, children) = (process(&world), children(&terms));
        let orders = [
            ("en-GB", tree_order(&terms, None, false)),
            ("fr-BE", tree_order(&terms, None, true)),
        ];
        for (term, (culture, order)) in terms
            .iter()
            .flat_map(|term| orders.iter().map(move |order| (term, order)))
        {
            let own = children.get(&term.id).cloned().unwrap_or_default();
            let all = descendants(&children, term.id);
            circles += usize::from(
                all.iter()
                    .any(|below| children.get(below).is_some_and(|above| above.contains(&term.id))),
            );
            for (list, expected) in [("children", own), ("descendants", all)] {
                for (filter, is_listed) in [("include", None), ("exclude", Some(false)), ("only", Some(true))]
                {
                    let is_listed = |id: &&u64| {
                        let term = &terms[usize::try_from(**id).unwrap() - 1];
                        expected.contains(*id) && is_listed.is_none_or(|wanted| term.deprecated == wanted)
                    };
                    let expected: Vec<u64> = order.iter().filter(is_listed).copied().collect();
                    for limit in [1, 4, 100] {
                        let target = format!(
                            "terms/{}/{list}?parents=all&culture={culture}&deprecated={filter}&limit={limit}",
                            term.id
                        );
                        assert_eq!(
                            ids(&pages(&lookup, &target).await),
                            expected,
                            "seed {seed}: {target}"
                        );
                    }
                }
            }
        }
    }
    assert!(circles > 7, "{circles}");
}

#[tokio::test]
async fn a_term_names_what_it_is_related_to_in_both_directions() {
    let inverse = |kind: &'static str| match kind {
        "broad" => "narrow",
        "narrow" => "broad",
        kind => kind,
    };
    for seed in 10..14 {
        let terms = random(seed, 40);
        let world = World::of(&[file(&terms).to_string().as_bytes()]).await;
        let (lookup, order) = (process(&world), tree_order(&terms, None, false));
        for term in &terms {
            let others = terms.iter().flat_map(|other| {
                let to_it = other.relations.iter().filter(|(_, id)| *id == term.id);
                to_it.map(|(kind, _)| (inverse(kind), other.id))
            });
            let all: BTreeSet<(&str, u64)> = term.relations.iter().copied().chain(others).collect();
            let place = |id: u64| order.iter().position(|known| *known == id);
            let mut all: Vec<(&str, u64)> = all.into_iter().collect();
            all.sort_by_key(|(kind, id)| (TYPES.iter().position(|known| known == kind), place(*id)));
            let (status, answer) = get(&lookup, &format!("terms/{}?include=related", term.id)).await;
            assert_eq!(status, 200);
            let related = members(&answer, "related").iter().map(|related| {
                assert_eq!(related["finalName"], format!("All:{:05}", id(related)));
                (related["type"].as_str().unwrap(), id(related))
            });
            assert_eq!(related.collect::<Vec<_>>(), all, "seed {seed}, term {}", term.id);
        }
    }
}

#[tokio::test]
async fn categories_are_related_too_and_many_are_cut_off() {
    let relation = |id: u64| json!([{"type": "broad", "id": id}]);
    let many: Vec<Value> = (10..120)
        .map(|id| json!({"id": id, "name": format!("{id}"), "relations": relation(1)}))
        .collect();
    let file = json!({"categories": [
        {"id": 1, "name": "One", "relations": relation(2), "terms": [{"id": 1, "name": "Top"}, {"id": 2, "name": "Other"}]},
        {"id": 2, "name": "Two", "terms": many}]});
    let world = World::of(&[file.to_string().as_bytes()]).await;
    let lookup = process(&world);
    let (_, other) = get(&lookup, "terms/2?include=related&names=all").await;
    let category = json!({"type": "narrow", "kind": "category", "id": 1, "name": "One", "culture": "en-GB", "deprecated": false});
    assert_eq!(other["related"], json!([category]));
    assert_eq!(other["names"], json!([{"culture": "en-GB", "name": "Other"}]));
    assert_eq!(other.get("relatedTruncated"), None);
    let (_, top) = get(&lookup, "terms/1?include=related").await;
    assert_eq!(
        (top["related"].as_array().unwrap().len(), &top["relatedTruncated"]),
        (100, &json!(true))
    );
    assert_eq!(
        pages(&lookup, "terms/1/children?parents=all&limit=7").await.len(),
        110
    );
    let (_, plain) = get(&lookup, "terms/1").await;
    assert_eq!((plain.get("related"), plain.get("names")), (None, None));
    let table = "
        terms/1?include=details                 400 * /query/include
        terms/1/children?parents=own            400 * /query/parents
        terms/1/descendants?parents=all&depth=1 400 * /query/depth
    ";
    problems(&lookup, table).await;
}

/// What a version lacks has no parents, and what it removed has nothing below it.
#[tokio::test]
async fn a_removed_parent_has_nothing_below_it() {
    let world = World::new();
    let term = |id: u64, above: &[u64]| {
        let relations: Vec<Value> = above
            .iter()
            .map(|id| json!({"type": "broad", "id": id}))
            .collect();
        json!({"id": id, "name": format!("{id}"), "relations": relations})
    };
    let file =
        |terms: &[Value]| json!({"categories": [{"id": 1, "name": "One", "terms": terms}]}).to_string();
    let first = [term(1, &[]), term(2, &[]), term(3, &[1, 2])];
    world.push(TENANT, file(&first).as_bytes()).await;
    world
        .replace(TENANT, file(&[term(2, &[]), term(3, &[2])]).as_bytes())
        .await;
    let lookup = process(&world);
    for (target, expected) in [
        ("terms/1/children?parents=all", &[][..]),
        ("terms/1/descendants?parents=all", &[]),
        ("terms/2/descendants?parents=all", &[3]),
        ("terms/1/children?parents=all&version=1", &[3]),
        ("terms/3/children?parents=all", &[]),
    ] {
        assert_eq!(ids(&pages(&lookup, target).await), expected, "{target}");
    }
    assert_eq!(get(&lookup, "terms/9/children?parents=all").await.0, 404);
}
