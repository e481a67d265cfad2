//! Measures other stores that answer the questions of the service, over the same taxonomy, one after the other, in one process.
//!
//! ```text
//! stores FILE           prints a JSON document: for each store and question the median and the 99th percentile in microseconds
//! ```
//!
//! `POSTGRES` is a connection string, `REDIS` the URL of a server; a store without its variable is left out, and the document says so.
//! Each answer is compared with that of plain code before it is measured.

mod memory;
mod oxigraph;
mod postgres;
mod question;
mod redis;
mod rows;
mod sqlite;

use std::error::Error;
use std::time::Instant;

use serde_json::{Value, json};

use memory::Memory;
use question::{Answer, Question, Store};
use rows::Rows;

/// Questions of each kind: enough for a percentile, few enough for a slow store.
const QUESTIONS: usize = 5_000;
/// The seed of the ids that are asked for.
const SEED: u64 = 17;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("a taxonomy file is needed")?;
    let rows = Rows::read(&path)?;
    let oracle = Memory::load(&rows);
    let questions = Question::draw(&rows, QUESTIONS, SEED);
    let mut results = Vec::new();
    let mut missing = Vec::new();
    let mut measure_store = |store: Result<Option<Box<dyn Store>>, Box<dyn Error>>, name: &str| -> Result<(), Box<dyn Error>> {
        match store? {
            Some(mut store) => results.push(measure(&mut *store, &oracle, &questions)?),
            None => missing.push(name.to_owned()),
        }
        Ok(())
    };
    measure_store(Ok(Some(Box::new(Memory::load(&rows)))), "memory")?;
    measure_store(sqlite::Sqlite::load(&rows), "SQLite")?;
    measure_store(oxigraph::Oxigraph::load(&rows), "Oxigraph")?;
    measure_store(postgres::Postgres::load(&rows), "PostgreSQL")?;
    measure_store(redis::Redis::load(&rows), "Redis")?;
    println!("{}", json!({"terms": rows.terms.len(), "stores": results, "missing": missing}));
    Ok(())
}

/// Measures each way in which a store answers each question.
fn measure(store: &mut dyn Store, oracle: &Memory, questions: &[Question]) -> Result<Value, Box<dyn Error>> {
    let mut ways = Vec::new();
    for way in store.ways() {
        let asked: Vec<&Question> = questions.iter().filter(|question| question.kind() == way.kind).collect();
        for question in asked.iter().take(100) {
            let (found, expected) = (store.answer(way, question)?, oracle.expected(question));
            if found != expected {
                return Err(format!("{} by {}: {question:?} is answered {found:?} and not {expected:?}", store.name(), way.name).into());
            }
        }
        let mut micros = Vec::with_capacity(asked.len());
        for question in asked {
            let started = Instant::now();
            std::hint::black_box(store.answer(way, question)?);
            micros.push(started.elapsed().as_secs_f64() * 1e6);
        }
        micros.sort_by(f64::total_cmp);
        ways.push(json!({
            "question": way.kind.name(),
            "way": way.name,
            "requests": way.requests,
            "p50": percentile(&micros, 50),
            "p99": percentile(&micros, 99),
        }));
    }
    Ok(json!({"store": store.name(), "ways": ways}))
}

fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    sorted.get((sorted.len().max(1) - 1) * percent / 100).copied()
}

/// What an answer is compared by.
fn names(rows: &Rows, ids: &[u64]) -> Answer {
    ids.iter().filter_map(|id| rows.term(*id)).map(|term| term.final_name.clone()).collect()
}
