//! The tag of a name, by which blocks are known.

use icu_normalizer::ComposingNormalizerBorrowed;

/// The languages in whose tags accents do not count.
const WITHOUT_ACCENTS: [&str; 8] = ["ca", "en", "es", "fr", "it", "nl", "pt", "sk"];
/// Letters without their accents; others keep theirs.
const PLAIN: [(&str, &str); 13] = [
    ("àáâãäå", "a"),
    ("ç", "c"),
    ("èéêë", "e"),
    ("ìíîï", "i"),
    ("ñ", "n"),
    ("òóôõö", "o"),
    ("ùúûü", "u"),
    ("ýÿ", "y"),
    ("œ", "oe"),
    ("æ", "ae"),
    ("ß", "ss"),
    ("ẞ", "ss"),
    ("Œ", "oe"),
];
/// The characters that separate the words of a tag, beside white space and control characters.
const SEPARATORS: &str =
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼⅓½⅔¾¿×ˆ˜–—‘’‚“”„†‡•…‰‹›€™\u{200b}";

/// The tag of a name, as `get_string_id_for_lang` of Product Opener makes it.
pub(super) fn tag_of(language: &str, name: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(name);
    let mut lower = without_brackets(&composed).to_lowercase();
    for entity in ["&quot;", "&lt;", "&gt;"] {
        lower = lower.replace(entity, "-");
    }
    let mut words = String::new();
    let is_plain = WITHOUT_ACCENTS.contains(&language);
    for c in lower.chars() {
        let plain = PLAIN.iter().find(|(letters, _)| is_plain && letters.contains(c));
        if let Some((_, plain)) = plain {
            words.push_str(plain);
        } else if c.is_whitespace() || c.is_control() || SEPARATORS.contains(c) {
            words.push('-');
        } else {
            words.push(c);
        }
    }
    let words = words.split('-').filter(|word| !word.is_empty());
    format!("{language}:{}", words.collect::<Vec<_>>().join("-"))
}

/// A name without the brackets of Roman numerals: `E101(ii)`.
fn without_brackets(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('(') {
        let numeral = behind.split_once(')').filter(|(inside, _)| {
            !inside.is_empty()
                && inside
                    .chars()
                    .all(|c| matches!(c.to_ascii_lowercase(), 'i' | 'v' | 'x'))
        });
        plain.push_str(before);
        rest = match numeral {
            Some((inside, after)) => {
                plain.push_str(inside);
                after
            }
            None => {
                plain.push('(');
                behind
            }
        };
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_lower_case_with_hyphens() {
        for (language, name, expect) in [
            ("en", "Fresh fruits & vegetables", "en:fresh-fruits-vegetables"),
            ("fr", "Pâtes à l’œuf", "fr:pates-a-l-oeuf"),
            ("fr", "Vitæ, STRASSE ẞ", "fr:vitae-strasse-ss"),
            ("de", "Äpfel", "de:äpfel"),
            ("de", "A\u{308}pfel, Straße", "de:äpfel-straße"),
            ("sk", "Šunka dusená", "sk:šunka-dusena"),
            ("en", "E101(ii), (a) (x)", "en:e101ii-a-x"),
            ("en", "a.b &quot;c&quot; ½ d", "en:a-b-c-d"),
            ("ja", "ソース、パン　粉", "ja:ソース、パン-粉"),
            ("en", "100% juice", "en:100-juice"),
            ("en", "!!", "en:"),
        ] {
            assert_eq!(tag_of(language, name), expect, "{name}");
        }
    }
}
