//! Requests to a process of the lookup over the table and the buckets of a test's world.

use std::sync::Arc;

use lookup::CachedReader;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, Lookup, Response};
use serde_json::{Value, json};
use taxonomy_runtime::Clock;
use taxonomy_store::{Aggregates, Archive, Heads, Reader, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, NEW_YEAR_MS, TABLE};

use crate::world::{TENANT, World};

/// Starts a process a day later, when no version is young.
pub fn process(world: &World) -> Lookup {
    process_with(world, |parts| parts)
}

/// Starts the same process with a changed context.
pub fn process_with(world: &World, change: impl FnOnce(lookup::Context) -> lookup::Context) -> Lookup {
    process_at(world, NEW_YEAR_MS + 86_400_000, change)
}

/// Starts a process whose clock stands at this time.
pub fn process_at(
    world: &World,
    now_ms: u64,
    change: impl FnOnce(lookup::Context) -> lookup::Context,
) -> Lookup {
    process_over(
        world,
        Arc::new(move || now_ms),
        [1 << 20, 16 << 20],
        |reader| reader,
        change,
    )
}

/// Starts a process with its clock, the bytes of its caches of entries and files, a changed reader, and a changed context.
pub fn process_over(
    world: &World,
    clock: Arc<dyn Clock>,
    [entries, files]: [u64; 2],
    add: impl FnOnce(CachedReader) -> CachedReader,
    change: impl FnOnce(lookup::Context) -> lookup::Context,
) -> Lookup {
    process_for(Auth::None, world, clock, [entries, files], add, change)
}

/// Starts the same process with authorisation.
pub fn process_for(
    auth: Auth,
    world: &World,
    clock: Arc<dyn Clock>,
    [entries, files]: [u64; 2],
    add: impl FnOnce(CachedReader) -> CachedReader,
    change: impl FnOnce(lookup::Context) -> lookup::Context,
) -> Lookup {
    // One client, as in the function: a second one would have its own quota of retries.
    let table = Table::new(world.db.client(), TABLE);
    let reader = add(CachedReader::new(
        Reader::new(table.clone()),
        clock.clone(),
        entries,
    ));
    let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), files);
    let parts = lookup::Context::new(reader, Aggregates::new(table.clone()));
    let parts = change(parts.with_versions(versions, Heads::new(table)));
    Lookup::new(auth, CacheControl::default(), parts, clock)
}

/// Returns a stack with a version of this file, and a process over it.
pub async fn served(file: &str) -> (World, Lookup) {
    let world = World::of(&[file.as_bytes()]).await;
    let lookup = process(&world);
    (world, lookup)
}

/// Returns the response to a request; a target without a leading slash is below the tenant.
pub async fn ask(lookup: &Lookup, method: &str, target: &str, body: Option<&Value>) -> Response {
    ask_with(lookup, method, target, &json!({}), body).await
}

/// Returns the response to a request with these headers.
pub async fn ask_with(
    lookup: &Lookup,
    method: &str,
    target: &str,
    headers: &Value,
    body: Option<&Value>,
) -> Response {
    let target = match target.strip_prefix('/') {
        Some(_) => target.to_owned(),
        None => format!("/v1/tenants/{TENANT}/{target}"),
    };
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let route = lookup::routes::find(method, path).unwrap().route.path;
    let event = json!({
        "version": "2.0", "routeKey": format!("{method} {route}"), "rawPath": path, "rawQueryString": query, "headers": headers,
        "isBase64Encoded": false, "requestContext": {"http": {"method": method, "path": path}}, "body": body.map(Value::to_string),
    });
    lookup.answer(&serde_json::from_value(event).unwrap()).await
}

/// Returns the body of a response.
pub fn body(answer: &Response) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

/// Returns status and body of the response to a `GET`.
pub async fn get(lookup: &Lookup, target: &str) -> (u16, Value) {
    let answer = ask(lookup, "GET", target, None).await;
    (answer.status_code, body(&answer))
}

/// Returns status and body of the response to a `POST`.
pub async fn post(lookup: &Lookup, target: &str, sent: &Value) -> (u16, Value) {
    let answer = ask(lookup, "POST", target, Some(sent)).await;
    (answer.status_code, body(&answer))
}

/// Returns the items of all pages of a list. Each page has items.
pub async fn pages(lookup: &Lookup, target: &str) -> Vec<Value> {
    walk(lookup, target, false).await
}

/// Returns the items of all pages of at most `limit` items.
pub async fn small_pages(lookup: &Lookup, target: &str, limit: usize) -> Vec<Value> {
    pages(lookup, &format!("{target}{}limit={limit}", join(target))).await
}

/// Returns the items of all pages of a list whose pages may be empty and still lead to another.
pub async fn sparse_pages(lookup: &Lookup, target: &str) -> Vec<Value> {
    walk(lookup, target, true).await
}

/// Returns the sign between a target and a further parameter.
pub fn join(target: &str) -> char {
    if target.contains('?') { '&' } else { '?' }
}

async fn walk(lookup: &Lookup, target: &str, may_be_empty: bool) -> Vec<Value> {
    let limit = target
        .split(['?', '&'])
        .find_map(|part| part.strip_prefix("limit="));
    let limit = limit.map_or(usize::MAX, |limit| limit.parse().unwrap());
    let (mut items, mut cursor) = (Vec::new(), String::new());
    for _ in 0..10_000 {
        let (status, page) = get(lookup, &format!("{target}{cursor}")).await;
        assert_eq!(status, 200, "{target}: {page}");
        let found = page["items"].as_array().unwrap();
        assert!(found.len() <= limit, "{target}: {page}");
        assert!(
            may_be_empty || cursor.is_empty() || !found.is_empty(),
            "{target} leads to an empty page"
        );
        items.extend(found.iter().cloned());
        match page["nextCursor"].as_str() {
            None => return items,
            Some(next) => cursor = format!("{}cursor={next}", join(target)),
        }
    }
    panic!("{target} does not end")
}

/// Checks that requests are answered with problems. Each line of the table has a target, the status, the code, and
/// the pointer or `-` for none; `*` is anything.
pub async fn problems(lookup: &Lookup, table: &str) {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    for line in lines {
        let (target, expected) = line.split_once(' ').unwrap();
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let (status, body) = get(lookup, target).await;
        let code = body["type"]
            .as_str()
            .and_then(|code| code.strip_prefix("/problems/"));
        let status = status.to_string();
        let found = [
            &status,
            code.unwrap_or("-"),
            body["pointer"].as_str().unwrap_or("-"),
        ];
        let mut pairs = expected.iter().zip(found);
        let is_expected = pairs.all(|(expected, found)| *expected == "*" || *expected == found);
        assert!(is_expected, "{line}: {body}");
    }
}
