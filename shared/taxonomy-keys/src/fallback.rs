//! The order of a request: the cultures in which a reader takes the name of a node, the best first. Pure.

use crate::culture::Culture;
use crate::subtags::Subtags;

/// How near a culture is to the reader of another one, the nearest first.
///
/// It follows from the two tags and the tenant's chain alone, not from what else there is: a further translation moves no culture before another one,
/// so it takes no name from any reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Requested,
    /// The same by likely subtags.
    Equivalent(Preference),
    /// More general, after this many steps.
    General(usize, Preference),
    /// Of the same language and script: the steps to the culture that is more general than both, and whether it is not what that one usually is.
    Variant(Preference, usize, bool),
    /// Read as the same: another script, where one of both tags names the language alone; else another language or script. Last whether it is not what
    /// that one usually is.
    ReadAlike(bool, Preference, bool),
    /// One of the tenant's chain.
    Chain(Preference),
}

/// The place in the tenant's chain, with equivalent ones; its length for all others.
type Preference = usize;

/// Returns the cultures in which a reader of `requested` takes a name, of those that are `available`, the best first. Ends with the default, in which
/// everything has a name.
///
/// 1. `requested`; 2. equivalent ones: `zh-TW` is `zh-Hant`; 3. more general ones, by CLDR's parents and RFC 4647: `es-MX`, `es-419`, `es`;
/// 4. others of the same language and script; 5. those that its readers read as the same: `nb` and `nn`, `sr-Cyrl` and `sr-Latn`; 6. the tenant's
///    chain; 7. the default.
///
/// Within a step those of the chain come first, in its order; in step 4 then the nearest; then by tag.
///
/// ```
/// use taxonomy_keys::{Culture, fallback};
/// let culture = |tag: &str| tag.parse::<Culture>().unwrap();
/// let available = ["de-DE", "en-GB", "fr-CA", "fr-FR"].map(culture);
/// let order = fallback(&culture("fr-BE"), &available, &[culture("de-DE")], &culture("en-GB"));
/// assert_eq!(order, ["fr-FR", "fr-CA", "de-DE", "en-GB"].map(culture));
/// ```
pub fn fallback<'a>(
    requested: &Culture,
    available: impl IntoIterator<Item = &'a Culture>,
    chain: &[Culture],
    default: &Culture,
) -> Vec<Culture> {
    let reader = Reader::new(requested, chain);
    let near = available
        .into_iter()
        .filter_map(|culture| Some((reader.nearness(culture)?, culture)));
    let mut near: Vec<(Nearness, &Culture)> = near.collect();
    near.sort_unstable();
    let before = near
        .into_iter()
        .map(|(_, culture)| culture)
        .take_while(|culture| *culture != default);
    before.chain([default]).cloned().collect()
}

/// Returns the best culture for a reader of `requested`; none where there is but the chain or the default.
pub fn nearest<'a>(requested: &Culture, available: &'a [Culture], chain: &[Culture]) -> Option<&'a Culture> {
    let reader = Reader::new(requested, chain);
    let near = available
        .iter()
        .filter_map(|culture| Some((reader.nearness(culture)?, culture)));
    let (nearness, nearest) = near.min()?;
    (!matches!(nearness, Nearness::Chain(_))).then_some(nearest)
}

/// A reader of a culture, by the settings of a tenant.
struct Reader<'a> {
    requested: &'a Culture,
    subtags: Subtags<'a>,
    chain: Vec<(&'a Culture, Subtags<'a>)>,
}

impl<'a> Reader<'a> {
    fn new(requested: &'a Culture, chain: &'a [Culture]) -> Self {
        let subtags = |culture: &'a Culture| (culture, Subtags::new(culture.as_str()));
        Self {
            requested,
            subtags: Subtags::new(requested.as_str()),
            chain: chain.iter().map(subtags).collect(),
        }
    }

    /// Returns how near a culture is; none where this reader does not read it.
    fn nearness(&self, culture: &Culture) -> Option<Nearness> {
        if culture == self.requested {
            return Some(Nearness::Requested);
        }
        let language = Subtags::language_of(culture.as_str());
        let reads = self.subtags.language() == language || self.subtags.reads_language(language);
        if !reads
            && self
                .chain
                .iter()
                .all(|(_, chained)| chained.language() != language)
        {
            return None;
        }
        let offered = Subtags::new(culture.as_str());
        let preference = self.preference(culture, &offered);
        let related = self.related(culture, offered, preference);
        related.or_else(|| (preference < self.chain.len()).then_some(Nearness::Chain(preference)))
    }

    fn preference(&self, culture: &Culture, offered: &Subtags<'_>) -> Preference {
        let is = |(chained, subtags): &(&Culture, Subtags<'_>)| {
            *chained == culture || subtags.is_equivalent(offered)
        };
        self.chain.iter().position(is).unwrap_or(self.chain.len())
    }

    /// Returns how near a culture is by its tag.
    fn related(&self, culture: &Culture, offered: Subtags<'_>, preference: Preference) -> Option<Nearness> {
        let wanted = self.subtags;
        if wanted.is_equivalent(&offered) {
            return Some(Nearness::Equivalent(preference));
        }
        if let Some(steps) = wanted.lineage().position(|general| general == offered) {
            return Some(Nearness::General(steps, preference));
        }
        if wanted.has_writing_of(&offered) {
            let mut shared = wanted.lineage().enumerate();
            let (steps, general) =
                shared.find(|(_, general)| offered.lineage().any(|above| above == *general))?;
            return Some(Nearness::Variant(
                preference,
                steps,
                !general.is_equivalent(&offered),
            ));
        }
        let is_bare = |culture: &Culture| !culture.as_str().contains('-');
        let is_same_language =
            wanted.language() == offered.language() && (is_bare(self.requested) || is_bare(culture));
        let is_read = is_same_language || wanted.reads(&offered);
        is_read.then(|| Nearness::ReadAlike(!is_same_language, preference, !offered.is_usual()))
    }
}
