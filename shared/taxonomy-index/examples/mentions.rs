//! The cost of mentions: bytes, time and memory of writing an automaton, and the text that is read a second, beside `aho-corasick` over the plain
//! names.
//!
//! `cargo run --release -p taxonomy-index --example mentions -- FILE...` prints a line for each culture of each file, and one for a million made-up
//! names. The outcome: docs/decisions/0037-extraction.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a tool that prints a table"
)]

use std::time::{Duration, Instant};

use aho_corasick::{AhoCorasick, MatchKind};
use peak_alloc::PeakAlloc;
use taxonomy_index::search::mention::{Automaton, Extraction, write};
use taxonomy_index::search::{Entry, Kind};
use taxonomy_model::{Defaults, Limits, parse};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const TEXTS: usize = 40;
const TEXT_BYTES: usize = 100_000;
/// The number of runs of each text. The fastest counts, since the slower ones include other work of the machine.
const REPEATS: usize = 5;
const MADE_UP: u32 = 1_000_000;

fn main() {
    println!(
        "| names | | object part | written in | memory of the writer | mentions | MB of text a second | memory of reading 100 KB | `aho-corasick`: memory | built in | mentions | MB a second |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file).unwrap();
        let defaults = Defaults {
            tenant_culture: None,
            stack_culture: "en-GB".parse().unwrap(),
            fallback_chain: Vec::new(),
        };
        let taxonomy = parse(&bytes, &defaults, Limits::default()).unwrap().taxonomy;
        for culture in taxonomy.cultures() {
            let mut names = Vec::new();
            for (ordinal, term) in (0..).zip(taxonomy.terms()) {
                names.extend(
                    term.node
                        .name_in(culture)
                        .map(|name| (ordinal, name.name.to_owned())),
                );
                let alternative = term
                    .node
                    .details()
                    .alt_names
                    .iter()
                    .filter(|(other, _)| other == culture);
                names.extend(alternative.map(|(_, name)| (ordinal, name.clone())));
            }
            let label = file.rsplit('/').nth(1).unwrap_or(&file);
            measure(&format!("{label} {culture}"), &names);
        }
    }
    measure("made up", &made_up());
}

/// Names of one to six words out of 60,000, the n-th of which is drawn as often as 1/n.
fn made_up() -> Vec<(u32, String)> {
    let mut rng = fastrand::Rng::with_seed(1);
    let words: Vec<String> = (0..60_000).map(|_| word(&mut rng)).collect();
    let name = |ordinal| {
        let mut word = || words[(60_000f64.powf(rng.f64()) as usize).min(59_999)].as_str();
        let name = [0; 6].map(|_| word());
        (ordinal, name[..rng.usize(1..7)].join(" "))
    };
    (0..MADE_UP).map(name).collect()
}

fn word(rng: &mut fastrand::Rng) -> String {
    let syllable = |rng: &mut fastrand::Rng| {
        let start = rng
            .choice([
                "b", "c", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl",
            ])
            .unwrap();
        let end = rng
            .choice(["a", "e", "i", "o", "u", "é", "an", "er", "in", "or"])
            .unwrap();
        [start, end].concat()
    };
    (0..rng.usize(1..5)).map(|_| syllable(rng)).collect()
}

/// Texts of which a fifth of the pieces are names, and the others words of names and words of no name.
fn texts(names: &[(u32, String)]) -> Vec<String> {
    let mut rng = fastrand::Rng::with_seed(2);
    let text = |_| {
        let mut text = String::with_capacity(TEXT_BYTES);
        while text.len() < TEXT_BYTES {
            let name = &names[rng.usize(..names.len())].1;
            match rng.u8(..10) {
                0 => text += name,
                1 => text += &name.to_lowercase(),
                2..5 => {
                    let words: Vec<&str> = name.split(' ').collect();
                    text += words[rng.usize(..words.len())];
                }
                _ => text += &word(&mut rng),
            }
            text += rng
                .choice([" ", " ", " ", " ", " ", " ", ", ", ". ", "\n"])
                .unwrap();
        }
        text.truncate(text.floor_char_boundary(TEXT_BYTES));
        text
    };
    (0..TEXTS).map(text).collect()
}

/// Returns the sum of the fastest runs over all texts, and what was counted.
fn fastest(texts: &[String], mut read: impl FnMut(&str) -> usize) -> (Duration, usize) {
    let (mut time, mut count) = (Duration::ZERO, 0);
    for text in texts {
        let run = |_| {
            let start = Instant::now();
            let found = read(text);
            (start.elapsed(), found)
        };
        let (elapsed, found) = (0..REPEATS).map(run).min().unwrap();
        time += elapsed;
        count += found;
    }
    (time, count)
}

fn measure(label: &str, names: &[(u32, String)]) {
    let texts = texts(names);
    let megabytes = (TEXTS * TEXT_BYTES) as f64 / 1e6;
    let entries = names.iter().map(|(ordinal, name)| Entry {
        ordinal: *ordinal,
        id: u64::from(*ordinal),
        name,
        kind: Kind::Preferred,
        depth: 1,
        deprecated: false,
        sort_key: "",
    });
    let entries: Vec<Entry<'_>> = entries.collect();
    let (held, start) = (MEMORY.current_usage(), Instant::now());
    MEMORY.reset_peak_usage();
    let part = write(&entries).unwrap();
    let (written, writer) = (start.elapsed(), MEMORY.peak_usage() - held);
    let automata = [Automaton::open(&part).unwrap()];
    let held = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (time, mentions) = fastest(&texts, |text| {
        Extraction::new(text, &automata).mentions(0, |_, _| true).count()
    });
    let reading = MEMORY.peak_usage() - held;
    let (held, start) = (MEMORY.current_usage(), Instant::now());
    let mut builder = AhoCorasick::builder();
    let builder = builder
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true);
    let plain = builder.build(names.iter().map(|(_, name)| name)).unwrap();
    let (built, memory) = (start.elapsed(), MEMORY.current_usage() - held);
    let (plain_time, plain_mentions) = fastest(&texts, |text| plain.find_iter(text).count());
    println!(
        "| {label} | {} | {} | {:.2} s | {writer} | {mentions} | {:.1} | {reading} | {memory} | {:.2} s | {plain_mentions} | {:.1} |",
        names.len(),
        part.len(),
        written.as_secs_f64(),
        megabytes / time.as_secs_f64(),
        built.as_secs_f64(),
        megabytes / plain_time.as_secs_f64(),
    );
}
