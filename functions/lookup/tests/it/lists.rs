//! Lists: their items, the order of the language that is shown, page by page, and cursors that keep it.

use serde_json::{Value, json};

use crate::stack::{Stack, ids};

#[tokio::test]
async fn a_page_is_read_from_the_index_file_in_any_culture() {
    let stack = Stack::new().await;
    let sector = |name: &str, culture: &str, path: &str| {
        json!({"id": 1, "name": name, "culture": culture, "path": path, "notation": "S", "deprecated": true,
            "childCount": 1, "descendantCount": 3})
    };
    let place = json!({"id": 2, "name": "Place", "culture": "en-GB", "deprecated": false, "childCount": 1, "descendantCount": 1});
    let rust = |name: &str, culture: &str, final_name: &str, path: &str| {
        json!({"id": 101, "name": name, "culture": culture, "finalName": final_name, "path": path, "notation": "6201",
            "deprecated": true, "childCount": 1, "descendantCount": 1})
    };
    let (children, french) = ("terms/100/children", "terms/100/children?culture=fr");
    for (target, languages, items) in [
        (
            "categories?culture=fr",
            "en-GB, fr-FR",
            json!([sector("Secteur", "fr-FR", "secteur"), place]),
        ),
        (
            children,
            "en-GB",
            json!([rust("Rust: the job", "en-GB", "Sector:Rust: the job", "it/rust")]),
        ),
        (
            french,
            "fr-FR",
            json!([rust("Rust", "fr-FR", "Secteur:Rust", "informatique/rust")]),
        ),
    ] {
        let got = stack.get(target).await;
        assert_eq!(got.headers["content-language"], languages);
        assert_eq!(got.found(), json!({ "items": items }), "{target}");
    }
    assert_eq!(stack.costs(), ["Head 1", "GetObject"]);
}

/// By hand, in English and in Swedish, where å ä ö are behind z. Of 40 and 41 both have sort keys, so no language has a say; that of 20 stands
/// among names.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Food"},{"culture":"sv-SE","name":"Ätbart"}],"terms":[
    {"id":10,"names":[{"culture":"en-GB","name":"Apple"},{"culture":"sv-SE","name":"Äpple"}],"children":[
      {"id":11,"names":[{"culture":"en-GB","name":"Red"},{"culture":"sv-SE","name":"Röd"}],"deprecated":true},
      {"id":12,"names":[{"culture":"en-GB","name":"Green"},{"culture":"sv-SE","name":"Grön"}],"children":[
        {"id":14,"names":[{"culture":"en-GB","name":"No 2"},{"culture":"sv-SE","name":"B"}],"deprecated":true,"children":[
          {"id":15,"names":[{"culture":"en-GB","name":"D"},{"culture":"sv-SE","name":"É"}]},
          {"id":17,"names":[{"culture":"en-GB","name":"e"},{"culture":"sv-SE","name":"d"}]}]},
        {"id":16,"names":[{"culture":"en-GB","name":"No 10"},{"culture":"sv-SE","name":"A"}]}]},
      {"id":13,"names":[{"culture":"en-GB","name":"Yellow","path":"yellow"},{"culture":"sv-SE","name":"Gul"}]}]},
    {"id":20,"names":[{"culture":"en-GB","name":"Beer"},{"culture":"sv-SE","name":"Öl"}],"sortKey":"G"},
    {"id":30,"names":[{"culture":"en-GB","name":"Pear"},{"culture":"sv-SE","name":"Päron"}],"deprecated":true,"children":[
      {"id":40,"names":[{"culture":"en-GB","name":"A"},{"culture":"sv-SE","name":"Ö"}],"sortKey":"K10"},
      {"id":41,"names":[{"culture":"en-GB","name":"B"},{"culture":"sv-SE","name":"N"}],"sortKey":"K9"}]},
    {"id":50,"name":"Fig 10"},
    {"id":51,"name":"Fig 9"}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Wood"},{"culture":"sv-SE","name":"Trä"}],"deprecated":true,"terms":[{"id":60,"name":"Oak"}]}]}"#;

