//! Tests of any version over HTTP: a request has the same response from the table and from the version's index file, while the version is
//! served and later; no response mixes two versions.

use std::sync::Arc;

use lookup::{Lookup, Response};
use taxonomy_tests::asking::{body, process_over};
use taxonomy_tests::budget::scaled;
use taxonomy_tests::prelude::*;

/// Returns the paths of requests for every node of the files, or for every twelfth one in a sample, and for nodes that no file has.
pub(crate) fn questions(files: &[Vec<u8>]) -> Vec<String> {
    let mut paths = vec![
        "terms/9007199254740991".to_owned(),
        "terms/9007199254740991/children".to_owned(),
        "categories/9007199254740991".to_owned(),
        "categories".to_owned(),
        "categories?limit=1".to_owned(),
        "categories?deprecated=only".to_owned(),
        "categories?include=details".to_owned(),
    ];
    for file in files {
        let taxonomy = read(file);
        let ids = taxonomy.terms().map(|term| term.id().to_string());
        let ids: Vec<String> = ids.collect();
        let every = if ids.len() < 20 { 1 } else { scaled(12, 1) };
        let ids: Vec<String> = ids.into_iter().step_by(every).collect();
        for id in &ids {
            paths.extend([
                format!("terms/{id}"),
                format!("terms/{id}/children"),
                format!("terms/{id}/children?limit=1"),
            ]);
        }
        for id in ids.iter().step_by(5) {
            paths.push(format!("terms/{id}/ancestors"));
            paths.push(format!("terms/{id}/children?include=details&deprecated=exclude"));
        }
        for chunk in ids.chunks(40) {
            paths.push(format!("terms?ids={}", chunk.join(",")));
        }
        paths.extend(
            taxonomy
                .categories()
                .map(|category| format!("categories/{}", category.id())),
        );
    }
    paths.sort_unstable();
    paths.dedup();
    let with_culture = |path: &String, culture: &str| {
        let join = if path.contains('?') { '&' } else { '?' };
        format!("{path}{join}culture={culture}")
    };
    let further: Vec<String> = paths
        .iter()
        .flat_map(|path| ["fr-FR", "de", "zu-ZA"].map(|culture| with_culture(path, culture)))
        .collect();
    let all = paths.into_iter().chain(further);
    let all = all.map(|path| format!("/v1/tenants/{TENANT}/{path}"));
    all.chain([format!("/v1/tenants/{TENANT}")]).collect()
}

pub(crate) fn at_version(question: &str, version: u64) -> String {
    let join = if question.contains('?') { '&' } else { '?' };
    format!("{question}{join}version={version}")
}

/// Status, body, tag and version of a response.
pub(crate) type Essence = (u16, Value, Option<String>, Option<String>);

/// Returns status, body and tag. Links are left out, because they repeat the request.
pub(crate) fn essence(answer: &Response) -> Essence {
    let header = |name| answer.headers.get(name).map(ToString::to_string);
    (
        answer.status_code,
        body(answer),
        header("etag"),
        header("taxonomy-version"),
    )
}

/// Returns what an answer says of its version alone. The problem of an id says which later versions had it, and a batch with one has no tag then.
fn of_version(mut answer: Essence) -> Essence {
    let (status, body, tag, _) = &mut answer;
    let forget = |problem: &mut Value| {
        let problem = problem.as_object_mut().unwrap();
        problem.retain(|member, _| !["detail", "existed"].contains(&member.as_str()));
    };
    if *status == 404 {
        forget(body);
    }
    let items = body["items"].as_array_mut().into_iter().flatten();
    for item in items.filter(|item| item["status"] == 404) {
        forget(&mut item["problem"]);
        *tag = None;
    }
    answer
}

