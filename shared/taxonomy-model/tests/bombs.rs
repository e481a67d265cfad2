//! The memory of parsing files that repeat one small value many times. In a process of its own, since the peak is that of
//! the process.

use std::sync::{Mutex, PoisonError};

use peak_alloc::PeakAlloc;
use taxonomy_model::{Limits, parse};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const FILE: usize = 16 << 20;

/// One test at a time, since all of them share the allocator.
static TURN: Mutex<()> = Mutex::new(());

/// A file of [`FILE`] bytes, `piece` repeated between `head` and `tail`; `piece` is numbered where it holds a `#`.
fn filled(head: &str, piece: &str, tail: &str) -> String {
    let mut file = head.to_owned();
    for n in (0..).map(|n: u64| n.to_string()) {
        file += if n == "0" { "" } else { "," };
        file += &piece.replacen('#', &n, 1);
        if file.len() > FILE {
            break;
        }
    }
    file + tail
}

/// What is repeated, in which field, the piece, what ends the field, and the code of the error.
const BOMBS: &str = r##"
members of metadata | "metadata":{ | "#":0 | } | metadata-too-large
objects in metadata | "metadata":{"a":[ | {} | ]} | metadata-too-large
lists in metadata | "metadata":{"a":[ | [[]] | ]} | metadata-too-large
names | "names":[ | {"culture":"en-x-#","name":""} | ] | empty-name
alternative names | "altNames":[ | {"culture":"en","name":"#"} | ] | too-many-values
replacements | "replacedBy":[ | # | ] | too-many-values
relations | "relations":[ | {"type":"exact","id":#} | ] | too-many-values
notes | "notes":[ | {"culture":"en-x-#","definition":"d"} | ] | too-many-values
children | "children":[ | {} | ] | missing-field
things that are no children | "children":[ | 0 | ] | wrong-type
keys that nobody knows | | "#":0 | ,"id":1 | duplicate-key
"##;

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn no_file_takes_many_times_its_size() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let defaults = taxonomy_testfiles::defaults();
    for row in BOMBS.trim().lines() {
        let [what, field, piece, close, code] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("not a row: {row}")
        };
        let head =
            format!(r#"{{"categories":[{{"id":1,"name":"Sector","terms":[{{"id":1,"name":"IT",{field}"#);
        let file = filled(&head, piece, &format!("{close}}}]}}]}}"));
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let report = parse(file.as_bytes(), &defaults, Limits { nodes: 50_000 }).unwrap_err();
        let peak = MEMORY.peak_usage() - before;
        assert_eq!(report.first_error().unwrap().code.as_str(), code, "{what}");
        // Beside the file itself. Fifty thousand nodes take some megabytes however small the file is.
        assert!(peak < FILE + FILE / 2, "{what}: {} times the file", peak / FILE);
    }
}

/// A file of [`FILE`] bytes of terms that are each named in 500 cultures, with the fewest bytes a name can have.
fn in_500_cultures(plain_name: bool) -> String {
    let tags = ('a'..='z').flat_map(|first| ('a'..='z').map(move |second| format!("{first}{second}")));
    // The default culture is the last of them, so a plain name is the 500th.
    let most = if plain_name { 499 } else { 500 };
    let tags = tags.take(499).chain(["zz".to_owned()]).take(most);
    let names = tags.map(|tag| format!(r#"{{"culture":"{tag}","name":"a"}}"#));
    let names: Vec<String> = names.collect();
    let plain_name = if plain_name { r#""name":"a","# } else { "" };
    let piece = format!(r##"{{"id":#,{plain_name}"names":[{}]}}"##, names.join(","));
    let head = r#"{"defaultCulture":"zz","categories":[{"id":1,"name":"a","terms":["#;
    filled(head, &piece, "]}]}")
}

/// An accepted file may take the memory of a taxonomy beside the file, and no more: names, sorted, in a list of their own.
#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn nodes_in_500_cultures_take_little_more_than_their_file() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let defaults = taxonomy_testfiles::defaults();
    for plain_name in [false, true] {
        let file = in_500_cultures(plain_name);
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let parsed = parse(file.as_bytes(), &defaults, Limits::default()).unwrap();
        let peak = MEMORY.peak_usage() - before;
        assert_eq!(parsed.taxonomy.cultures().len(), 500);
        let most = FILE + FILE / 2;
        assert!(peak < most, "plain name {plain_name}: {peak} of {FILE}");
    }
}
