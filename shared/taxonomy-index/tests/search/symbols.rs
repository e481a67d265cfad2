//! Letters and signs of many scripts with what folding makes of them, written down by hand: the reference knows no other folding.

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

const fn plain(written: &'static str, folded: &'static str) -> Symbol {
    marked(written, folded, folded)
}

const fn marked(written: &'static str, folded: &'static str, surface: &'static str) -> Symbol {
    Symbol {
        written,
        folded,
        surface,
        literal: surface,
        sort: Sort::Letter,
    }
}

const fn unspaced(written: &'static str) -> Symbol {
    Symbol {
        sort: Sort::Unspaced,
        ..plain(written, written)
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

/// Divides words.
pub(crate) const GAP: Symbol = of(Sort::Gap, " ", " ");

/// One script each: a name mixes few of them.
pub(crate) const SCRIPTS: [&[Symbol]; 12] = [
    // Latin.
    &[
        plain("a", "a"),
        plain("A", "a"),
        plain("e", "e"),
        plain("s", "s"),
        plain("t", "t"),
        plain("n", "n"),
        marked("é", "e", "´e"),
        marked("É", "e", "´e"),
        marked("e\u{301}", "e", "´e"),
        marked("ê", "e", "^e"),
        marked("ệ", "e", ".^e"),
        marked("ẹ", "e", ".e"),
        plain("ß", "ss"),
        plain("ﬁ", "fi"),
        marked("ø", "o", "ø"),
        plain("o", "o"),
        marked("æ", "ae", "æ"),
        plain("Ａ", "a"),
        plain("1", "1"),
        plain("2", "2"),
        marked("e\u{302}\u{323}", "e", ".^e"),
    ],
    // The same few letters, so that typos meet.
    &[plain("a", "a"), plain("b", "b"), plain("c", "c"), plain("d", "d")],
    // Greek.
    &[
        plain("α", "α"),
        plain("Α", "α"),
        marked("ά", "α", "´α"),
        plain("σ", "σ"),
        plain("ς", "σ"),
        plain("Σ", "σ"),
    ],
    // Cyrillic.
    &[
        plain("и", "и"),
        marked("й", "и", "´и"),
        plain("ж", "ж"),
        plain("Ж", "ж"),
        plain("щ", "щ"),
    ],
    // Arabic.
    &[
        plain("ا", "ا"),
        marked("أ", "ا", "´ا"),
        plain("ب", "ب"),
        marked("بَ", "ب", "^ب"),
        plain("بـ", "ب"),
        Symbol {
            literal: "٣",
            ..plain("٣", "3")
        },
        plain("3", "3"),
    ],
    // Hebrew.
    &[
        plain("ש", "ש"),
        marked("שׁ", "ש", "´ש"),
        plain("ל", "ל"),
        plain("ם", "ם"),
    ],
    // Devanagari.
    &[
        plain("क", "क"),
        plain("ह", "ह"),
        plain("ि", "ि"),
        plain("न्", "न्"),
        plain("द", "द"),
    ],
    // Thai.
    &[
        unspaced("ท"),
        unspaced("เ"),
        unspaced("ย"),
        marked_thai(),
        unspaced("ร"),
    ],
    // Chinese.
    &[unspaced("手"), unspaced("机"), unspaced("壳"), unspaced("电")],
    // Japanese.
    &[
        unspaced("か"),
        unspaced("さ"),
        Symbol {
            written: "カ",
            literal: "カ",
            ..unspaced("か")
        },
        unspaced("日"),
        Symbol {
            written: "ｻ",
            literal: "サ",
            ..unspaced("さ")
        },
    ],
    // Korean.
    &[
        plain("한", "\u{1112}\u{1161}\u{11ab}"),
        plain("하", "\u{1112}\u{1161}"),
        plain("국", "\u{1100}\u{116e}\u{11a8}"),
    ],
    // Punctuation, signs, pictographs, the word for and.
    &[
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
    ],
];

const fn marked_thai() -> Symbol {
    Symbol {
        written: "ก้",
        folded: "ก",
        surface: "´ก",
        literal: "´ก",
        sort: Sort::Unspaced,
    }
}

/// Symbols of one or two scripts with gaps and signs between them.
pub(crate) fn texts(most: usize) -> impl Strategy<Value = Vec<Symbol>> {
    let script = prop_oneof![3 => Just(0usize), 4 => Just(1usize), 5 => 0..SCRIPTS.len()];
    (script.clone(), script, 1..=most).prop_flat_map(|(first, second, length)| {
        let of = |script: usize| prop::sample::select(SCRIPTS[script]);
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
