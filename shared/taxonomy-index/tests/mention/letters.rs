//! Letters, signs and gaps, whose folding and meaning are written down by hand.

/// A letter as it is written, its folded letters, its letters with their marks and signs, and the signs that touch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) written: &'static str,
    pub(crate) folded: &'static str,
    pub(crate) surface: &'static str,
    /// Its case-folded character, where that is not its surface.
    pub(crate) literal: Option<&'static str>,
    pub(crate) signs: &'static str,
    pub(crate) is_capital: bool,
    /// Each such letter is a word.
    pub(crate) is_single: bool,
}

/// What stands between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    Nothing,
    /// One sign, in its usual form, that may be left out.
    Sign(char),
    Space,
    /// The end of something.
    End,
}

/// A gap as it is written, in its usual form, and its meaning.
pub(crate) type Gap = (&'static str, &'static str, Between);

const fn small(written: &'static str, folded: &'static str) -> Letter {
    Letter {
        written,
        folded,
        surface: folded,
        literal: None,
        signs: "",
        is_capital: false,
        is_single: false,
    }
}

const fn capital(written: &'static str, folded: &'static str) -> Letter {
    Letter {
        is_capital: true,
        ..small(written, folded)
    }
}

const fn marked(surface: &'static str, letter: Letter) -> Letter {
    Letter { surface, ..letter }
}

const fn single(written: &'static str) -> Letter {
    Letter {
        is_single: true,
        ..small(written, written)
    }
}

/// A letter that has another form.
const fn other(literal: &'static str, written: &'static str, letter: Letter) -> Letter {
    Letter {
        written,
        literal: Some(literal),
        ..letter
    }
}

pub(crate) const S: Letter = small("s", "s");

/// Words with signs.
pub(crate) const SIGNED: [Letter; 5] = [
    Letter {
        signs: "++",
        surface: "c++",
        ..capital("C++", "c")
    },
    Letter {
        signs: "++",
        surface: "c++",
        ..small("c++", "c")
    },
    Letter {
        signs: "#",
        surface: "c#",
        ..capital("C#", "c")
    },
    capital("C", "c"),
    small("c", "c"),
];

/// The word for *and*, of which the second form stands between spaces.
pub(crate) const AND: [Letter; 2] = [small("and", "and"), small("&", "&")];

pub(crate) const SCRIPTS: [&[Letter]; 7] = [
    &[
        small("a", "a"),
        capital("A", "a"),
        small("b", "b"),
        capital("B", "b"),
        small("1", "1"),
        other("١", "١", small("1", "1")),
    ],
    &[
        small("a", "a"),
        marked("´a", small("á", "a")),
        marked("´a", capital("Á", "a")),
        marked("´a", small("a\u{301}", "a")),
        small("ß", "ss"),
        S,
        marked("ø", small("ø", "o")),
        small("ﬁ", "fi"),
    ],
    &[
        small("ж", "ж"),
        capital("Ж", "ж"),
        small("и", "и"),
        marked("´и", small("й", "и")),
    ],
    &[
        small("α", "α"),
        capital("Α", "α"),
        small("σ", "σ"),
        small("ς", "σ"),
    ],
    &[single("手"), single("机"), single("壳")],
    &[
        single("か"),
        other("カ", "カ", single("か")),
        other("カ", "ｶ", single("か")),
        single("さ"),
        small("a", "a"),
        capital("A", "a"),
    ],
    &[
        small("한", "\u{1112}\u{1161}\u{11ab}"),
        small("하", "\u{1112}\u{1161}"),
        small("국", "\u{1100}\u{116e}\u{11a8}"),
    ],
];

pub(crate) const SPACE: Gap = (" ", " ", Between::Space);

pub(crate) const GAPS: [Gap; 24] = [
    SPACE,
    SPACE,
    SPACE,
    ("\u{a0}", " ", Between::Space),
    ("\n", " ", Between::Space),
    (" (", " (", Between::Space),
    (") ", ") ", Between::Space),
    (" “", " \"", Between::Space),
    (" / ", " / ", Between::Space),
    ("-", "-", Between::Sign('-')),
    ("\u{2011}", "-", Between::Sign('-')),
    ("'", "'", Between::Sign('\'')),
    ("’", "'", Between::Sign('\'')),
    (".", ".", Between::Sign('.')),
    ("/", "/", Between::Sign('/')),
    ("・", "·", Between::Sign('·')),
    (",", ",", Between::End),
    (", ", ", ", Between::End),
    (". ", ". ", Between::End),
    (": ", ": ", Between::End),
    (" - ", " - ", Between::End),
    ("\n\n", " ", Between::End),
    ("\n* ", " * ", Between::End),
    ("、", "、", Between::End),
];

/// The endings of singular and plural in English.
const ENDINGS: [(&str, &str); 12] = [
    ("", "s"),
    ("y", "ies"),
    ("s", "ses"),
    ("x", "xes"),
    ("z", "zes"),
    ("ch", "ches"),
    ("sh", "shes"),
    ("o", "oes"),
    ("f", "ves"),
    ("fe", "ves"),
    ("is", "es"),
    ("man", "men"),
];

/// Whether one word is the plural of the other.
pub(crate) fn is_plural(singular: &str, plural: &str) -> bool {
    let is_word = singular.chars().count() >= 3 && singular.chars().all(char::is_alphabetic);
    is_word
        && ENDINGS.iter().any(|(one, many)| {
            let stem = singular.strip_suffix(one);
            stem.is_some_and(|stem| [stem, many].concat() == plural)
        })
}
