//! Measures the service beside other stores over the same taxonomy: in this process, and across the loopback interface, each in a process of its
//! own by HTTP or its own protocol.
//!
//! ```text
//! stores measure FILE DOCUMENT   writes a JSON document: for each store and way boundary, requests, read units, and microseconds
//! stores serve STORE FILE        serves a store of this program, and prints its address
//! ```
//!
//! The file is the first of two versions; [`rows::revised`] makes the second. `POSTGRES` is a connection string, `REDIS` the URL of a server.

mod article;
mod http;
mod local;
mod measure;
mod oxigraph;
mod postgres;
mod question;
mod redis;
mod rows;
mod sqlite;
mod table;

use serde_json::json;
use tokio::runtime::Runtime;

use http::{Http, Served};
use local::{Local, NAMES};
use measure::{Asked, Client, many, one};
use question::{Answer, Failure, Question, Way};
use rows::Rows;

/// As in the lookup.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Questions for a term: enough for a percentile, few enough for a slow store.
const QUESTIONS: usize = 4_000;
/// The seed of the ids in the questions.
const SEED: u64 = 17;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["measure", file, document] => measure_all(file, document),
        ["serve", store, file] => http::serve(local::load(store, &std::fs::read(file)?)?.into()),
        _ => Err("measure FILE DOCUMENT, or serve STORE FILE".into()),
    }
}

fn measure_all(file: &str, document: &str) -> Result<(), Failure> {
    let first = std::fs::read(file)?;
    let (before, rows) = (Rows::read(&first)?, Rows::read(&rows::revised(&first)?)?);
    let questions = Question::draw(&rows, &before, QUESTIONS, SEED);
    let asked = Asked {
        questions,
        rows,
        before,
    };
    let mut measured = Vec::new();
    for name in NAMES {
        let store = local::load(name, &first)?;
        let ways = store.ways();
        measured.extend(one("in process", ways, &mut InProcess::new(store)?, &asked)?);
        let served = Served::start(name, file)?;
        let connect = || Http::connect(&served.address);
        let mut rows = one("HTTP", ways, &mut connect()?, &asked)?;
        many(&mut rows, ways, &connect, &asked)?;
        measured.extend(rows);
    }
    let (database, cache) = (setting("POSTGRES")?, setting("REDIS")?);
    postgres::Postgres::load(&database, &asked.rows, &asked.before)?;
    let connect = || postgres::Postgres::connect(&database);
    let mut rows = one("own protocol", postgres::WAYS, &mut connect()?, &asked)?;
    many(&mut rows, postgres::WAYS, &connect, &asked)?;
    measured.extend(rows);
    redis::Redis::load(&cache, &asked.rows)?;
    let connect = || redis::Redis::connect(&cache);
    let mut rows = one("own protocol", redis::WAYS, &mut connect()?, &asked)?;
    many(&mut rows, redis::WAYS, &connect, &asked)?;
    measured.extend(rows);
    // Not on standard output, which has the log of the functions.
    Ok(std::fs::write(
        document,
        json!({"terms": asked.rows.terms.len(), "ways": measured}).to_string(),
    )?)
}

/// A store of this program, asked without a connection.
struct InProcess {
    store: Box<dyn Local>,
    runtime: Runtime,
}

impl InProcess {
    fn new(store: Box<dyn Local>) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        Ok(Self { store, runtime })
    }
}

impl Client for InProcess {
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Failure> {
        let target = format!("{}/{}", way.path, question.ids());
        (way.names)(&self.runtime.block_on(self.store.respond(&target))?)
    }

    fn take_cost(&mut self) -> Option<(usize, f64)> {
        self.store.take_cost()
    }
}

/// Returns the address of a store's server.
#[expect(clippy::disallowed_methods, reason = "the program has no other configuration")]
fn setting(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| format!("{name} is not set").into())
}
