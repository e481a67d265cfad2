//! What is written here of CLDR, compared with the data of `icu_locale`. `UPDATE_LIKELY=1` writes the rows of likely subtags.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use icu_locale::fallback::{LocaleFallbackConfig, LocaleFallbacker};
use icu_locale::{DataLocale, LanguageIdentifier, LocaleCanonicalizer, LocaleExpander};

use super::*;

/// Returns every text of letters of a length.
fn words(letters: std::ops::RangeInclusive<char>, length: u32) -> Vec<String> {
    (0..length).fold(vec![String::new()], |words, _| {
        let letters = || letters.clone();
        let longer = |word: String| letters().map(move |letter| format!("{word}{letter}"));
        words.into_iter().flat_map(longer).collect()
    })
}

/// Returns script and region of a tag; none where CLDR does not know its language.
fn likely(expander: &LocaleExpander, tag: &str) -> Option<(String, String)> {
    let mut id: LanguageIdentifier = tag.parse().ok()?;
    expander.maximize(&mut id);
    Some((id.script?.to_string(), id.region?.to_string()))
}

fn regions() -> Vec<String> {
    let numbers = (1..1000).map(|number| format!("{number:03}"));
    let letters = words('A'..='Z', 2).into_iter();
    letters
        .filter(|region| current_region(region) == region)
        .chain(numbers)
        .collect()
}

/// Returns all languages with two letters, and those with three that CLDR covers, or that are read as another one.
fn languages() -> Vec<String> {
    let covered = LocaleExpander::new_common();
    let is_alike = |language: &str| READ_ALIKE.iter().any(|[from, ..]| *from == language);
    let three = words('a'..='z', 3).into_iter();
    let three = three.filter(|language| likely(&covered, language).is_some() || is_alike(language));
    let mut all: Vec<String> = words('a'..='z', 2).into_iter().chain(three).collect();
    all.retain(|language| current_language(language) == (language, None));
    all.sort_unstable();
    all
}

/// Returns the rows of a language, as CLDR has them.
fn rows_of(expander: &LocaleExpander, language: &str) -> Option<String> {
    let (script, region) = likely(expander, language)?;
    let mut implied: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for region in regions() {
        let (other, _) = likely(expander, &format!("{language}-{region}"))?;
        if other != script {
            implied.entry(other).or_default().insert(region);
        }
    }
    let mut rows = format!("{language} {script} {region}\n");
    for (script, regions) in implied {
        let (_, usual) = likely(expander, &format!("{language}-{script}"))?;
        write!(rows, "{language} {script} {usual}").unwrap();
        for region in regions {
            write!(rows, " {region}").unwrap();
        }
        rows.push('\n');
    }
    Some(rows)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a person asks for new rows")]
fn rows_are_the_likely_subtags_of_cldr() {
    let expander = LocaleExpander::new_extended();
    let languages = languages();
    let rows = languages
        .iter()
        .filter_map(|language| rows_of(&expander, language));
    let expect: String = rows.collect();
    if std::env::var_os("UPDATE_LIKELY").is_some() {
        std::fs::write("src/subtags/likely.txt", &expect).unwrap();
    }
    assert_eq!(LIKELY, expect);
}

/// For each region of each language that has parents of its own, and a few others, the tags that CLDR falls back to.
#[test]
fn lineages_are_the_parents_of_cldr() {
    let fallbacker = LocaleFallbacker::new();
    let fallbacker = fallbacker.for_config(LocaleFallbackConfig::default());
    let mut compared = 0;
    for language in ["de", "en", "es", "fr", "pt", "sr-Latn", "zh-Hans", "zh-Hant"] {
        for region in regions() {
            let tag = format!("{language}-{region}");
            // `icu_locale` leaves out the script that the region implies, and then misses the parent of `zh-Hant-MO`.
            let known = tag.parse::<LanguageIdentifier>().ok();
            let Some(locale) = known.filter(|_| tag != "zh-Hant-MO") else {
                continue;
            };
            let mut parents = fallbacker.fallback_for(DataLocale::from(locale));
            for general in Subtags::new(&tag).lineage() {
                let parent = parents.get().to_string();
                assert_eq!(Subtags::new(&parent), general, "{tag}");
                compared += usize::from(parent.contains('-'));
                parents.step();
            }
            assert!(parents.get().is_unknown(), "{tag} goes on with {}", parents.get());
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Old codes that CLDR replaces by one language with two letters are current ones here; others are of no consequence.
#[test]
fn old_codes_are_those_of_cldr() {
    let canonicalizer = LocaleCanonicalizer::new_extended();
    let canonical = |tag: &str| {
        let mut id: icu_locale::Locale = tag.parse().unwrap();
        canonicalizer.canonicalize(&mut id);
        id.to_string()
    };
    let mut old = words('a'..='z', 2);
    old.retain(|language| canonical(language) != *language);
    for language in &old {
        let (current, script) = current_language(language);
        let expect = script.map_or(current.to_owned(), |script| format!("{current}-{script}"));
        assert_eq!(canonical(language), expect, "{language}");
    }
    assert!(old.len() > 5, "{old:?}");
    for region in ["BU", "DD", "FX", "TP", "UK", "YD", "ZR"] {
        let expect = format!("und-{}", current_region(region));
        assert_eq!(canonical(&format!("und-{region}")), expect);
    }
}
