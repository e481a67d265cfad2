//! The live items of a tenant as lines of text: those that a content has, and those that the table has.

use std::collections::BTreeMap;

use taxonomy_tests::prelude::*;

use crate::content::{Content, Node, Term};
use crate::raw::{flag, text};

/// Live items: primary key, and the attributes that matter as one line.
pub(crate) type Items = BTreeMap<String, String>;

/// Returns the items that a tenant with this content has under a default culture.
pub(crate) fn expected(content: &Content, tenant: &str, default: &str) -> Items {
    let mut items = Items::new();
    for (id, category) in &content.categories {
        let key = format!("CATEGORY#{tenant}#{id}");
        items.insert(
            format!("{key} | {key}"),
            format!("category {id} {}", category.names[default]),
        );
    }
    for (id, term) in &content.terms {
        items_of_term(content, &format!("TERM#{tenant}#{id}"), term, default, &mut items);
    }
    items
}

fn items_of_term(content: &Content, key: &str, term: &Term, default: &str, items: &mut Items) {
    let category = &content.categories[&term.category];
    let final_name = |node: &Node, culture: &str| {
        let (_, category) = category.best(culture, default);
        format!("{category}:{}", node.best(culture, default).1)
    };
    let line = |culture: &str| {
        let ancestors = content.ancestors(term).into_iter();
        let ancestors = ancestors.map(|id| format!("{id} {}", final_name(&content.terms[&id].node, culture)));
        let ancestors: Vec<String> = ancestors.collect();
        let name = final_name(&term.node, culture);
        format!("{name} in {} below {ancestors:?}", term.category)
    };
    items.insert(format!("{key} | {key}"), line(default));
    for culture in term.node.names.keys().filter(|culture| *culture != default) {
        items.insert(format!("{key} | CULTURE#{culture}"), line(culture));
    }
}

/// Returns the live items of a tenant that the table has.
pub(crate) fn live(items: &[Item], tenant: &str) -> Items {
    let mut live = Items::new();
    for item in items {
        let (partition, sort) = (text(item, "PK"), text(item, "SK"));
        let is_of = |kind: &str| partition.starts_with(&format!("{kind}#{tenant}#"));
        if !flag(item, "Removed") && (is_of("TERM") || is_of("CATEGORY")) {
            live.insert(format!("{partition} | {sort}"), line(item, &partition));
        }
    }
    live
}

fn line(item: &Item, partition: &str) -> String {
    if partition.starts_with("CATEGORY#") {
        let id = partition.rsplit('#').next().unwrap();
        return format!("category {id} {}", text(item, "Name"));
    }
    let (final_name, name) = (text(item, "FinalName"), text(item, "Name"));
    let category = final_name.strip_suffix(&name).unwrap();
    let lineage = item.get("Lineage").map(|lineage| lineage.as_s().unwrap());
    let ancestor = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        format!("{} {category}{}", fields[0], fields[1])
    };
    let ancestors: Vec<String> = lineage
        .into_iter()
        .flat_map(|lineage| lineage.lines())
        .map(ancestor)
        .collect();
    format!("{final_name} in {} below {ancestors:?}", text(item, "CategoryId"))
}

/// The oracle is right about a file that was not written for it.
#[tokio::test]
async fn the_oracle_agrees_with_the_projector_about_a_sample() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    Box::pin(world.push(TENANT, &file)).await;
    let content = Content::of_file(&serde_json::from_slice(&file).unwrap());
    let found = live(&world.db.items(TABLE), TENANT);
    assert_eq!(expected(&content, TENANT, "en-GB"), found);
    assert_eq!(found.len(), 410);
}
