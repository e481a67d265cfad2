//! Tests that compare every response about the two samples at the limits, in every culture, with the files.

use serde_json::{Value, json};
use taxonomy_tests::world::{TENANT, World, expected, sample};

use super::{Asking, body};

/// A category, or a term with its category and its lineage, nearest first, as in the file.
struct Node<'f> {
    raw: &'f Value,
    category: &'f Value,
    above: Vec<&'f Value>,
}

/// The categories and terms of a file.
struct File {
    content: Value,
}

impl File {
    fn of(name: &str) -> Self {
        let content = serde_json::from_slice(&sample(name)).unwrap();
        Self { content }
    }

    fn categories(&self) -> &[Value] {
        self.content["categories"].as_array().unwrap()
    }

    fn terms(&self) -> Vec<Node<'_>> {
        let mut terms = Vec::new();
        for category in self.categories() {
            collect(category, &category["terms"], &[], &mut terms);
        }
        terms
    }

    /// Returns every culture of the file, each once.
    fn cultures(&self) -> Vec<&str> {
        let terms = self.terms();
        let nodes = self.categories().iter().chain(terms.iter().map(|term| term.raw));
        let names = nodes.flat_map(|node| node["names"].as_array().unwrap());
        let mut cultures: Vec<&str> = names.map(|name| name["culture"].as_str().unwrap()).collect();
        cultures.sort_unstable();
        cultures.dedup();
        cultures
    }

    /// Returns every path of the file.
    fn paths(&self) -> Vec<String> {
        let terms = self.terms();
        let nodes = self.categories().iter().chain(terms.iter().map(|term| term.raw));
        let names = nodes.flat_map(|node| node["names"].as_array().unwrap());
        names
            .map(|name| name["path"].as_str().unwrap().to_owned())
            .collect()
    }

    fn default_culture(&self) -> &str {
        self.content["defaultCulture"].as_str().unwrap()
    }

    /// Returns the name of a node in this culture, else in the default one. No culture of these files has a variant between the two.
    fn named<'f>(&'f self, node: &'f Value, culture: &str) -> &'f Value {
        let names = node["names"].as_array().unwrap();
        let in_culture = |culture: &str| names.iter().find(|name| name["culture"] == culture);
        in_culture(culture)
            .or_else(|| in_culture(self.default_culture()))
            .unwrap()
    }

    /// Returns the expected response about a term.
    fn term(&self, term: &Node<'_>, asked: Option<&str>) -> Value {
        let default = self.default_culture();
        let own = self.named(term.raw, asked.unwrap_or(default));
        let category = self.named(term.category, asked.unwrap_or(default));
        let final_name = |name: &Value| {
            format!(
                "{}:{}",
                category["name"].as_str().unwrap(),
                name["name"].as_str().unwrap()
            )
        };
        let ancestors = term.above.iter().map(|above| {
            let name = self.named(above, asked.unwrap_or(default));
            json!({
                "id": above["id"], "name": name["name"], "finalName": final_name(name), "culture": name["culture"],
                "path": name["path"],
            })
        });
        let mut answer = json!({
            "depth": term.above.len() + 1,
            "finalName": final_name(own),
            "category": {
                "id": term.category["id"], "name": category["name"], "culture": category["culture"], "path": category["path"],
            },
            "ancestors": ancestors.collect::<Vec<_>>(),
        });
        describe(&mut answer, term.raw, own, asked);
        answer
    }

    fn category(&self, category: &Value, asked: Option<&str>) -> Value {
        let own = self.named(category, asked.unwrap_or(self.default_culture()));
        let mut answer = json!({});
        describe(&mut answer, category, own, asked);
        answer
    }

    fn listed(&self, category: &Value, culture: &str) -> Value {
        let whole = self.category(category, Some(culture));
        let shown = ["id", "name", "culture", "path", "notation", "deprecated"];
        let shown = shown
            .iter()
            .filter_map(|field| Some(((*field).to_owned(), whole.get(field)?.clone())));
        let counts = [
            (
                "childCount".to_owned(),
                json!(category["terms"].as_array().map_or(0, Vec::len)),
            ),
            ("descendantCount".to_owned(), json!(below(&category["terms"]))),
        ];
        Value::Object(shown.chain(counts).collect())
    }
}

fn below(nodes: &Value) -> usize {
    let nodes = nodes.as_array().into_iter().flatten();
    nodes.map(|node| 1 + below(&node["children"])).sum()
}

fn collect<'f>(category: &'f Value, nodes: &'f Value, above: &[&'f Value], terms: &mut Vec<Node<'f>>) {
    for raw in nodes.as_array().into_iter().flatten() {
        let below: Vec<&Value> = [raw].into_iter().chain(above.iter().copied()).collect();
        collect(category, &raw["children"], &below, terms);
        terms.push(Node {
            raw,
            category,
            above: above.to_vec(),
        });
    }
}

