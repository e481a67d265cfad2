//! The tables of folding: letters without a decomposition, marks that are kept, ignored characters, scripts without spaces.

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;

const COMBINING: CanonicalCombiningClassMapBorrowed<'static> = CanonicalCombiningClassMapBorrowed::new();

/// Returns the canonical combining class; 0 for a character that is not a combining mark.
pub(crate) fn combining_class(character: char) -> u8 {
    COMBINING.get_u8(character)
}

/// Returns whether a mark of this class makes another letter and is kept: nukta (7), kana voicing (8), virama (9).
pub(crate) fn stays(class: u8) -> bool {
    matches!(class, 7..=9)
}

/// Returns the plain letters of a case-folded one that has no decomposition.
pub(crate) fn plain_letters(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' | 'ǽ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ŋ' => "ng",
        'ĳ' => "ij",
        'ø' => "o",
        'ł' | 'ƚ' | 'ɫ' => "l",
        'đ' | 'ð' | 'ɖ' | 'ɗ' => "d",
        'ħ' => "h",
        'ı' | 'ɨ' => "i",
        'ŧ' | 'ƭ' => "t",
        'ƀ' | 'ɓ' => "b",
        'ƈ' => "c",
        'ǥ' | 'ɠ' => "g",
        'ƙ' | 'ĸ' => "k",
        'ɲ' | 'ɴ' => "n",
        'ƥ' => "p",
        'ƶ' => "z",
        'ƴ' => "y",
        'ə' | 'ɛ' | 'ǝ' => "e",
        'ɔ' | 'ɵ' => "o",
        // Persian and Arabic keyboards write one letter in two ways.
        'ک' => "ك",
        'ی' | 'ى' => "ي",
        _ => return None,
    })
}

/// Returns whether a character inside a word is ignored: soft hyphens, joiners, variation selectors, tatweel, Thai and Lao
/// tone marks.
pub(crate) fn vanishes(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{640}' | '\u{e47}' | '\u{e4c}'..='\u{e4e}' | '\u{ecc}' | '\u{ecd}' | '\u{180b}'..='\u{180f}'
        | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns whether a letter belongs to a script that writes words without spaces, so that every character starts a word.
pub(crate) fn is_unspaced(letter: char) -> bool {
    !letter.is_ascii()
        && matches!(letter,
        // Thai and Lao, Myanmar, Khmer.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{1780}'..='\u{17ff}'
        // Iteration marks, kana, bopomofo, ideographs.
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}
