use super::*;

/// Opens an object that has these parts, each with its length.
fn open(parts: &[(Section, u64)]) -> Result<Index, Damage> {
    let root = Root {
        parts: parts.to_vec(),
        ..Root::default()
    };
    let root = root.bytes();
    let footer = SearchFooter {
        root_start: parts.iter().map(|(_, length)| length).sum(),
        root_bytes: root.len() as u64,
    };
    Index::open(&footer, &root)
}

#[test]
fn an_object_has_at_most_one_automaton_of_a_bounded_length() {
    let automaton = |length| (Section::Automaton, length);
    let letters = (Section::Letters, MAX_READ_BYTES);
    let index = open(&[letters.clone(), automaton(MAX_AUTOMATON_BYTES)]).unwrap();
    let id = index.automaton().unwrap();
    let end = MAX_READ_BYTES + MAX_AUTOMATON_BYTES;
    assert_eq!(index.range(id), MAX_READ_BYTES..end);
    assert_eq!(open(&[letters]).unwrap().automaton(), None);
    let long = automaton(MAX_AUTOMATON_BYTES + 1);
    let longer = (Section::Letters, MAX_READ_BYTES + 1);
    for (parts, problem) in [
        (&[automaton(9), automaton(9)][..], "has two automata"),
        (&[long], "a part of an impossible length"),
        (&[longer], "a part of an impossible length"),
    ] {
        let error = open(parts).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}