const ENGLISH: [u64; 14] = [10, 12, 14, 15, 17, 16, 11, 13, 51, 50, 20, 30, 41, 40];
const SWEDISH: [u64; 14] = [51, 50, 20, 30, 41, 40, 10, 12, 16, 14, 17, 15, 13, 11];
const DEPRECATED: [u64; 3] = [11, 14, 30];

/// The level of a term of the first category.
fn level(id: u64) -> usize {
    match id {
        11..=13 | 40..=41 => 2,
        14 | 16 => 3,
        15 | 17 => 4,
        _ => 1,
    }
}

/// The ids of all pages of a list. No page leads to an empty one.
async fn all(stack: &Stack, list: &str, query: &str) -> Vec<Value> {
    let pages = stack.pages(&format!("{list}?{query}")).await;
    let leads_to_some = pages[1..].iter().all(|page| !page.is_empty());
    assert!(leads_to_some, "{list}?{query}");
    pages.concat()
}

/// Every culture with every filter, depth and length of pages.
#[tokio::test]
async fn lists_have_the_order_of_the_culture_that_answers() {
    let stack = Stack::of(&[FILE]).await;
    for (culture, order, categories, limits) in [
        ("en-GB", ENGLISH, [1, 2], &[1, 3, 100][..]),
        ("sv-SE", SWEDISH, [2, 1], &[1, 3, 100]),
        ("sv", SWEDISH, [2, 1], &[100]),
        ("sv-FI", SWEDISH, [2, 1], &[100]),
        ("ja", ENGLISH, [1, 2], &[100]),
    ] {
        for limit in limits {
            let query = format!("culture={culture}&limit={limit}");
            assert_eq!(all(&stack, "categories", &query).await, categories, "{query}");
            for (filter, only) in [("exclude", 1), ("only", 2)] {
                let query = format!("{query}&deprecated={filter}");
                assert_eq!(all(&stack, "categories", &query).await, [only], "{query}");
            }
            assert_eq!(all(&stack, "categories/2/terms", &query).await, [60], "{query}");
            for (list, above, within) in [
                ("categories/1/terms", 0, 0..60),
                ("terms/10/descendants", 1, 11..20),
                ("terms/12/descendants", 2, 14..20),
                ("terms/30/descendants", 1, 40..50),
            ] {
                for (filter, wanted) in [("include", None), ("exclude", Some(false)), ("only", Some(true))] {
                    let own = order
                        .into_iter()
                        .filter(|id| within.contains(id) && level(*id) > above);
                    let own = own.filter(|id| wanted.is_none_or(|wanted| DEPRECATED.contains(id) == wanted));
                    let own: Vec<u64> = own.collect();
                    for depth in [1, 2, 32] {
                        let expect = own.iter().copied().filter(|id| level(*id) - above <= depth);
                        let expect: Vec<u64> = expect.collect();
                        let query = format!("{query}&deprecated={filter}&depth={depth}");
                        assert_eq!(all(&stack, list, &query).await, expect, "{list}?{query}");
                        if depth == 1 && above > 0 {
                            let children = list.replace("descendants", "children");
                            let query = query.replace("&depth=1", "");
                            assert_eq!(all(&stack, &children, &query).await, expect, "{children}?{query}");
                        }
                    }
                }
            }
        }
    }
    // `Accept-Language` is as good as `culture=`.
    let swedish = [("accept-language", "sv")];
    let page = stack.get_with("terms/10/children", &swedish).await.found();
    assert_eq!(ids(&page), [12, 13, 11]);
    assert_eq!(page["items"][1].get("path"), None, "it has one in English alone");
}

/// A later page begins where the first one ended, whatever language it is asked in.
#[tokio::test]
async fn a_cursor_keeps_the_order_of_its_first_page() {
    let stack = Stack::of(&[FILE]).await;
    for (first, order) in [("sv-SE", SWEDISH), ("en-GB", ENGLISH)] {
        let list = "categories/1/terms?limit=4";
        let page = stack.found(&format!("{list}&culture={first}")).await;
        let cursor = page["nextCursor"].as_str().unwrap();
        for later in ["sv-SE", "en-GB"] {
            let page = stack
                .found(&format!("{list}&culture={later}&cursor={cursor}"))
                .await;
            assert_eq!(ids(&page), order[4..8], "{first}, then {later}");
        }
    }
}
