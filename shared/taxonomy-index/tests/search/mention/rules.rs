//! The rules, name by name.

use taxonomy_index::search::mention::{Automaton, Class, Extraction, MAX_CANDIDATES, class, write};
use taxonomy_index::search::{Kind, Language};

use crate::mention::names::{english, part};
use crate::object::{OwnEntry, entries, marked, named};

/// Checks which pieces of a text mention one of some names: those in brackets.
#[track_caller]
fn check(names: &[&str], expect: &str) {
    check_in("en", names, expect);
}

#[track_caller]
fn check_in(language: &str, names: &[&str], expect: &str) {
    let part = write(Language::parse(language), &entries(&named(names))).unwrap();
    let automata = [Automaton::open(&part).unwrap()];
    let text = expect.replace(['[', ']'], "");
    let extraction = Extraction::new(&text, &automata);
    let mentions = extraction.mentions(0, |_, _| true);
    let (texts, ranges): (Vec<&str>, Vec<_>) = mentions.map(|mention| (mention.text, mention.range)).unzip();
    assert_eq!(marked(&text, ranges), expect, "{names:?}");
    let bracketed = expect.split('[').skip(1);
    let bracketed = bracketed.map(|piece| piece.split(']').next().unwrap());
    assert!(bracketed.eq(texts.iter().copied()), "{texts:?}");
}

#[test]
fn the_longest_name_from_the_left_is_the_mention() {
    let names = ["Rust", "Rust developer", "developer advocate", "Advocate"];
    check(&names, "A [rust developer] [advocate].");
    check(&names, "[RUST], [developer advocate]");
    check(&["a b c d", "abcd b", "b c"], "a [b c] x");
    check(&["Rust"], "Rusty Trust [rust]_ [rust]");
}

#[test]
fn folding_is_that_of_a_search() {
    check(&["Crème brûlée", "Straße"], "[CREME BRULEE], [strasse]");
    check(&["Ωμέγα", "Ёлка"], "[ωμεγα] 😀 [ёлка]");
    check(&["𝐁old"], "👩‍👧 [bold] [𝐁𝐎𝐋𝐃]");
}

#[test]
fn a_mention_goes_over_no_end_but_one_of_the_name() {
    let names = ["Data science", "Bakers, confectioners", "St. Gallen"];
    for end in [", ", ". ", "\n\n", "\n- ", " – ", ": ", " | "] {
        check(&names, &format!("data{end}science"));
    }
    for gap in ["  ", "\n", " (", "” ", "-", "/"] {
        check(&names, &format!("“[data{gap}science])"));
    }
    check(&names, "[bakers confectioners] of [st gallen]");
    check(&names, "[Bakers, confectioners]. [St. Gallen]");
}

#[test]
fn signs_that_join_may_be_left_out() {
    check(&["Wi-Fi router"], "[wifi router], [wi fi router], [WI-FI ROUTER]");
    check(&["Wifi"], "[wi-fi] wi fi");
    check(&["Node.js"], "[nodejs], [node js] and [node.js].");
    check(&["Therapist"], "the rapist");
    check(&["Director's cut"], "[directors cut], [director’s cut]");
}

#[test]
fn a_short_name_needs_its_capitals_and_marks() {
    check(&["IT", "Go"], "it goes, It, [IT]; [GO] go [Go]");
    check(&["tea", "Thé"], "[Tea] [TEA] the [THÉ]");
    check(&["R", "C"], "r [R], R&D, [C]/[R], vitamin-C");
    check(&["Java"], "[java]");
    check(&["X-y"], "xy X y x-y [X-Y]");
}

#[test]
fn a_single_sign_stands_alone_in_scripts_without_spaces() {
    check(&["茶", "红茶", "医"], "绿茶 [红茶] [茶]、医生");
    check(&["Java"], "使用[Java]开发");
    check(&["データ・サイエンス"], "[データサイエンス]");
}

