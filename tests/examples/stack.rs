//! A stack in memory behind HTTP, for work on the pages: the real projector and aggregator publish files, and the real lookup answers `/v1/`.
//!
//! `cargo run -p taxonomy-tests --example stack -- TENANTS.json .local/memory.json`, where the first file has
//! `[{"id": "jobs", "displayName": "Job board", "files": ["v1.json", "v2.json"]}]`; once the second is there,
//! `STACK=.local/memory.json node tests/pages/server.mjs` prints an address.
#![expect(clippy::unwrap_used, reason = "a tool of developers")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use lookup::Lookup;
use serde_json::{Value, json};
use taxonomy_model::Provenance;
use taxonomy_runtime::SystemClock;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::asking::process_over;
use taxonomy_tests::world::World;
use taxonomy_versioning::Deadline;

/// The size of the cache of decoded parts of files, in bytes.
const CACHE_BYTES: u64 = 256 << 20;

fn main() {
    let mut paths = std::env::args().skip(1);
    let (tenants, address) = (paths.next().unwrap(), paths.next().unwrap());
    let tenants: Vec<Value> = serde_json::from_slice(&fs::read(tenants).unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        // Requests to the fakes have no time to wait for, and a slow machine none to lose.
        .start_paused(true)
        .build();
    let runtime = runtime.unwrap();
    let mut world = World::new();
    world.max_file_bytes = 512 << 20;
    for tenant in &tenants {
        runtime.block_on(publish(&world, tenant));
    }
    let batch = json!({"Records": world.db.stream_records(TABLE)});
    runtime.block_on(
        world
            .aggregator()
            .handle(serde_json::from_value(batch).unwrap(), Deadline::NONE),
    );
    let lookup = lookup(&world);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let stack = json!({"apiUrl": format!("http://{host}"), "apiHost": host, "pages": false});
    fs::write(address, stack.to_string()).unwrap();
    for stream in listener.incoming() {
        // A browser that leaves is no error.
        let _ = answer(&lookup, &runtime, &stream.unwrap());
    }
}

async fn publish(world: &World, tenant: &Value) {
    let id = tenant["id"].as_str().unwrap();
    for file in tenant["files"].as_array().into_iter().flatten() {
        let file = fs::read(file.as_str().unwrap()).unwrap();
        world.replace(id, &file).await;
        // Days lie between versions.
        world.pass(86_400 * 9);
    }
    let (service, id) = (world.service(), id.parse().unwrap());
    let mut configuration = service.configuration(&id).await.unwrap();
    configuration.display_name = tenant["displayName"].as_str().map(|name| name.parse().unwrap());
    configuration.description = tenant["description"].as_str().map(|text| text.parse().unwrap());
    configuration.provenance = Provenance::default();
    service.configure(&id, &configuration).await.unwrap();
}

fn lookup(world: &World) -> Lookup {
    process_over(
        world,
        Arc::new(SystemClock),
        [CACHE_BYTES; 2],
        |reader| reader,
        |context| context,
    )
}

/// Answers one request of a connection.
fn answer(lookup: &Lookup, runtime: &tokio::runtime::Runtime, stream: &TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = HashMap::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else {
            break;
        };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    // No form that this tool would have to decode.
    headers.remove("accept-encoding");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let route = lookup::routes::find(method, path).map_or("$default", |found| found.route.path);
    let event = json!({
        "version": "2.0", "routeKey": format!("{method} {route}"), "rawPath": path, "rawQueryString": query, "headers": headers,
        "isBase64Encoded": false, "requestContext": {"http": {"method": method, "path": path}},
    });
    let response = runtime.block_on(lookup.answer(&serde_json::from_value(event)?));
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {} -\r\nConnection: close\r\n",
        response.status_code
    )?;
    for (name, value) in &response.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n{}", response.body)
}
