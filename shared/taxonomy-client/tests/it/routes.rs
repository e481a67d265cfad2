//! Every route: what is decoded is all that the lookup answered.

use serde::Serialize;
use serde_json::{Value, json};
use taxonomy_client::answers::{MatchClass, NodeKind, RelatedId, RelationType};
use taxonomy_client::expander::Source as _;
use taxonomy_client::{Deprecated, MentionOptions, PageRequest, SuggestRequest};
use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::api::{Api, Fault};

pub(crate) fn term(id: u64) -> TermId {
    TermId::new(id).unwrap()
}

pub(crate) fn category(id: u64) -> CategoryId {
    CategoryId::new(id).unwrap()
}

pub(crate) fn french() -> Option<Culture> {
    Some("fr-FR".parse().unwrap())
}

/// Serialising gives the answer again, field by field.
#[track_caller]
fn check(api: &Api, target: &str, answer: &impl Serialize) -> Value {
    let seen = api.seen();
    let last = seen.last().unwrap();
    assert_eq!(last.status, Some(200), "{}", last.answer);
    assert_eq!(format!("{} {}", last.method, last.target()), target);
    let answered: Value = serde_json::from_str(&last.answer).unwrap();
    assert_eq!(serde_json::to_value(answer).unwrap(), answered);
    answered
}

#[tokio::test]
async fn the_head_is_decoded_whole() {
    let api = Api::new().await;
    let head = api.acme().head().await.unwrap();
    let answered = check(&api, "GET /v1/tenants/acme", &head);
    assert_eq!(answered["provenance"]["release"], "2026.1");
    assert_eq!((head.totals.categories, head.totals.terms), (2, 4));
    assert_eq!(head.default_culture.as_str(), "en-GB");
}

#[tokio::test]
async fn a_term_is_decoded_whole() {
    let (api, french) = (Api::new().await, french());
    let acme = api.acme();
    let rust = acme.term(term(101), None).await.unwrap();
    check(&api, "GET /v1/tenants/acme/terms/101", &rust);
    assert_eq!(rust.final_name, "Sector:Rust: the job");
    assert_eq!(rust.ancestors[0].final_name, "Sector:IT");
    let metadata = r#"{"a":"é","b":[1,2.5,1.2345678901234568e+29]}"#;
    assert_eq!(rust.metadata.as_str(), metadata, "as the service writes it");
    assert_eq!(rust.metadata.parse::<Value>().unwrap()["a"], "é");
    let kinds = rust
        .relations
        .iter()
        .map(|relation| (&relation.kind, &relation.id));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            (&RelationType::Exact, &RelatedId::Concept("http://x".into())),
            (&RelationType::Related, &RelatedId::Term(102)),
        ]
    );
    let rust = acme.term(term(101), french.as_ref()).await.unwrap();
    check(&api, "GET /v1/tenants/acme/terms/101?culture=fr-FR", &rust);
    assert_eq!((&*rust.name, rust.requested_culture), ("Rust", french));
    let plain = acme.term(term(0), None).await.unwrap();
    check(&api, "GET /v1/tenants/acme/terms/0", &plain);
}

#[tokio::test]
async fn a_batch_is_decoded_whole_by_either_method() {
    let api = Api::new().await;
    let (ids, french) = ([0, 7, 101].map(term), french());
    let answer = api.acme().terms(&ids, french.as_ref()).await.unwrap();
    check(
        &api,
        "GET /v1/tenants/acme/terms?culture=fr-FR&ids=0%2C7%2C101",
        &answer,
    );
    let uncached = api.builder().cache_bytes(0).build().unwrap();
    let uncached = uncached.tenant("acme".parse().unwrap());
    let posted = uncached.terms(&ids, french.as_ref()).await.unwrap();
    check(
        &api,
        "POST /v1/tenants/acme/terms:batchGet?culture=fr-FR",
        &posted,
    );
    assert_eq!(posted, answer);
    let codes = answer.items.iter().map(|item| match &item.problem {
        Some(problem) => problem.code().to_owned(),
        None => item.term.as_ref().unwrap().final_name.to_string(),
    });
    let codes: Vec<String> = codes.collect();
    assert_eq!(codes, ["Place:Remote", "term-not-found", "Secteur:Rust"]);
}

