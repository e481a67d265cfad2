//! Automata that are truncated or altered: another answer at most.

use std::sync::LazyLock;

use proptest::prelude::*;
use taxonomy_index::search::mention::{Automaton, Extraction};

use crate::names::{OwnName, part};

const TEXT: &str = "alpha, beta gamma C; DELTA 手机壳 alpha alpha beta";

static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let words = ["alpha", "beta", "gamma", "délta", "手机壳", "C"];
    let name = |number: u32| {
        let word = |step: u32| words[(number / step) as usize % words.len()];
        OwnName::new(number % 70, &format!("{}, {} {}", word(1), word(6), word(36)))
    };
    let mut names: Vec<OwnName> = (0..250).map(name).collect();
    names.extend(
        (0..)
            .zip(words)
            .map(|(ordinal, name)| OwnName::new(ordinal, name)),
    );
    part(&names)
});

/// Reads everything that a text leads to.
fn read(part: &[u8]) -> Option<Vec<&'static str>> {
    let automata = [Automaton::open(part)?];
    let extraction = Extraction::new(TEXT, &automata);
    Some(
        extraction
            .mentions(0, |_, _| true)
            .map(|mention| mention.text)
            .collect(),
    )
}

#[test]
fn the_automaton_of_these_tests_is_sound() {
    let expect = ["alpha, beta gamma", "C; DELTA 手机壳", "alpha alpha beta"];
    assert_eq!(read(&SOUND).unwrap(), expect);
}

#[test]
fn an_automaton_that_ends_early_does_no_harm() {
    for length in 0..SOUND.len() {
        read(&SOUND[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn altered_bytes_do_no_harm(flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..6)) {
        let mut bytes = SOUND.clone();
        for (at, mask) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= mask;
        }
        read(&bytes);
    }

    #[test]
    fn any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes);
    }
}
