//! Lists: their items, the order of the language that is shown, page by page, and cursors that keep it.

use serde_json::json;

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

/// Siblings in five cultures: by sort key, by name and by id; with and without names, paths and children of their own.
const FAMILY: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"s"},{"culture":"fr-FR","name":"Secteur","path":"f"},{"culture":"pt-BR","name":"Setor"}],
   "terms":[
    {"id":9,"names":[{"culture":"en-GB","name":"IT","path":"s/it"},{"culture":"fr-FR","name":"Info","path":"f/info"}],"children":[
      {"id":15,"names":[{"culture":"en-GB","name":"b: last","path":"elsewhere"},{"culture":"fr-CA","name":"b-ca"},{"culture":"fr-FR","name":"b-fr","path":"f/b"}]},
      {"id":14,"names":[{"culture":"en-GB","name":"A"},{"culture":"de-DE","name":"A-de"}],"deprecated":true,"replacedBy":[15]},
      {"id":13,"names":[{"culture":"en-GB","name":"a","path":"s/it/a"},{"culture":"pt-PT","name":"a-pt"}],"notation":"x",
       "children":[{"id":20,"names":[{"culture":"en-GB","name":"below"}]}]},
      {"id":12,"names":[{"culture":"en-GB","name":"z","path":"s/it"}],"sortKey":"0"},
      {"id":11,"names":[{"culture":"en-GB","name":"same"}]},
      {"id":10,"names":[{"culture":"en-GB","name":"Same"}]}]}]}]}"#;

/// The members of a child in a list equal those of the child's own response.
#[tokio::test]
async fn a_child_is_as_its_own_answer_says() {
    let stack = Stack::of(&[FAMILY]).await;
    // A sort key, then names: of the same letters small ones come first.
    let page = stack.found("terms/9/children").await;
    assert_eq!(ids(&page), [12, 13, 14, 15, 11, 10]);
    for culture in [
        "en-GB", "en", "fr", "fr-CA", "fr-BE", "de", "pt", "pt-BR", "pt-PT", "ja",
    ] {
        let page = stack.found(&format!("terms/9/children?culture={culture}")).await;
        assert_eq!(ids(&page).len(), 6);
        for child in page["items"].as_array().unwrap() {
            let target = format!("terms/{}?culture={culture}", child["id"]);
            let own = stack.found(&target).await;
            for field in [
                "id",
                "name",
                "culture",
                "finalName",
                "path",
                "notation",
                "deprecated",
            ] {
                assert_eq!(child[field], own[field], "{target} {field}");
            }
            assert_eq!(child["childCount"], u64::from(child["id"] == 13), "{target}");
        }
    }
}

/// By hand, in English and in Swedish, where å ä ö are behind z. Of 40, 41 and 42 all have sort keys, so no language has a say.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Food"},{"culture":"sv-SE","name":"Ätbart"}],"terms":[
    {"id":10,"names":[{"culture":"en-GB","name":"Apple"},{"culture":"sv-SE","name":"Äpple"}],"children":[
      {"id":11,"names":[{"culture":"en-GB","name":"Red"},{"culture":"sv-SE","name":"Röd"}],"deprecated":true},
      {"id":12,"names":[{"culture":"en-GB","name":"Green"},{"culture":"sv-SE","name":"Grön"}],"children":[
        {"id":14,"names":[{"culture":"en-GB","name":"No 2"},{"culture":"sv-SE","name":"B"}],"deprecated":true,"children":[
          {"id":15,"names":[{"culture":"en-GB","name":"D"},{"culture":"sv-SE","name":"É"}]},
          {"id":17,"names":[{"culture":"en-GB","name":"e"},{"culture":"sv-SE","name":"d"}]}]},
        {"id":16,"names":[{"culture":"en-GB","name":"No 10"},{"culture":"sv-SE","name":"A"}]}]},
      {"id":13,"names":[{"culture":"en-GB","name":"Yellow"},{"culture":"sv-SE","name":"Gul"}]}]},
    {"id":20,"names":[{"culture":"en-GB","name":"Beer"},{"culture":"sv-SE","name":"Öl"}]},
    {"id":30,"names":[{"culture":"en-GB","name":"Pear"},{"culture":"sv-SE","name":"Päron"}],"deprecated":true,"children":[
      {"id":40,"names":[{"culture":"en-GB","name":"A"},{"culture":"sv-SE","name":"Ö"}],"sortKey":"K10"},
      {"id":41,"names":[{"culture":"en-GB","name":"B"},{"culture":"sv-SE","name":"N"}],"sortKey":"K9"}]},
    {"id":50,"name":"Fig 10"},
    {"id":51,"name":"Fig 9"}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Wood"},{"culture":"sv-SE","name":"Trä"}],"terms":[{"id":60,"name":"Oak"}]}]}"#;

const ENGLISH: [u64; 14] = [10, 12, 14, 15, 17, 16, 11, 13, 20, 51, 50, 30, 41, 40];
const SWEDISH: [u64; 14] = [51, 50, 30, 41, 40, 10, 12, 16, 14, 17, 15, 13, 11, 20];
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
async fn all(stack: &Stack, list: &str, query: &str) -> Vec<u64> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = stack.found(&format!("{list}?{query}{cursor}")).await;
        assert!(cursor.is_empty() || !ids(&page).is_empty(), "{list}?{query}");
        seen.extend(ids(&page));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen,
        }
    }
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
    let got = stack.get_with("terms/10/children", &swedish).await;
    assert_eq!(ids(&got.found()), [12, 13, 11]);
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
