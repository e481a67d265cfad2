//! Tests of the positions of a query in a name.

use taxonomy_index::search::{Kind, SearchOptions};

use crate::object::{Object, OwnEntry, marked};

/// Marks the ranges of the first hit with brackets.
#[track_caller]
fn check(name: &str, kind: Kind, query: &str, expect: &str) {
    let object = Object::of(&[OwnEntry::new(0, name).kind(kind)]);
    let answer = object.search(query, &SearchOptions::new(1).unwrap());
    let hit = answer.hits.into_iter().next().expect("a hit");
    assert_eq!(marked(name, hit.ranges), expect, "{query} in {name}");
}

#[test]
fn ranges_are_those_of_the_text_as_it_is_shown() {
    let check = |name: &str, query: &str, marked: &str| check(name, Kind::Preferred, query, marked);
    check("Running Shoes", "running sh", "[Running] [Sh]oes");
    check("Running Shoes", "sh run", "[Run]ning [Sh]oes");
    check("Running Shoes", "run running", "[Running] Shoes");
    check("Große Straße", "strass", "Große [Straß]e");
    check("Große Straße", "stras", "Große [Straß]e");
    check("ﬁne ﬁle", "fil", "ﬁne [ﬁl]e");
    check("ﬁne", "f", "[ﬁ]ne");
    check("Cafe\u{301} noir", "cafe", "[Cafe\u{301}] noir");
    check("Cafe\u{301} noir", "caf", "[Caf]e\u{301} noir");
    check("😀 Café 👩‍👧 crème", "cre", "😀 Café 👩‍👧 [crè]me");
    check("Ærø", "ae", "[Æ]rø");
    check("Ærø", "a", "[Æ]rø");
    check("𝐀𝐁c", "ab", "[𝐀𝐁]c");
    check("新手机壳", "手机", "新[手机]壳");
    check("한국어", "한ㄱ", "[한국]어");
    check("co\u{ad}operate", "coo", "[co\u{ad}o]perate");
    check("שָׁלוֹם", "של", "[שָׁל]וֹם");
    check("Big creme, crème", "crèm", "Big creme, [crèm]e");
}

#[test]
fn ranges_of_typos_are_the_nearest_start_of_a_word() {
    let check = |name: &str, query: &str, marked: &str| check(name, Kind::Preferred, query, marked);
    check("Diabetes mellitus", "diabtes", "[Diabetes] mellitus");
    check("Diabetes mellitus", "diabt", "[Diabet]es mellitus");
    check("Diabetes mellitus", "melitus dia", "[Dia]betes [mellitus]");
    check("Big Straßen", "strasesn", "Big [Straßen]");
}

#[test]
fn ranges_of_notations_hold_their_separators() {
    check("E11.9", Kind::Notation, "e119", "[E11.9]");
    check("E11.9", Kind::Notation, "e11", "[E11].9");
    check("E11.9", Kind::Notation, "9", "E11.[9]");
}
