//! The cost of mentions: bytes, time and memory of writing an automaton, and the text that is read a second, beside `aho-corasick` over the plain
//! names.
//!
//! `cargo run --release -p taxonomy-index --example mentions -- FILE...` prints a line for each culture of each file, and those for 100,000 and
//! a million made-up names. The outcome: docs/decisions/0037-extraction.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a tool that prints a table"
)]

use std::time::Duration;

use aho_corasick::{AhoCorasick, MatchKind};
use peak_alloc::PeakAlloc;
use taxonomy_index::search::mention::{Automaton, Extraction, write};
use taxonomy_index::search::{Entry, Kind, Language};
use taxonomy_model::{Defaults, Limits, parse};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const TEXTS: usize = 40;
const TEXT_BYTES: usize = 100_000;
/// The number of runs over all texts: the time of a processor is counted in steps of some milliseconds.
const REPEATS: u32 = 5;
/// The maximum number of names that the other ways are measured with: of more, building takes minutes.
const MOST_PLAIN: usize = 200_000;

fn main() {
    println!(
        "| names | | part | written in | memory of the writer | mentions | MB of text a second | memory of reading 100 KB | \
         `aho-corasick`: memory | built in | mentions | MB a second | a search for each name: MB a second |"
    );
    println!("|{}", "---|".repeat(13));
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
            measure(&format!("{label} {culture}"), culture.into(), &names);
        }
    }
    for count in [100_000, 1_000_000] {
        measure("made up", Language::parse("en"), &made_up(count));
    }
}

/// Names of one to six words out of 60,000, the n-th of which is drawn as often as 1/n.
fn made_up(count: u32) -> Vec<(u32, String)> {
    let mut rng = fastrand::Rng::with_seed(1);
    let words: Vec<String> = (0..60_000).map(|_| word(&mut rng)).collect();
    let name = |ordinal| {
        let mut word = || words[(60_000f64.powf(rng.f64()) as usize).min(59_999)].as_str();
        let name = [0; 6].map(|_| word());
        (ordinal, name[..rng.usize(1..7)].join(" "))
    };
    (0..count).map(name).collect()
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

/// Returns the time that this thread has had a processor: other work on the machine does not count.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(statistics.split(' ').next().unwrap().parse().unwrap())
}

/// Returns the processor time of a piece of work, with its outcome.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = processor_time();
    let outcome = work();
    (processor_time() - start, outcome)
}

/// Returns the time of reading all texts, and what was counted.
fn read_all(texts: &[String], read: impl Fn(&str) -> usize) -> (Duration, usize) {
    let (time, counted) = timed(|| {
        let all = || texts.iter().map(|text| read(text)).sum();
        (0..REPEATS).map(|_| all()).fold(0, usize::max)
    });
    (time / REPEATS, counted)
}

fn measure(label: &str, language: Language, names: &[(u32, String)]) {
    let texts = texts(names);
    let [automaton, plain, each] = match names.len() <= MOST_PLAIN {
        true => [
            automaton(language, names, &texts),
            plain(names, &texts),
            each(names, &texts),
        ],
        false => [
            automaton(language, names, &texts),
            "- | - | - | -".to_owned(),
            "-".to_owned(),
        ],
    };
    println!("| {label} | {} | {automaton} | {plain} | {each} |", names.len());
}

fn speed(texts: &[String], time: Duration) -> String {
    let bytes: usize = texts.iter().map(String::len).sum();
    format!("{:.1}", bytes as f64 / 1e6 / time.as_secs_f64())
}

/// The automaton of the search object.
fn automaton(language: Language, names: &[(u32, String)], texts: &[String]) -> String {
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
    let held = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (written, part) = timed(|| write(language, &entries).unwrap());
    let writer = MEMORY.peak_usage() - held;
    let automata = [Automaton::open(&part).unwrap()];
    let held = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (time, mentions) = read_all(texts, |text| {
        Extraction::new(text, &automata).mentions(0, |_, _| true).count()
    });
    let reading = MEMORY.peak_usage() - held;
    let (bytes, seconds, speed) = (part.len(), written.as_secs_f64(), speed(texts, time));
    format!("{bytes} | {seconds:.2} s | {writer} | {mentions} | {speed} | {reading}")
}

/// An automaton over the bytes of the names, without folding.
fn plain(names: &[(u32, String)], texts: &[String]) -> String {
    let held = MEMORY.current_usage();
    let mut builder = AhoCorasick::builder();
    let builder = builder
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true);
    let (built, plain) = timed(|| builder.build(names.iter().map(|(_, name)| name)).unwrap());
    let memory = MEMORY.current_usage() - held;
    let (time, mentions) = read_all(texts, |text| plain.find_iter(text).count());
    let (seconds, speed) = (built.as_secs_f64(), speed(texts, time));
    format!("{memory} | {seconds:.2} s | {mentions} | {speed}")
}

/// A search of a text for each name, one after the other.
fn each(names: &[(u32, String)], texts: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|(_, name)| name.to_lowercase()).collect();
    let text = texts[0].to_lowercase();
    let (time, _) = timed(|| names.iter().filter(|name| text.contains(name.as_str())).count());
    speed(&texts[..1], time)
}
