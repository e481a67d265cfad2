//! Letters and signs of many scripts with what folding makes of them, written down by hand: the reference knows no other folding.

use std::sync::LazyLock;

use proptest::prelude::*;

/// A letter as it is written, its folded letters, and its surface: the same for two letters exactly where their marks agree.
/// A mark is written before its letter, as a character that no word holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) written: &'static str,
    pub(crate) folded: &'static str,
    pub(crate) surface: &'static str,
    /// What whole names are compared by: the surface, but for letters that have two forms.
    pub(crate) literal: &'static str,
    pub(crate) sort: Sort,
}

/// What a symbol is to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Letter,
    /// A letter of a script without spaces.
    Unspaced,
    /// Stands between words.
    Gap,
    /// Stands between words, and joins two that it alone divides.
    Joint,
    /// Belongs to the word that it touches.
    Sign,
    Picture,
}

pub(crate) const fn plain(written: &'static str, folded: &'static str) -> Symbol {
    marked(written, folded, folded)
}

pub(crate) const fn marked(written: &'static str, folded: &'static str, surface: &'static str) -> Symbol {
    Symbol {
        written,
        folded,
        surface,
        literal: surface,
        sort: Sort::Letter,
    }
}

const fn of(sort: Sort, written: &'static str, surface: &'static str) -> Symbol {
    Symbol {
        written,
        folded: surface,
        surface,
        literal: surface,
        sort,
    }
}

impl Symbol {
    pub(crate) fn is_unspaced(&self) -> bool {
        self.sort == Sort::Unspaced
    }

    pub(crate) fn is_capital(&self) -> bool {
        self.written.starts_with(char::is_uppercase)
    }

    /// The signs that a word of one symbol has behind its letter.
    pub(crate) fn signs(&self) -> &'static str {
        self.surface.strip_prefix(self.folded).unwrap_or_default()
    }
}

/// Divides words.
pub(crate) const GAP: Symbol = of(Sort::Gap, " ", " ");

/// Letters of one script each, since a name mixes few of them: as it is written, folded, with its marks, and with its form. What is left out is
/// as the one before.
const LETTERS: [&str; 11] = [
    // Latin.
    "a A=a e s t n é=e=´e É=e=´e e\u{301}=e=´e ê=e=^e ệ=e=!^e ẹ=e=!e ß=ss ﬁ=fi ø=o=ø o æ=ae=æ Ａ=a 1 2 e\u{302}\u{323}=e=!^e",
    // The same few letters, so that typos meet.
    "a b c d",
    // Greek.
    "α Α=α ά=α=´α σ ς=σ Σ=σ",
    // Cyrillic.
    "и й=и=´и ж Ж=ж щ",
    // Arabic.
    "ا أ=ا=´ا ب بَ=ب=^ب بـ=ب ٣=3=3=٣ 3",
    // Hebrew.
    "ש שׁ=ש=´ש ל ם",
    // Devanagari.
    "क ह ि न् द",
    // Thai.
    "ท เ ย ก้=ก=´ก ร",
    // Chinese.
    "手 机 壳 电",
    // Japanese.
    "か さ カ=か=か=カ 日 ｻ=さ=さ=サ",
    // Korean.
    "한=\u{1112}\u{1161}\u{11ab} 하=\u{1112}\u{1161} 국=\u{1100}\u{116e}\u{11a8}",
];

/// Punctuation, signs, pictographs, the word for and.
const SIGNS: [Symbol; 14] = [
    of(Sort::Joint, "-", "-"),
    of(Sort::Joint, "–", "-"),
    of(Sort::Joint, ".", "."),
    of(Sort::Joint, "/", "/"),
    of(Sort::Joint, "’", "'"),
    of(Sort::Gap, ",", ","),
    of(Sort::Sign, "+", "+"),
    of(Sort::Sign, "#", "#"),
    of(Sort::Sign, "&", "&"),
    of(Sort::Sign, "＆", "&"),
    of(Sort::Picture, "😀", "😀"),
    of(Sort::Picture, "👩\u{200d}👧", "👩👧"),
    plain("and", "and"),
    plain("AND", "and"),
];

/// The scripts of words without spaces between them.
const UNSPACED: std::ops::Range<usize> = 7..10;

/// The letters of each script, and behind them the signs.
pub(crate) static SCRIPTS: LazyLock<Vec<Vec<Symbol>>> = LazyLock::new(|| {
    let scripts = LETTERS.iter().enumerate().map(|(script, letters)| {
        let is_unspaced = UNSPACED.contains(&script);
        let sort = if is_unspaced { Sort::Unspaced } else { Sort::Letter };
        let letters = letters.split(' ').map(symbol);
        letters.map(|letter| Symbol { sort, ..letter }).collect()
    });
    scripts.chain([SIGNS.to_vec()]).collect()
});

fn symbol(letter: &'static str) -> Symbol {
    let mut parts = letter.split('=');
    let written = parts.next().unwrap();
    let folded = parts.next().unwrap_or(written);
    let surface = parts.next().unwrap_or(folded);
    Symbol {
        literal: parts.next().unwrap_or(surface),
        ..marked(written, folded, surface)
    }
}

/// Symbols of one or two scripts with gaps and signs between them.
pub(crate) fn texts(most: usize) -> impl Strategy<Value = Vec<Symbol>> {
    let script = prop_oneof![3 => Just(0usize), 4 => Just(1usize), 5 => 0..SCRIPTS.len()];
    (script.clone(), script, 1..=most).prop_flat_map(|(first, second, length)| {
        let of = |script: usize| prop::sample::select(SCRIPTS[script].as_slice());
        let symbol =
            prop_oneof![16 => of(first), 4 => of(second), 4 => Just(GAP), 2 => of(SCRIPTS.len() - 1)];
        prop::collection::vec(symbol, 1..=length)
    })
}

/// The text that symbols are.
pub(crate) fn written(symbols: &[Symbol]) -> String {
    symbols.iter().map(|symbol| symbol.written).collect()
}

pub(crate) fn folded(symbols: &[Symbol]) -> String {
    symbols.iter().map(|symbol| symbol.folded).collect()
}
