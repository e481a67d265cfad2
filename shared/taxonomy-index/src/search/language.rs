//! What search knows of languages: the word for *and*, the endings of plurals, and which languages write words together.
//!
//! Words are folded: the tables have no accents, and Korean syllables are taken apart.

use std::fmt;

use taxonomy_keys::Culture;

/// The minimum number of letters of a singular that has a plural.
const MIN_SINGULAR: usize = 3;

/// A language, by its subtag of two or three letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Language([u8; 3]);

impl Language {
    /// Returns the language of a subtag; one without rules for any other text.
    pub fn parse(subtag: &str) -> Self {
        let bytes = subtag.as_bytes();
        let is_subtag = matches!(bytes.len(), 2 | 3) && bytes.iter().all(u8::is_ascii_alphabetic);
        let mut language = [0; 3];
        for (letter, byte) in language.iter_mut().zip(bytes).filter(|_| is_subtag) {
            *letter = byte.to_ascii_lowercase();
        }
        Self(language)
    }

    /// Returns the subtag; empty for a language without rules.
    pub fn subtag(&self) -> &str {
        std::str::from_utf8(&self.0)
            .unwrap_or_default()
            .trim_end_matches('\0')
    }

    /// Returns whether a folded word is the word for *and*.
    pub(crate) fn is_and(self, word: &str) -> bool {
        word == "&" || word == "+" || self.and_words().contains(&word)
    }

    /// Returns the words for *and*.
    pub(crate) fn and_words(self) -> &'static [&'static str] {
        match self.subtag() {
            "en" => &["and"],
            "de" => &["und"],
            "fr" => &["et"],
            "es" => &["y", "e"],
            "it" | "pt" => &["e", "ed"],
            "gl" => &["e"],
            "ca" => &["i"],
            "ro" => &["si"],
            "nl" | "af" => &["en"],
            "sv" => &["och"],
            "da" | "no" | "nb" | "nn" | "is" => &["og"],
            "fi" | "et" => &["ja"],
            "hu" => &["es"],
            "pl" => &["i", "oraz"],
            "cs" | "sk" => &["a", "i"],
            "hr" | "bs" => &["i"],
            "sl" => &["in"],
            "sr" => &["i", "и"],
            "ru" | "bg" | "mk" => &["и"],
            "uk" => &["та", "і", "и"],
            "be" => &["і", "ды"],
            "el" => &["και"],
            "tr" | "az" => &["ve"],
            "lt" => &["ir"],
            "lv" => &["un"],
            "sq" => &["dhe"],
            "eu" => &["eta"],
            "ga" => &["agus"],
            "ar" | "fa" => &["و"],
            "ur" => &["اور"],
            "hi" => &["और", "एवं", "व"],
            "id" | "ms" => &["dan"],
            "vi" => &["va"],
            "ko" => &["\u{1106}\u{1175}\u{11be}"],
            _ => &[],
        }
    }

    /// Returns the signs for *and* of a language that writes without spaces.
    pub(crate) fn and_signs(self) -> &'static [&'static str] {
        match self.subtag() {
            "zh" => &["以及", "和", "与", "與", "及"],
            "ja" => &["及ひ\u{3099}", "と", "や"],
            "th" => &["และ"],
            _ => &[],
        }
    }

    /// Returns the minimum number of letters of a word that is looked for inside others, and of what stands before it; none for a language that
    /// writes few words together. In Arabic and Hebrew the article and *and* stand before.
    pub(crate) fn compounds(self) -> Option<(usize, usize)> {
        match self.subtag() {
            "de" | "nl" | "af" | "sv" | "da" | "no" | "nb" | "nn" | "is" | "fi" | "et" | "hu" | "ko" => {
                Some((4, 2))
            }
            "ar" | "he" | "fa" => Some((3, 1)),
            _ => None,
        }
    }

    /// Returns the other forms that a word may have: its plurals, and what it may be the plural of. A singular has three letters at least.
    pub(crate) fn forms(self, word: &str) -> Vec<String> {
        let is_long = |word: &str| word.chars().nth(MIN_SINGULAR - 1).is_some();
        let singulars = self.endings().iter().filter_map(|(singular, plural)| {
            with_ending(word, plural, singular).filter(|singular| is_long(singular))
        });
        let plurals = self.endings().iter().filter(|_| is_long(word));
        let plurals = plurals.filter_map(|(singular, plural)| with_ending(word, singular, plural));
        let mut forms: Vec<String> = singulars.chain(plurals).collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    /// Returns the number of letters of the longest ending of a singular or a plural.
    pub(crate) fn longest_ending(self) -> usize {
        let endings = self
            .endings()
            .iter()
            .flat_map(|(singular, plural)| [singular, plural]);
        endings.map(|ending| ending.chars().count()).max().unwrap_or(0)
    }

    /// Returns the endings of singular and plural.
    fn endings(self) -> Endings {
        let found = ENDINGS
            .iter()
            .find(|(languages, _)| languages.contains(&self.subtag()));
        found.map_or(&[], |(_, endings)| endings)
    }
}

