//! Every route: what is decoded is all that the lookup answered.

use serde::Serialize;
use serde_json::{Value, json};
use taxonomy_client::answers::{MatchClass, NodeKind, RelatedId, RelationType};
use taxonomy_client::expander::Source as _;
use taxonomy_client::{Deprecated, MentionOptions, PageRequest, SuggestRequest};
use taxonomy_keys::TermId;

use crate::api::{Api, Fault, category, french, term};

/// Serialising gives the answer again, field by field.
#[track_caller]
fn check(api: &Api, method: &str, target: &str, answer: &impl Serialize) -> Value {
    let seen = api.seen();
    let last = seen.last().unwrap();
    assert_eq!(last.status, Some(200), "{}", last.answer);
    let expect = format!("/v1/tenants/acme{target}");
    assert_eq!((&*last.method, last.target()), (method, &*expect));
    let answered: Value = serde_json::from_str(&last.answer).unwrap();
    assert_eq!(serde_json::to_value(answer).unwrap(), answered);
    answered
}

fn first_page() -> PageRequest {
    PageRequest {
        limit: Some(1),
        cursor: None,
    }
}

#[tokio::test]
async fn heads_categories_pages_and_counts_are_decoded_whole() {
    let (api, french) = (Api::new().await, french());
    let (acme, page) = (api.acme(), first_page());
    let head = acme.head().await.unwrap();
    check(&api, "GET", "", &head);
    assert_eq!(head.default_culture.as_str(), "en-GB");
    let first = acme.categories_page(None, &page).await.unwrap();
    check(&api, "GET", "/categories?limit=1", &first);
    assert!(first.next_cursor.is_some());
    let children = acme.children_page(term(100), french.as_ref(), &page).await;
    let target = "/terms/100/children?culture=fr-FR&limit=1";
    check(&api, "GET", target, &children.unwrap());
    let sector = acme.category(category(1), None).await.unwrap();
    check(&api, "GET", "/categories/1", &sector);
    let sector = acme.category(category(1), french.as_ref()).await.unwrap();
    check(&api, "GET", "/categories/1?culture=fr-FR", &sector);
    let stats = acme.stats().await.unwrap();
    check(&api, "GET", "/stats", &stats);
    assert_eq!(stats.counts.depths.into_owned(), [2, 1, 1]);
    assert_eq!(stats.months.unwrap()[0].added, 4);
    let stats = acme.category_stats(category(2)).await.unwrap();
    check(&api, "GET", "/categories/2/stats", &stats);
    assert_eq!(stats.counts.terms, 1);
}

#[tokio::test]
async fn a_term_is_decoded_whole() {
    let (api, french) = (Api::new().await, french());
    let acme = api.acme();
    let rust = acme.term(term(101), None).await.unwrap();
    check(&api, "GET", "/terms/101", &rust);
    let metadata = r#"{"a":"é","b":[1,2.5,1.2345678901234568e+29]}"#;
    assert_eq!(rust.metadata.as_str(), metadata, "as the service writes it");
    assert_eq!(rust.metadata.parse::<Value>().unwrap()["a"], "é");
    let [exact, related] = &*rust.relations else {
        panic!("{:?}", rust.relations)
    };
    assert_eq!(exact.kind, RelationType::Exact);
    assert_eq!(exact.id, RelatedId::Concept("http://x".into()));
    assert_eq!(related.kind, RelationType::Related);
    assert_eq!(related.id, RelatedId::Term(102));
    let rust = acme.term(term(101), french.as_ref()).await.unwrap();
    check(&api, "GET", "/terms/101?culture=fr-FR", &rust);
    assert_eq!((&*rust.name, rust.requested_culture), ("Rust", french));
    let plain = acme.term(term(0), None).await.unwrap();
    check(&api, "GET", "/terms/0", &plain);
    let further = api.acme().with_related().with_all_parents();
    let rust = further.term(term(101), None).await.unwrap();
    check(&api, "GET", "/terms/101?include=related", &rust);
    let related = &rust.related.unwrap()[0];
    assert_eq!((related.id, &related.relation), (102, &RelationType::Related));
    let all = PageRequest::default();
    let page = further.children_page(term(100), None, &all).await.unwrap();
    check(&api, "GET", "/terms/100/children?parents=all", &page);
    assert_eq!(page.items[0].id, term(101));
}

