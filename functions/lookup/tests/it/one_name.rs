//! A node has one name a culture, in whatever answer: its own answer, above another term, in lists, hits and batches, from the table and from the
//! files. The expected names come from the source JSON alone.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Value, json};
use taxonomy_testkit::fixtures::ACME;

use crate::stack::Stack;

const CULTURES: [&str; 4] = ["en-GB", "fr-FR", "de-DE", "de-AT"];
/// What readers ask for: `fr` and `fr-CA` are answered in the French there is, each German in its own and then in the other.
const ASKED: [&str; 8] = ["", "en-GB", "fr-FR", "fr", "fr-CA", "de-DE", "de-AT", "de"];

/// A tree in which each node has a name in the default culture, and in some others.
struct Tree {
    file: Value,
    /// The names of terms and their category, by id.
    terms: BTreeMap<u64, (BTreeMap<String, String>, u64)>,
    categories: BTreeMap<u64, BTreeMap<String, String>>,
}

fn names(random: &mut Rng, what: &str) -> BTreeMap<String, String> {
    let named = |culture: &str| (culture.to_owned(), format!("{what} {culture}"));
    let further = CULTURES[1..].iter().filter(|_| random.u8(..3) > 0);
    let further: Vec<_> = further.map(|culture| named(culture)).collect();
    [named("en-GB")].into_iter().chain(further).collect()
}

fn listed(names: &BTreeMap<String, String>) -> Value {
    let names = names
        .iter()
        .map(|(culture, name)| json!({"culture": culture, "name": name}));
    names.collect()
}

impl Tree {
    fn of(random: &mut Rng) -> Self {
        let (mut categories, mut terms) = (BTreeMap::new(), BTreeMap::new());
        let mut below: BTreeMap<Option<u64>, Vec<u64>> = BTreeMap::new();
        for id in 1..=2 {
            categories.insert(id, names(random, &format!("Category {id}")));
        }
        for id in 10..30_u64 {
            let parent = (id > 13).then(|| random.u64(10..id));
            let category = parent.map_or(1 + id % 2, |parent: u64| {
                let (_, category): &(BTreeMap<String, String>, u64) = &terms[&parent];
                *category
            });
            terms.insert(id, (names(random, &format!("Term {id}")), category));
            below.entry(parent).or_default().push(id);
        }
        let top = |category: u64| {
            let ids = below[&None].iter().filter(|id| terms[id].1 == category);
            let nodes: Vec<Value> = ids.map(|id| node(*id, &terms, &below)).collect();
            json!({"id": category, "names": listed(&categories[&category]), "terms": nodes})
        };
        let file = json!({"defaultCulture": "en-GB", "categories": [top(1), top(2)]});
        Self {
            file,
            terms,
            categories,
        }
    }

    fn final_name(&self, id: u64, asked: &str) -> String {
        let (names, category) = &self.terms[&id];
        let (_, category) = name(&self.categories[category], asked);
        format!("{category}:{}", name(names, asked).1)
    }

    /// Checks every term that an answer names, and returns their number.
    fn check(&self, answer: &Value, asked: &str) -> usize {
        let mut seen = 0;
        if let Value::Array(items) = answer {
            return items.iter().map(|item| self.check(item, asked)).sum();
        }
        let Some(fields) = answer.as_object() else {
            return 0;
        };
        if let (Some(id), Some(final_name)) = (fields.get("id"), fields.get("finalName")) {
            let id = id.as_u64().unwrap();
            let (culture, name) = name(&self.terms[&id].0, asked);
            let found = (&fields["culture"], &fields["name"], final_name);
            let expect = (&json!(culture), &json!(name), &json!(self.final_name(id, asked)));
            assert_eq!(found, expect, "term {id} in {asked}");
            seen += 1;
        }
        if let Some(category) = fields.get("category").filter(|category| category.is_object()) {
            let id = category["id"].as_u64().unwrap();
            let (culture, name) = name(&self.categories[&id], asked);
            assert_eq!(
                (&category["culture"], &category["name"]),
                (&json!(culture), &json!(name))
            );
        }
        seen + fields
            .values()
            .map(|value| self.check(value, asked))
            .sum::<usize>()
    }
}

