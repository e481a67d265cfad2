//! Sequences of random files: a few categories and terms that are added, removed, restored, moved and changed, and often changed back.

use fastrand::Rng;
use serde_json::Map;
use taxonomy_tests::prelude::*;

const CULTURES: [(&str, &str); 3] = [
    ("en-GB", "in English"),
    ("fr-FR", "en français"),
    ("de-DE", "auf Deutsch"),
];

/// The drawn properties of a category or term, which are kept from file to file and redrawn now and then.
#[derive(Clone)]
struct Drawn {
    id: u64,
    is_there: bool,
    /// Chooses the category or the parent of a term.
    place: u64,
    /// Chooses one of two names, by culture.
    names: [u64; 3],
    is_german: bool,
    path: u64,
    fields: Map<String, Value>,
}

fn drawn(rng: &mut Rng, id: u64) -> Drawn {
    let mut drawn = Drawn {
        id,
        is_there: rng.u8(..4) > 0,
        place: rng.u64(..100),
        names: [rng.u64(..2), rng.u64(..2), rng.u64(..2)],
        is_german: rng.bool(),
        path: rng.u64(..3),
        fields: Map::new(),
    };
    draw_fields(rng, &mut drawn);
    drawn
}

fn draw_fields(rng: &mut Rng, drawn: &mut Drawn) {
    drawn.fields.clear();
    let candidates = [
        ("notation", json!(format!("N{}", rng.u8(..2)))),
        ("sortKey", json!(format!("{}", rng.u8(..3)))),
        ("metadata", json!({"weight": rng.u8(..2)})),
        ("deprecated", json!(true)),
        ("replacedBy", json!([drawn.id + 1 + rng.u64(..2)])),
        (
            "altNames",
            json!([{"culture": "en-GB", "name": format!("Alias {}", rng.u8(..2))}]),
        ),
    ];
    for (name, value) in candidates {
        if rng.u8(..3) == 0 {
            drawn.fields.insert(name.to_owned(), value);
        }
    }
}

/// Redraws some of the properties.
fn redraw(rng: &mut Rng, drawn: &mut Drawn) {
    if rng.u8(..5) == 0 {
        drawn.is_there = !drawn.is_there;
    }
    if rng.u8(..6) == 0 {
        drawn.place = rng.u64(..100);
    }
    if rng.u8(..5) == 0 {
        let culture = rng.usize(..3);
        drawn.names[culture] = 1 - drawn.names[culture];
    }
    if rng.u8(..8) == 0 {
        drawn.is_german = !drawn.is_german;
    }
    if rng.u8(..6) == 0 {
        drawn.path = rng.u64(..3);
    }
    if rng.u8(..5) == 0 {
        draw_fields(rng, drawn);
    }
}

fn node(drawn: &Drawn, kind: &str) -> Map<String, Value> {
    let cultures = CULTURES.iter().zip(drawn.names);
    let named = cultures.filter(|((culture, _), _)| *culture != "de-DE" || drawn.is_german);
    let names = named.map(|((culture, words), choice)| {
        let mut name = json!({"culture": culture, "name": format!("{kind} {} {choice} {words}", drawn.id)});
        if *culture == "en-GB" && drawn.path > 0 {
            name["path"] = json!(format!("{kind}-{}-{}", drawn.id, drawn.path));
        }
        name
    });
    let mut node = drawn.fields.clone();
    node.insert("id".to_owned(), json!(drawn.id));
    node.insert("names".to_owned(), names.collect());
    node
}

/// Returns the terms below a parent, or the top terms of a category. A parent has a smaller id, so no term is its own ancestor.
fn below(terms: &[&Drawn], categories: u64, category: u64, parent: Option<u64>) -> Value {
    let is_below = |term: &&&Drawn| {
        let above: Vec<u64> = terms
            .iter()
            .map(|other| other.id)
            .filter(|other| *other < term.id)
            .collect();
        let chosen = (term.place.is_multiple_of(2) && !above.is_empty())
            .then(|| above[usize::try_from(term.place / 2).unwrap() % above.len()]);
        chosen == parent && (parent.is_some() || term.place % categories + 1 == category)
    };
    let found = terms.iter().filter(is_below);
    found
        .map(|term| {
            let mut node = node(term, "Term");
            let children = below(terms, categories, category, Some(term.id));
            if children.as_array().is_some_and(|children| !children.is_empty()) {
                node.insert("children".to_owned(), children);
            }
            Value::Object(node)
        })
        .collect()
}

/// Returns a sequence of files, each different from the one before. With `cultures` the default culture changes now and then.
pub(crate) fn sequence(seed: u64, length: usize, cultures: bool) -> Vec<Value> {
    let mut rng = Rng::with_seed(seed);
    let mut categories: Vec<Drawn> = (1..=3).map(|id| drawn(&mut rng, id)).collect();
    let mut terms: Vec<Drawn> = (1..=9).map(|id| drawn(&mut rng, id)).collect();
    let mut default = "en-GB";
    let mut files: Vec<Value> = Vec::new();
    for _ in 0..1_000 {
        if files.len() == length {
            return files;
        }
        if cultures && rng.u8(..3) == 0 {
            default = ["en-GB", "fr-FR"][rng.usize(..2)];
        }
        // Ids have no gaps from 1 on, so that each place names an existing category.
        let there = 1
            + u64::from(categories[1].is_there)
            + u64::from(categories[1].is_there && categories[2].is_there);
        let live: Vec<&Drawn> = terms.iter().filter(|term| term.is_there).collect();
        let nodes = categories.iter().take(usize::try_from(there).unwrap());
        let nodes = nodes.map(|category| {
            let mut node = node(category, "Category");
            node.insert("terms".to_owned(), below(&live, there, category.id, None));
            Value::Object(node)
        });
        let nodes: Vec<Value> = nodes.collect();
        let file = json!({"defaultCulture": default, "categories": nodes});
        if files.last() != Some(&file) {
            files.push(file);
        }
        // The state of two files ago often comes back.
        for drawn in categories.iter_mut().chain(&mut terms) {
            redraw(&mut rng, drawn);
        }
    }
    panic!("nothing else is drawn");
}
