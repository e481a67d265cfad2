//! What readers see of a text: two texts may look alike and differ.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use icu_normalizer::ComposingNormalizerBorrowed;

/// Whether readers do not see a character: zero-width and bidirectional format characters, soft hyphens, fillers, separators of lines and paragraphs.
///
/// Joiners and variation selectors are none of them, since they change how their neighbours look.
pub const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}')
}

/// Whether readers see nothing of a text: it is empty, or of spaces and invisible characters alone.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
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

/// A text as readers know it again: in any case, with any spaces between its words and none around them. Texts that look alike are equal.
#[derive(Debug)]
pub struct Looks(String);

impl Looks {
    /// Returns how a text looks.
    pub fn new(text: &str) -> Self {
        Self(appearance(text).to_lowercase())
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }
}

impl PartialEq for Looks {
    fn eq(&self, other: &Self) -> bool {
        self.words().eq(other.words())
    }
}

impl Eq for Looks {}

impl Hash for Looks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().for_each(|word| word.hash(state));
    }
}
