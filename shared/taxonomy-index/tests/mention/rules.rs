//! The rules, name by name.

use taxonomy_index::search::mention::{Automaton, Class, Extraction, MAX_CANDIDATES, class};
use taxonomy_index::search::{Kind, Language};

use crate::names::{OwnName, english, mentions, part, part_in};

/// Checks which pieces of a text mention one of some names.
#[track_caller]
fn check(names: &[&str], text: &str, expect: &[&str]) {
    check_in("en", names, text, expect);
}

#[track_caller]
fn check_in(language: &str, names: &[&str], text: &str, expect: &[&str]) {
    let names: Vec<OwnName> = (0..)
        .zip(names)
        .map(|(ordinal, name)| OwnName::new(ordinal, name))
        .collect();
    let part = part_in(Language::parse(language), &names);
    let automata = [Automaton::open(&part).unwrap()];
    let extraction = Extraction::new(text, &automata);
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut found = Vec::new();
    for mention in extraction.mentions(0, |_, _| true) {
        let range = mention.range.start as usize..mention.range.end as usize;
        assert_eq!(String::from_utf16(&units[range]).unwrap(), mention.text);
        found.push(mention.text);
    }
    assert_eq!(found, expect, "{names:?}");
}

#[test]
fn the_longest_name_from_the_left_is_the_mention() {
    let names = ["Rust", "Rust developer", "developer advocate", "Advocate"];
    check(
        &names,
        "A rust developer advocate.",
        &["rust developer", "advocate"],
    );
    check(
        &names,
        "RUST, developer advocate",
        &["RUST", "developer advocate"],
    );
    check(&["a b c d", "abcd b", "b c"], "a b c x", &["b c"]);
    check(&["Rust"], "Rusty Trust rust_ rust", &["rust", "rust"]);
}

#[test]
fn folding_is_that_of_a_search() {
    check(
        &["Crème brûlée", "Straße"],
        "CREME BRULEE, strasse",
        &["CREME BRULEE", "strasse"],
    );
    check(&["Ωμέγα", "Ёлка"], "ωμεγα 😀 ёлка", &["ωμεγα", "ёлка"]);
    check(&["𝐁old"], "👩‍👧 bold 𝐁𝐎𝐋𝐃", &["bold", "𝐁𝐎𝐋𝐃"]);
}

#[test]
fn a_mention_goes_over_no_end_but_one_of_the_name() {
    let names = ["Data science", "Bakers, confectioners", "St. Gallen"];
    for text in [
        "data, science",
        "data. Science",
        "data\n\nscience",
        "data\n- science",
        "data – science",
        "data: science",
        "data | science",
    ] {
        check(&names, text, &[]);
    }
    for text in [
        "data  science",
        "data\nscience",
        "data (science",
        "data” science",
        "data-science",
        "data/science",
    ] {
        check(&names, &format!("“{text})"), &[text]);
    }
    check(
        &names,
        "bakers confectioners of st gallen",
        &["bakers confectioners", "st gallen"],
    );
    check(
        &names,
        "Bakers, confectioners. St. Gallen",
        &["Bakers, confectioners", "St. Gallen"],
    );
}

#[test]
fn signs_that_join_may_be_left_out() {
    check(
        &["Wi-Fi router"],
        "wifi router, wi fi router, WI-FI ROUTER",
        &["wifi router", "wi fi router", "WI-FI ROUTER"],
    );
    check(&["Wifi"], "wi-fi wi fi", &["wi-fi"]);
    check(
        &["Node.js"],
        "nodejs, node js and node.js.",
        &["nodejs", "node js", "node.js"],
    );
    check(&["Therapist"], "the rapist", &[]);
    check(
        &["Director's cut"],
        "directors cut, director’s cut",
        &["directors cut", "director’s cut"],
    );
}

#[test]
fn a_short_name_needs_its_capitals_and_marks() {
    check(&["IT", "Go"], "it goes, It, IT; GO go Go", &["IT", "GO", "Go"]);
    check(&["tea", "Thé"], "Tea TEA the THÉ", &["Tea", "TEA", "THÉ"]);
    check(&["R", "C"], "r R, R&D, C/R, vitamin-C", &["R", "C", "R"]);
    check(&["Java"], "java", &["java"]);
    check(&["X-y"], "xy X y x-y X-Y", &["X-Y"]);
}

