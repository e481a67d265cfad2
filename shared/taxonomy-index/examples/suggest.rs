//! The cost of search objects: size, time and memory of writing one, and the time and the reads of queries.
//!
//! `cargo run --release -p taxonomy-index --example suggest -- FILE...` prints a table in Markdown for each culture of each file, and one
//! for a million made-up names. The outcome: docs/decisions/0019-search.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a tool that prints a table"
)]

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use peak_alloc::PeakAlloc;
use taxonomy_index::search::{
    Entry, FOOTER_BYTES, Index, Kind, Language, PartId, Query, SearchError, SearchFooter, SearchOptions,
    SearchPart, write,
};
use taxonomy_model::{Limits, parse};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Queries of each kind.
const QUERIES: usize = 1000;
/// The number of runs of each query. The fastest counts, since the slower ones include other work of the machine.
const REPEATS: usize = 5;
const MADE_UP: u32 = 1_000_000;

struct Name {
    ordinal: u32,
    depth: u8,
    kind: Kind,
    name: String,
}

fn main() {
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file).unwrap();
        let defaults = taxonomy_testfiles::defaults();
        let taxonomy = parse(&bytes, &defaults, Limits::default()).unwrap().taxonomy;
        for culture in taxonomy.cultures() {
            let mut names = Vec::new();
            for (ordinal, term) in (0..).zip(taxonomy.terms()) {
                let mut add = |kind, name: &str| {
                    names.push(Name {
                        ordinal,
                        depth: term.depth(),
                        kind,
                        name: name.to_owned(),
                    });
                };
                if let Some(name) = term.node.name_in(culture) {
                    add(Kind::Preferred, name.name);
                }
                let details = term.node.details();
                for (_, name) in details.alt_names.iter().filter(|(other, _)| other == culture) {
                    add(Kind::Alternative, name);
                }
                if let Some(notation) = &details.notation {
                    add(Kind::Notation, notation);
                }
            }
            measure(&format!("{file} {culture}"), culture.into(), &names);
        }
    }
    measure("made up", Language::parse("en"), &made_up());
}

/// Different names of one to six words out of 60,000, the n-th of which is drawn as often as 1/n.
fn made_up() -> Vec<Name> {
    let mut rng = fastrand::Rng::with_seed(1);
    let syllables: Vec<String> = "b c d f g h k l m n p r s t v w br ch cl dr fl gr pl pr sh st tr"
        .split(' ')
        .flat_map(|start| {
            ["a", "e", "i", "o", "u", "é", "an", "er", "in", "or"].map(|end| format!("{start}{end}"))
        })
        .collect();
    let words: Vec<String> = (0..60_000)
        .map(|_| {
            (0..rng.usize(1..5))
                .map(|_| syllables[rng.usize(..syllables.len())].as_str())
                .collect()
        })
        .collect();
    let mut known = HashSet::new();
    let mut name = |ordinal| {
        let mut drawn = || {
            let mut word = || words[(60_000f64.powf(rng.f64()) as usize).min(59_999)].as_str();
            let name = [0; 6].map(|_| word());
            (rng.u8(1..7), name[..rng.usize(1..7)].join(" "))
        };
        let (mut depth, mut name) = drawn();
        while !known.insert(name.clone()) {
            (depth, name) = drawn();
        }
        Name {
            ordinal,
            depth,
            kind: Kind::Preferred,
            name,
        }
    };
    (0..MADE_UP).map(&mut name).collect()
}

struct Object {
    bytes: Vec<u8>,
    index: Index,
}

fn measure(title: &str, language: Language, names: &[Name]) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let started = Instant::now();
    let ordinals = names.iter().map(|name| name.ordinal + 1).max().unwrap_or(0);
    let entries = names.iter().map(|name| Entry {
        ordinal: name.ordinal,
        id: name.ordinal.into(),
        name: &name.name,
        kind: name.kind,
        depth: name.depth,
        deprecated: false,
        sort_key: "",
    });
    let bytes = write(language, ordinals, entries.collect()).unwrap();
    // A caller uploads the object: its bytes are not part of the writer's memory.
    let (took, peak) = (started.elapsed(), MEMORY.peak_usage() - before - bytes.len());

    let footer = SearchFooter::read(&bytes[bytes.len() - FOOTER_BYTES..], bytes.len() as u64).unwrap();
    let root = footer.root();
    let index = Index::open(&footer, &bytes[root.start as usize..root.end as usize]).unwrap();
    println!(
        "\n{title}: {} names, {:.1} MB (root {:.0} kB), written in {:.2} s, {:.0} MB of memory ({:.0} bytes a name)\n",
        names.len(),
        bytes.len() as f64 / 1e6,
        (root.end - root.start) as f64 / 1e3,
        took.as_secs_f64(),
        peak as f64 / 1e6,
        peak as f64 / names.len() as f64,
    );
    println!(
        "| Queries | p50 (µs) | p99 (µs) | Most (µs) | Reads, cold, p50 / p99 | kB, cold, p50 / p99 | Rounds, most | Hits, mean | Truncated |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    queries(&Object { bytes, index }, names);
}

