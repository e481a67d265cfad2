//! The largest items that the format allows, computed by the real builders with every limit reached at once. The figures are on
//! decision page 3.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use insta::assert_snapshot;
use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_model::attribute::{self, billed_size};
use taxonomy_model::items::{self, Item, MAX_BYTES};
use taxonomy_model::stats::CategoryStats;
use taxonomy_model::writes::{self, Write};
use taxonomy_model::{Census, Code, Taxonomy};

use crate::golden::all_items;
use taxonomy_testfiles::{issues, read, taxonomy};

/// DynamoDB: 400 KB an item (developer guide, "Service, account, and table quotas").
const ITEM: usize = 400 * 1024;

/// A tag of 35 characters.
fn tag(n: usize) -> String {
    format!("qaa-x-{n:03}aaaaa-bbbbbbbb-cccccccc-dd")
}

/// Four bytes a character.
fn wide(characters: usize) -> String {
    "\u{10348}".repeat(characters)
}

/// No path begins with that of another node.
fn name(node: u64, culture: usize) -> Value {
    json!({"culture": tag(culture), "name": wide(500), "path": format!("{node:04}{}", wide(511))})
}

/// The names of the deepest term in so many cultures, the longest that are taken: 40,000 bytes with their tags.
fn names(cultures: usize) -> Vec<Value> {
    let left = 40_000 - 2_000 - 35 * cultures;
    let further = (1..cultures).map(|culture| {
        let mut name = name(32, culture);
        name["name"] = json!(wide((left / (cultures - 1)).min(2_000) / 4));
        name
    });
    [name(32, 0)].into_iter().chain(further).collect()
}

fn id(n: u64) -> u64 {
    (1 << 53) - 1 - n
}

/// A node with its names and everything that a node can have beside them; alternative names are in the culture `alt`.
fn full(n: u64, names: &[Value], alt: usize) -> Value {
    // 149,325 bytes of the 150,000 that are taken.
    let alt_names = (0..75).map(|n| json!({"culture": tag(alt), "name": format!("{}{n:03}", wide(497))}));
    let relation = |n: usize| json!({"type": "related", "scheme": "s".repeat(100), "id": format!("{}{n:02}", "c".repeat(498))});
    json!({
        "id": id(n), "names": names, "altNames": alt_names.collect::<Vec<Value>>(), "notation": wide(200), "sortKey": "s".repeat(200),
        "metadata": {"a": "m".repeat(8184)}, "deprecated": true, "replacedBy": (100..150).map(id).collect::<Vec<u64>>(),
        "deprecation": {"reason": wide(500), "since": "2026-01-31"},
        "notes": [{"culture": tag(alt), "definition": "d".repeat(4000), "scopeNote": "n".repeat(4000)}],
        "relations": (0..50).map(relation).collect::<Vec<Value>>(),
    })
}

/// The category of [`full`] whose names in the further cultures are as long as `characters` allow, one character a culture and turn.
fn category(characters: usize) -> Value {
    let further = (1..500).map(|culture| {
        let name = "a".repeat(1 + characters / 499 + usize::from(culture <= characters % 499));
        json!({"culture": tag(culture), "name": name})
    });
    let names: Vec<Value> = [name(0, 0)].into_iter().chain(further).collect();
    full(0, &names, 1)
}

/// One chain of 32 terms. The deepest one has all fields and a name in `cultures`, its ancestors only one in the default culture, so
/// every item in a further culture repeats the long names of the ancestors with their culture.
fn chain(cultures: usize, alt: usize, category: Value) -> String {
    let mut node = full(32, &names(cultures), alt);
    for depth in (1..32).rev() {
        node = json!({"id": id(depth), "names": [name(depth, 0)], "children": [node]});
    }
    let mut category = category;
    category["terms"] = json!([node]);
    json!({"defaultCulture": tag(0), "categories": [category]}).to_string()
}

/// The longest that a tenant's id can be.
fn tenant() -> TenantId {
    "t".repeat(64).parse().unwrap()
}

fn items(taxonomy: &Taxonomy) -> Vec<Item> {
    all_items(&tenant(), taxonomy)
}

/// An item as DynamoDB charges it: attributes, keys, kind and version.
fn stored_size(item: &Item) -> usize {
    let key = item.key.key();
    let own = "PK".len() + key.pk.len() + "SK".len() + key.sk.len();
    let stamp = "EntityType".len() + item.key.entity_type().len() + "V".len() + 7;
    own + stamp + billed_size(&item.attributes)
}