#[tokio::test]
async fn a_version_is_answered_alike_from_the_table_and_from_its_file() {
    let files = vec![
        sample("job-board-v1.json"),
        sample("job-board-v2.json"),
        br#"{"defaultCulture":"en-GB","categories":[]}"#.to_vec(),
        small(&[(1, "One"), (102, "Nearly")]),
        sample("job-board-v1.json"),
    ];
    let (world, questions) = (World::new(), questions(&files));
    let mut served = Vec::new();
    for file in &files {
        world.replace(TENANT, file).await;
        let (by_table, by_file) = (
            process(&world),
            process_with(&world, lookup::Context::reading_files),
        );
        let mut answers = Vec::new();
        for question in &questions {
            let (table, file) = (
                ask(&by_table, "GET", question, None).await,
                ask(&by_file, "GET", question, None).await,
            );
            assert_eq!(essence(&table), essence(&file), "{question}");
            answers.push(essence(&table));
        }
        served.push(answers);
    }
    let lookup = process(&world);
    for (position, answers) in served.iter().enumerate() {
        let version = position as u64 + 1;
        let committed_at = world.entry(TENANT, version).await.committed_at;
        for (question, known) in questions.iter().zip(answers) {
            let answer = ask(&lookup, "GET", &at_version(question, version), None).await;
            let (then, now) = (of_version(known.clone()), of_version(essence(&answer)));
            assert_eq!(now, then, "version {version} of {question}");
        }
        let question = format!("/v1/tenants/{TENANT}/categories?asOf={}", rfc3339(committed_at));
        let categories = questions
            .iter()
            .position(|asked| asked.ends_with("/categories"))
            .unwrap();
        assert_eq!(
            essence(&ask(&lookup, "GET", &question, None).await),
            answers[categories],
            "as of {committed_at}"
        );
    }
}

/// Returns a time as answers and notifications have it, from epoch milliseconds.
pub(crate) fn rfc3339(epoch_ms: u64) -> String {
    let time = aws_sdk_dynamodb::primitives::DateTime::from_millis(i64::try_from(epoch_ms).unwrap());
    time.fmt(aws_sdk_dynamodb::primitives::DateTimeFormat::DateTime)
        .unwrap()
}

#[tokio::test]
async fn a_version_that_is_not_there_is_said_so() {
    let world = World::new();
    world.replace(TENANT, &small(&[(1, "One")])).await;
    let lookup = process(&world);
    let table = "
        terms/1?version=2                           404 version-not-found
        terms/1?version=99999                       404 version-not-found
        terms/1?version=0                           400 invalid-parameter
        terms/1?version=x                           400 invalid-parameter
        terms/1?version=1&version=1                 400 invalid-parameter
        terms/1?version=1&asOf=2026-01-01T00:00:00Z 400 invalid-parameter
        terms/1?asOf=yesterday                      400 invalid-parameter
        terms/1?asOf=2020-01-01T00:00:00Z           404 version-not-found
        terms/1?asOf=1969-12-31T23:59:59Z           404 version-not-found
    ";
    problems(&lookup, table).await;
    let later = "terms/1?asOf=2099-01-01T00:00:00%2B02:00";
    assert_eq!(get(&lookup, later).await.0, 200);
}

/// A page links to the next page of the same version, even if another version is served by then.
#[tokio::test]
async fn later_pages_come_from_the_version_of_the_first() {
    let terms = |name: &str| {
        small(&[
            (1, &format!("A{name}")),
            (2, &format!("B{name}")),
            (3, &format!("C{name}")),
        ])
    };
    let world = World::new();
    world.replace(TENANT, &terms(" one")).await;
    let lookup = process(&world);
    let list = format!("/v1/tenants/{TENANT}/categories/1/terms?limit=1");
    let first = body(&ask(&lookup, "GET", &list, None).await);
    let cursor = first["nextCursor"].as_str().unwrap().to_owned();
    world.replace(TENANT, &terms(" two")).await;
    let lookup = process(&world);
    let next = ask(&lookup, "GET", &format!("{list}&cursor={cursor}"), None).await;
    assert_eq!(next.headers["taxonomy-version"], "1");
    let refused = ask(&lookup, "GET", &format!("{list}&cursor={cursor}&version=2"), None).await;
    assert_eq!(refused.status_code, 400);
    let same = ask(&lookup, "GET", &format!("{list}&cursor={cursor}&version=1"), None).await;
    assert_eq!(essence(&same), essence(&next));
}