fn queries(object: &Object, names: &[Name]) {
    let parts: HashMap<PartId, SearchPart> = object.index.parts().map(|id| (id, part(object, id))).collect();
    let options = SearchOptions::new(10).unwrap();
    let (half, tenth) = (object.index.ordinals() / 2, object.index.ordinals() / 10);
    let mut within = options.clone();
    let terms = half..half + tenth;
    within.filter.within = Some(vec![terms]);
    let mut rng = fastrand::Rng::with_seed(2);
    let mut all = Vec::new();
    for (kind, make) in KINDS {
        let queries: Vec<Query> = (0..QUERIES * 20)
            .filter_map(|_| make(&names[rng.usize(..names.len())].name, &mut rng))
            .filter_map(|text| Query::parse(&text).ok())
            .take(QUERIES)
            .collect();
        if queries.len() < QUERIES {
            println!("| {kind} | - | | | | | | | |");
            continue;
        }
        all.extend(report(object, &parts, kind, &queries, &options));
        if kind == "3 letters" || kind == "1 letter" {
            report(
                object,
                &parts,
                &format!("{kind}, within a tenth"),
                &queries,
                &within,
            );
        }
    }
    all.sort_unstable();
    println!(
        "| **all without a filter** | {:.0} | {:.0} | {:.0} | | | | | |",
        micros(&all, 50),
        micros(&all, 99),
        micros(&all, 100)
    );
}

type Make = fn(&str, &mut fastrand::Rng) -> Option<String>;

const KINDS: [(&str, Make); 10] = [
    ("1 letter", |name, rng| prefix(name, 1, rng)),
    ("2 letters", |name, rng| prefix(name, 2, rng)),
    ("3 letters", |name, rng| prefix(name, 3, rng)),
    ("5 letters", |name, rng| prefix(name, 5, rng)),
    ("a word", |name, rng| word(name, 1, rng)),
    ("a word and a start of another", |name, rng| {
        Some(format!(
            "{} {}",
            word(name, 1, rng)?,
            prefix(name, rng.usize(1..4), rng)?
        ))
    }),
    ("two words", |name, rng| {
        Some(format!("{} {}", word(name, 1, rng)?, word(name, 1, rng)?))
    }),
    ("a word with a typo", |name, rng| {
        Some(typos(&word(name, 5, rng)?, 1, rng))
    }),
    ("a word with two typos", |name, rng| {
        Some(typos(&word(name, 9, rng)?, 2, rng))
    }),
    ("two characters of a script without spaces", |name, rng| {
        let letters: Vec<char> = name.chars().filter(|letter| *letter > '\u{3000}').collect();
        let at = rng.usize(..letters.len().max(2) - 1);
        Some(letters.get(at..at + 2)?.iter().collect())
    }),
];

fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Returns a word of a name with enough letters.
fn word(name: &str, least: usize, rng: &mut fastrand::Rng) -> Option<String> {
    let long: Vec<&str> = words(name).filter(|word| word.chars().count() >= least).collect();
    (!long.is_empty()).then(|| long[rng.usize(..long.len())].to_owned())
}

/// Returns the start of the name or of one of its words.
fn prefix(name: &str, letters: usize, rng: &mut fastrand::Rng) -> Option<String> {
    let word = if rng.bool() {
        words(name).next()?.to_owned()
    } else {
        word(name, letters, rng)?
    };
    Some(word.chars().take(letters).collect())
}

/// Replaces letters after the first.
fn typos(word: &str, typos: usize, rng: &mut fastrand::Rng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    for _ in 0..typos {
        let at = rng.usize(1..letters.len());
        letters[at] = rng.lowercase();
    }
    letters.into_iter().collect()
}

fn part(object: &Object, id: PartId) -> SearchPart {
    let range = object.index.range(id);
    object
        .index
        .part(id, &object.bytes[range.start as usize..range.end as usize])
        .unwrap()
}

fn report(
    object: &Object,
    parts: &HashMap<PartId, SearchPart>,
    kind: &str,
    queries: &[Query],
    options: &SearchOptions,
) -> Vec<u64> {
    let (mut times, mut reads, mut kilobytes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rounds, mut hits, mut truncated) = (0, 0, 0);
    for query in queries {
        let answer = object.index.search(query, options, parts).unwrap();
        times.push(
            (0..REPEATS)
                .map(|_| time(object, parts, query, options))
                .min()
                .unwrap(),
        );
        hits += answer.hits.len();
        truncated += usize::from(answer.truncated);
        let mut read = HashMap::new();
        let mut stops = 0;
        while let Err(SearchError::Missing(missing)) = object.index.search(query, options, &read) {
            stops += 1;
            read.extend(missing.into_iter().map(|id| (id, part(object, id))));
        }
        rounds = rounds.max(stops);
        reads.push(read.len() as u64 * 1000);
        kilobytes.push(read.values().map(SearchPart::size).sum::<usize>() as u64);
    }
    for figures in [&mut times, &mut reads, &mut kilobytes] {
        figures.sort_unstable();
    }
    println!(
        "| {kind} | {:.0} | {:.0} | {:.0} | {:.0} / {:.0} | {:.0} / {:.0} | {rounds} | {:.1} | {truncated} |",
        micros(&times, 50),
        micros(&times, 99),
        micros(&times, 100),
        micros(&reads, 50),
        micros(&reads, 99),
        micros(&kilobytes, 50),
        micros(&kilobytes, 99),
        hits as f64 / queries.len() as f64,
    );
    times
}

/// Returns the nanoseconds of a search.
fn time(object: &Object, parts: &HashMap<PartId, SearchPart>, query: &Query, options: &SearchOptions) -> u64 {
    let started = Instant::now();
    object.index.search(query, options, parts).unwrap();
    u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Returns a percentile in thousands.
fn micros(sorted: &[u64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)] as f64 / 1000.0
}
