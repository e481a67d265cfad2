//! The tables of folding: letters without a decomposition, marks that are kept, signs, ignored characters, scripts without spaces.

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

/// The digit 0 of the scripts that write numbers with digits of their own.
const ZEROS: [char; 16] = [
    '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}',
    '\u{c66}', '\u{ce6}', '\u{d66}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}',
];

/// Returns the one form of a letter that readers write in two: a digit of any script is that of ASCII, katakana are hiragana.
pub(crate) fn one_form(letter: char) -> char {
    let kana = |code: u32| char::from_u32(code - 0x60);
    let digit = || {
        let zero = ZEROS.iter().rev().find(|zero| **zero <= letter)?;
        char::from_digit(u32::from(letter) - u32::from(*zero), 10)
    };
    let other = match letter {
        '\u{30a1}'..='\u{30f6}' => kana(letter.into()),
        '\u{660}'..='\u{1049}' => digit(),
        _ => None,
    };
    other.unwrap_or(letter)
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
        'ґ' => "г",
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

/// Returns the ASCII form of a full-width character, any other as it is.
fn half_width(character: char) -> char {
    let ascii = u32::from(character).wrapping_sub(0xfee0);
    char::from_u32(ascii)
        .filter(char::is_ascii_graphic)
        .unwrap_or(character)
}

/// Returns a sign that distinguishes words, as in `C++`, `C#` and `$100`.
pub(crate) fn sign(character: char) -> Option<char> {
    let sign = half_width(character);
    let distinguishes =
        matches!(sign, '+' | '#' | '@' | '%' | '&' | '$' | '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20cf}');
    distinguishes.then_some(sign)
}

/// Returns the joint that a character is, if it stands alone between two words: they may be written without it. Hyphens, apostrophes and middle dots
/// have one form each.
pub(crate) fn joint(character: char) -> Option<char> {
    Some(match half_width(character) {
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\'' | '`' | '\u{b4}' | '\u{2bc}' | '\u{2018}' | '\u{2019}' => '\'',
        '\u{b7}' | '\u{30fb}' | '\u{ff65}' | '\u{2022}' => '\u{b7}',
        joint @ ('.' | '_' | '/' | '&' | '+' | '@') => joint,
        _ => return None,
    })
}

/// Returns the form of a sign that typewriters have: of a quote, an apostrophe or a dash.
pub(crate) fn typewritten(character: char) -> char {
    match character {
        '\u{ab}' | '\u{bb}' | '\u{201c}'..='\u{201f}' => '"',
        _ => joint(character).unwrap_or(character),
    }
}

/// Returns whether a character is a pictograph, such as an emoji.
pub(crate) fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
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