#[test]
fn a_single_sign_stands_alone_in_scripts_without_spaces() {
    check(&["茶", "红茶", "医"], "绿茶 红茶 茶、医生", &["红茶", "茶"]);
    check(&["Java"], "使用Java开发", &["Java"]);
    check(&["データ・サイエンス"], "データサイエンス", &["データサイエンス"]);
}

#[test]
fn numbers_are_no_names() {
    check(&["2024", "24/7", "3D"], "2024 24/7 3D", &["3D"]);
    check(
        &["2 cups", "Add 1"],
        "½ cups, 2 cups; add ½, add 1",
        &["2 cups", "add 1"],
    );
}

#[test]
fn signs_that_distinguish_must_agree() {
    let names = ["C", "C++", "C#", ".NET", "R&D", "Node.js", "F#", "A+"];
    check(
        &names,
        "C, c++, C#; .net R&D a+ F",
        &["C", "c++", "C#", ".net", "R&D", "a+"],
    );
    check(
        &names,
        "C++-Entwickler C++/C# asp.net R and D (C++)",
        &["C++", "C++", "C#", "C++"],
    );
    check(&names, "C#.NET, c++.net", &["C#", ".NET", "c++", ".net"]);
}

#[test]
fn numbers_of_words_meet() {
    check(
        &["Software developer", "Toys", "City"],
        "software developers, toy, cities",
        &["software developers", "toy", "cities"],
    );
    check(
        &["Jobs and careers", "Toys & games"],
        "job & career, toys and game",
        &["job & career", "toys and game"],
    );
    check(
        &["TOYS AND GAMES"],
        "toys & games, toys and games, toy and game",
        &["toys & games", "toys and games"],
    );
    check(&["Toys And Games"], "Toys AND Games", &["Toys AND Games"]);
    // No capitals have another number, and no short name.
    check(
        &["AIDS", "SAS software", "Pen"],
        "aid, SA software, pens, sas softwares",
        &["sas softwares"],
    );
}

#[test]
fn words_have_the_forms_of_the_language() {
    let names = ["Spiele und Bücher", "Museum"];
    check_in(
        "de",
        &names,
        "Spiel & Buch, Spiele + Bücher; Museen",
        &["Spiel & Buch", "Spiele + Bücher", "Museen"],
    );
    check_in(
        "en",
        &names,
        "Spiel und Buch, Spiele und Bücher; Museen",
        &["Spiele und Bücher"],
    );
    check_in(
        "",
        &["Toys and games"],
        "toys & games, toy and games, toys and games",
        &["toys and games"],
    );
    check_in("ja", &["カード"], "カードとかーど", &["カード", "かーど"]);
}

#[test]
fn candidates_are_in_the_order_of_kind_state_and_tree() {
    let name = |ordinal, kind, deprecated| OwnName {
        kind,
        deprecated,
        ..OwnName::new(ordinal, "Nurse")
    };
    let names = [
        name(1, Kind::Alternative, false),
        name(9, Kind::Preferred, false),
        name(2, Kind::Preferred, true),
        name(5, Kind::Preferred, false),
        name(5, Kind::Alternative, false),
        name(7, Kind::Notation, false),
    ];
    let part = [part(&names)];
    let candidates = |admits: fn(u32, bool) -> bool| mentions("nurse", &part, admits).remove(0).1;
    let of = |ordinals: &[u32]| ordinals.iter().map(|ordinal| (0, *ordinal)).collect::<Vec<_>>();
    assert_eq!(candidates(|_, _| true), of(&[5, 9, 2, 1]));
    assert_eq!(candidates(|_, deprecated| !deprecated), of(&[5, 9, 1]));
    assert_eq!(candidates(|ordinal, _| ordinal > 5), of(&[9]));
}

