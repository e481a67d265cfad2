//! Every rule of decision page 10 against a table made weaker than it is: replicas that lag, loads that begin in between, gates.

mod heads;
mod rules;
mod second_tier;
pub(crate) mod tier;

use taxonomy_testkit::fixtures::ACME;

use crate::stack::Stack;

/// Two categories; term 2 lies below term 1 and has a French name.
pub(crate) fn file(word: &str) -> String {
    format!(
        r#"{{"defaultCulture":"en-GB","categories":[
        {{"id":1,"names":[{{"culture":"en-GB","name":"{word} sector"}}],"sortKey":"1","terms":[
          {{"id":1,"names":[{{"culture":"en-GB","name":"{word} one","path":"{word}"}},{{"culture":"fr-FR","name":"{word} un"}}],"children":[
            {{"id":2,"names":[{{"culture":"en-GB","name":"{word} two"}},{{"culture":"fr-FR","name":"{word} deux"}}]}}]}},
          {{"id":3,"names":[{{"culture":"en-GB","name":"{word} three"}}]}}]}},
        {{"id":2,"names":[{{"culture":"en-GB","name":"{word} place"}}],"sortKey":"2"}}]}}"#
    )
}

/// The version of an answer, and the name that it has; none where there is no such thing.
type Answered = Option<(u64, String)>;

fn named(version: u64, name: &str) -> Answered {
    Some((version, name.to_owned()))
}

/// With a version that is a minute old, and no recorded requests.
async fn old(word: &str) -> Stack {
    Stack::of(&[&file(word)]).await
}

/// Publishes the next version at this moment.
async fn publish(stack: &Stack, word: &str) {
    stack.replace(ACME, &file(word)).await;
    stack.world.exchanges().clear();
}

async fn name(process: &Stack, target: &str) -> Answered {
    let got = process.get(target).await;
    if got.status == 404 {
        return None;
    }
    let tag = got.headers["etag"].clone();
    let body = got.found();
    let version = body["version"].as_u64().unwrap();
    assert!(tag.starts_with(&format!("\"{version}-")), "{tag}");
    named(version, body["name"].as_str().unwrap())
}

/// The name of a term in the default culture.
async fn term(process: &Stack, id: u64) -> Answered {
    name(process, &format!("terms/{id}")).await
}

/// The same in French.
async fn term_in_french(process: &Stack, id: u64) -> Answered {
    name(process, &format!("terms/{id}?culture=fr-FR")).await
}

async fn category(process: &Stack, id: u64) -> Answered {
    name(process, &format!("categories/{id}")).await
}
