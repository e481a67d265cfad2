//! The layout of Steve Gordon's article, "Architecting a Cloud-Native Service with .NET and AWS": names in the default culture alone, the
//! category and each parent of a term as items beside it, no index and no version. Items have the attributes that the article names; with
//! more of them each would still take one write unit.

use serde_json::json;
use taxonomy_keys::TenantId;
use taxonomy_model::{Category, Term};

use crate::layout::{Item, attributes};

pub(crate) fn category(tenant: &TenantId, category: Category<'_>) -> Item {
    let key = category_key(tenant, category);
    Item {
        key: [key.clone(), key],
        index: None,
        attributes: attributes(json!({
            "CategoryId": category.id().get(), "CategoryName": category.node.default_name().name,
        })),
    }
}

pub(crate) fn term(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let pk = format!("TERM#{tenant}#{}", term.id());
    let category_name = term.category().node.default_name().name;
    let beside = |sk, attributes| Item {
        key: [pk.clone(), sk],
        index: None,
        attributes,
    };
    let named = |sk, term: Term<'_>| {
        let name = term.node.default_name().name;
        beside(
            sk,
            attributes(json!({"FinalName": format!("{category_name}:{name}")})),
        )
    };
    let category = beside(
        category_key(tenant, term.category()),
        attributes(json!({"CategoryId": term.category().id().get()})),
    );
    let parents = term.ancestors().zip(1..);
    let parents = parents.map(|(parent, level)| named(format!("#PARENT#{level:02}"), parent));
    [named(pk.clone(), term), category]
        .into_iter()
        .chain(parents)
        .collect()
}

fn category_key(tenant: &TenantId, category: Category<'_>) -> String {
    format!("CATEGORY#{tenant}#{}", category.id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    /// The keys that the article gives for term 100 of this tenant, which has one parent.
    #[test]
    fn a_term_has_the_items_of_the_article() {
        let both =
            |name: &str| json!([{"culture": "en-GB", "name": name}, {"culture": "fr-FR", "name": "Nom"}]);
        let child = json!({"id": 100, "names": both("Rust")});
        let parent = json!({"id": 10, "names": both("Software"), "children": [child]});
        let file = json!({"categories": [{"id": 1, "names": both("Sector"), "terms": [parent]}]});
        let taxonomy = parsed(file.to_string().as_bytes());
        let tenant = "823a8c46-8464-4ce6-ae2d-026540681db2".parse().unwrap();
        let child = taxonomy.terms().find(|term| term.parent().is_some()).unwrap();
        let items = term(&tenant, child);
        let items: Vec<_> = items
            .iter()
            .map(|item| (item.key.each_ref().map(String::as_str), json!(item.attributes)))
            .collect();
        let pk = "TERM#823a8c46-8464-4ce6-ae2d-026540681db2#100";
        let category = "CATEGORY#823a8c46-8464-4ce6-ae2d-026540681db2#1";
        assert_eq!(
            items,
            [
                ([pk, pk], json!({"FinalName": "Sector:Rust"})),
                ([pk, category], json!({"CategoryId": 1})),
                ([pk, "#PARENT#01"], json!({"FinalName": "Sector:Software"})),
            ]
        );
    }
}
