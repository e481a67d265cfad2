//! Random files and queries: the pages of an answer have the nodes that a search of every name finds, under every filter and in any cultures.
//!
//! Names consist of words of three letters that are no beginnings of each other, without plurals and signs, so that a query matches a name as a
//! whole, at its start or by its words, and in no other class. `taxonomy-index` tests the other classes.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use lookup::Lookup;
use serde_json::{Value, json};
use taxonomy_tests::world::{TENANT, World};

use crate::asking::{get, process};

const WORDS: [&str; 8] = ["oak", "elm", "fir", "ash", "yew", "bay", "box", "nut"];
const CULTURES: [&str; 3] = ["en-GB", "fr-FR", "it-IT"];

/// A category or a term of a file.
#[derive(Debug, Clone)]
struct Node {
    is_category: bool,
    id: u64,
    category: u64,
    above: Vec<u64>,
    is_deprecated: bool,
    /// Culture and words of each name.
    names: Vec<(usize, Vec<&'static str>)>,
}

fn node(rng: &mut Rng, is_category: bool, id: u64, category: u64, above: Vec<u64>) -> Node {
    let mut names = vec![(0, words(rng))];
    for culture in 1..CULTURES.len() {
        if rng.u8(0..3) == 0 {
            names.push((culture, words(rng)));
        }
    }
    Node {
        is_category,
        id,
        category,
        above,
        is_deprecated: !is_category && rng.u8(0..4) == 0,
        names,
    }
}

fn words(rng: &mut Rng) -> Vec<&'static str> {
    (0..rng.usize(1..4))
        .map(|_| *rng.choice(&WORDS).unwrap())
        .collect()
}

/// Returns a tree, each node behind the one above it.
fn nodes(rng: &mut Rng) -> Vec<Node> {
    let mut nodes = Vec::new();
    for category in 1..=2 {
        nodes.push(node(rng, true, category, category, Vec::new()));
        for _ in 0..30 {
            let of_category = |node: &&Node| node.category == category && node.above.len() < 4;
            let parents: Vec<&Node> = nodes.iter().filter(of_category).collect();
            let parent = *rng.choice(&parents).unwrap();
            let mut above = parent.above.clone();
            if !parent.is_category {
                above.push(parent.id);
            }
            // Some ids are those of categories as well.
            let id = nodes.len() as u64;
            nodes.push(node(rng, false, id, category, above));
        }
    }
    nodes
}

fn json_of(node: &Node, all: &[Node]) -> Value {
    let name = |(culture, words): &(usize, Vec<&str>)| json!({"culture": CULTURES[*culture], "name": words.join(" ")});
    let parent = (!node.is_category).then_some(node.id);
    let is_below = |below: &&Node| {
        !below.is_category && below.category == node.category && below.above.last().copied() == parent
    };
    let below: Vec<Value> = all
        .iter()
        .filter(is_below)
        .map(|below| json_of(below, all))
        .collect();
    let mut json = json!({"id": node.id, "names": node.names.iter().map(name).collect::<Vec<_>>()});
    json[if node.is_category { "terms" } else { "children" }] = json!(below);
    if node.is_deprecated {
        json["deprecated"] = json!(true);
    }
    json
}

/// The parameters of a request, and the nodes that they admit.
struct Asked<'a> {
    parameters: String,
    admits: Box<dyn Fn(&Node) -> bool + 'a>,
}

fn filters<'a>(rng: &mut Rng, nodes: &'a [Node]) -> Asked<'a> {
    let terms: Vec<&Node> = nodes.iter().filter(|node| !node.is_category).collect();
    let below = (*rng.choice(&terms).unwrap()).clone();
    let (branch, mut depth) = (rng.u8(0..4), rng.bool().then(|| rng.usize(1..3)));
    let is_term = |node: &Node| !node.is_category;
    let mut parameters = String::new();
    let above: usize = match branch {
        0 => {
            parameters += "&category=2";
            0
        }
        1 => {
            parameters += &format!("&below={}", below.id);
            below.above.len() + 1
        }
        _ => 0,
    };
    if let Some(depth) = &mut depth {
        parameters += &format!("&depth={depth}");
        *depth += above;
    }
    let (state, kind, missing) = (rng.u8(0..4), rng.u8(0..5), rng.u8(0..4));
    parameters += ["&deprecated=exclude", "&deprecated=only", "", ""][usize::from(state)];
    parameters += ["&kind=term", "&kind=category", "", "", ""][usize::from(kind)];
    parameters += ["&missing=fr-FR", "", "", ""][usize::from(missing)];
    let admits = move |node: &Node| {
        let in_branch = match branch {
            0 => is_term(node) && node.category == 2,
            1 => is_term(node) && node.above.contains(&below.id),
            _ => true,
        };
        let own_depth = if node.is_category { 0 } else { node.above.len() + 1 };
        in_branch
            && depth.is_none_or(|depth| own_depth <= depth)
            && (state > 1 || node.is_deprecated == (state == 1))
            && (kind > 1 || node.is_category == (kind == 1))
            && (missing > 0 || node.names.iter().all(|(culture, _)| *culture != 1))
    };
    Asked {
        parameters,
        admits: Box::new(admits),
    }
}

