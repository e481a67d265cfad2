//! The automaton in the search object of a culture.

use std::ops::Range;

use taxonomy_index::search::mention::Extraction;
use taxonomy_index::search::{Entry, FOOTER_BYTES, Index, Kind, SearchFooter, write};

use crate::names::english;

fn entry(ordinal: u32, name: &str, kind: Kind, depth: u8) -> Entry<'_> {
    Entry {
        ordinal,
        id: ordinal.into(),
        name,
        kind,
        depth,
        deprecated: false,
        sort_key: "",
    }
}

fn object() -> Vec<u8> {
    let names = vec![
        entry(0, "Skill", Kind::Preferred, 0),
        entry(1, "Rust", Kind::Preferred, 1),
        entry(1, "Rustacean", Kind::Alternative, 1),
        entry(1, "R1", Kind::Notation, 1),
        entry(2, "Rust developer", Kind::Preferred, 2),
    ];
    write(english(), 3, names).unwrap()
}

fn open(object: &[u8]) -> Index {
    let bytes = |range: Range<u64>| &object[range.start as usize..range.end as usize];
    let size = object.len() as u64;
    let footer = SearchFooter::read(bytes(size - FOOTER_BYTES as u64..size), size).unwrap();
    Index::open(&footer, bytes(footer.root())).unwrap()
}

/// Names and alternative names of terms; no notations, no names of categories.
#[test]
fn one_read_has_the_automaton_of_the_terms() {
    let object = object();
    let index = open(&object);
    let id = index.automaton().unwrap();
    let range = index.range(id);
    let part = index
        .part(id, &object[range.start as usize..range.end as usize])
        .unwrap();
    let automata = [part.automaton().unwrap()];
    let extraction = Extraction::new("Skill R1: rust developers, Rustaceans and Rust.", &automata);
    let found: Vec<(&str, u32)> = extraction
        .mentions(0, |_, _| true)
        .map(|mention| (mention.text, mention.candidates[0].ordinal))
        .collect();
    assert_eq!(found, [("rust developers", 2), ("Rustaceans", 1), ("Rust", 1)]);
}

#[test]
fn an_automaton_with_other_bytes_is_damaged() {
    let object = object();
    let index = open(&object);
    let id = index.automaton().unwrap();
    let range = index.range(id);
    let bytes = &object[range.start as usize..range.end as usize];
    for at in 0..bytes.len() {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 1;
        let damage = index.part(id, &bytes).unwrap_err().to_string();
        assert!(damage.contains("has another checksum"), "{at}: {damage}");
    }
    let damage = index.part(id, &bytes[1..]).unwrap_err().to_string();
    assert!(damage.contains("has another length"), "{damage}");
}
