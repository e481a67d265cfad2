//! Lists in the order of the language that is shown, page by page, and cursors that keep it.

use serde_json::Value;
use taxonomy_testkit::fixtures::ACME;

use crate::stack::Stack;

/// By hand, in English and in Swedish, where å ä ö are behind z. Of 40, 41 and 42 all have sort keys, so no language has a say.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Food"},{"culture":"sv-SE","name":"Ätbart"}],"terms":[
    {"id":10,"names":[{"culture":"en-GB","name":"Apple"},{"culture":"sv-SE","name":"Äpple"}],"children":[
      {"id":11,"names":[{"culture":"en-GB","name":"Red"},{"culture":"sv-SE","name":"Röd"}],"deprecated":true},
      {"id":12,"names":[{"culture":"en-GB","name":"Green"},{"culture":"sv-SE","name":"Grön"}]},
      {"id":13,"names":[{"culture":"en-GB","name":"Yellow"},{"culture":"sv-SE","name":"Gul"}]}]},
    {"id":20,"names":[{"culture":"en-GB","name":"Beer"},{"culture":"sv-SE","name":"Öl"}]},
    {"id":30,"names":[{"culture":"en-GB","name":"Pear"},{"culture":"sv-SE","name":"Päron"}],"children":[
      {"id":40,"names":[{"culture":"en-GB","name":"A"},{"culture":"sv-SE","name":"Ö"}],"sortKey":"K10"},
      {"id":41,"names":[{"culture":"en-GB","name":"B"},{"culture":"sv-SE","name":"N"}],"sortKey":"K9"}]},
    {"id":50,"name":"Fig 10"},
    {"id":51,"name":"Fig 9"}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Wood"},{"culture":"sv-SE","name":"Trä"}],"terms":[{"id":60,"name":"Oak"}]}]}"#;

const ENGLISH: [u64; 11] = [10, 12, 11, 13, 20, 51, 50, 30, 41, 40, 60];
const SWEDISH: [u64; 11] = [51, 50, 30, 41, 40, 10, 12, 13, 11, 20, 60];

async fn stack() -> Stack {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[FILE]).await;
    stack
}

fn ids(page: &Value) -> Vec<u64> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["id"].as_u64().unwrap()).collect()
}

/// Reads all pages of a list.
async fn all(stack: &Stack, list: &str, query: &str) -> Vec<u64> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let target = format!("/v1/tenants/acme/{list}?{query}{cursor}");
        let page = stack.get(&target).await.found();
        seen.extend(ids(&page));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen,
        }
    }
}

#[tokio::test]
async fn lists_have_the_order_of_the_culture_that_answers() {
    let stack = stack().await;
    let terms = |order: &[u64; 11]| order[..10].to_vec();
    for limit in [1, 2, 3, 100] {
        for (culture, order) in [
            ("en-GB", ENGLISH),
            ("sv-SE", SWEDISH),
            ("sv", SWEDISH),
            ("sv-FI", SWEDISH),
            ("ja", ENGLISH),
        ] {
            let query = format!("culture={culture}&limit={limit}");
            assert_eq!(
                all(&stack, "categories/1/terms", &query).await,
                terms(&order),
                "{query}"
            );
            let is_child = |id: &u64| (11..20).contains(id);
            let children: Vec<u64> = order.into_iter().filter(is_child).collect();
            assert_eq!(
                all(&stack, "terms/10/children", &query).await,
                children,
                "{query}"
            );
            assert_eq!(
                all(&stack, "terms/10/descendants", &query).await,
                children,
                "{query}"
            );
            let keyed = all(&stack, "terms/30/children", &query).await;
            assert_eq!(keyed, [41, 40], "{query}");
            let live = all(
                &stack,
                "categories/1/terms",
                &format!("{query}&deprecated=exclude"),
            )
            .await;
            let expect = terms(&order).into_iter().filter(|id| *id != 11);
            assert_eq!(live, expect.collect::<Vec<u64>>(), "{query}");
            let top = all(&stack, "categories/1/terms", &format!("{query}&depth=1")).await;
            let expect = terms(&order)
                .into_iter()
                .filter(|id| [10, 20, 30, 50, 51].contains(id));
            assert_eq!(top, expect.collect::<Vec<u64>>(), "{query}");
        }
    }
}

#[tokio::test]
async fn categories_have_the_order_of_the_culture_too() {
    let stack = stack().await;
    for limit in [1, 2] {
        assert_eq!(all(&stack, "categories", &format!("limit={limit}")).await, [1, 2]);
        let swedish = all(&stack, "categories", &format!("culture=sv&limit={limit}")).await;
        assert_eq!(swedish, [2, 1]);
        assert_eq!(
            all(&stack, "categories/2/terms", &format!("culture=sv&limit={limit}")).await,
            [60]
        );
    }
}

/// `Accept-Language` is as good as `culture=`.
#[tokio::test]
async fn a_header_gives_the_order_as_well() {
    let stack = stack().await;
    let target = "/v1/tenants/acme/terms/10/children";
    let got = stack.get_with(target, &[("accept-language", "sv")]).await;
    assert_eq!(ids(&got.found()), [12, 13, 11]);
}

/// A later page begins where the first one ended, whatever language it is asked in.
#[tokio::test]
async fn a_cursor_keeps_the_order_of_its_first_page() {
    let stack = stack().await;
    for (first, order) in [("sv-SE", SWEDISH), ("en-GB", ENGLISH)] {
        let list = "/v1/tenants/acme/categories/1/terms?limit=4";
        let page = stack.get(&format!("{list}&culture={first}")).await.found();
        let cursor = page["nextCursor"].as_str().unwrap();
        for later in ["sv-SE", "en-GB"] {
            let target = format!("{list}&culture={later}&cursor={cursor}");
            let page = stack.get(&target).await.found();
            assert_eq!(ids(&page), order[4..8], "{first}, then {later}");
        }
    }
}
