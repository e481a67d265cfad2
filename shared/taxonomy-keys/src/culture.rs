//! Cultures (BCP 47 language tags) and the order in which to try them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use oxilangtag::LanguageTag;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// A well-formed BCP 47 tag in its canonical case, at most 35 characters (the buffer that RFC 5646 section 4.4.1 requires).
///
/// ```
/// use taxonomy_keys::Culture;
/// let culture: Culture = "zh-hant-tw".parse().unwrap();
/// assert_eq!(culture.as_str(), "zh-Hant-TW");
/// assert_eq!(culture, "ZH-HANT-TW".parse().unwrap());
/// assert!("english".parse::<Culture>().is_ok(), "well-formed, though not registered");
/// assert!("en_GB".parse::<Culture>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Culture(Arc<str>);

/// A text is not a well-formed language tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a culture must be a BCP 47 language tag of at most 35 characters, such as en-GB")]
pub struct InvalidCulture;

impl Culture {
    const MAX_LEN: usize = 35;

    /// Returns the tag in canonical case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the primary language, `zh` of `zh-Hant-TW`.
    pub fn language(&self) -> &str {
        self.0.split('-').next().unwrap_or(&self.0)
    }

    /// Returns the script, if the tag has one.
    fn script(&self) -> Option<&str> {
        self.0
            .split('-')
            .skip(1)
            .find(|part| part.len() == 4 && part.bytes().all(|c| c.is_ascii_alphabetic()))
    }

    /// Removes the last subtag and a preceding single letter (RFC 4647 section 3.4).
    fn truncated(&self) -> Option<Self> {
        let (mut rest, _) = self.0.rsplit_once('-')?;
        while let Some((shorter, last)) = rest.rsplit_once('-')
            && last.len() == 1
        {
            rest = shorter;
        }
        (rest.len() > 1).then(|| Self(rest.into()))
    }
}

impl FromStr for Culture {
    type Err = InvalidCulture;

    fn from_str(text: &str) -> Result<Self, InvalidCulture> {
        if text.len() > Self::MAX_LEN {
            return Err(InvalidCulture);
        }
        let tag = LanguageTag::parse_and_normalize(text).map_err(|_| InvalidCulture)?;
        Ok(Self(tag.as_str().into()))
    }
}

impl Serialize for Culture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Accepts a tag in any case.
impl<'de> Deserialize<'de> for Culture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tag = Cow::<'de, str>::deserialize(deserializer)?;
        tag.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for Culture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the cultures to try for `requested` out of those `available`, best first; the default is always the last.
///
/// 1. `requested`, then ever shorter (RFC 4647 lookup: `zh-Hant-TW`, `zh-Hant`, `zh`);
/// 2. the one available culture of the same language, if there is exactly one and its script does not differ
///    (lookup alone never matches `hr` with `hr-HR`, the usual tag of taxonomies);
/// 3. the tenant's chain; 4. the default.
///
/// ```
/// use taxonomy_keys::{Culture, fallback};
/// let culture = |tag: &str| tag.parse::<Culture>().unwrap();
/// let available = ["de-DE", "en-GB", "fr-FR"].map(culture);
/// let order = fallback(&culture("fr"), &available, &[culture("de-DE")], &culture("en-GB"));
/// assert_eq!(order, ["fr-FR", "de-DE", "en-GB"].map(culture));
/// ```
pub fn fallback(
    requested: &Culture,
    available: &[Culture],
    chain: &[Culture],
    default: &Culture,
) -> Vec<Culture> {
    let lookup = std::iter::successors(Some(requested.clone()), Culture::truncated);
    let variant = only_variant(requested, available);
    let candidates = lookup.chain(variant).chain(chain.iter().cloned());

    let mut order: Vec<Culture> = Vec::new();
    for candidate in candidates {
        if candidate == *default {
            break;
        }
        if available.contains(&candidate) && !order.contains(&candidate) {
            order.push(candidate);
        }
    }
    order.push(default.clone());
    order
}

/// Returns the only available culture of the requested language, unless both have a script and the scripts differ.
fn only_variant(requested: &Culture, available: &[Culture]) -> Option<Culture> {
    let mut same_language = available
        .iter()
        .filter(|culture| culture.language() == requested.language());
    let only = same_language.next()?;
    let clash = matches!((requested.script(), only.script()), (Some(a), Some(b)) if a != b);
    (same_language.next().is_none() && !clash).then(|| only.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(requested: &str, available: &[&str], chain: &[&str], expect: &[&str]) {
        let culture = |tag: &&str| tag.parse::<Culture>().unwrap();
        let cultures = |tags: &[&str]| tags.iter().map(culture).collect::<Vec<_>>();
        let order = fallback(
            &culture(&requested),
            &cultures(available),
            &cultures(chain),
            &culture(&"en-GB"),
        );
        assert_eq!(
            order,
            cultures(expect),
            "{requested} of {available:?} by {chain:?}"
        );
    }

    #[test]
    fn the_requested_culture_comes_first_and_the_default_last() {
        check("fr-FR", &["en-GB", "fr-FR"], &[], &["fr-FR", "en-GB"]);
        check("en-GB", &["en-GB", "fr-FR"], &["fr-FR"], &["en-GB"]);
        check("sv", &["en-GB", "fr-FR"], &[], &["en-GB"]);
    }

    #[test]
    fn subtags_are_cut_from_the_right() {
        check(
            "zh-Hant-TW",
            &["en-GB", "zh", "zh-Hant"],
            &[],
            &["zh-Hant", "zh", "en-GB"],
        );
        check("de-u-co-phonebk", &["de", "en-GB"], &[], &["de", "en-GB"]);
    }

    #[test]
    fn the_only_variant_of_a_language_answers_for_it() {
        check("hr", &["en-GB", "hr-HR"], &[], &["hr-HR", "en-GB"]);
        check("fr-CA", &["en-GB", "fr-FR"], &[], &["fr-FR", "en-GB"]);
        check("fr", &["en-GB", "fr-CA", "fr-FR"], &[], &["en-GB"]);
        check("en", &["en-GB"], &[], &["en-GB"]);
        check("zh-Hant", &["en-GB", "zh-Hans"], &[], &["en-GB"]);
    }

    #[test]
    fn the_chain_is_tried_before_the_default() {
        check(
            "nb",
            &["da", "en-GB", "sv"],
            &["da", "sv", "fi"],
            &["da", "sv", "en-GB"],
        );
        check("nb", &["da", "en-GB"], &["en-GB", "da"], &["en-GB"]);
    }
}