#[test]
fn numbers_are_no_names() {
    check(&["2024", "24/7", "3D"], "2024 24/7 [3D]");
    check(&["2 cups", "Add 1"], "½ cups, [2 cups]; add ½, [add 1]");
}

#[test]
fn signs_that_distinguish_must_agree() {
    let names = ["C", "C++", "C#", ".NET", "R&D", "Node.js", "F#", "A+"];
    check(&names, "[C], [c++], [C#]; [.net] [R&D] [a+] F");
    check(&names, "[C++]-Entwickler [C++]/[C#] asp.net R and D ([C++])");
    check(&names, "[C#][.NET], [c++][.net]");
}

#[test]
fn numbers_of_words_meet() {
    let names = ["Software developer", "Toys", "City"];
    check(&names, "[software developers], [toy], [cities]");
    let names = ["Jobs and careers", "Toys & games"];
    check(&names, "[job & career], [toys and game]");
    let capitals = ["TOYS AND GAMES"];
    check(&capitals, "[toys & games], [toys and games], toy and game");
    check(&["Toys And Games"], "[Toys AND Games]");
    // No capitals have another number, and no short name.
    let names = ["AIDS", "SAS software", "Pen"];
    check(&names, "aid, SA software, pens, [sas softwares]");
}

#[test]
fn words_have_the_forms_of_the_language() {
    let names = ["Spiele und Bücher", "Museum"];
    check_in("de", &names, "[Spiel & Buch], [Spiele + Bücher]; [Museen]");
    check_in("en", &names, "Spiel und Buch, [Spiele und Bücher]; Museen");
    let toys = ["Toys and games"];
    check_in("", &toys, "toys & games, toy and games, [toys and games]");
    check_in("ja", &["カード"], "[カード]と[かーど]");
}

fn other(ordinal: u32, kind: Kind, deprecated: bool) -> OwnEntry {
    OwnEntry {
        kind,
        deprecated,
        ..OwnEntry::new(ordinal, "Other")
    }
}

/// Checks the candidates of one name of many terms: as many as there may be, from the first on.
#[track_caller]
fn check_cut(names: &[OwnEntry], first: u32, has_more: bool) {
    let part = part(names);
    let automata = [Automaton::open(&part).unwrap()];
    let extraction = Extraction::new("other", &automata);
    let mention = extraction.mentions(0, |_, _| true).next().unwrap();
    let candidates = mention.candidates.iter().map(|candidate| candidate.ordinal);
    assert!(candidates.eq(first..first + MAX_CANDIDATES as u32));
    assert_eq!(mention.has_more, has_more);
}

#[test]
fn of_many_candidates_the_first_ones_are_kept() {
    let all = |terms: std::ops::Range<u32>, kind, deprecated| -> Vec<OwnEntry> {
        terms.map(|ordinal| other(ordinal, kind, deprecated)).collect()
    };
    let most = MAX_CANDIDATES as u32;
    for (count, has_more) in [(most, false), (most + 1, true), (3_000, true)] {
        check_cut(&all(0..count, Kind::Preferred, false), 0, has_more);
    }
    // Terms with two equal names do not crowd out others.
    let mut names = all(0..15, Kind::Preferred, false);
    names.extend(all(0..30, Kind::Alternative, false));
    check_cut(&names, 0, true);
    let mut names = all(0..5, Kind::Alternative, false);
    names.extend(all(5..30, Kind::Preferred, true));
    check_cut(&names, 5, true);
}

#[test]
fn a_search_goes_on_from_a_place() {
    let part = part(&named(&["One two", "two"]));
    let automata = [Automaton::open(&part).unwrap()];
    let extraction = Extraction::new("😀 one two one two", &automata);
    let starts = |from| -> Vec<u32> {
        let mentions = extraction.mentions(from, |_, _| true);
        mentions.map(|mention| mention.range.start).collect()
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
