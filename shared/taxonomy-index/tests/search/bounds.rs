//! Tests of the bounds of a search's reads.

use taxonomy_index::search::{Language, MAX_READ_BYTES, Query, QueryError, SearchOptions, WriteError, write};

use crate::object::{Object, OwnEntry, entries};

#[test]
fn a_version_without_names_has_an_object_without_hits() {
    let object = Object::of(&[]);
    assert_eq!(object.index.name_count(), 0);
    assert!(object.names("a").is_empty());
    assert!(object.names("typos").is_empty());
    assert!(object.names("😀").is_empty());
}

#[test]
fn an_entry_out_of_bounds_is_refused() {
    let english = Language::parse("en");
    let long = "x".repeat(65_536);
    let outside = write(english, 1, entries(&[OwnEntry::new(1, "a")]));
    assert!(matches!(outside, Err(WriteError::Ordinal(1))));
    let too_long = write(english, 1, entries(&[OwnEntry::new(0, &long)]));
    assert!(matches!(too_long, Err(WriteError::TooLong(0))));
}

/// The longest keys and names there are.
#[test]
fn no_part_is_larger_than_a_read() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut letter = || rng.choice(['𝐀', '手', 'ế', 'x']).unwrap();
    let mut name = || -> String {
        let letters = (0..1500).map(|_| format!("{}\u{301}\u{323}\u{302}\u{308}", letter()));
        letters.collect()
    };
    let entries: Vec<_> = (0..12).map(|ordinal| OwnEntry::new(ordinal, &name())).collect();
    let object = Object::of(&entries);
    for id in object.index.parts() {
        let range = object.index.range(id);
        assert!(range.end - range.start <= MAX_READ_BYTES);
    }
    assert_eq!(object.names("手").len(), 12);
}

#[test]
fn a_query_has_bounds() {
    assert!(Query::parse(&"é".repeat(500)).is_ok());
    assert_eq!(Query::parse(&"é".repeat(501)), Err(QueryError::TooLong));
    assert!(Query::parse(&"a ".repeat(250)).is_ok());
    assert!(Query::parse(&"ﷺ".repeat(500)).is_ok(), "9,000 folded letters");
    for limit in [0, 51] {
        assert_eq!(SearchOptions::new(limit).unwrap_err(), QueryError::Limit);
    }
}
