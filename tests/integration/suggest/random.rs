//! Tests with random files and queries: the HTTP response equals that of a search of every name, in the served version and in older ones.

use fastrand::Rng;
use lookup::Lookup;
use serde_json::{Value, json};
use taxonomy_tests::world::{TENANT, World};

use super::escaped;
use super::reference::{Asked, Found, Scope, Term, answer, terms};
use crate::asking::{get, process};

/// Words that share beginnings, in several scripts; each is a word of its own between spaces.
const WORDS: &[&str] = &[
    "rust",
    "Rusty",
    "ruse",
    "Crème",
    "creme",
    "brûlée",
    "developer",
    "development",
    "Developing",
    "Straße",
    "strasse",
    "øre",
    "ore",
    "Öl",
    "niño",
    "nino",
    "Smörgås",
    "R2D2",
    "C3",
    "café",
    "Cafeteria",
    "программист",
    "Прибой",
    "йод",
    "ιδέα",
    "λόγος",
    "λογος",
    "手机壳",
    "手机",
    "手表",
    "کتاب",
    "كتاب",
    "international",
    "internet",
    "interval",
];
const SEPARATORS: &[&str] = &[" ", " ", "-", " & ", " 🚀 ", "'"];
const CULTURES: [&str; 2] = ["en-GB", "fr-FR"];

fn name(rng: &mut Rng) -> String {
    let mut name = rng.choice(WORDS).unwrap().to_string();
    for _ in 0..rng.usize(0..4) {
        name.push_str(rng.choice(SEPARATORS).unwrap());
        name.push_str(rng.choice(WORDS).unwrap());
    }
    name
}

fn notation(rng: &mut Rng) -> String {
    let letter = rng.choice(["E", "e", "Q", ""]).unwrap();
    let separator = rng.choice([".", "", " "]).unwrap();
    format!("{letter}{}{separator}{}", rng.u8(0..20), rng.u8(0..30))
}

fn named(rng: &mut Rng) -> Value {
    let mut names = vec![json!({"culture": "en-GB", "name": name(rng)})];
    if rng.u8(0..3) == 0 {
        names.push(json!({"culture": "fr-FR", "name": name(rng)}));
    }
    json!(names)
}

fn term(rng: &mut Rng, next: &mut u64, depth: usize) -> Value {
    *next += 1 + rng.u64(0..3);
    let mut term = json!({"id": *next, "names": named(rng)});
    if rng.u8(0..3) == 0 {
        let alt_names = (0..rng.usize(1..3))
            .map(|_| json!({"culture": rng.choice(CULTURES).unwrap(), "name": name(rng)}));
        term["altNames"] = alt_names.collect();
    }
    if rng.u8(0..3) == 0 {
        term["notation"] = json!(notation(rng));
    }
    if rng.u8(0..4) == 0 {
        term["sortKey"] = json!(format!("{:02}", rng.u8(0..5)));
    }
    if rng.u8(0..5) == 0 {
        term["deprecated"] = json!(true);
    }
    if depth < 5 && rng.bool() {
        term["children"] = (0..rng.usize(1..4))
            .map(|_| term_below(rng, next, depth))
            .collect();
    }
    term
}

fn term_below(rng: &mut Rng, next: &mut u64, depth: usize) -> Value {
    term(rng, next, depth + 1)
}

fn file(rng: &mut Rng) -> Value {
    let mut next = 0;
    let categories = (1..=3).map(|id| {
        let terms: Vec<Value> = (0..rng.usize(5..12)).map(|_| term(rng, &mut next, 1)).collect();
        json!({"id": id, "names": named(rng), "terms": terms})
    });
    json!({"defaultCulture": "en-GB", "categories": categories.collect::<Vec<_>>()})
}