/// The endings of singular and plural, by the languages that have them.
const ENDINGS: [(&[&str], Endings); 25] = [
    (
        &["en"],
        &[
            ("y", "ies"),
            ("ch", "ches"),
            ("sh", "shes"),
            ("f", "ves"),
            ("fe", "ves"),
            ("o", "oes"),
            ("s", "ses"),
            ("x", "xes"),
            ("z", "zes"),
            ("is", "es"),
            ("man", "men"),
            ("", "s"),
        ],
    ),
    (&["fr"], &[("ail", "aux"), ("al", "aux"), ("", "s"), ("", "x")]),
    (&["es"], &[("z", "ces"), ("", "es"), ("", "s")]),
    (
        &["pt", "gl"],
        &[
            ("ao", "oes"),
            ("ao", "aes"),
            ("al", "ais"),
            ("el", "eis"),
            ("il", "eis"),
            ("ol", "ois"),
            ("il", "is"),
            ("m", "ns"),
            ("", "es"),
            ("", "s"),
        ],
    ),
    (
        &["ca"],
        &[
            ("ca", "ques"),
            ("ga", "gues"),
            ("a", "es"),
            ("", "ns"),
            ("", "os"),
            ("", "s"),
        ],
    ),
    (
        &["it"],
        &[
            ("co", "chi"),
            ("go", "ghi"),
            ("ca", "che"),
            ("ga", "ghe"),
            ("io", "i"),
            ("o", "i"),
            ("e", "i"),
            ("a", "i"),
            ("a", "e"),
        ],
    ),
    (
        &["ro"],
        &[("", "uri"), ("a", "e"), ("", "e"), ("e", "i"), ("", "i")],
    ),
    (
        &["de"],
        &[
            ("", "nen"),
            ("um", "en"),
            ("", "en"),
            ("", "er"),
            ("", "e"),
            ("", "n"),
            ("", "s"),
        ],
    ),
    (&["nl", "af"], &DUTCH),
    (
        &["sv"],
        &[
            ("a", "or"),
            ("e", "ar"),
            ("", "ar"),
            ("", "er"),
            ("", "or"),
            ("", "r"),
            ("", "n"),
        ],
    ),
    (
        &["da", "no", "nb", "nn", "is"],
        &[("", "ar"), ("", "er"), ("", "e"), ("", "r")],
    ),
    (&["fi"], &[("nen", "set"), ("", "t")]),
    (&["et"], &[("", "d")]),
    (&["hu"], &[("", "ok"), ("", "ek"), ("", "ak"), ("", "k")]),
    (
        &["pl"],
        &[
            ("a", "y"),
            ("a", "i"),
            ("o", "a"),
            ("e", "a"),
            ("", "y"),
            ("", "i"),
            ("", "e"),
        ],
    ),
    (
        &["cs", "sk"],
        &[
            ("ek", "ky"),
            ("a", "y"),
            ("o", "a"),
            ("", "y"),
            ("", "i"),
            ("", "e"),
        ],
    ),
    (
        &["hr", "bs", "sl"],
        &[("a", "e"), ("o", "a"), ("", "i"), ("", "e")],
    ),
    (
        &["ru", "be", "bg", "mk", "sr"],
        &[
            ("ок", "ки"),
            ("ец", "цы"),
            ("а", "ы"),
            ("а", "и"),
            ("я", "и"),
            ("ь", "и"),
            ("о", "а"),
            ("е", "я"),
            ("", "ы"),
            ("", "и"),
        ],
    ),
    (
        &["uk"],
        &[
            ("ок", "ки"),
            ("ець", "ці"),
            ("а", "и"),
            ("я", "і"),
            ("ь", "і"),
            ("о", "а"),
            ("", "и"),
            ("", "і"),
        ],
    ),
    (
        &["el"],
        &[
            ("μα", "ματα"),
            ("οσ", "οι"),
            ("ασ", "εσ"),
            ("ησ", "εσ"),
            ("α", "εσ"),
            ("η", "εσ"),
            ("ο", "α"),
            ("ι", "ια"),
        ],
    ),
    (&["tr", "az"], &[("", "lar"), ("", "ler")]),
    (&["ar"], &[("ة", "ات"), ("", "ات"), ("", "ين"), ("", "ون")]),
    (&["he"], &[("ה", "ות"), ("", "ות"), ("", "ים")]),
    (&["hi"], &[("ा", "े"), ("", "ें"), ("", "ों")]),
    (
        &["ko"],
        &[
            ("", "\u{1103}\u{1173}\u{11af}"),
            ("", "\u{1100}\u{116a}"),
            ("", "\u{110b}\u{116a}"),
        ],
    ),
];

