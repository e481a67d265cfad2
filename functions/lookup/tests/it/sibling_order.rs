//! Lists in the order of the language that is shown, page by page, and cursors that keep it.

use serde_json::{Value, json};
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

/// The Swedish alphabet, in its order.
const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyzåäö";

/// A term of a random tree: its English name is a number, its Swedish one a letter.
#[derive(Debug)]
struct Plain {
    id: u64,
    parent: Option<u64>,
    number: u64,
    letter: usize,
    deprecated: bool,
}

fn draw(seed: u64) -> Vec<Plain> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut letters: Vec<usize> = (0..ALPHABET.chars().count()).collect();
    let mut numbers: Vec<u64> = (1..=letters.len() as u64).collect();
    random.shuffle(&mut letters);
    random.shuffle(&mut numbers);
    let terms = (1..)
        .zip(numbers)
        .zip(letters)
        .map(|((id, number), letter)| Plain {
            id,
            parent: (id > 3).then(|| random.u64(1..id.min(9))),
            number,
            letter,
            deprecated: random.u8(0..3) == 0,
        });
    terms.collect()
}

fn written(terms: &[Plain], parent: Option<u64>) -> Vec<Value> {
    let own = terms.iter().filter(|term| term.parent == parent);
    let node = |term: &Plain| {
        let letter = ALPHABET.chars().nth(term.letter);
        json!({
            "id": term.id,
            "names": [
                {"culture": "en-GB", "name": format!("No {}", term.number)},
                {"culture": "sv-SE", "name": letter},
            ],
            "deprecated": term.deprecated,
            "children": written(terms, Some(term.id)),
        })
    };
    own.map(node).collect()
}

/// The terms below a term down to a depth, each before its children, siblings as a culture has them.
fn expected<'t>(terms: &'t [Plain], parent: Option<u64>, culture: &str, depth: usize) -> Vec<&'t Plain> {
    let mut own: Vec<&Plain> = terms.iter().filter(|term| term.parent == parent).collect();
    match culture {
        "sv-SE" => own.sort_by_key(|term| term.letter),
        _ => own.sort_by_key(|term| term.number),
    }
    let below = |term: &'t Plain| match depth {
        1 => Vec::new(),
        _ => expected(terms, Some(term.id), culture, depth - 1),
    };
    own.into_iter()
        .flat_map(|term| [vec![term], below(term)].concat())
        .collect()
}

/// Every culture with every filter, depth and length of pages, against a plain reading of the file.
#[tokio::test]
async fn filters_depths_and_pages_go_with_every_order() {
    let mut deep = 0;
    for seed in 0..2 {
        let (terms, stack) = (draw(seed), Stack::empty(lookup::Auth::Iam));
        let all = written(&terms, None);
        let file = json!({"defaultCulture": "en-GB", "categories": [{"id": 1, "name": "All", "terms": all}]});
        stack.publish(ACME, &[&file.to_string()]).await;
        let parents = (1..9)
            .map(Some)
            .filter(|id| terms.iter().any(|term| term.parent == *id));
        for parent in [None].into_iter().chain(parents) {
            let list = match parent {
                None => "categories/1/terms".to_owned(),
                Some(id) => format!("terms/{id}/descendants"),
            };
            for culture in ["en-GB", "sv-SE"] {
                for depth in [1, 2, 32] {
                    let expected = expected(&terms, parent, culture, depth);
                    deep += usize::from(depth == 2 && expected.len() > 5);
                    for (filter, wanted) in
                        [("include", None), ("exclude", Some(false)), ("only", Some(true))]
                    {
                        let is_listed =
                            |term: &&&Plain| wanted.is_none_or(|wanted| term.deprecated == wanted);
                        let expected: Vec<u64> =
                            expected.iter().filter(is_listed).map(|term| term.id).collect();
                        for limit in [2, 7] {
                            let query =
                                format!("culture={culture}&depth={depth}&deprecated={filter}&limit={limit}");
                            let found = self::all(&stack, &list, &query).await;
                            assert_eq!(found, expected, "seed {seed}: {list}?{query}");
                        }
                    }
                }
            }
        }
    }
    assert!(deep > 4, "{deep}");
}