/// Returns the culture and the name of a node for a reader: the first of the order that names it, whatever names others have.
fn name<'t>(names: &'t BTreeMap<String, String>, asked: &str) -> (&'t String, &'t String) {
    let order: &[&str] = match asked {
        "fr" | "fr-CA" | "fr-FR" => &["fr-FR", "en-GB"],
        "de" | "de-DE" => &["de-DE", "de-AT", "en-GB"],
        "de-AT" => &["de-AT", "de-DE", "en-GB"],
        _ => &["en-GB"],
    };
    let found = order.iter().find_map(|culture| names.get_key_value(*culture));
    found.unwrap()
}

fn node(
    id: u64,
    terms: &BTreeMap<u64, (BTreeMap<String, String>, u64)>,
    below: &BTreeMap<Option<u64>, Vec<u64>>,
) -> Value {
    let children = below.get(&Some(id)).into_iter().flatten();
    let children: Vec<Value> = children.map(|child| node(*child, terms, below)).collect();
    json!({"id": id, "names": listed(&terms[&id].0), "children": children})
}

#[tokio::test]
async fn a_node_has_one_name_a_culture_in_every_answer() {
    let (mut seen, mut by_table, mut by_file) = (0, 0, 0);
    for seed in 0..5 {
        let tree = Tree::of(&mut Rng::with_seed(seed));
        let stack = Stack::empty(lookup::Auth::Iam);
        stack.publish(ACME, &[&tree.file.to_string()]).await;
        for asked in ASKED {
            let with = |path: &str| {
                let join = if path.contains('?') { '&' } else { '?' };
                let culture = if asked.is_empty() { "en-GB" } else { asked };
                format!("/v1/tenants/acme/{path}{join}culture={culture}")
            };
            let asked = if asked.is_empty() { "en-GB" } else { asked };
            let ids: Vec<String> = tree.terms.keys().map(u64::to_string).collect();
            for id in &ids {
                stack.wait_ms(2_000);
                stack.requests();
                let answer = stack.get(&with(&format!("terms/{id}"))).await.found();
                let requests = stack.requests();
                by_table += usize::from(requests.iter().any(|line| line.contains("1 item, 0.5")));
                by_file += usize::from(requests.iter().any(|line| line.contains("0 items")));
                seen += tree.check(&answer, asked);
                for list in ["children", "descendants", "history", "ancestors"] {
                    let answer = stack.get(&with(&format!("terms/{id}/{list}"))).await.found();
                    seen += match list {
                        "history" => usize::from(
                            answer["items"][0]["after"]["finalName"]
                                == tree.final_name(id.parse().unwrap(), asked),
                        ),
                        _ => tree.check(&answer["items"], asked),
                    };
                }
            }
            for list in [
                format!("terms?ids={}", ids.join(",")),
                "categories/1/terms?include=details".to_owned(),
                "categories/2/terms".to_owned(),
            ] {
                let answer = stack.get(&with(&list)).await.found();
                seen += tree.check(&answer["items"], asked);
            }
            let changes = stack.get(&with("changes?after=0&limit=100")).await.found();
            for change in changes["items"].as_array().unwrap() {
                if change["kind"] == "term" {
                    let expect = tree.final_name(change["id"].as_u64().unwrap(), asked);
                    assert_eq!(change["after"]["finalName"], expect, "{change}");
                }
            }
        }
    }
    assert!(seen > 8_000, "{seen}");
    let both = by_table + by_file;
    assert!(
        by_table * 3 > both && by_file * 9 > both,
        "{by_table} by the table, {by_file} by the file"
    );
}