/// Pairs of endings: of a singular, and of its plural.
type Endings = &'static [(&'static str, &'static str)];

/// A vowel in an open syllable is written once, and a consonant after a short vowel twice.
const DUTCH: [(&str, &str); 35] = [
    ("heid", "heden"),
    ("b", "bben"),
    ("d", "dden"),
    ("f", "ffen"),
    ("g", "ggen"),
    ("k", "kken"),
    ("l", "llen"),
    ("m", "mmen"),
    ("n", "nnen"),
    ("p", "ppen"),
    ("r", "rren"),
    ("s", "ssen"),
    ("t", "tten"),
    ("aad", "aden"),
    ("aag", "agen"),
    ("aak", "aken"),
    ("aal", "alen"),
    ("aan", "anen"),
    ("aar", "aren"),
    ("aat", "aten"),
    ("eek", "eken"),
    ("een", "enen"),
    ("ees", "ezen"),
    ("oom", "omen"),
    ("oon", "onen"),
    ("oop", "open"),
    ("oor", "oren"),
    ("oot", "oten"),
    ("uur", "uren"),
    ("f", "ven"),
    ("s", "zen"),
    ("", "en"),
    ("", "n"),
    ("", "s"),
    ("e", "es"),
];

fn with_ending(word: &str, ending: &str, other: &str) -> Option<String> {
    Some(format!("{}{other}", word.strip_suffix(ending)?))
}

impl From<&Culture> for Language {
    fn from(culture: &Culture) -> Self {
        Self::parse(culture.as_str().split('-').next().unwrap_or_default())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.subtag())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fold::Text;

    #[test]
    fn tables_are_folded() {
        let subtags = (b'a'..=b'z').flat_map(|a| (b'a'..=b'z').map(move |b| [a, b]));
        for subtag in subtags {
            let language = Language::parse(std::str::from_utf8(&subtag).unwrap());
            let endings = language.endings().iter().flat_map(|(a, b)| [*a, *b]);
            let words = language.and_words().iter().chain(language.and_signs()).copied();
            for text in endings.chain(words) {
                let folded = Text::fold(text);
                assert_eq!(folded.folded(0..folded.letters.len()), text, "{language}");
            }
        }
    }

    /// The forms themselves: `tests/search/typed.rs`, in many languages.
    #[test]
    fn a_singular_has_three_letters() {
        let english = Language::parse("en");
        assert_eq!(english.forms("cat"), ["cats"]);
        assert!(!english.forms("is").contains(&"i".to_owned()));
        assert!(english.forms("tv").is_empty());
        assert!(Language::parse("zh").forms("abc").is_empty());
    }
}