#[test]
fn many_candidates_are_cut() {
    for (count, has_more) in [(MAX_CANDIDATES, false), (MAX_CANDIDATES + 1, true), (3_000, true)] {
        let names: Vec<OwnName> = (0..count as u32)
            .map(|ordinal| OwnName::new(ordinal, "Other"))
            .collect();
        let part = part(&names);
        let automata = [Automaton::open(&part).unwrap()];
        let extraction = Extraction::new("other", &automata);
        let mention = extraction.mentions(0, |_, _| true).next().unwrap();
        let candidates = mention.candidates.iter().map(|candidate| candidate.ordinal);
        assert!(candidates.eq(0..MAX_CANDIDATES as u32));
        assert_eq!(mention.has_more, has_more);
    }
}

#[test]
fn terms_with_two_equal_names_do_not_crowd_out_others() {
    let name = |ordinal, kind| OwnName {
        kind,
        ..OwnName::new(ordinal, "Other")
    };
    let both = (0..15).flat_map(|ordinal| [name(ordinal, Kind::Preferred), name(ordinal, Kind::Alternative)]);
    let one = (15..30).map(|ordinal| name(ordinal, Kind::Alternative));
    let part = part(&both.chain(one).collect::<Vec<_>>());
    let automata = [Automaton::open(&part).unwrap()];
    let extraction = Extraction::new("other", &automata);
    let mention = extraction.mentions(0, |_, _| true).next().unwrap();
    let candidates = mention.candidates.iter().map(|candidate| candidate.ordinal);
    assert!(candidates.eq(0..MAX_CANDIDATES as u32));
    assert!(mention.has_more);
}

#[test]
fn of_many_candidates_the_first_ones_are_kept() {
    let name = |ordinal, kind, deprecated| OwnName {
        kind,
        deprecated,
        ..OwnName::new(ordinal, "Other")
    };
    let alternative = (0..5).map(|ordinal| name(ordinal, Kind::Alternative, false));
    let deprecated = (5..30).map(|ordinal| name(ordinal, Kind::Preferred, true));
    let part = part(&alternative.chain(deprecated).collect::<Vec<_>>());
    let (_, candidates) = mentions("other", &[part], |_, _| true).remove(0);
    let expect: Vec<(usize, u32)> = (5..5 + MAX_CANDIDATES as u32)
        .map(|ordinal| (0, ordinal))
        .collect();
    assert_eq!(candidates, expect);
}

#[test]
fn a_search_goes_on_from_a_place() {
    let part = part(&[OwnName::new(0, "One two"), OwnName::new(1, "two")]);
    let automata = [Automaton::open(&part).unwrap()];
    let extraction = Extraction::new("😀 one two one two", &automata);
    let starts = |from| -> Vec<u32> {
        extraction
            .mentions(from, |_, _| true)
            .map(|mention| mention.range.start)
            .collect()
    };
    assert_eq!(starts(0), [3, 11]);
    assert_eq!(starts(3), [3, 11]);
    assert_eq!(starts(10), [11]);
    assert_eq!(starts(4), [7, 11]);
    assert!(starts(99).is_empty());
}

#[test]
fn classes_say_how_a_name_is_written() {
    for (piece, name, expect) in [
        ("DATA  science", "Data science", Some(Class::Whole)),
        ("data-science", "Data science", Some(Class::Folded)),
        ("creme brulee", "Crème brûlée", Some(Class::Folded)),
        ("wifi", "Wi-Fi", Some(Class::Folded)),
        ("wi‑fi", "Wi-Fi", Some(Class::Whole)),
        ("director’s cut", "Director's cut", Some(Class::Whole)),
        ("data (science", "Data science", Some(Class::Folded)),
        ("toys and games", "Toys & Games", Some(Class::Folded)),
        ("toy & game", "Toys & Games", Some(Class::Plural)),
        ("ifs and buts", "Ifs ands buts", Some(Class::Plural)),
        ("ifs ands buts", "Ifs and buts", None),
        ("C++", "c++", Some(Class::Whole)),
        ("C", "C++", None),
        ("data", "Data science", None),
    ] {
        assert_eq!(class(english(), piece, name), expect, "{piece} {name}");
    }
}
