//! The collations of `data/` beside those of `icu_collator` with everything compiled in.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::{CollationNumericOrdering, CollationType};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;
use taxonomy_collation::Collation;
use taxonomy_keys::Culture;

/// Languages, scripts, and regions that imply them.
const LIKELY: &str = include_str!("../../taxonomy-keys/src/subtags/likely.txt");

fn icu(culture: &Culture) -> CollatorBorrowed<'static> {
    let locale: Locale = culture.as_str().parse().unwrap();
    let is_korean = locale.id.language.as_str() == "ko";
    let mut preferences = CollatorPreferences::from(locale);
    preferences.numeric_ordering = Some(CollationNumericOrdering::True);
    // Hanja are not sorted by their readings.
    preferences.collation_type = is_korean.then_some(CollationType::Unihan);
    Collator::try_new(preferences, CollatorOptions::default()).unwrap()
}

/// Every language alone, with each of its scripts, and with regions.
fn cultures() -> Vec<Culture> {
    let rows = LIKELY.lines().flat_map(|row| {
        let row: Vec<&str> = row.split(' ').collect();
        let (language, script) = (row[0], row[1]);
        let regions = [&row[2..], &["AF", "CA", "US"]].concat().into_iter();
        let of_region = move |region| {
            [
                format!("{language}-{region}"),
                format!("{language}-{script}-{region}"),
            ]
        };
        let tags = regions.flat_map(of_region);
        tags.chain([language.to_owned(), format!("{language}-{script}")])
    });
    let further = "und en-US-posix ff-Adlm bs-Cyrl lzh hak nb mul zxx de-AT-1996".split(' ');
    let tags = rows.chain(further.map(String::from));
    let mut cultures: Vec<Culture> = tags.map(|tag| tag.parse().unwrap()).collect();
    cultures.sort();
    cultures.dedup();
    cultures
}

/// Letters of all scripts, alone and between others, and numbers, which are numbers in every language.
fn texts(step: usize) -> Vec<String> {
    let letters = ('a'..='\u{2fff}').filter(|letter| letter.is_alphanumeric());
    let (han, hangul) = ('\u{3040}'..='\u{9fff}', '\u{ac00}'..='\u{d7a3}');
    let han = han.step_by(37).chain(hangul.step_by(401));
    let alone = letters.chain(han).step_by(step).map(String::from);
    let more = "10|9|Fig 0|Fig 99|Fig 100|Fig 12345678901234567890|Fig 12345678901234567891|ch|Ch|cs|dž|lj|ll|aa|côte|coté|i\u{307}\u{301}|ค\u{e32}|เก|co-op|A B".split('|');
    alone.chain(more.map(String::from)).collect()
}

fn compare(culture: &Culture, texts: &[String]) {
    let (own, icu) = (Collation::of_culture(culture), icu(culture));
    for text in texts {
        let mut expect = Vec::new();
        let Ok(()) = icu.write_sort_key_to(text, &mut expect);
        assert_eq!(own.key(text), expect, "{culture}: {text}");
    }
}

#[test]
fn every_culture_has_the_keys_of_icu() {
    let texts = texts(41);
    let mut cultures = cultures();
    cultures.retain(|culture| !culture.as_str().ends_with("posix"));
    assert!(cultures.len() > 1_000, "{}", cultures.len());
    cultures.iter().for_each(|culture| compare(culture, &texts));
}

/// All letters of the first plane but Han and Hangul, of which every 37th and 401st.
#[test]
fn languages_have_the_keys_of_icu_for_all_letters() {
    let texts = texts(1);
    for culture in "en sv da fr-CA lt vi th my ja ko zh zh-TW ar hr".split(' ') {
        compare(&culture.parse().unwrap(), &texts);
    }
}

/// The other collations of a language are not there, and an old code is the language that it names.
#[test]
fn other_collations_of_a_language_are_its_usual_one() {
    for (tag, usual) in [
        ("de-u-co-phonebk", "de"),
        ("zh-u-co-stroke", "zh"),
        ("en-US-posix", "en"),
        ("iw", "he"),
    ] {
        let [asked, usual] = [tag, usual].map(|tag| Collation::of_culture(&tag.parse().unwrap()));
        for text in texts(41) {
            assert_eq!(asked.key(&text), usual.key(&text), "{tag}");
        }
    }
}
