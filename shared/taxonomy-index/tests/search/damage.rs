//! Objects that are truncated or altered: damage with its place, or what a sound object gives; with right checksums no harm.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use taxonomy_index::search::mention::{Automaton, Extraction};
use taxonomy_index::search::{Damage, DamagedPart, FOOTER_BYTES, Kind, Query, SearchOptions, SearchResult};

use crate::object::{Object, OwnEntry, named, write};

const QUERIES: [&str; 5] = ["a", "gamam be", "epsiloon alhpa", "délta 1", "手"];
const TEXT: &str = "alpha, beta alpha C; DELTA alpha 手机壳 alpha alpha";
const WORDS: [&str; 7] = ["alpha", "beta", "gamma", "délta", "手机壳", "C", "epsilon"];

/// Names of words, and the words alone.
fn names(count: u32, name: impl Fn(u32, [&str; 3]) -> OwnEntry) -> Vec<u8> {
    let word = |number: u32| WORDS[number as usize % WORDS.len()];
    let words = |number: u32| [word(number), word(number / 7), word(number / 49)];
    let names = (0..count).map(|number| name(number, words(number)));
    write(&names.chain(named(&WORDS)).collect::<Vec<_>>())
}

/// More than 2,048 postings of a prefix, so that there are short lists.
static LARGE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    names(3000, |number, [one, other, _]| {
        let entry = OwnEntry::new(number % 700, &format!("{one} {other} {number}"));
        entry.kind([Kind::Preferred, Kind::Alternative, Kind::Notation][number as usize % 3])
    })
});

/// Few names, many of which the text mentions.
static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    names(100, |number, [one, other, third]| {
        OwnEntry::new(number % 70, &format!("{one}, {other} {third}"))
    })
});

/// Everything that an object answers: searches with and without a filter, and what a text mentions.
fn answers(bytes: Vec<u8>) -> Result<(Vec<SearchResult>, Vec<&'static str>), Damage> {
    let object = Object::open(bytes)?;
    let mut answers = Vec::new();
    for query in QUERIES {
        let first = 0..300;
        for within in [None, Some(vec![first])] {
            let mut options = SearchOptions::new(50).unwrap();
            options.filter.within = within;
            answers.push(object.read(&Query::parse(query).unwrap(), &options)?.0);
        }
    }
    let id = object.index.automaton().unwrap();
    let part = object.index.part(id, &object.bytes[object.range(id)])?;
    Ok((answers, part.automaton().map_or(Vec::new(), mentions)))
}

fn mentions(automaton: Automaton<'_>) -> Vec<&'static str> {
    let automata = [automaton];
    let extraction = Extraction::new(TEXT, &automata);
    let mentions = extraction.mentions(0, |_, _| true);
    mentions.map(|mention| mention.text).collect()
}

/// The automaton of the small object, without its checksum.
static AUTOMATON: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let object = Object::open(SMALL.clone()).unwrap();
    let range = object.range(object.index.automaton().unwrap());
    object.bytes[range.start..range.end - 4].to_vec()
});

/// Writes the checksum of a range that ends with it.
fn reseal(bytes: &mut [u8], range: std::ops::Range<usize>) {
    let payload = range.start..range.end - 4;
    let checksum = crc32fast::hash(&bytes[payload]).to_le_bytes();
    bytes[range.end - 4..range.end].copy_from_slice(&checksum);
}

/// Where the root of an object begins.
fn root(object: &Object) -> usize {
    object.range(object.index.parts().last().unwrap()).end
}

/// The place that a byte belongs to.
fn place(object: &Object, at: usize) -> DamagedPart {
    let mut parts = object.index.parts();
    match parts.find(|id| object.range(*id).contains(&at)) {
        Some(id) => DamagedPart::Part(id),
        None if at < object.bytes.len() - FOOTER_BYTES => DamagedPart::Root,
        None => DamagedPart::Footer,
    }
}

#[test]
fn the_objects_of_these_tests_are_sound() {
    let (hits, _) = answers(LARGE.clone()).unwrap();
    let is_whole = |answer: &SearchResult| !answer.hits.is_empty() && !answer.truncated;
    assert!(hits.iter().all(is_whole));
    let (_, mentions) = answers(SMALL.clone()).unwrap();
    let expect = ["alpha, beta alpha", "C; DELTA alpha", "手机壳 alpha alpha"];
    assert_eq!(mentions, expect);
}

/// Reads every part.
fn read_all(bytes: Vec<u8>) -> Result<(), Damage> {
    let object = Object::open(bytes)?;
    let mut parts = object.index.parts();
    parts.try_for_each(|id| object.index.part(id, &object.bytes[object.range(id)]).map(drop))
}

#[test]
fn every_altered_byte_and_every_cut_is_damage_that_names_its_place() {
    let sound = Object::open(SMALL.clone()).unwrap();
    for at in 0..SMALL.len() {
        let mut bytes = SMALL.clone();
        bytes[at] ^= 1;
        let damage = read_all(bytes).unwrap_err();
        assert_eq!(damage.place, place(&sound, at), "{at}: {damage}");
        let cut = read_all(SMALL[..at].to_vec()).unwrap_err();
        assert_eq!(cut.place, DamagedPart::Footer, "{at}");
    }
    let id = sound.index.automaton().unwrap();
    let damage = sound.index.part(id, &[0; 9]).unwrap_err();
    let expect = format!("the part {id} of the search object has another length");
    assert_eq!(damage.to_string(), expect);
}

/// A part is opened behind its checksum; whatever has the right one does no harm.
#[test]
fn an_automaton_that_ends_early_does_no_harm() {
    for length in 0..AUTOMATON.len() {
        Automaton::open(&AUTOMATON[..length]).map(mentions);
    }
}

fn flips(most: usize) -> impl Strategy<Value = Vec<(Index, u8)>> {
    prop::collection::vec((any::<Index>(), 1u8..), 1..most)
}

fn flip(bytes: &mut [u8], (at, mask): (Index, u8)) {
    let at = at.index(bytes.len());
    bytes[at] ^= mask;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn altered_bytes_are_damage_or_are_not_read(flips in flips(4)) {
        let mut bytes = LARGE.clone();
        flips.into_iter().for_each(|one| flip(&mut bytes, one));
        if let Ok(altered) = answers(bytes) {
            prop_assert_eq!(altered, answers(LARGE.clone()).unwrap());
        }
    }

    /// Parts or the root: an answer or damage, and no panic.
    #[test]
    fn altered_bytes_with_right_checksums_do_no_harm(
        is_root in any::<bool>(),
        flips in prop::collection::vec((any::<Index>(), any::<Index>(), 1u8..), 1..6),
    ) {
        let object = Object::open(LARGE.clone()).unwrap();
        let ids: Vec<_> = object.index.parts().collect();
        let mut bytes = LARGE.clone();
        for (part, at, mask) in flips {
            let range = match is_root {
                true => root(&object)..LARGE.len() - FOOTER_BYTES,
                false => object.range(ids[part.index(ids.len())]),
            };
            flip(&mut bytes[range.start..range.end - 4], (at, mask));
            reseal(&mut bytes, range);
        }
        let _ = answers(bytes);
    }

    #[test]
    fn any_bytes_are_no_footer_or_do_no_harm(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = answers(tail);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_altered_automaton_and_any_bytes_do_no_harm(flips in flips(6), any in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut altered = AUTOMATON.clone();
        flips.into_iter().for_each(|one| flip(&mut altered, one));
        for bytes in [altered, any] {
            Automaton::open(&bytes).map(mentions);
        }
    }
}
