//! Measures the service beside other stores, over the same taxonomy, one after the other, in one process.
//!
//! ```text
//! stores FILE DOCUMENT   writes a JSON document: for each store and question requests, read units, and microseconds
//! ```
//!
//! The file is the first of two versions; [`revised`] makes the second. `POSTGRES` is a connection string, `REDIS` the URL of a server; a store
//! without its variable is left out, and the document names it. Answers are compared with those of plain code before they are measured.
//! Everything is asked once before it is measured, so that each store has in memory what it keeps there.

mod history;
mod memory;
mod oxigraph;
mod postgres;
mod question;
mod redis;
mod revised;
mod rows;
mod service;
mod sqlite;

use std::error::Error;
use std::time::Instant;

use serde_json::{Value, json};

use memory::Memory;
use question::{Answer, HITS, Question, Ranks, Store, Way};
use rows::Rows;

/// As in the lookup.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Questions for a term: enough for a percentile, few enough for a slow store.
const QUESTIONS: usize = 4_000;
/// Answers that are compared with those of plain code.
const COMPARED: usize = 100;
/// The seed of the ids in the questions.
const SEED: u64 = 17;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(document)) = (arguments.next(), arguments.next()) else {
        return Err("a taxonomy file, and the file of the document".into());
    };
    let first = std::fs::read(file)?;
    let second = revised::revised(&first)?;
    let (before, rows) = (Rows::read(&first)?, Rows::read(&second)?);
    let oracle = Memory::load(&rows, &before);
    let questions = Question::draw(&rows, &before, QUESTIONS, SEED);
    let mut results = Vec::new();
    let mut missing = Vec::new();
    let mut measure_store =
        |name: &str, store: Result<Option<Box<dyn Store>>, Box<dyn Error>>| -> Result<(), Box<dyn Error>> {
            match store.map_err(|error| format!("{name}: {error:?}"))? {
                Some(mut store) => results.push(measure(&mut *store, &oracle, &questions)?),
                None => missing.push(name.to_owned()),
            }
            Ok(())
        };
    measure_store("memory", Ok(Some(Box::new(Memory::load(&rows, &before)))))?;
    measure_store("the service", service::Service::load([&first, &second]))?;
    measure_store("SQLite", sqlite::Sqlite::load(&rows, &before))?;
    measure_store("Oxigraph", oxigraph::Oxigraph::load(&rows))?;
    measure_store("PostgreSQL", postgres::Postgres::load(&rows, &before))?;
    measure_store("Valkey", redis::Redis::load(&rows))?;
    let measured =
        json!({"terms": rows.terms.len(), "bytes": first.len(), "stores": results, "missing": missing});
    // Not on standard output, which has the log of the lookup.
    Ok(std::fs::write(document, measured.to_string())?)
}

/// Returns the address of a store's server, where the environment names one.
#[expect(clippy::disallowed_methods, reason = "the program has no other configuration")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Measures each way in which a store answers each question.
fn measure(store: &mut dyn Store, oracle: &Memory, questions: &[Question]) -> Result<Value, Box<dyn Error>> {
    let mut ways = Vec::new();
    for way in store.ways() {
        let asked: Vec<&Question> = questions
            .iter()
            .filter(|question| question.kind() == way.kind)
            .collect();
        for question in &asked {
            std::hint::black_box(store.answer(way, question)?);
        }
        store.take_cost(1);
        let compared = asked.len().min(COMPARED);
        for question in asked.iter().take(compared) {
            let found = store.answer(way, question)?;
            compare(way, question, &found, oracle)
                .map_err(|error| format!("{} by {}: {error}", store.name(), way.name))?;
        }
        let cost = store.take_cost(compared);
        let mut micros = Vec::with_capacity(asked.len());
        for question in asked {
            let started = Instant::now();
            std::hint::black_box(store.answer(way, question)?);
            micros.push(started.elapsed().as_secs_f64() * 1e6);
        }
        store.take_cost(1);
        micros.sort_by(f64::total_cmp);
        ways.push(json!({
            "question": way.kind.name(),
            "way": way.name,
            "requests": cost.map_or(way.requests, |cost| cost.requests),
            "units": cost.map(|cost| cost.units),
            "p50": percentile(&micros, 50),
            "p99": percentile(&micros, 99),
        }));
    }
    Ok(json!({"store": store.name(), "ways": ways}))
}

/// Compares an answer with that of plain code.
fn compare(way: &Way, question: &Question, found: &Answer, oracle: &Memory) -> Result<(), String> {
    let expected = oracle.expected(question);
    if let (Ranks::ByItsOwn, Question::Search(text)) = (way.ranks, question) {
        // A rank by similarity may prefer a whole word to a longer one, and continues with similar words where no more begin like the text.
        let matches = oracle.matches(text);
        let matching = found.iter().filter(|name| matches.contains(name)).count();
        return match matching >= matches.len().min(HITS) / 2 && matching > 0 {
            true => Ok(()),
            false => Err(format!(
                "{question:?}: {found:?}, of {} matches such as {expected:?}",
                matches.len()
            )),
        };
    }
    match *found == expected {
        true => Ok(()),
        false => Err(format!("{question:?} is answered {found:?} and not {expected:?}")),
    }
}

fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    sorted.get((sorted.len().max(1) - 1) * percent / 100).copied()
}