#[tokio::test]
async fn the_names_for_an_expander_are_a_small_part_of_the_terms() {
    let api = Api::new().await;
    let ids = [101, 7, 0].map(term);
    let fields = "fields=version%2CfinalName%2Cancestors.finalName";
    let by_get = format!("GET /v1/tenants/acme/terms?culture=fr-FR&{fields}&ids=0%2C7%2C101");
    let by_post = format!("POST /v1/tenants/acme/terms:batchGet?culture=fr-FR&{fields}");
    let uncached = api.builder().cache_bytes(0).build().unwrap();
    for (client, expected) in [(api.builder().build().unwrap(), by_get), (uncached, by_post)] {
        let acme = client.tenant("acme".parse().unwrap());
        let terms = acme.terms(&ids, french().as_ref()).await.unwrap().items;
        let whole = api.seen().last().unwrap().answer.len();
        let answer = acme.names(french()).names(&ids).await.unwrap();
        let seen = api.seen();
        let part = seen.last().unwrap();
        assert_eq!(format!("{} {}", part.method, part.target()), expected);
        assert!(part.answer.len() * 2 < whole, "{} of {whole}", part.answer.len());
        let names = terms.iter().map(|item| {
            let term = item.term.as_ref()?;
            let above = term.ancestors.iter().map(|ancestor| &ancestor.final_name);
            Some(
                [&term.final_name]
                    .into_iter()
                    .chain(above)
                    .map(ToString::to_string)
                    .collect(),
            )
        });
        assert_eq!(answer.terms, names.collect::<Vec<Option<Vec<String>>>>());
        let version = terms
            .iter()
            .find_map(|item| Some(item.term.as_ref()?.version.get()));
        assert_eq!(answer.version, version);
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
async fn a_batch_is_answered_in_the_order_asked_and_asked_for_in_one_order() {
    let api = Api::new().await;
    let acme = api.acme();
    let ids = [102, 0, 101, 0].map(term);
    let answer = acme.terms(&ids, None).await.unwrap();
    let answered: Vec<TermId> = answer
        .items
        .iter()
        .map(|item| item.term.as_ref().unwrap().id)
        .collect();
    assert_eq!(answered, ids);
    assert_eq!(api.lines(), ["GET /v1/tenants/acme/terms?ids=0%2C101%2C102"]);
}

#[tokio::test]
async fn a_batch_has_at_most_a_hundred_distinct_ids_and_no_ids_cost_nothing() {
    let api = Api::new().await;
    let acme = api.acme();
    assert_eq!(acme.terms(&[], None).await.unwrap().items, []);
    let many: Vec<TermId> = (0..101).map(term).collect();
    let error = acme.terms(&many, None).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a request has at most 100 term ids, and these are 101"
    );
    assert_eq!(api.lines(), [""; 0]);
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
    let right = {
        acme.terms(&[0, 101].map(term), None).await.unwrap();
        api.last()
    };
    let change = |change: &dyn Fn(&mut Value)| {
        let mut answer = right.clone();
        change(&mut answer["items"]);
        answer.to_string()
    };
    for (answer, place) in [
        (change(&|items| items[1]["id"] = json!(0)), 1),
        (change(&|items| items[0]["term"] = items[1]["term"].clone()), 0),
        (change(&|items| items.as_array_mut().unwrap().truncate(1)), 1),
        (change(&|items| items[1]["status"] = json!(404)), 1),
        (
            change(&|items| {
                let more = items[1].clone();
                items.as_array_mut().unwrap().push(more);
            }),
            2,
        ),
    ] {
        api.inject([Fault::body(&*answer)]);
        let error = acme.terms(&[0, 101].map(term), None).await.unwrap_err();
        let expect = format!(
            "the answer to /v1/tenants/acme/terms does not have the form of this route (/items/{place} does not answer the id asked for)"
        );
        assert_eq!(error.to_string(), expect);
    }
}

#[tokio::test]
async fn pages_and_categories_are_decoded_whole() {
    let (api, french) = (Api::new().await, french());
    let acme = api.acme();
    let page = PageRequest {
        limit: Some(1),
        cursor: None,
    };
    let first = acme.categories_page(None, &page).await.unwrap();
    check(&api, "GET /v1/tenants/acme/categories?limit=1", &first);
    assert!(first.next_cursor.is_some());
    let children = acme
        .children_page(term(100), french.as_ref(), &page)
        .await
        .unwrap();
    check(
        &api,
        "GET /v1/tenants/acme/terms/100/children?culture=fr-FR&limit=1",
        &children,
    );
    assert_eq!(children.items[0].final_name, "Secteur:Rust");
    let sector = acme.category(category(1), None).await.unwrap();
    check(&api, "GET /v1/tenants/acme/categories/1", &sector);
    assert_eq!(*sector.replaced_by, [2]);
    let sector = acme.category(category(1), french.as_ref()).await.unwrap();
    check(&api, "GET /v1/tenants/acme/categories/1?culture=fr-FR", &sector);
    assert_eq!(sector.name, "Secteur");
}

#[tokio::test]
async fn counts_are_decoded_whole() {
    let api = Api::new().await;
    let acme = api.acme();
    let stats = acme.stats().await.unwrap();
    check(&api, "GET /v1/tenants/acme/stats", &stats);
    let months = stats.months.unwrap();
    assert_eq!(
        (stats.counts.depths.into_owned(), months[0].added),
        (vec![2, 1, 1], 4)
    );
    let stats = acme.category_stats(category(2)).await.unwrap();
    check(&api, "GET /v1/tenants/acme/categories/2/stats", &stats);
    assert_eq!(stats.counts.terms, 1);
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
    let rust = SuggestRequest {
        text: "Rust: the".to_owned(),
        ..SuggestRequest::default()
    };
    let first = PageRequest {
        limit: Some(1),
        cursor: None,
    };
    let found = acme.suggest(&rust, &first).await.unwrap();
    check(
        &api,
        "GET /v1/tenants/acme/suggest?q=Rust%3A%20the&limit=1",
        &found,
    );
    assert_eq!(
        (found.total, found.items[0].matched.class),
        (1, MatchClass::Start)
    );
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
    let target = format!("/v1/tenants/acme/suggest?q=rem&culture=fr-FR&cultures=all&kind=category&{filters}");
    check(&api, &format!("GET {target}"), &found);
    let nothing = found.nothing_found.unwrap();
    assert_eq!((found.total, nothing.unfiltered), (0, 1));
    assert_eq!(found.counts.unwrap().kinds.category, 0);
    let below = SuggestRequest {
        text: "a".to_owned(),
        below: Some(term(100)),
        deprecated: Deprecated::Only,
        ..SuggestRequest::default()
    };
    let found = acme.suggest(&below, &first).await.unwrap();
    check(
        &api,
        "GET /v1/tenants/acme/suggest?q=a&below=100&deprecated=only&limit=1",
        &found,
    );
}

#[tokio::test]
async fn related_terms_and_children_by_all_parents_are_decoded_whole() {
    let api = Api::new().await;
    let acme = api.acme().with_related().with_all_parents();
    let rust = acme.term(term(101), None).await.unwrap();
    check(&api, "GET /v1/tenants/acme/terms/101?include=related", &rust);
    let related = rust.related.unwrap();
    assert_eq!(
        (related[0].id, &related[0].relation),
        (102, &RelationType::Related)
    );
    let page = acme
        .children_page(term(100), None, &PageRequest::default())
        .await
        .unwrap();
    check(&api, "GET /v1/tenants/acme/terms/100/children?parents=all", &page);
    assert_eq!(page.items[0].id, term(101));
}

/// The answers are the example of the description, which a journey compares with an answer of the service.
#[tokio::test]
async fn mentions_are_decoded_whole_over_all_pages() {
    const EXAMPLES: &str = include_str!("../../../../functions/lookup/src/openapi/examples.json");
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap();
    let example = &examples["extractTerms"]["answer"];
    let page = |next: Option<u32>| {
        let mut page = example.clone();
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
    let seen: Vec<(String, Value)> = api
        .seen()
        .iter()
        .map(|seen| {
            (
                seen.target().replace("%3A", ":"),
                serde_json::from_str(&seen.body).unwrap(),
            )
        })
        .collect();
    let expect = [(target, 0), (&*of_version, 5), (&*of_version, 9)];
    let expect = expect.map(|(target, from)| {
        (
            target.to_owned(),
            json!({"text": "a", "cultures": ["en-GB"], "from": from}),
        )
    });
    assert_eq!(seen, expect);

    api.inject([fault(Some(5)), fault(Some(5))]);
    let error = acme.mentions("a", &options).await.unwrap_err();
    assert!(error.to_string().contains("does not go on"), "{error}");
}
