//! Language tags in their parts, with the script that they leave unsaid, and what CLDR 48 knows of their kinship: likely subtags, parent locales and
//! language matching (<https://cldr.unicode.org>).

use std::iter::successors;

use crate::culture::Writing;

/// A row for each language and script, by language; first its usual script. Of a row: language, script, its usual region, and the regions that
/// imply the script (CLDR, `likelySubtags`): of all languages with two letters, and those with three that CLDR covers. A test compares it with the
/// data of `icu_locale`, and writes it.
const LIKELY: &str = include_str!("subtags/likely.txt");

/// Regions that have another parent than the bare language: language, script, parent, regions (CLDR, `parentLocales`).
const PARENTS: [[&str; 4]; 5] = [
    [
        "en",
        "Latn",
        "001",
        "150 AG AI AU BB BM BS BW BZ CC CK CM CX CY DG DM ER FJ FK FM GB GD GG GH GI GM GS GY HK ID IE IL IM IN IO JE JM KE KI KN KY LC LR LS MG MO MS \
         MT MU MV MW MY NA NF NG NR NU NZ PG PK PN PW RW SB SC SD SG SH SL SS SX SZ TC TK TO TT TV TZ UG VC VG VU WS ZA ZM ZW",
    ],
    [
        "en",
        "Latn",
        "150",
        "AT BE CH CZ DE DK EE ES FI FR GE HU IT LT LV NL NO PL PT RO SE SI SK UA",
    ],
    [
        "es",
        "Latn",
        "419",
        "AR BO BR BZ CL CO CR CU DO EC GT HN JP MX NI PA PE PR PY SV US UY VE",
    ],
    ["pt", "Latn", "PT", "AO CH CV FR GQ GW LU MO MZ ST TL"],
    ["zh", "Hant", "HK", "MO"],
];

/// What readers of a language in a script read as their own: language, script, the other language, its script (CLDR, `languageMatching`: distance up
/// to 5; beside them Norwegian in both forms).
const READ_ALIKE: [[&str; 4]; 9] = [
    ["bs", "Latn", "hr", "Latn"],
    ["gsw", "Latn", "de", "Latn"],
    ["hr", "Latn", "bs", "Latn"],
    ["ko", "Hang", "ko", "Kore"],
    ["lb", "Latn", "de", "Latn"],
    ["nn", "Latn", "no", "Latn"],
    ["no", "Latn", "nn", "Latn"],
    ["sr", "Cyrl", "sr", "Latn"],
    ["sr", "Latn", "sr", "Cyrl"],
];

/// A language tag in its parts. Where the parts are equal, the tags mean the same: `zh-HK` and `zh-Hant-HK`, `iw` and `he`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subtags<'a> {
    language: &'a str,
    /// The script of the tag, else the one that language and region imply; empty where CLDR knows none.
    script: &'a str,
    region: Option<&'a str>,
    /// Variants, extensions and private use.
    rest: &'a str,
}

impl<'a> Subtags<'a> {
    /// Takes a well-formed tag in canonical case apart. An extended language, as in `zh-cmn`, is read as the language before it.
    pub(crate) fn new(tag: &'a str) -> Self {
        let (first, mut rest) = tag.split_once('-').unwrap_or((tag, ""));
        let mut next = |is_next: fn(&str) -> bool| {
            let (part, after) = rest.split_once('-').unwrap_or((rest, ""));
            // `x-..` and `i-..` have no script and no region.
            let found = first.len() > 1 && is_next(part);
            found.then(|| {
                rest = after;
                part
            })
        };
        next(|part| part.len() == 3 && is_alphabetic(part));
        let script = next(|part| part.len() == 4 && is_alphabetic(part));
        let region = next(|part| matches!((part.len(), is_alphabetic(part)), (2, true) | (3, false)));
        let region = region.map(current_region);
        let (language, implied) = current_language(first);
        let script = script.or(implied).unwrap_or_else(|| script_of(language, region));
        Self {
            language,
            script,
            region,
            rest,
        }
    }

    /// Returns the language of a tag alone, as it is called now, which costs less.
    pub(crate) fn language_of(tag: &'a str) -> &'a str {
        current_language(tag.split('-').next().unwrap_or(tag)).0
    }

    pub(crate) fn writing(&self) -> Writing<'a> {
        Writing {
            language: self.language,
            script: self.script,
            region: self.region,
        }
    }

