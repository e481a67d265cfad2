//! What stands between the words of a text, and words with signs: their meaning is written down by hand.

use crate::symbols::{Symbol, marked, plain};

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

pub(crate) const S: Symbol = plain("s", "s");

/// Words with signs.
pub(crate) const SIGNED: [Symbol; 5] = [
    marked("C++", "c", "c++"),
    marked("c++", "c", "c++"),
    marked("C#", "c", "c#"),
    plain("C", "c"),
    plain("c", "c"),
];

/// The word for *and*, of which the second form stands between spaces.
pub(crate) const AND: [Symbol; 2] = [plain("and", "and"), plain("&", "&")];

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