fn class(query: &[&str], name: &[&str]) -> Option<&'static str> {
    let meets = |word: &&str| name.iter().any(|own| own.starts_with(*word));
    match query {
        _ if query == name => Some("whole"),
        _ if name.join(" ").starts_with(&query.join(" ")) => Some("start"),
        _ if query.iter().all(meets) => Some("word"),
        _ => None,
    }
}

/// Returns the nodes of each class and culture, the best class first, then the first culture; each node once.
fn expected(nodes: &[Node], query: &[&str], cultures: &[usize], asked: &Asked<'_>) -> Vec<Group> {
    let mut groups: BTreeMap<(usize, usize), BTreeSet<(bool, u64)>> = BTreeMap::new();
    for node in nodes.iter().filter(|node| (asked.admits)(node)) {
        let places = node.names.iter().filter_map(|(culture, name)| {
            let class = class(query, name)?;
            let place = cultures.iter().position(|searched| searched == culture)?;
            Some((
                ["whole", "start", "word"]
                    .iter()
                    .position(|known| *known == class)?,
                place,
            ))
        });
        if let Some(place) = places.min() {
            groups
                .entry(place)
                .or_default()
                .insert((node.is_category, node.id));
        }
    }
    groups.into_iter().collect()
}

/// Class and culture by their numbers, and the nodes.
type Group = ((usize, usize), BTreeSet<(bool, u64)>);

/// Returns the nodes of all pages in the same form.
async fn found(lookup: &Lookup, target: &str, cultures: &[usize]) -> Vec<Group> {
    let (mut items, mut cursor, mut total) = (Vec::new(), String::new(), None);
    loop {
        let (status, body) = get(lookup, &format!("{target}{cursor}")).await;
        assert_eq!(
            (status, &body["truncated"], &body["totalIsMinimum"]),
            (200, &json!(false), &json!(false)),
            "{target}"
        );
        let page = body["items"].as_array().unwrap();
        assert!(
            !page.is_empty() || items.is_empty(),
            "a cursor leads to an empty page"
        );
        assert!(*total.get_or_insert(body["total"].clone()) == body["total"]);
        items.extend(page.clone());
        match body["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(total, Some(json!(items.len())), "{target}");
    let mut groups: Vec<Group> = Vec::new();
    for item in &items {
        let matched = &item["matched"];
        let class = ["whole", "start", "word"]
            .iter()
            .position(|class| matched["class"] == *class);
        let culture = cultures
            .iter()
            .position(|culture| matched["culture"] == CULTURES[*culture]);
        let place = (class.unwrap(), culture.unwrap());
        let node = (item["kind"] == "category", item["id"].as_u64().unwrap());
        match groups.last_mut().filter(|(last, _)| *last == place) {
            Some((_, nodes)) => assert!(nodes.insert(node), "{node:?} twice"),
            None => groups.push((place, BTreeSet::from([node]))),
        }
    }
    groups
}

#[tokio::test]
async fn random_queries_find_what_a_search_of_every_name_finds() {
    let (mut some, mut pages) = (0, 0);
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let world = World::new();
        let all = nodes(&mut rng);
        let categories: Vec<Value> = all
            .iter()
            .filter(|node| node.is_category)
            .map(|node| json_of(node, &all))
            .collect();
        let file = json!({"defaultCulture": "en-GB", "categories": categories});
        world.push(TENANT, file.to_string().as_bytes()).await;
        let lookup = process(&world);
        for _ in 0..80 {
            let mut query = words(&mut rng);
            query.truncate(2);
            let last = query.pop().unwrap();
            query.push(&last[..rng.usize(1..=3)]);
            let asked = filters(&mut rng, &all);
            let (cultures, culture): (&[usize], &str) = match rng.u8(0..4) {
                0 => (&[1, 0], "&culture=fr"),
                1 => (&[1, 0, 2], "&culture=fr-FR&cultures=all"),
                2 => (&[0, 1, 2], "&cultures=all"),
                _ => (&[0], ""),
            };
            let expect = expected(&all, &query, cultures, &asked);
            let (text, limit) = (query.join("%20"), *rng.choice(&[1, 3, 50]).unwrap());
            let target = format!("suggest?q={text}&limit={limit}{culture}{}", asked.parameters);
            assert_eq!(found(&lookup, &target, cultures).await, expect, "{target}");
            let count: usize = expect.iter().map(|(_, nodes)| nodes.len()).sum();
            some += usize::from(count > 0);
            pages += usize::from(count > limit);
        }
    }
    assert!(
        some > 200 && pages > 60,
        "{some} with hits, {pages} with several pages"
    );
}
