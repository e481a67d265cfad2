//! Random names and texts in several scripts: the mentions are those of the reference.

use fastrand::Rng;
use taxonomy_index::search::mention::class;

use crate::mention::gaps::{AND, GAPS, Gap, S, SIGNED, SPACE};
use crate::mention::names::{Found, english, mentions, part};
use crate::mention::reference::{self, Text};
use crate::object::{KINDS, OwnEntry};
use crate::symbols::{SCRIPTS, Symbol};

const CASES: u64 = 1_000;

/// The scripts without the signs, which this reference has between words.
const LETTERS: usize = 11;

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

/// A word of one script, rarely of two.
fn word(rng: &mut Rng, scripts: [usize; 2]) -> Vec<Symbol> {
    match rng.u8(..24) {
        0 => return vec![pick(rng, &SIGNED)],
        1 => return vec![AND[0]],
        _ => {}
    }
    let length = pick(rng, &[1, 1, 2, 2, 3, 4]);
    let letter = |rng: &mut Rng| {
        let script = scripts[usize::from(rng.u8(..6) == 0)];
        pick(rng, &SCRIPTS[script])
    };
    (0..length).map(|_| letter(rng)).collect()
}

fn text(rng: &mut Rng, scripts: [usize; 2], most: usize) -> Text {
    let length = rng.usize(1..=most);
    let words = (0..length).map(|_| (pick(rng, &GAPS), word(rng, scripts)));
    let mut words: Vec<(Gap, Vec<Symbol>)> = words.collect();
    spaced(&mut words);
    Text { words }
}

/// A name as another writer has it.
fn rewritten(rng: &mut Rng, name: &Text, script: usize) -> Text {
    let mut text = name.clone();
    for place in 0..text.words.len() {
        let (gap, letters) = &mut text.words[place];
        let is_signed = SIGNED.contains(&letters[0]);
        match rng.u8(..10) {
            0 => *gap = pick(rng, &GAPS),
            1 if is_signed => *letters = vec![pick(rng, &SIGNED)],
            1 => {
                let at = rng.usize(..letters.len());
                letters[at] = pick(rng, &SCRIPTS[script]);
            }
            2 if !is_signed => letters.push(S),
            3 if letters.len() > 1 => drop(letters.pop_if(|last| *last == S)),
            _ => {}
        }
    }
    // Joined, where anything stands between.
    if rng.u8(..4) == 0 && text.words.len() > 1 {
        let at = rng.usize(1..text.words.len());
        if !SIGNED.contains(&text.words[at - 1].1[0]) {
            let (_, letters) = text.words.remove(at);
            text.words[at - 1].1.extend(letters);
        }
    }
    // The sign for and stands between spaces.
    for at in 0..text.words.len() {
        if text.words[at].1 == [AND[0]] && rng.bool() {
            text.words[at] = (SPACE, vec![AND[1]]);
        }
    }
    spaced(&mut text.words);
    text
}

/// Puts spaces around the signs for and, and before a point behind signs, which would belong to the next word, as in `C#.NET`.
fn spaced(words: &mut [(Gap, Vec<Symbol>)]) {
    for at in 1..words.len() {
        let before = words[at - 1].1.last();
        let is_next_point = words[at].0.0 == "." && before.is_some_and(|letter| SIGNED.contains(letter));
        if words[at].1[0] == AND[1] || before == Some(&AND[1]) || is_next_point {
            words[at].0 = SPACE;
        }
    }
}

fn names(rng: &mut Rng, scripts: [usize; 2]) -> Vec<(OwnEntry, Text)> {
    let count = rng.usize(1..14);
    let name = |rng: &mut Rng| {
        let text = text(rng, scripts, 4);
        let own = OwnEntry {
            kind: pick(rng, &KINDS),
            depth: rng.u8(..8).min(1),
            deprecated: rng.u8(..4) == 0,
            ..OwnEntry::new(rng.u32(..9), &text.written())
        };
        (own, text)
    };
    (0..count).map(|_| name(rng)).collect()
}

