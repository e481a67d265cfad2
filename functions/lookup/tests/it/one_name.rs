//! A node has one name a culture, in whatever answer: its own answer, above another term, in lists, hits and batches, from the table and from the
//! files. The expected names come from the source JSON alone.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::stack::Stack;

/// What readers ask for, and the cultures that are looked through: `fr` and `fr-CA` are answered in the French there is, each German in its
/// own and then in the other.
const ASKED: [(&str, &[&str]); 7] = [
    ("en-GB", &["en-GB"]),
    ("fr-FR", &["fr-FR", "en-GB"]),
    ("fr", &["fr-FR", "en-GB"]),
    ("fr-CA", &["fr-FR", "en-GB"]),
    ("de-DE", &["de-DE", "de-AT", "en-GB"]),
    ("de-AT", &["de-AT", "de-DE", "en-GB"]),
    ("de", &["de-DE", "de-AT", "en-GB"]),
];

/// A tree of which each node has a name in the default culture, and in some others.
struct Tree {
    seed: u64,
    /// The parent of each term; those of a category have none.
    parents: Vec<(u64, Option<u64>)>,
}

impl Tree {
    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let parent = |id: u64| (id > 13).then(|| random.u64(10..id));
        let parents = (10..30).map(parent).zip(10..).map(|(parent, id)| (id, parent));
        let parents = parents.collect();
        Self { seed, parents }
    }

    fn category(&self, id: u64) -> u64 {
        let (_, parent) = self.parents.iter().find(|(term, _)| *term == id).unwrap();
        parent.map_or(1 + id % 2, |parent| self.category(parent))
    }

    fn has(&self, what: &str, id: u64, culture: &str) -> bool {
        let text = format!("{} {what} {id} {culture}", self.seed);
        let hash = text
            .bytes()
            .fold(7, |hash: u64, byte| hash.wrapping_mul(31) ^ u64::from(byte));
        culture == "en-GB" || Rng::with_seed(hash).u8(..3) > 0
    }

    /// The culture and the name of a node for a reader: the first of the order that names it, whatever names others have.
    fn name(&self, what: &str, id: u64, order: &[&str]) -> (String, String) {
        let culture = order.iter().find(|culture| self.has(what, id, culture)).unwrap();
        ((*culture).to_owned(), format!("{what} {id} {culture}"))
    }

    fn final_name(&self, id: u64, order: &[&str]) -> String {
        let (_, category) = self.name("Category", self.category(id), order);
        format!("{category}:{}", self.name("Term", id, order).1)
    }

    fn node(&self, what: &str, id: u64, below: &str) -> Value {
        let is_below = |term: u64, parent: Option<u64>| match what {
            "Term" => parent == Some(id),
            _ => parent.is_none() && self.category(term) == id,
        };
        let own = self
            .parents
            .iter()
            .filter(|(term, parent)| is_below(*term, *parent));
        let children: Vec<Value> = own.map(|(id, _)| self.node("Term", *id, "children")).collect();
        let cultures = ["en-GB", "fr-FR", "de-DE", "de-AT"].into_iter();
        let named = cultures.filter(|culture| self.has(what, id, culture));
        let names =
            named.map(|culture| json!({"culture": culture, "name": self.name(what, id, &[culture]).1}));
        json!({"id": id, "names": names.collect::<Vec<_>>(), below: children})
    }

    fn file(&self) -> String {
        let categories = [1, 2].map(|id| self.node("Category", id, "terms"));
        json!({"defaultCulture": "en-GB", "categories": categories}).to_string()
    }

    /// Checks every term and category that an answer names, and returns the number of terms.
    fn check(&self, answer: &Value, order: &[&str]) -> usize {
        let check = |node: &Value, what: &str| {
            let (culture, name) = self.name(what, node["id"].as_u64().unwrap(), order);
            let found = (&node["culture"], &node["name"]);
            assert_eq!(found, (&json!(culture), &json!(name)), "{order:?}");
        };
        let mut seen = 0;
        if answer["finalName"].is_string() {
            check(answer, "Term");
            let expect = self.final_name(answer["id"].as_u64().unwrap(), order);
            assert_eq!(answer["finalName"], expect, "{order:?}");
            seen = 1;
        }
        if answer["category"].is_object() {
            check(&answer["category"], "Category");
        }
        let members = answer.as_object().into_iter().flatten().map(|(_, value)| value);
        let items = answer.as_array().into_iter().flatten();
        seen + members
            .chain(items)
            .map(|below| self.check(below, order))
            .sum::<usize>()
    }
}

#[tokio::test]
async fn a_node_has_one_name_a_culture_in_every_answer() {
    let (mut seen, mut by_table, mut by_file) = (0, 0, 0);
    for seed in 0..5 {
        let tree = Tree::new(seed);
        let stack = Stack::of(&[&tree.file()]).await;
        let ids: Vec<String> = (10..30).map(|id: u64| id.to_string()).collect();
        for (asked, order) in ASKED {
            let found = async |path: &str| {
                let join = if path.contains('?') { '&' } else { '?' };
                stack.found(&format!("{path}{join}culture={asked}")).await
            };
            for id in &ids {
                stack.world.pass(2);
                stack.costs();
                let answer = found(&format!("terms/{id}")).await;
                let requests = stack.requests();
                by_table += usize::from(requests.iter().any(|line| line.contains("1 item, 0.5")));
                by_file += usize::from(requests.iter().any(|line| line.contains("0 items")));
                seen += tree.check(&answer, order);
                for list in ["children", "descendants", "ancestors"] {
                    let answer = found(&format!("terms/{id}/{list}")).await;
                    seen += tree.check(&answer["items"], order);
                }
                let history = found(&format!("terms/{id}/history")).await;
                let expect = tree.final_name(id.parse().unwrap(), order);
                assert_eq!(history["items"][0]["after"]["finalName"], expect, "{id}");
            }
            for list in [
                &format!("terms?ids={}", ids.join(",")),
                "categories/1/terms?include=details",
                "categories/2/terms",
            ] {
                seen += tree.check(&found(list).await["items"], order);
            }
            let changes = found("changes?after=0&limit=100").await;
            let changes = changes["items"].as_array().unwrap().iter();
            for change in changes.filter(|change| change["kind"] == "term") {
                let expect = tree.final_name(change["id"].as_u64().unwrap(), order);
                assert_eq!(change["after"]["finalName"], expect, "{change}");
            }
        }
    }
    assert!(seen > 7_000, "{seen}");
    let both = by_table + by_file;
    assert!(
        by_table * 3 > both && by_file * 9 > both,
        "{by_table} by the table, {by_file} by the file"
    );
}
