//! The language of a response: that of `culture=`, or the choice for a request without it, by `Accept-Language` (RFC 9110, section 12.5.4) over the
//! cultures of the tenant. The choice needs the head alone, so a conditional request is still answered from the head. Pure.

use taxonomy_keys::{Culture, fallback, nearest};
use taxonomy_model::Settings;
use taxonomy_runtime::http::{Weight, elements};

/// The maximum number of ranges of a header that are considered; the rest of a longer list is ignored.
const MAX_RANGES: usize = 10;

/// The headers of the request, beside the caller's identity, that a response depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Vary {
    #[default]
    Encoding,
    EncodingAndLanguage,
}

impl Vary {
    /// Returns the value of `Vary`, also for a response that depends on the caller.
    pub(crate) fn header(self, by_caller: bool) -> &'static str {
        match (by_caller, self) {
            (true, Self::Encoding) => "Authorization, Accept-Encoding",
            (true, Self::EncodingAndLanguage) => "Authorization, Accept-Encoding, Accept-Language",
            (false, Self::Encoding) => "Accept-Encoding",
            (false, Self::EncodingAndLanguage) => "Accept-Encoding, Accept-Language",
        }
    }
}

/// The language of a response; that of one without names is the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Language {
    /// The culture of `culture=`.
    pub(crate) requested: Option<Culture>,
    /// The culture that `Accept-Language` chose, where it is another than the default one: otherwise the response is that to a request without the header.
    pub(crate) chosen: Option<Culture>,
    pub(crate) vary: Vary,
}

impl Language {
    /// Chooses among the cultures of a version.
    pub(crate) fn new(
        requested: Option<Culture>,
        accept_language: Option<&str>,
        cultures: &[Culture],
        settings: &Settings,
    ) -> Self {
        if requested.is_some() {
            return Self {
                requested,
                ..Self::default()
            };
        }
        let chosen = accept_language.and_then(|header| choose(header, cultures, settings));
        Self {
            requested,
            chosen,
            vary: Vary::EncodingAndLanguage,
        }
    }

    /// Returns the culture that the request asks for; otherwise the default one of each version answers.
    pub(crate) fn culture(&self) -> Option<&Culture> {
        self.requested.as_ref().or(self.chosen.as_ref())
    }
}

/// Returns the culture of the best range that any of `cultures` is near to, as `culture=` would try them without the tenant's chain: the nearest one,
/// so that ranges with the same answer have the same tag, or the range where that has another order. None if no range is near to any, if the default
/// culture is the nearest, or if `*` comes first: then the default culture applies. A header that is malformed or too long is ignored.
fn choose(accept_language: &str, cultures: &[Culture], settings: &Settings) -> Option<Culture> {
    let mut ranges = elements(accept_language)?;
    if !ranges.iter().all(|(range, _)| is_range(range)) {
        return None;
    }
    ranges.truncate(MAX_RANGES);
    ranges.retain(|(_, weight)| *weight > 0);
    // The sort is stable: of equal weights the first one is preferred.
    ranges.sort_by_key(|(_, weight)| Weight::MAX - weight);
    let wanted = ranges.into_iter().map(|(range, _)| range);
    let wanted = wanted
        .take_while(|range| *range != "*")
        .filter_map(|range| range.parse::<Culture>().ok());
    let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
    let near = |range: Culture| Some((nearest(&range, cultures, chain)?, range));
    let (nearest, range) = wanted.filter_map(near).next()?;
    let order = |culture: &Culture| fallback(culture, cultures, chain, default);
    let chosen = if order(nearest) == order(&range) {
        nearest.clone()
    } else {
        range
    };
    (nearest != default).then_some(chosen)
}

/// Returns whether a text is a basic language range (RFC 4647, section 2.1) or `*`.
fn is_range(text: &str) -> bool {
    let subtag =
        |text: &str| (1..=8).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
    let primary = text.split('-').next().unwrap_or_default();
    let is_alphabetic = primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    text == "*" || (is_alphabetic && text.split('-').all(subtag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(header: &str) -> Option<String> {
        let cultures = "de-AT de-DE en-GB fr-FR sr-Latn-BA uz-Cyrl uz-Latn zh-Hant-TW";
        let cultures: Vec<Culture> = cultures.split(' ').map(|tag| tag.parse().unwrap()).collect();
        let settings = Settings {
            default_culture: "en-GB".parse().unwrap(),
            fallback_chain: Vec::new(),
        };
        choose(header, &cultures, &settings).map(|culture| culture.to_string())
    }

    #[test]
    fn the_best_range_that_has_a_culture_decides() {
        for (header, expect) in [
            ("fr-FR", Some("fr-FR")),
            ("FR-ca", Some("fr-FR")),
            ("fr", Some("fr-FR")),
            ("fr-FR-x-a", Some("fr-FR")),
            ("en-GB", None),
            ("en-US,fr", None),
            ("it,fr;q=0.5", Some("fr-FR")),
            ("fr;q=0.5,de-AT", Some("de-AT")),
            ("fr;q=0.5,de-AT;q=0.5", Some("fr-FR")),
            ("fr;q=0.1,de-AT;q=0.11", Some("de-AT")),
            ("fr;q=0,de-AT", Some("de-AT")),
            ("de-CH,fr", Some("de-DE")),
            ("gsw,fr", Some("de-DE")),
            ("zh-TW,fr", Some("zh-Hant-TW")),
            ("zh-Hans,zh-Hant;q=0.1", Some("zh-Hant-TW")),
            ("sr", Some("sr-Latn-BA")),
            ("uz", Some("uz")),
            ("uz-UZ", Some("uz-Latn")),
            ("zh-Hans", None),
            ("und", None),
            ("it", None),
            ("*", None),
            ("it,*;q=0.9,fr;q=0.5", None),
            ("fr,*", Some("fr-FR")),
            ("*;q=0.1,fr;q=0.2", Some("fr-FR")),
            ("*;q=0,fr", Some("fr-FR")),
            ("fr;q=0", None),
            ("", None),
        ] {
            assert_eq!(chosen(header).as_deref(), expect, "{header}");
        }
    }

    #[test]
    fn a_malformed_or_long_header_is_ignored_and_ten_ranges_are_looked_at() {
        let long = format!("fr{}", " ".repeat(600));
        let malformed = [
            "fr_FR",
            "fr,<x>",
            "fr;q=x",
            "fr, en_GB;q=0.1",
            "1fr",
            "fr-",
            "abcdefghi",
        ];
        for header in malformed.into_iter().chain(["fr-*", &long]) {
            assert_eq!(chosen(header), None, "{header}");
        }
        let others = ["it"; MAX_RANGES - 1].join(",");
        assert_eq!(chosen(&format!("{others},fr")).as_deref(), Some("fr-FR"));
        assert_eq!(chosen(&format!("{others},it,fr")), None);
    }
}