/// Returns a word with a letter left out, doubled, replaced or swapped with its neighbour, except the first.
fn mistyped(rng: &mut Rng, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.len() < 3 {
        return word.to_owned();
    }
    let at = rng.usize(1..letters.len() - 1);
    match rng.u8(0..4) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        2 => letters[at] = 'x',
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

fn without_marks(word: &str) -> String {
    let marks = [
        ('é', 'e'),
        ('è', 'e'),
        ('û', 'u'),
        ('ö', 'o'),
        ('Ö', 'O'),
        ('å', 'a'),
        ('ø', 'o'),
        ('ñ', 'n'),
        ('й', 'и'),
        ('έ', 'ε'),
        ('ό', 'ο'),
    ];
    let plain = |letter| {
        marks
            .iter()
            .find(|(marked, _)| *marked == letter)
            .map_or(letter, |(_, plain)| *plain)
    };
    word.chars().map(plain).collect()
}

/// Returns some of the words of a name or a code, in any order, cut, mistyped, in other case or without marks.
fn query(rng: &mut Rng) -> String {
    if rng.u8(0..6) == 0 {
        let code = notation(rng);
        return code[..rng.usize(1..=code.len())].to_owned();
    }
    let text = name(rng);
    if rng.u8(0..5) == 0 {
        return text;
    }
    let mut words: Vec<String> = text
        .split([' ', '-', '\''])
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    rng.shuffle(&mut words);
    words.truncate(rng.usize(1..3));
    for word in &mut words {
        if rng.bool() {
            let length = rng.usize(1..=word.chars().count());
            *word = word.chars().take(length).collect();
        }
        match rng.u8(0..6) {
            0 => *word = mistyped(rng, word),
            1 => {
                let once = mistyped(rng, word);
                *word = mistyped(rng, &once);
            }
            2 => *word = without_marks(word),
            3 => *word = word.to_uppercase(),
            _ => {}
        }
    }
    words.join(" ")
}

/// Requests suggestions and compares them with the reference; returns their number and whether any had typos.
async fn compare(lookup: &Lookup, rng: &mut Rng, terms: &[Term], version: usize) -> (usize, bool) {
    let query = query(rng);
    let (culture, cultures): (&str, &[&str]) = match rng.u8(0..4) {
        0 => ("&culture=fr-FR", &["fr-FR", "en-GB"]),
        1 => ("&culture=fr", &["fr-FR", "en-GB"]),
        2 => ("&culture=de-DE", &["en-GB"]),
        _ => ("", &["en-GB"]),
    };
    let any = rng.choice(terms).unwrap().id;
    let (scope, within) = match rng.u8(0..5) {
        0 => (Scope::Category(2), "&category=2".to_owned()),
        1 => (Scope::Below(any), format!("&below={any}")),
        _ => (Scope::All, String::new()),
    };
    let (deprecated, state) = match rng.u8(0..6) {
        0 => (Some(false), "&deprecated=exclude"),
        1 => (Some(true), "&deprecated=only"),
        _ => (None, ""),
    };
    let limit = *rng.choice(&[1, 3, 10, 50]).unwrap();
    let asked = Asked {
        query: &query,
        cultures,
        limit,
        scope,
        deprecated,
    };
    let target = format!(
        "suggest?q={}&limit={limit}&version={version}{culture}{within}{state}",
        escaped(&query)
    );
    let (status, body) = get(lookup, &target).await;
    assert_eq!(
        (status, &body["truncated"]),
        (200, &json!(false)),
        "{asked:?}: {body}"
    );
    let items = body["items"].as_array().unwrap();
    let shown: Vec<_> = items.iter().map(found).collect();
    let expected = answer(terms, &asked);
    let expect: Vec<_> = expected.iter().map(lines).collect();
    assert_eq!(shown, expect, "{asked:?}");
    items.iter().for_each(check_ranges);
    (
        items.len(),
        items.iter().any(|item| item["matched"]["class"] == "typo"),
    )
}

fn lines((id, name, kind, class, culture): &Found) -> String {
    let kind = ["name", "altName", "notation"][usize::from(*kind)];
    format!("{id} {name} {kind} {} {culture}", class.as_str())
}

fn found(item: &Value) -> String {
    let matched = &item["matched"];
    let text = |member: &str| matched[member].as_str().unwrap();
    format!(
        "{} {} {} {} {}",
        item["id"],
        text("name"),
        text("kind"),
        text("class"),
        text("culture")
    )
}

/// Checks that the ranges ascend, do not overlap, and each begin and end at a letter of the name.
fn check_ranges(item: &Value) {
    let matched = &item["matched"];
    let units: Vec<u16> = matched["name"].as_str().unwrap().encode_utf16().collect();
    let ranges: Vec<[usize; 2]> = serde_json::from_value(matched["ranges"].clone()).unwrap();
    assert!(!ranges.is_empty(), "{item}");
    let mut before = 0;
    for [start, end] in ranges {
        assert!(before <= start && start < end && end <= units.len(), "{item}");
        let text = String::from_utf16(&units[start..end]).unwrap();
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        assert!(
            is_letter(text.chars().next()) && is_letter(text.chars().last()),
            "{text} of {item}"
        );
        before = end;
    }
}

#[tokio::test]
async fn random_queries_of_random_files_equal_a_search_of_every_name() {
    let (mut some, mut typos) = (0, 0);
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let world = World::new();
        let files = [file(&mut rng), file(&mut rng)];
        for file in &files {
            world.replace(TENANT, file.to_string().as_bytes()).await;
        }
        let lookup = process(&world);
        for (version, file) in (1..).zip(&files) {
            let terms = terms(file);
            for _ in 0..100 {
                let (hits, has_typos) = compare(&lookup, &mut rng, &terms, version).await;
                some += usize::from(hits > 0);
                typos += usize::from(has_typos);
            }
        }
    }
    assert!(some > 700 && typos > 30, "{some} with hits, {typos} with typos");
}