/// The bytes of the largest item of each kind, all of which fit.
fn largest(items: impl IntoIterator<Item = Item>) -> String {
    let mut largest: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        let most = largest.entry(item.key.entity_type()).or_default();
        *most = stored_size(&item).max(*most);
    }
    assert!(largest.values().all(|bytes| *bytes < ITEM), "{largest:?}");
    let lines = largest.iter().map(|(kind, bytes)| format!("{kind} {bytes}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn alone(characters: usize) -> String {
    json!({"defaultCulture": tag(0), "categories": [category(characters)]}).to_string()
}

/// The number of characters in the further cultures of the largest accepted category, found by bisection.
static MOST: LazyLock<usize> = LazyLock::new(|| {
    let is_refused = |characters: usize| {
        let mut issues = issues(alone(characters).as_bytes());
        let expected = ["unknown-replacement", "empty-category", "no-terms"];
        issues.retain(|issue| !expected.iter().any(|code| issue.starts_with(code)));
        match issues.as_slice() {
            [] => false,
            [refused] if refused == "category-too-large /categories/0" => true,
            _ => panic!("{issues:?}"),
        }
    };
    let all: Vec<usize> = (0..=499 * 499).collect();
    let refused = all.partition_point(|characters| !is_refused(*characters));
    assert!(refused < all.len());
    refused - 1
});

#[test]
fn every_kind_of_item_fits() {
    let in_default = chain(20, 0, category(*MOST));
    // Not named in it, so its long name in the default culture is repeated for every ancestor.
    let in_further = chain(3, 1, json!({"id": id(0), "names": [name(0, 0)]}));
    let items = [in_default, in_further].map(|file| items(&taxonomy(&file)));
    let items = items.concat();
    for item in &items {
        let kind = item.key.entity_type();
        assert!(billed_size(&item.attributes) <= MAX_BYTES, "{kind}");
    }
    assert_snapshot!(largest(items), @r"
    Category 390210
    Term 337027
    TermCulture 338157
    ");
}

#[test]
fn a_category_is_refused_by_the_byte_that_does_not_fit() {
    let of = |characters| billed_size(&items(&taxonomy(&alone(characters)))[0].attributes);
    // A character is a byte here, and the smallest step there is.
    assert_eq!((of(*MOST), of(*MOST - 1)), (MAX_BYTES, MAX_BYTES - 1));
}

/// A removed category or term keeps what it had and is marked.
#[test]
fn every_tombstone_fits() {
    let old = taxonomy(&chain(20, 0, category(*MOST)));
    let nothing = taxonomy(&json!({"defaultCulture": tag(0), "categories": []}).to_string());
    let tenant = tenant();
    let writes = writes::between(&tenant, Some(&old), &nothing, 9_999_999_999);
    let removed = writes.map(|write| match write {
        Write::Put(item) => panic!("{} is put", item.key.entity_type()),
        Write::Remove(item) => item,
    });
    assert_snapshot!(largest(removed), @r"
    Category 390218
    Term 337035
    TermCulture 185
    ");
}

/// The names of a term take so many bytes together and no more.
#[test]
fn names_are_refused_by_the_byte_that_does_not_fit() {
    let file = |bytes: usize| {
        let name_of = |n: usize| {
            let longer = usize::from(n < bytes % 80);
            json!({"culture": tag(n), "name": "n".repeat(bytes / 80 + longer - 35)})
        };
        let term = json!({"id": 1, "names": (0..80).map(name_of).collect::<Vec<Value>>()});
        let category = json!({"id": 1, "names": [name(0, 0)], "terms": [term]});
        json!({"defaultCulture": tag(0), "categories": [category]}).to_string()
    };
    assert_eq!(issues(file(40_000).as_bytes()), [""; 0]);
    let refused = issues(file(40_001).as_bytes());
    assert_eq!(refused, ["names-too-large /categories/0/terms/0/names"]);
}

/// A text is kept up to 65,535 bytes, so the number of bytes of a longer one is not known.
#[test]
fn the_bytes_of_a_name_that_is_cut_are_a_lower_bound() {
    for (bytes, expect) in [(45_000, "45002 bytes"), (70_000, "at least 65537 bytes")] {
        let term = json!({"id": 1, "names": [{"culture": "en", "name": "n".repeat(bytes)}]});
        let category = json!({"id": 1, "names": [{"culture": "en", "name": "n"}], "terms": [term]});
        let file = json!({"defaultCulture": "en", "categories": [category]}).to_string();
        let report = read(&file).unwrap_err();
        let mut issues = report.issues.iter();
        let issue = issues.find(|issue| issue.code == Code::NamesTooLarge).unwrap();
        assert!(issue.message.starts_with(expect), "{}", issue.message);
    }
}

/// Everything under one partition key, which verifying a tenant reads page by page, and what is counted of its category.
#[test]
fn everything_of_a_term_in_500_cultures_is_this() {
    let taxonomy = taxonomy(&chain(500, 0, json!({"id": 0, "names": [name(0, 0)]})));
    let deepest = taxonomy.terms().find(|term| term.depth() == 32).unwrap();
    let items = items::of_term(&tenant(), deepest);
    let all: usize = items.iter().map(stored_size).sum();
    assert_snapshot!(format!("{} items, {all} bytes", items.len()), @"500 items, 88555230 bytes");
    let stats = CategoryStats {
        id: taxonomy.categories().next().unwrap().id(),
        counts: Census::new(&taxonomy).categories.remove(0).counts,
        changed_at: 1_800_000_000_000,
        removed: false,
    };
    let bytes = billed_size(&attribute::write(&stats));
    assert_snapshot!(bytes, @"19169");
}