/// Returns a file in three cultures with this default culture. One term has no German name.
fn trilingual(default: &str) -> Vec<u8> {
    let names = |id: u64| -> Vec<Value> {
        let cultures = ["en-GB", "fr-FR", "de-DE"].into_iter();
        let named = cultures.filter(|culture| *culture != "de-DE" || id != 3);
        named
            .map(|culture| json!({"culture": culture, "name": format!("{id} in {culture}")}))
            .collect()
    };
    let child = json!({"id": 2, "names": names(2)});
    let terms = json!([{"id": 1, "names": names(1), "children": [child]}, {"id": 3, "names": names(3)}]);
    let category = json!({"id": 9, "names": names(9), "terms": terms});
    json!({"defaultCulture": default, "categories": [category]})
        .to_string()
        .into_bytes()
}

async fn answers(lookup: &Lookup, questions: &[String]) -> Vec<Essence> {
    let mut answers = Vec::new();
    for question in questions {
        answers.push(essence(&ask(lookup, "GET", question, None).await));
    }
    answers
}

/// A projector dies before some of its writes. From the commit on, every response of a new process is that of the version, with its tag, as it is later when
/// all items are written. Processes with the head before answer as before or as the new one, with cached entries and without.
async fn is_whole_while_it_is_written(first: &[u8], second: &[u8], every: usize, writes: Vec<usize>) {
    let files = [first.to_vec(), second.to_vec()];
    let questions: Vec<String> = questions(&files).into_iter().step_by(every).collect();
    let mut stops = 0;
    for write in writes {
        let world = World::new();
        world.replace(TENANT, first).await;
        let clock = Arc::new(|| NEW_YEAR_MS + 86_400_000);
        let forgetful = process_over(&world, clock, [0; 2], |reader| reader, |context| context);
        let old = [process(&world), forgetful];
        let before = [
            answers(&old[0], &questions).await,
            answers(&old[1], &questions).await,
        ];
        let event = world.upload_replacement(TENANT, second);
        let nth = When::nth(write).operation("PutItem");
        if !world.dies(event.clone(), nth, Fault::Crash).await {
            break;
        }
        stops += 1;
        assert!(!world.committed(TENANT).await.is_settled());
        let found = answers(&process(&world), &questions).await;
        for (process, before) in old.iter().zip(&before) {
            let now = answers(process, &questions).await;
            for (number, now) in now.iter().enumerate() {
                let is_whole = *now == before[number] || *now == found[number];
                assert!(is_whole, "{}, write {write}: {now:?}", questions[number]);
            }
        }
        world.pass(120);
        world.deliver(event).await.unwrap();
        assert!(world.committed(TENANT).await.is_settled());
        assert_eq!(world.live(TENANT), expected(TENANT, second));
        let later = answers(&process(&world), &questions).await;
        for (number, question) in questions.iter().enumerate() {
            assert_eq!(found[number], later[number], "{question}, write {write}");
        }
    }
    assert!(stops > 2, "{stops} stops");
}

#[tokio::test]
async fn while_a_version_is_written_every_answer_is_of_that_version() {
    let (first, second) = (
        sample("job-board-v1.json"),
        small(&[(1, "One"), (102, "Nearly"), (7, "Seven")]),
    );
    let writes = scaled(vec![5, 20, 35], (5..200).step_by(5).collect());
    is_whole_while_it_is_written(&first, &second, 7, writes).await;
}

#[tokio::test]
async fn while_the_default_culture_changes_every_answer_is_of_one_version() {
    let [english, french] = ["en-GB", "fr-FR"].map(trilingual);
    let writes = scaled(vec![1, 4, 7], (1..20).collect());
    is_whole_while_it_is_written(&english, &french, 1, writes).await;
}