#[tokio::test]
async fn a_batch_is_decoded_whole_by_either_method_and_names_are_a_small_part_of_it() {
    let api = Api::new().await;
    let (ids, french) = ([0, 7, 101].map(term), french());
    let (by_get, by_post) = ("/terms?culture=fr-FR", "/terms:batchGet?culture=fr-FR");
    let fields = "&fields=version%2CfinalName%2Cancestors.finalName";
    for (cache_bytes, method, path, ids_of_path) in [
        (1 << 20, "GET", by_get, "&ids=0%2C7%2C101"),
        (0, "POST", by_post, ""),
    ] {
        let acme = api.acme_by(|builder| builder.cache_bytes(cache_bytes));
        let answer = acme.terms(&ids, french.as_ref()).await.unwrap();
        let whole = check(&api, method, &format!("{path}{ids_of_path}"), &answer);
        let outcomes = answer.items.iter().map(|item| match &item.problem {
            Some(problem) => problem.code().to_owned(),
            None => item.term.as_ref().unwrap().final_name.to_string(),
        });
        let outcomes: Vec<String> = outcomes.collect();
        assert_eq!(outcomes, ["Place:Remote", "term-not-found", "Secteur:Rust"]);
        let names = acme.names(french.clone()).names(&ids).await.unwrap();
        let part = api.only();
        let target = format!("/v1/tenants/acme{path}{fields}{ids_of_path}");
        assert_eq!((&*part.method, part.target()), (method, &*target));
        assert!(part.answer.len() * 2 < whole.to_string().len());
        assert_eq!(names.version, Some(1));
        let expect = [
            Some(&["Place:Remote"][..]),
            None,
            Some(&["Secteur:Rust", "Secteur:Informatique"]),
        ];
        let expect = expect.map(|names| names.map(|names| names.iter().map(ToString::to_string).collect()));
        assert_eq!(names.terms, expect);
    }
}

/// An expander reports an id without names as unknown.
#[tokio::test]
async fn a_term_that_the_service_cannot_read_is_no_unknown_id() {
    let api = Api::new().await;
    let problem = json!({
        "type": "/problems/internal-error", "title": "Internal error", "status": 500, "detail": "It has been logged."
    });
    let answer = json!({"items": [{"id": 7, "status": 500, "problem": problem}]});
    api.inject([Fault::body(answer.to_string())]);
    let error = api.acme().names(None).names(&[term(7)]).await.unwrap_err();
    assert_eq!(error.problem().unwrap().code(), "internal-error");
}

#[tokio::test]
async fn a_batch_has_at_most_a_hundred_distinct_ids_in_one_order_and_no_ids_cost_nothing() {
    let api = Api::new().await;
    let acme = api.acme();
    assert_eq!(acme.terms(&[], None).await.unwrap().items, []);
    let many: Vec<TermId> = (0..101).map(term).collect();
    let error = acme.terms(&many, None).await.unwrap_err();
    let text = "a request has at most 100 term ids, and these are 101";
    assert_eq!((error.to_string().as_str(), api.lines().len()), (text, 0));
    let ids = [102, 0, 101, 0].map(term);
    let answer = acme.terms(&ids, None).await.unwrap();
    let answered = answer.items.iter().map(|item| item.term.as_ref().unwrap().id);
    assert_eq!(answered.collect::<Vec<_>>(), ids);
    assert_eq!(api.lines(), ["GET /v1/tenants/acme/terms?ids=0%2C101%2C102"]);
    let hundred: Vec<TermId> = many[..100].iter().chain(&many[..100]).copied().collect();
    assert_eq!(acme.terms(&hundred, None).await.unwrap().items.len(), 200);
    let largest: Vec<TermId> = (0..100).map(|n| term(TermId::MAX.get() - n)).collect();
    assert_eq!(acme.terms(&largest, None).await.unwrap().items.len(), 100);
    assert!(api.seen().iter().all(|seen| seen.target().len() < 2_048));
}

#[tokio::test]
async fn a_batch_that_answers_something_else_is_refused() {
    let api = Api::new().await;
    let acme = api.acme();
    acme.terms(&[0, 101].map(term), None).await.unwrap();
    let right = api.last()["items"].take();
    let (first, second) = (&right[0], &right[1]);
    let with = |item: &Value, name: &str, value: Value| {
        let mut item = item.clone();
        item[name] = value;
        item
    };
    for (items, place) in [
        (json!([first, with(second, "id", json!(0))]), 1),
        (json!([with(first, "term", second["term"].clone()), second]), 0),
        (json!([first]), 1),
        (json!([first, with(second, "status", json!(404))]), 1),
        (json!([first, second, second]), 2),
    ] {
        api.inject([Fault::body(json!({ "items": items }).to_string())]);
        let error = acme.terms(&[0, 101].map(term), None).await.unwrap_err();
        let form = "the answer to /v1/tenants/acme/terms does not have the form of this route";
        let expect = format!("{form} (/items/{place} does not answer the id asked for)");
        assert_eq!(error.to_string(), expect);
    }
}