/// Adds the members that categories and terms have in common.
fn describe(answer: &mut Value, raw: &Value, own: &Value, asked: Option<&str>) {
    let common = json!({
        "tenant": TENANT, "version": 1, "id": raw["id"], "name": own["name"], "culture": own["culture"], "path": own["path"],
        "altNames": [], "metadata": {}, "deprecated": false, "replacedBy": [], "relations": [], "removed": false,
    });
    for (field, value) in common.as_object().unwrap() {
        answer[field] = value.clone();
    }
    for field in ["notation", "sortKey"] {
        if let Some(value) = raw.get(field) {
            answer[field] = value.clone();
        }
    }
    if let Some(asked) = asked {
        answer["requestedCulture"] = json!(asked);
    }
}

fn same(what: &str, found: &Value, expect: &Value) {
    assert!(found == expect, "{what}: found {found:#}, expected {expect:#}");
}

/// Uploads a sample and compares every item and every response; returns the number of responses.
async fn every_answer_is_what_the_file_says(name: &str) -> usize {
    let (world, file) = (World::new(), File::of(name));
    world.push(TENANT, &sample(name)).await;
    assert_eq!(world.head(TENANT).await.refused, None);
    assert_eq!(world.live(TENANT), expected(TENANT, &sample(name)));

    let (asking, tenant) = (Asking::of(&world), format!("/v1/tenants/{TENANT}"));
    let served = asking.found(&tenant).await;
    assert_eq!(served["cultures"], json!(file.cultures()));
    let mut answers = 1;
    let cultures = file.cultures().into_iter().map(Some);
    for asked in [None].into_iter().chain(cultures) {
        answers += in_culture(&asking, &file, &tenant, asked).await;
    }
    answers
}

async fn in_culture(asking: &Asking, file: &File, tenant: &str, asked: Option<&str>) -> usize {
    let query = asked.map_or(String::new(), |culture| format!("?culture={culture}"));
    let terms = file.terms();
    let ids: Vec<u64> = terms
        .iter()
        .map(|term| term.raw["id"].as_u64().unwrap())
        .collect();
    let target = format!("{tenant}/terms:batchGet{query}");
    let batch = body(&target, &asking.batch(&target, &ids).await);
    for (position, term) in terms.iter().enumerate() {
        let what = format!("term {} in {asked:?}", ids[position]);
        let expect = file.term(term, asked);
        same(&what, &batch["items"][position]["term"], &expect);
        let alone = asking
            .found(&format!("{tenant}/terms/{}{query}", ids[position]))
            .await;
        same(&what, &alone, &expect);
    }
    for category in file.categories() {
        let target = format!("{tenant}/categories/{}{query}", category["id"]);
        same(
            &target,
            &asking.found(&target).await,
            &file.category(category, asked),
        );
    }
    let target = format!("{tenant}/categories{query}");
    let culture = asked.unwrap_or(file.default_culture());
    let listed: Vec<Value> = file
        .categories()
        .iter()
        .map(|one| file.listed(one, culture))
        .collect();
    same(&target, &asking.found(&target).await, &json!({ "items": listed }));
    2 * terms.len() + file.categories().len() + 1
}

#[tokio::test]
async fn a_node_in_148_cultures_is_served_in_each_of_them() {
    let file = File::of("many-cultures.json");
    let named = |node: &Value| node["names"].as_array().unwrap().len();
    assert_eq!(named(&file.categories()[0]), 148);
    let terms = file.terms();
    let counts: Vec<usize> = terms.iter().map(|term| named(term.raw)).collect();
    assert!(
        counts.contains(&148) && counts.iter().any(|count| *count < 100),
        "{counts:?}"
    );
    // Without a culture and in each of 148: each term alone and in a batch, each category alone and in the list; and the tenant.
    let answers = every_answer_is_what_the_file_says("many-cultures.json").await;
    assert_eq!(answers, 149 * (2 * terms.len() + 2) + 1);
}

#[tokio::test]
async fn paths_of_up_to_1285_bytes_are_served_whole() {
    let file = File::of("long-paths.json");
    let lengths: Vec<usize> = file.paths().iter().map(String::len).collect();
    assert_eq!(lengths.iter().max(), Some(&1285));
    for edge in [1000, 1001, 1284] {
        assert!(lengths.contains(&edge), "no path of {edge} bytes");
    }
    assert!(
        file.paths()
            .iter()
            .any(|path| path.len() == 1285 && !path.is_ascii())
    );
    every_answer_is_what_the_file_says("long-paths.json").await;
}