    pub(crate) fn language(&self) -> &'a str {
        self.language
    }

    /// Returns whether two tags are of one language in one script. `und` and tags of private use are of none.
    pub(crate) fn has_writing_of(&self, other: &Self) -> bool {
        let is_language = self.language.len() > 1 && self.language != "und";
        is_language && (self.language, self.script) == (other.language, other.script)
    }

    /// Returns whether two tags mean the same once their likely subtags are added: `zh-Hant` and `zh-TW`, `pt` and `pt-BR`.
    pub(crate) fn is_equivalent(&self, other: &Self) -> bool {
        let region = |tag: &Self| tag.region.or_else(|| region_of(tag.language, tag.script));
        self.has_writing_of(other) && self.rest == other.rest && region(self) == region(other)
    }

    /// Returns whether the tag means the same as its language and script alone.
    pub(crate) fn is_usual(&self) -> bool {
        let (region, rest) = (None, "");
        self.is_equivalent(&Self {
            region,
            rest,
            ..*self
        })
    }

    /// Iterates over the tag and the ever more general ones of the same writing: `es-MX`, `es-419`, `es`; by CLDR's parents, else without the last
    /// subtag and a single letter before it (RFC 4647, section 3.4).
    pub(crate) fn lineage(self) -> impl Iterator<Item = Self> {
        successors(Some(self), |tag| {
            if !tag.rest.is_empty() {
                let rest = shortened(tag.rest);
                return Some(Self { rest, ..*tag });
            }
            let region = tag.region?;
            let mut parents = PARENTS
                .iter()
                .filter(|[language, script, ..]| (*language, *script) == (tag.language, tag.script));
            let parent = parents.find(|[.., children]| children.split(' ').any(|child| child == region));
            let region = parent.map(|[_, _, parent, _]| *parent);
            Some(Self { region, ..*tag })
        })
    }

    /// Returns whether readers of this language and script read another one as their own.
    pub(crate) fn reads(&self, other: &Self) -> bool {
        READ_ALIKE.contains(&[self.language, self.script, other.language, other.script])
    }

    /// Returns whether they read anything in another language, in whatever script.
    pub(crate) fn reads_language(&self, other: &str) -> bool {
        READ_ALIKE
            .iter()
            .any(|[from, _, to, _]| (*from, *to) == (self.language, other))
    }
}

/// Returns the present code of a language, and the script that an old code implies (CLDR, `languageAlias`); `nb` is what `no` is written in.
fn current_language(language: &str) -> (&str, Option<&str>) {
    let current = match language {
        "bh" => "bho",
        "cmn" => "zh",
        "in" => "id",
        "iw" => "he",
        "ji" => "yi",
        "jw" => "jv",
        "mo" => "ro",
        "nb" => "no",
        "sh" => return ("sr", Some("Latn")),
        "tl" => "fil",
        "tw" => "ak",
        other => other,
    };
    (current, None)
}

/// Returns the present code of a region (the preferred values of the IANA registry). `UK` is no code, and is written for `GB`.
fn current_region(region: &str) -> &str {
    match region {
        "BU" => "MM",
        "DD" => "DE",
        "FX" => "FR",
        "TP" => "TL",
        "UK" => "GB",
        "YD" => "YE",
        "ZR" => "CD",
        other => other,
    }
}

/// Returns the usual script of a language in a region; empty where CLDR knows none.
fn script_of(language: &str, region: Option<&str>) -> &'static str {
    let implies = |row: &&str| region.is_some_and(|region| row.split(' ').skip(2).any(|of| of == region));
    let row = rows(language).skip(1).find(implies);
    let row = row.or_else(|| rows(language).next());
    row.and_then(|row| row.split(' ').next()).unwrap_or_default()
}

/// Returns the usual region of a language in a script.
fn region_of(language: &str, script: &str) -> Option<&'static str> {
    let row = rows(language).find(|row| row.starts_with(script));
    row.or_else(|| rows(language).next())?.split(' ').nth(1)
}

/// Iterates over the rows of a language, without it: script, usual region, further regions.
fn rows(language: &str) -> impl Iterator<Item = &'static str> {
    // Both are beginnings of rows. Rows before `low` are of languages before this one, those from `high` on are not.
    let (mut low, mut high) = (0, LIKELY.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = LIKELY[..middle].rfind('\n').map_or(0, |end| end + 1);
        let end = LIKELY[middle..]
            .find('\n')
            .map_or(LIKELY.len(), |at| middle + at + 1);
        if LIKELY[start..end].split(' ').next() < Some(language) {
            low = end;
        } else {
            high = start;
        }
    }
    let rows = LIKELY[low..].lines();
    rows.map_while(move |row| row.strip_prefix(language)?.strip_prefix(' '))
}

/// Removes the last subtag, and then a single letter, which cannot end a tag.
fn shortened(rest: &str) -> &str {
    let without_last = |rest: &'_ str| rest.rfind('-').unwrap_or_default();
    let mut end = without_last(rest);
    while rest[..end].rsplit('-').next().is_some_and(|last| last.len() == 1) {
        end = without_last(&rest[..end]);
    }
    &rest[..end]
}

fn is_alphabetic(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests;