/// A text of names, names as others write them, and other words.
fn text_of(rng: &mut Rng, names: &[(OwnEntry, Text)], scripts: [usize; 2]) -> Text {
    let mut words: Vec<(Gap, Vec<Symbol>)> = Vec::new();
    for _ in 0..rng.usize(1..8) {
        let name = &names[rng.usize(..names.len())].1;
        let mut piece = match rng.u8(..5) {
            0 => text(rng, scripts, 2),
            1 | 2 => name.clone(),
            _ => rewritten(rng, name, scripts[0]),
        };
        piece.words[0].0 = pick(rng, &GAPS);
        words.append(&mut piece.words);
    }
    spaced(&mut words);
    Text { words }
}

#[test]
fn mentions_are_those_of_the_reference() {
    let mut found = 0;
    for seed in 0..CASES {
        let mut rng = Rng::with_seed(seed);
        let scripts = [rng.usize(..LETTERS), rng.usize(..LETTERS)];
        let count = rng.usize(1..=2);
        let cultures: Vec<_> = (0..count).map(|_| names(&mut rng, scripts)).collect();
        let all = cultures.concat();
        let text = text_of(&mut rng, &all, scripts);
        let own: Vec<Vec<OwnEntry>> = cultures.iter().map(|names| own(names)).collect();
        let parts: Vec<Vec<u8>> = own.iter().map(|names| part(names)).collect();
        let excluded = rng.u32(..20);
        let with_deprecated = rng.bool();
        let admits = |ordinal, deprecated: bool| ordinal != excluded && (with_deprecated || !deprecated);
        let expect = reference::mentions(&text, &cultures, admits);
        let answered = mentions(&text.written(), &parts, admits);
        assert_eq!(answered, expect, "seed {seed}: {:?} of\n{own:?}", text.written());
        check_classes(&text.written(), &answered, &own);
        found += answered.len();
    }
    assert!(found > CASES as usize, "{found}: the texts mention little");
}

fn own(names: &[(OwnEntry, Text)]) -> Vec<OwnEntry> {
    names.iter().map(|(own, _)| own.clone()).collect()
}

/// Each candidate has a name that the piece of the text has in a class.
fn check_classes(text: &str, mentions: &[Found], cultures: &[Vec<OwnEntry>]) {
    let units: Vec<u16> = text.encode_utf16().collect();
    for (range, candidates) in mentions {
        let piece = String::from_utf16(&units[range.start as usize..range.end as usize]).unwrap();
        for (culture, ordinal) in candidates {
            let mut names = cultures[*culture].iter().filter(|own| own.ordinal == *ordinal);
            let has_name = names.any(|own| class(english(), &piece, &own.name).is_some());
            assert!(has_name, "{piece:?} of {text:?}");
        }
    }
}

/// A text that is a name, however it is written, has it in the class of the reference.
#[test]
fn classes_are_those_of_the_reference() {
    let mut classes = std::collections::BTreeMap::new();
    for seed in 0..2 * CASES {
        let mut rng = Rng::with_seed(seed);
        let script = rng.usize(..LETTERS);
        let name = text(&mut rng, [script; 2], 4);
        let text = rewritten(&mut rng, &name, script);
        let own = OwnEntry::new(0, &name.written());
        let of_name = [vec![(own, name.clone())]];
        let found = reference::mentions(&text, &of_name, |_, _| true);
        let whole = (0..text.written().encode_utf16().count() as u32, vec![(0, 0)]);
        if found == [whole] {
            let expect = reference::class(&text, &name);
            let found = class(english(), &text.written(), &name.written());
            assert_eq!(found, Some(expect), "{text:?} {name:?}");
            *classes.entry(expect).or_insert(0) += 1;
        }
    }
    assert_eq!(classes.len(), 3);
    assert!(classes.values().all(|count| *count > 50), "{classes:?}");
}
