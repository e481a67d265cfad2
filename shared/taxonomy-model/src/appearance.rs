//! What readers see of a text: two texts may look alike and differ.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Whether readers do not see a character: zero-width and bidirectional format characters, soft hyphens, fillers, separators of lines and paragraphs.
///
/// Joiners and variation selectors are none of them, since they change how their neighbours look.
pub const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}')
}

/// Returns a text as readers see it: composed (NFC), and without invisible characters. Two texts of one appearance look alike.
pub fn appearance(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let normalizer = ComposingNormalizerBorrowed::new_nfc();
    match text.contains(is_invisible) {
        true => normalizer
            .normalize(&text.replace(is_invisible, ""))
            .into_owned()
            .into(),
        false => normalizer.normalize(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_have_one_appearance() {
        for (text, looks) in [
            ("Café", "Café"),
            ("Cafe\u{301}", "Café"),
            ("Ca\u{200b}fé\u{feff}", "Café"),
            ("Cafe\u{200b}\u{301}", "Café"),
            ("\u{202e}abc\u{202c}", "abc"),
            ("plain", "plain"),
            ("e\u{200d}\u{301}", "e\u{200d}\u{301}"),
        ] {
            assert_eq!(appearance(text), looks, "{}", text.escape_unicode());
        }
    }
}
