//! Random files and queries: the pages of an answer have the nodes that a search of every name finds, under every filter and in any cultures.
//!
//! Names consist of words of three letters that are no beginnings of each other, without plurals and signs, so that a query matches a name as a
//! whole, at its start or by its words, and in no other class. `taxonomy-index` tests the other classes.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use lookup::Lookup;
use taxonomy_tests::prelude::*;

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

/// The filters of a request.
#[derive(Debug, Clone)]
struct Filters {
    category: Option<u64>,
    /// A term, and the number of terms above those directly below it.
    below: Option<(u64, usize)>,
    depth: Option<usize>,
    is_deprecated: Option<bool>,
    is_category: Option<bool>,
    missing: Option<usize>,
}

impl Filters {
    fn random(rng: &mut Rng, nodes: &[Node]) -> Self {
        let terms: Vec<&Node> = nodes.iter().filter(|node| !node.is_category).collect();
        let below = *rng.choice(&terms).unwrap();
        let branch = rng.u8(0..4);
        Self {
            category: (branch == 0).then_some(2),
            below: (branch == 1).then_some((below.id, below.above.len() + 1)),
            depth: rng.bool().then(|| rng.usize(1..3)),
            is_deprecated: [Some(false), Some(true), None, None][rng.usize(0..4)],
            is_category: [Some(false), Some(true), None, None, None][rng.usize(0..5)],
            missing: (rng.u8(0..4) == 0).then_some(1),
        }
    }

    fn parameters(&self) -> String {
        let mut parameters = String::new();
        let mut add = |name, value: Option<String>| {
            if let Some(value) = value {
                parameters += &format!("&{name}={value}");
            }
        };
        let choice = |is: Option<bool>, values: [&str; 2]| is.map(|is| values[usize::from(is)].to_owned());
        add("category", self.category.map(|id| id.to_string()));
        add("below", self.below.map(|(id, _)| id.to_string()));
        add("depth", self.depth.map(|depth| depth.to_string()));
        add("deprecated", choice(self.is_deprecated, ["exclude", "only"]));
        add("kind", choice(self.is_category, ["term", "category"]));
        add(
            "missing",
            self.missing.map(|culture| CULTURES[culture].to_owned()),
        );
        parameters
    }

    /// The depth of a node as the filter counts it: that of a category is 0.
    fn depth_of(&self, node: &Node) -> usize {
        let own = if node.is_category { 0 } else { node.above.len() + 1 };
        own.saturating_sub(self.below.map_or(0, |(_, above)| above))
    }

    fn admits(&self, node: &Node) -> bool {
        let is_term = !node.is_category;
        self.category
            .is_none_or(|category| is_term && node.category == category)
            && self
                .below
                .is_none_or(|(id, _)| is_term && node.above.contains(&id))
            && self.depth.is_none_or(|depth| self.depth_of(node) <= depth)
            && self.is_deprecated.is_none_or(|is| node.is_deprecated == is)
            && self.is_category.is_none_or(|is| node.is_category == is)
            && self.missing.is_none_or(|culture| node.lacks(culture))
    }
}

impl Node {
    fn lacks(&self, culture: usize) -> bool {
        self.names.iter().all(|(named, _)| *named != culture)
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
fn expected(nodes: &[Node], query: &[&str], cultures: &[usize], filters: &Filters) -> Vec<Group> {
    let mut groups: BTreeMap<(usize, usize), BTreeSet<(bool, u64)>> = BTreeMap::new();
    for node in nodes.iter().filter(|node| filters.admits(node)) {
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
        // A cursor leads to an empty page.
        assert!(!page.is_empty() || items.is_empty());
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

/// Returns the numbers of each value of each filter: of the nodes that are found without that filter.
fn counted(nodes: &[Node], query: &[&str], cultures: &[usize], filters: &Filters) -> Value {
    let without = |lift: &dyn Fn(&mut Filters)| -> Vec<&Node> {
        let mut lifted = filters.clone();
        lift(&mut lifted);
        let groups = expected(nodes, query, cultures, &lifted);
        let found: BTreeSet<(bool, u64)> = groups.into_iter().flat_map(|(_, nodes)| nodes).collect();
        let is_found = |node: &&Node| found.contains(&(node.is_category, node.id));
        nodes.iter().filter(is_found).collect()
    };
    let count = |nodes: &[&Node], is: &dyn Fn(&Node) -> bool| nodes.iter().filter(|node| is(node)).count();
    let kinds = without(&|filters| filters.is_category = None);
    let of_categories = without(&|filters| filters.category = None);
    let category = |node: &Node| {
        let own = |below: &Node| !below.is_category && below.category == node.id;
        let french = node
            .names
            .iter()
            .find(|(culture, _)| *culture == 1)
            .filter(|_| cultures[0] == 1);
        let (culture, words) = french.unwrap_or(&node.names[0]);
        json!({"id": node.id, "name": words.join(" "), "culture": CULTURES[*culture], "total": count(&of_categories, &own)})
    };
    let categories = nodes.iter().filter(|node| node.is_category).map(category);
    let categories: Vec<Value> = categories.filter(|category| category["total"] != 0).collect();
    let depths = without(&|filters| filters.depth = None);
    let deepest = depths.iter().map(|node| filters.depth_of(node)).max();
    let of_depth = |depth| count(&depths, &|node| filters.depth_of(node) == depth);
    let states = without(&|filters| filters.is_deprecated = None);
    let all = without(&|filters| filters.missing = None);
    let others = (0..CULTURES.len()).filter(|culture| !cultures.contains(culture));
    let mut missing: Vec<(usize, usize)> = cultures
        .iter()
        .copied()
        .chain(others)
        .map(|culture| (culture, count(&all, &|node| node.lacks(culture))))
        .collect();
    missing.retain(|(_, total)| *total > 0);
    json!({
        "kinds": {"category": count(&kinds, &|node| node.is_category), "term": count(&kinds, &|node| !node.is_category)},
        "categories": categories,
        "furtherCategories": 0,
        "depths": deepest.map_or(Vec::new(), |deepest| (0..=deepest).map(of_depth).collect()),
        "states": {"exclude": count(&states, &|node| !node.is_deprecated), "only": count(&states, &|node| node.is_deprecated)},
        "missing": missing.iter().map(|(culture, total)| json!({"culture": CULTURES[*culture], "total": total})).collect::<Vec<_>>(),
    })
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
            let filters = Filters::random(&mut rng, &all);
            let (cultures, culture): (&[usize], &str) = match rng.u8(0..4) {
                0 => (&[1, 0], "&culture=fr"),
                1 => (&[1, 0, 2], "&culture=fr-FR&cultures=all"),
                2 => (&[0, 1, 2], "&cultures=all"),
                _ => (&[0], ""),
            };
            let expect = expected(&all, &query, cultures, &filters);
            let (text, limit) = (query.join("%20"), *rng.choice(&[1, 3, 50]).unwrap());
            let target = format!("suggest?q={text}&limit={limit}{culture}{}", filters.parameters());
            assert_eq!(found(&lookup, &target, cultures).await, expect, "{target}");
            let target = format!("{target}&counts=facets");
            assert_eq!(found(&lookup, &target, cultures).await, expect, "{target}");
            let (_, mut body) = get(&lookup, &target).await;
            let categories = body["counts"]["categories"].as_array_mut().unwrap();
            assert!(categories.is_sorted_by_key(|category| std::cmp::Reverse(category["total"].as_u64())));
            categories.sort_by_key(|category| category["id"].as_u64());
            assert_eq!(
                body["counts"],
                counted(&all, &query, cultures, &filters),
                "{target}"
            );
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
