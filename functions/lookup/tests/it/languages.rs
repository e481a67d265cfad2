//! The culture of an answer to a request without `culture=`.

use serde_json::{Value, json};

use crate::stack::{BATCH, SMALL, Stack};

const TERM: &str = "terms/101";

fn speaks(languages: &str) -> [(&str, &str); 1] {
    [("accept-language", languages)]
}

#[tokio::test]
async fn accept_language_chooses_among_the_cultures_of_the_tenant() {
    let stack = Stack::new().await;
    let plain = stack.get(TERM).await;
    stack.requests();
    for languages in ["en-GB", "en;q=0.5, fr;q=0.4", "*", "it", "fr;q=0", "fr_FR"] {
        let got = stack.get_with(TERM, &speaks(languages)).await;
        assert_eq!(got, plain, "{languages}");
    }
    assert_eq!(stack.requests(), [""; 0], "the default is no choice");
    for languages in ["fr", "fr-CA, en;q=0.5", "it, fr;q=0.1"] {
        let got = stack.get_with(TERM, &speaks(languages)).await;
        assert_eq!(got.headers["content-language"], "fr-FR", "{languages}");
        let term = got.found();
        let cultures = (&term["culture"], term.get("requestedCulture"));
        assert_eq!(cultures, (&json!("fr-FR"), None), "{languages}");
    }
}

#[tokio::test]
async fn the_answer_is_that_to_the_culture_it_chooses() {
    let stack = Stack::new().await;
    for target in [
        "terms/101?",
        "terms/102?",
        "terms?ids=101,102,0&",
        "terms/100/children?",
        "categories?",
        "categories/1?",
    ] {
        let chosen = stack.get_with(target, &speaks("fr")).await.found();
        let mut asked = stack.found(&format!("{target}culture=fr-FR")).await;
        without_request(&mut asked);
        assert_eq!(chosen, asked, "{target}");
    }
    let posted = stack.post_with(BATCH, &speaks("fr"), r#"{"ids":[101]}"#).await;
    assert_eq!(posted.headers["content-language"], "fr-FR");
    for target in ["terms/101?culture=en", ""] {
        let plain = stack.get(target).await;
        assert!(!plain.headers["vary"].contains("Accept-Language"));
        let got = stack.get_with(target, &speaks("fr")).await;
        assert_eq!(got, plain, "nothing is left to choose");
    }
}

fn without_request(answer: &mut Value) {
    match answer {
        Value::Object(members) => {
            members.remove("requestedCulture");
            members.values_mut().for_each(without_request);
        }
        Value::Array(values) => values.iter_mut().for_each(without_request),
        _ => {}
    }
}

/// Under one URL a tag identifies one representation, by which a cache distinguishes several.
#[tokio::test]
async fn an_answer_in_a_chosen_language_has_a_tag_of_its_own() {
    let stack = Stack::new().await;
    let plain = stack.tag(TERM).await;
    let french = stack.get_with(TERM, &speaks("fr")).await.headers["etag"].clone();
    assert_eq!(french, plain.replace("-1\"", "-1-fr-FR\""));
    let packed = [speaks("fr")[0], ("accept-encoding", "br, identity;q=0")];
    let packed = stack.get_with(TERM, &packed).await.headers["etag"].clone();
    assert_eq!(packed, french.replace("-fr-FR\"", "-fr-FR-br\""));
    stack.requests();
    for (has, languages, status) in [
        (&french, "fr", 304),
        (&french, "fr-FR, en;q=0.1", 304),
        (&plain, "en", 304),
        (&plain, "it", 304),
        (&french, "en", 200),
        (&plain, "fr", 200),
    ] {
        let headers = [("accept-language", languages), ("if-none-match", has)];
        let got = stack.get_with(TERM, &headers).await;
        assert_eq!(got.status, status, "{languages}");
        assert!(got.headers["vary"].contains("Accept-Language"));
        assert_eq!(got.headers["etag"] == *has, status == 304, "{languages}");
    }
    assert_eq!(stack.requests(), [""; 0]);
}

#[tokio::test]
async fn while_the_items_of_a_version_are_written_there_is_still_a_choice_and_a_tag() {
    let stack = Stack::new().await;
    let first = stack.get_with(TERM, &speaks("fr")).await;
    stack.commit(&SMALL.replace("Remote", "Far")).await;
    stack.world.pass(2);
    let headers = [speaks("fr")[0], ("if-none-match", &first.headers["etag"])];
    let got = stack.get_with(TERM, &headers).await;
    assert_eq!(got.status, 200);
    assert!(got.headers["etag"].starts_with("\"2-"), "{:?}", got.headers);
    assert_eq!(got.headers["content-language"], "fr-FR");
}
