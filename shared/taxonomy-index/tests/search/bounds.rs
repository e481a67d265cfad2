//! Tests of the bounds of a search's reads.

use taxonomy_index::search::{Entry, Kind, Language, MAX_READ_BYTES, Query, QueryError, WriteError, write};

use crate::object::Object;

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
    let long = "x".repeat(65_536);
    let mut entry = Entry {
        ordinal: 1,
        id: 1,
        name: "a",
        kind: Kind::Preferred,
        depth: 1,
        deprecated: false,
        sort_key: "",
    };
    assert!(matches!(
        write(Language::parse("en"), 1, vec![entry]),
        Err(WriteError::Ordinal(1))
    ));
    entry.ordinal = 0;
    entry.name = &long;
    assert!(matches!(
        write(Language::parse("en"), 1, vec![entry]),
        Err(WriteError::TooLong(0))
    ));
}

/// The longest keys and names there are.
#[test]
fn no_part_is_larger_than_a_read() {
    let mut rng = fastrand::Rng::with_seed(7);
    let name = |rng: &mut fastrand::Rng| -> String {
        let letter = |rng: &mut fastrand::Rng| {
            format!(
                "{}\u{301}\u{323}\u{302}\u{308}",
                rng.choice(['𝐀', '手', 'ế', 'x']).unwrap()
            )
        };
        (0..1500).map(|_| letter(rng)).collect()
    };
    let entries: Vec<_> = (0..12)
        .map(|ordinal| crate::object::OwnEntry::new(ordinal, &name(&mut rng)))
        .collect();
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
        assert_eq!(
            taxonomy_index::search::SearchOptions::new(limit).unwrap_err(),
            QueryError::Limit
        );
    }
}
