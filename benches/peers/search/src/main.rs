//! Answers queries over the names of a source file by another engine, as the example `answers` of `taxonomy-index` does by the service's search.
//!
//! `search ENGINE FILE` reads a culture, a tab and a query a line. It writes a line each: the nanoseconds of the search, warm, the least of a few;
//! nothing, where `answers` has a class; the keys of the first five nodes. Each engine is set up as its documentation says for names that people
//! search while they type: case and accents folded, each word a prefix, a name that is the query first.

mod postgres;
mod sqlite;
mod tantivy;

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

use serde_json::Value;

use postgres::By;

/// The nodes that an answer has.
const HITS: usize = 5;

/// The names of a culture, each with the key of its node.
type Names = Vec<(String, String)>;

/// An engine that holds the names of one culture.
trait Engine {
    /// Returns the keys of the best names for a text; a node may occur more than once.
    fn search(&mut self, text: &str) -> Result<Vec<String>, Box<dyn Error>>;

    /// The number of runs, of which the fastest counts.
    fn repeats(&self) -> usize {
        3
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, file] = &arguments[..] else {
        return Err("an engine and a taxonomy file".into());
    };
    let mut engines = HashMap::new();
    for (culture, names) in names(&serde_json::from_slice(&std::fs::read(file)?)?) {
        let engine = load(name, &culture, &names)?;
        engines.insert(culture, engine);
    }
    for line in std::io::stdin().lines() {
        let line = line?;
        let (culture, text) = line.split_once('\t').ok_or("a line without a culture")?;
        println!(
            "{}",
            answer(&mut **engines.get_mut(culture).ok_or("no such culture")?, text)?
        );
    }
    Ok(())
}

fn load(name: &str, culture: &str, names: &Names) -> Result<Box<dyn Engine>, Box<dyn Error>> {
    let has_spaces = !culture.starts_with("ja") && !culture.starts_with("zh");
    Ok(match name {
        "tantivy-prefix" => Box::new(tantivy::Tantivy::load(names, has_spaces, 0)?),
        "tantivy-fuzzy" => Box::new(tantivy::Tantivy::load(names, has_spaces, 1)?),
        "sqlite" => Box::new(sqlite::Sqlite::load(names, has_spaces)?),
        "postgres" => Box::new(postgres::Postgres::load(names, culture, By::Trigrams)?),
        "postgres-words" => Box::new(postgres::Postgres::load(names, culture, By::FullText)?),
        _ => return Err(format!("there is no engine {name}").into()),
    })
}

/// Collects the names of the categories and terms of a source file.
fn names(file: &Value) -> HashMap<String, Names> {
    let mut names = HashMap::new();
    let mut waiting: Vec<(&Value, char)> = list(file, "categories").map(|category| (category, 'c')).collect();
    while let Some((node, kind)) = waiting.pop() {
        let key = format!("{kind}{}", node["id"]);
        for name in list(node, "names").chain(list(node, "altNames")) {
            let (Some(culture), Some(name)) = (name["culture"].as_str(), name["name"].as_str()) else {
                continue;
            };
            let of_culture: &mut Names = names.entry(culture.to_owned()).or_default();
            of_culture.push((key.clone(), name.to_owned()));
        }
        waiting.extend(
            list(node, "terms")
                .chain(list(node, "children"))
                .map(|term| (term, 't')),
        );
    }
    names
}

fn list<'a>(node: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    node[member].as_array().into_iter().flatten()
}

fn answer(engine: &mut dyn Engine, text: &str) -> Result<String, Box<dyn Error>> {
    let (mut least, mut found) = (u128::MAX, Vec::new());
    for _ in 0..engine.repeats() {
        let started = Instant::now();
        found = engine.search(text)?;
        least = least.min(started.elapsed().as_nanos());
    }
    let mut keys: Vec<String> = Vec::new();
    for key in found {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.truncate(HITS);
    Ok(format!("{least}\t\t{}", keys.join(" ")))
}
