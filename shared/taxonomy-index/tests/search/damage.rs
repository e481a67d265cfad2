//! Objects that are truncated or altered.

use proptest::prelude::*;
use taxonomy_index::search::{DamagedPart, FOOTER_BYTES, Kind, Query, SearchOptions};

use crate::object::{Object, OwnEntry, write};

fn entries() -> Vec<OwnEntry> {
    let words = ["alpha", "beta", "gamma", "délta", "手机壳", "epsilon"];
    let name = |number: u32| {
        let word = |step: u32| words[(number / step) as usize % words.len()];
        let entry = OwnEntry::new(number % 700, &format!("{} {} {number}", word(1), word(6)));
        entry.kind([Kind::Preferred, Kind::Alternative, Kind::Notation][number as usize % 3])
    };
    // More than 2,048 postings of a prefix, so that there are short lists.
    (0..3000).map(name).collect()
}

fn sound() -> &'static Vec<u8> {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    BYTES.get_or_init(|| write(&entries()))
}

const QUERIES: [&str; 5] = ["a", "gamam be", "epsiloon alhpa", "délta 1", "手"];

/// Searches everything, with and without a filter.
fn search_all(
    bytes: Vec<u8>,
) -> Result<Vec<taxonomy_index::search::SearchResult>, taxonomy_index::search::Damage> {
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
    Ok(answers)
}

/// Writes the checksum of a range that ends with it.
fn reseal(bytes: &mut [u8], range: std::ops::Range<usize>) {
    let payload = range.start..range.end - 4;
    let checksum = crc32fast::hash(&bytes[payload]).to_le_bytes();
    bytes[range.end - 4..range.end].copy_from_slice(&checksum);
}

#[test]
fn the_object_of_these_tests_is_sound() {
    let answers = search_all(sound().clone()).unwrap();
    assert!(
        answers
            .iter()
            .all(|answer| !answer.hits.is_empty() && !answer.truncated)
    );
}

#[test]
fn an_object_that_ends_early_is_damaged() {
    let bytes = sound();
    for length in (0..bytes.len()).step_by(977).chain(bytes.len() - 40..bytes.len()) {
        assert_eq!(
            search_all(bytes[..length].to_vec()).unwrap_err().place,
            DamagedPart::Footer,
            "{length}"
        );
    }
}

#[test]
fn damage_names_its_place() {
    let object = Object::open(sound().clone()).unwrap();
    let footer = object.bytes.len() - FOOTER_BYTES;
    let last = object.index.parts().last().unwrap();
    let root = object.index.range(last).end as usize;
    for (at, place) in [(footer + 9, DamagedPart::Footer), (root + 3, DamagedPart::Root)] {
        let mut bytes = sound().clone();
        bytes[at] ^= 1;
        assert_eq!(search_all(bytes).unwrap_err().place, place);
    }
    let mut bytes = sound().clone();
    bytes[object.index.range(last).start as usize + 5] ^= 1;
    let damage = search_all(bytes).unwrap_err();
    assert_eq!(damage.place, DamagedPart::Part(last));
    assert_eq!(
        damage.to_string(),
        format!("the part {last} of the search object has another checksum")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn altered_bytes_are_damage_or_are_not_read(flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4)) {
        let mut bytes = sound().clone();
        for (at, mask) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= mask;
        }
        if let Ok(answers) = search_all(bytes) {
            prop_assert_eq!(answers, search_all(sound().clone()).unwrap());
        }
    }

    /// Right checksums over wrong bytes: a search answers something or names damage, and does not panic.
    #[test]
    fn altered_bytes_with_right_checksums_do_no_harm(flips in prop::collection::vec((any::<(prop::sample::Index, prop::sample::Index)>(), 1u8..), 1..6)) {
        let object = Object::open(sound().clone()).unwrap();
        let mut bytes = sound().clone();
        let ids: Vec<_> = object.index.parts().collect();
        for ((part, at), mask) in flips {
            let range = object.index.range(ids[part.index(ids.len())]);
            let range = range.start as usize..range.end as usize;
            bytes[range.start + at.index(range.len() - 4)] ^= mask;
            reseal(&mut bytes, range);
        }
        let _ = search_all(bytes);
    }

    #[test]
    fn an_altered_root_with_a_right_checksum_does_no_harm(flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4)) {
        let object = Object::open(sound().clone()).unwrap();
        let mut bytes = sound().clone();
        let root = object.index.range(object.index.parts().last().unwrap()).end as usize..bytes.len() - FOOTER_BYTES;
        for (at, mask) in flips {
            bytes[root.start + at.index(root.len() - 4)] ^= mask;
        }
        reseal(&mut bytes, root);
        let _ = search_all(bytes);
    }

    #[test]
    fn any_bytes_are_no_footer_or_do_no_harm(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = search_all(tail);
    }
}