#[tokio::test]
async fn fields_and_relation_types_of_a_later_version_do_no_harm() {
    let api = Api::new().await;
    let acme = api.acme();
    acme.term(term(101), None).await.unwrap();
    let mut answer = api.last();
    answer["future"] = json!({"x": 1});
    answer["relations"][0]["type"] = json!("opposite");
    api.inject([Fault::body(answer.to_string())]);
    let rust = acme.term(term(101), None).await.unwrap();
    assert_eq!(rust.relations[0].kind, RelationType::Other("opposite".to_owned()));
    let again = serde_json::to_value(&rust).unwrap();
    assert_eq!(again["relations"], answer["relations"]);
}

#[tokio::test]
async fn suggestions_are_decoded_whole() {
    let api = Api::new().await;
    let acme = api.acme();
    let text = |text: &str| SuggestRequest {
        text: text.to_owned(),
        ..SuggestRequest::default()
    };
    let found = acme.suggest(&text("Rust: the"), &first_page()).await.unwrap();
    check(&api, "GET", "/suggest?q=Rust%3A%20the&limit=1", &found);
    let matched = &found.items[0].matched;
    assert_eq!((found.total, &matched.class), (1, &MatchClass::Start));
    let everything = SuggestRequest {
        text: "rem".to_owned(),
        culture: french(),
        all_cultures: true,
        kind: Some(NodeKind::Category),
        category: Some(category(2)),
        below: None,
        depth: Some(3),
        missing: french(),
        deprecated: Deprecated::Exclude,
        exact_total: true,
        facet_totals: true,
    };
    let found = acme.suggest(&everything, &PageRequest::default()).await.unwrap();
    let filters = "category=2&depth=3&missing=fr-FR&deprecated=exclude&total=exact&counts=facets";
    let target = format!("/suggest?q=rem&culture=fr-FR&cultures=all&kind=category&{filters}");
    check(&api, "GET", &target, &found);
    let nothing = found.nothing_found.unwrap();
    assert_eq!((found.total, nothing.unfiltered), (0, 1));
    assert_eq!(found.counts.unwrap().kinds.category, 0);
    let below = SuggestRequest {
        below: Some(term(100)),
        deprecated: Deprecated::Only,
        ..text("a")
    };
    let found = acme.suggest(&below, &first_page()).await.unwrap();
    let target = "/suggest?q=a&below=100&deprecated=only&limit=1";
    check(&api, "GET", target, &found);
}

/// The answers are the example of the description, which a journey compares with an answer of the service.
#[tokio::test]
async fn mentions_are_decoded_whole_over_all_pages() {
    const EXAMPLES: &str = include_str!("../../../../functions/lookup/src/openapi/examples.json");
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap();
    let page = |next: Option<u32>| {
        let mut page = examples["extractTerms"]["answer"].clone();
        match next {
            Some(next) => page["next"] = json!(next),
            None => drop(page.as_object_mut().unwrap().remove("next")),
        }
        page
    };
    let fault = |next| Fault::body(page(next).to_string());
    let api = Api::new().await;
    let acme = api.acme();
    let options = MentionOptions {
        culture: french(),
        cultures: vec!["en-GB".parse().unwrap()],
        category: Some(category(1)),
        deprecated: Deprecated::Exclude,
        ..MentionOptions::default()
    };
    api.inject([fault(None)]);
    let mentions = acme.mentions("a", &options).await.unwrap();
    assert_eq!(serde_json::to_value(&mentions).unwrap(), page(None));

    api.seen();
    api.inject([fault(Some(5)), fault(Some(9)), fault(None)]);
    let all = acme.mentions("a", &options).await.unwrap();
    assert_eq!((all.items.len(), all.next), (3 * mentions.items.len(), None));
    let target = "/v1/tenants/acme/terms:extract?culture=fr-FR&limit=500&category=1&deprecated=exclude";
    let of_version = format!("{target}&version={}", mentions.version);
    let expect = [(target, 0), (&*of_version, 5), (&*of_version, 9)];
    let seen = api.seen();
    assert_eq!(seen.len(), expect.len());
    for (seen, (target, from)) in seen.iter().zip(expect) {
        assert_eq!(seen.target().replace("%3A", ":"), target);
        let body: Value = serde_json::from_str(&seen.body).unwrap();
        assert_eq!(body, json!({"text": "a", "cultures": ["en-GB"], "from": from}));
    }

    api.inject([fault(Some(5)), fault(Some(5))]);
    let error = acme.mentions("a", &options).await.unwrap_err();
    assert!(error.to_string().contains("does not go on"), "{error}");
}
