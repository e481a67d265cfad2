//! The order of a request over cultures: everyday requests, and any request against a second reading of the rule, with a table of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use taxonomy_keys::{Culture, fallback, nearest};

fn culture(tag: &str) -> Culture {
    tag.parse().unwrap()
}

fn cultures(tags: &[&str]) -> Vec<Culture> {
    tags.iter().copied().map(culture).collect()
}

fn order(requested: &str, available: &[&str], chain: &[&str], default: &str) -> Vec<String> {
    let (available, chain) = (cultures(available), cultures(chain));
    let order = fallback(&culture(requested), &available, &chain, &culture(default));
    order.iter().map(ToString::to_string).collect()
}

/// Everyday requests: the request, the cultures that there are, the order. The default is the last of both.
const EVERYDAY: [(&str, &str, &str); 66] = [
    ("en", "en-GB fr", "en-GB fr"),
    ("en", "en-AU en-GB en-US fr", "en-US en-AU en-GB fr"),
    ("en-GB", "en en-GB en-US fr", "en-GB en en-US fr"),
    ("en-AU", "en en-001 en-GB fr", "en-001 en en-GB fr"),
    ("en-AU", "en-CA en-GB en-US fr", "en-GB en-US en-CA fr"),
    ("en-IE", "en-US en-GB", "en-GB"),
    ("en-UK", "en en-GB fr", "en-GB en fr"),
    ("es", "es-AR es-MX en", "es-AR es-MX en"),
    ("es", "es-AR es-ES es-MX en", "es-ES es-AR es-MX en"),
    ("es-MX", "es es-419 es-AR en", "es-419 es es-AR en"),
    ("es-MX", "es-AR es-ES en", "es-AR es-ES en"),
    ("es-VE", "es-ES es-MX en", "es-MX es-ES en"),
    ("es-AR", "es en", "es en"),
    ("es-ES", "es-419 es-MX en", "es-419 es-MX en"),
    ("pt", "pt-BR pt-PT en", "pt-BR pt-PT en"),
    ("pt-BR", "pt pt-PT en", "pt pt-PT en"),
    ("pt-PT", "pt pt-BR en", "pt pt-BR en"),
    ("pt-AO", "pt pt-BR pt-PT en", "pt-PT pt pt-BR en"),
    ("zh", "zh-Hans zh-Hant en", "zh-Hans zh-Hant en"),
    ("zh", "zh-Hant en", "zh-Hant en"),
    ("zh-CN", "zh-Hans zh-Hant en", "zh-Hans en"),
    ("zh-CN", "zh zh-TW en", "zh en"),
    ("zh-SG", "zh-Hans zh-Hant en", "zh-Hans en"),
    ("zh-TW", "zh-Hans zh-Hant en", "zh-Hant en"),
    ("zh-TW", "zh zh-CN zh-Hant-TW en", "zh-Hant-TW zh en"),
    ("zh-Hant", "zh-CN zh-HK zh-TW en", "zh-TW zh-HK en"),
    ("zh-Hant-TW", "zh zh-Hant en", "zh-Hant zh en"),
    ("zh-HK", "zh-CN zh-Hant zh-TW en", "zh-Hant zh-TW en"),
    ("zh-MO", "zh-HK zh-Hant zh-TW en", "zh-HK zh-Hant zh-TW en"),
    ("zh-Hans", "zh-Hant en", "en"),
    ("zh-cmn-Hans-CN", "zh zh-Hant en", "zh en"),
    ("sr", "sr-Cyrl sr-Latn en", "sr-Cyrl sr-Latn en"),
    ("sr", "sr-Latn en", "sr-Latn en"),
    ("sr-RS", "sr-Latn-RS sr-Cyrl en", "sr-Cyrl sr-Latn-RS en"),
    ("sr-Latn", "sr sr-Latn-BA en", "sr-Latn-BA sr en"),
    ("sr-ME", "sr-Cyrl sr-Latn en", "sr-Latn sr-Cyrl en"),
    ("sh", "sr-Cyrl sr-Latn en", "sr-Latn sr-Cyrl en"),
    ("no", "da nb nn en", "nb nn en"),
    ("nb", "da nn no en", "no nn en"),
    ("nn", "da nb-NO no en", "nb-NO no en"),
    ("nb-NO", "nn-NO en", "nn-NO en"),
    ("iw", "he en", "he en"),
    ("he-IL", "iw en", "iw en"),
    ("in", "id-ID en", "id-ID en"),
    ("mo", "ro en", "ro en"),
    ("tl-PH", "fil en", "fil en"),
    ("de", "de-AT de-CH de-DE en", "de-DE de-AT de-CH en"),
    ("de-AT", "de-CH de-DE en", "de-DE de-CH en"),
    ("de-CH", "de de-AT en", "de de-AT en"),
    ("de-CH-1996", "de-CH de-1996 en", "de-CH de-1996 en"),
    ("de-u-co-phonebk", "de en", "de en"),
    ("gsw", "de-AT de-DE fr en", "de-DE de-AT en"),
    ("de", "gsw en", "en"),
    ("fr-CA", "fr-BE fr-FR en", "fr-FR fr-BE en"),
    ("fr", "fr-BE fr-CA en", "fr-BE fr-CA en"),
    ("hr", "hr-HR en", "hr-HR en"),
    ("hr-HR", "bs-Latn-BA hr sr en", "hr bs-Latn-BA en"),
    ("uz-Cyrl", "uz uz-Latn en", "uz en"),
    ("az", "az-Cyrl en", "az-Cyrl en"),
    ("az-Latn", "az-Cyrl en", "en"),
    ("pa-PK", "pa-Arab pa-Guru en", "pa-Arab en"),
    ("ja", "zh ko en", "en"),
    ("tlh", "tlh-Latn tlh-x-a en", "tlh-x-a tlh-Latn en"),
    ("x-abc-de", "x-abc x-fgh en", "x-abc en"),
    ("und", "de fr en", "en"),
    ("sv", "da nb en", "en"),
];

#[test]
fn everyday_requests() {
    for (requested, available, expect) in EVERYDAY {
        let available: Vec<&str> = available.split(' ').collect();
        let default = *available.last().unwrap();
        let order = order(requested, &available, &[], default);
        assert_eq!(order.join(" "), expect, "{requested} of {available:?}");
    }
}

#[test]
fn the_chain_orders_equals_and_comes_before_the_default() {
    for (requested, available, chain, expect) in [
        ("sv", "da fi nb en", "nb da", "nb da en"),
        ("sv", "da en", "en da", "en"),
        ("es", "es-AR es-MX en", "es-MX", "es-MX es-AR en"),
        ("de-CH", "de-AT de-DE fr en", "fr de-AT", "de-AT de-DE fr en"),
        ("ja", "zh-Hant fr en", "zh-TW fr", "zh-Hant fr en"),
        ("es-MX", "es-419 es-ES en", "es-ES", "es-419 es-ES en"),
    ] {
        let available: Vec<&str> = available.split(' ').collect();
        let chain: Vec<&str> = chain.split(' ').collect();
        let order = order(requested, &available, &chain, "en");
        let order = order.join(" ");
        assert_eq!(order, expect, "{requested} of {available:?} by {chain:?}");
    }
}

#[test]
fn the_default_ends_the_order_wherever_it_stands() {
    assert_eq!(order("en-GB", &["en-GB", "fr"], &["fr"], "en-GB"), ["en-GB"]);
    let order_of_two = order("en-NZ", &["en-AU", "en-GB", "en-US"], &[], "en-GB");
    assert_eq!(order_of_two, ["en-AU", "en-GB"]);
    assert_eq!(order("fr", &[], &[], "en"), ["en"]);
}

#[test]
fn the_nearest_is_of_the_language_and_not_of_the_chain() {
    let available = cultures(&["da", "en-GB", "zh-Hant"]);
    let nearest = |tag| nearest(&culture(tag), &available, &cultures(&["da"])).map(Culture::as_str);
    assert_eq!(nearest("en-AU"), Some("en-GB"));
    assert_eq!(nearest("zh-TW"), Some("zh-Hant"));
    assert_eq!(nearest("da-DK"), Some("da"));
    assert_eq!(nearest("sv"), None);
    assert_eq!(nearest("und"), None);
}

/// What the reference knows of each tag: what it means in full, and more general tags, each as the reference writes it.
const KNOWN: [(&str, &str, &str); 37] = [
    ("de", "de-Latn-DE", "de"),
    ("de-AT", "de-Latn-AT", "de-AT de"),
    ("de-CH", "de-Latn-CH", "de-CH de"),
    ("de-DE", "de-Latn-DE", "de-DE de"),
    ("en", "en-Latn-US", "en"),
    ("en-001", "en-Latn-001", "en-001 en"),
    ("en-AU", "en-Latn-AU", "en-AU en-001 en"),
    ("en-CH", "en-Latn-CH", "en-CH en-150 en-001 en"),
    ("en-GB", "en-Latn-GB", "en-GB en-001 en"),
    ("en-US", "en-Latn-US", "en-US en"),
    ("es", "es-Latn-ES", "es"),
    ("es-419", "es-Latn-419", "es-419 es"),
    ("es-AR", "es-Latn-AR", "es-AR es-419 es"),
    ("es-ES", "es-Latn-ES", "es-ES es"),
    ("es-MX", "es-Latn-MX", "es-MX es-419 es"),
    ("he", "he-Hebr-IL", "he"),
    ("iw", "he-Hebr-IL", "he"),
    ("nb", "nb-Latn-NO", "nb"),
    ("nb-NO", "nb-Latn-NO", "nb-NO nb"),
    ("nn", "nn-Latn-NO", "nn"),
    ("no", "nb-Latn-NO", "nb"),
    ("pt", "pt-Latn-BR", "pt"),
    ("pt-AO", "pt-Latn-AO", "pt-AO pt-PT pt"),
    ("pt-PT", "pt-Latn-PT", "pt-PT pt"),
    ("sr", "sr-Cyrl-RS", "sr"),
    ("sr-Cyrl", "sr-Cyrl-RS", "sr"),
    ("sr-Latn", "sr-Latn-RS", "sr-Latn"),
    ("sr-ME", "sr-Latn-ME", "sr-Latn-ME sr-Latn"),
    ("sr-Latn-RS", "sr-Latn-RS", "sr-Latn-RS sr-Latn"),
    ("sr-RS", "sr-Cyrl-RS", "sr-RS sr"),
    ("zh", "zh-Hans-CN", "zh"),
    ("zh-CN", "zh-Hans-CN", "zh-CN zh"),
    ("zh-Hans", "zh-Hans-CN", "zh"),
    ("zh-Hant", "zh-Hant-TW", "zh-Hant"),
    ("zh-TW", "zh-Hant-TW", "zh-Hant-TW zh-Hant"),
    ("zh-MO", "zh-Hant-MO", "zh-Hant-MO zh-Hant-HK zh-Hant"),
    ("zh-Hant-HK", "zh-Hant-HK", "zh-Hant-HK zh-Hant"),
];

fn known(tag: &str) -> &'static (&'static str, &'static str, &'static str) {
    KNOWN.iter().find(|known| known.0 == tag).unwrap()
}

fn full(tag: &str) -> &'static str {
    known(tag).1
}

fn line(tag: &str) -> Vec<&'static str> {
    known(tag).2.split(' ').collect()
}

/// Returns what a tag means before its region.
fn writing(tag: &str) -> &'static str {
    full(tag).rsplit_once('-').unwrap().0
}

/// The rule step by step, each step over all cultures that are left.
fn by_the_rule(requested: &str, available: &[&str], chain: &[&str], default: &str) -> Vec<String> {
    let mut left: Vec<&str> = available.to_vec();
    let mut found: Vec<&str> = Vec::new();
    let place = |tag: &str| {
        let place = chain.iter().position(|of| full(of) == full(tag));
        place.unwrap_or(usize::MAX)
    };
    let mut step = |is_in: &dyn Fn(&str) -> bool, key: &dyn Fn(&str) -> (usize, usize, bool)| {
        let mut these: Vec<&str> = left.iter().copied().filter(|tag| is_in(tag)).collect();
        these.sort_by_key(|tag| (key(tag), *tag));
        left.retain(|tag| !these.contains(tag));
        found.extend(these);
    };
    let by_place = |tag: &str| (place(tag), 0, false);
    step(&|tag| tag == requested, &by_place);
    step(&|tag| full(tag) == full(requested), &by_place);
    for general in line(requested).into_iter().skip(1) {
        step(&|tag| line(tag)[0] == general, &by_place);
    }
    step(&|tag| writing(tag) == writing(requested), &|tag| {
        let mine = line(requested);
        let mut steps = (0..mine.len()).filter(|step| line(tag).contains(&mine[*step]));
        let steps = steps.next().unwrap();
        let mut general = KNOWN.iter().filter(|known| line(known.0)[0] == mine[steps]);
        let is_other = general.next().is_none_or(|general| general.1 != full(tag));
        (place(tag), steps, is_other)
    });
    let language = |tag: &str| full(tag)[..2].to_owned();
    let is_short = |tag: &str| tag.len() == 2;
    let is_usual = |tag: &str| {
        let mut general = KNOWN.iter().filter(|known| !known.2.contains(' '));
        general.any(|known| known.1 == full(tag))
    };
    let usual_first = |tag: &str| (place(tag), 0, !is_usual(tag));
    step(
        &|tag| language(tag) == language(requested) && (is_short(tag) || is_short(requested)),
        &usual_first,
    );
    step(
        &|tag| {
            let pair = BTreeSet::from([writing(tag), writing(requested)]);
            pair == BTreeSet::from(["nb-Latn", "nn-Latn"]) || pair == BTreeSet::from(["sr-Cyrl", "sr-Latn"])
        },
        &usual_first,
    );
    step(&|tag| place(tag) < usize::MAX, &by_place);
    let before = found.into_iter().take_while(|tag| *tag != default);
    before.chain([default]).map(str::to_owned).collect()
}

fn tags() -> Vec<&'static str> {
    KNOWN.iter().map(|known| known.0).collect()
}

/// A request, what there is, a chain and the default, which there always is.
fn request() -> impl Strategy<Value = (&'static str, Vec<&'static str>, Vec<&'static str>, &'static str)> {
    let available = subsequence(tags(), 1..20);
    let chain = subsequence(tags(), 0..4).prop_shuffle();
    let drawn = (select(tags()), available, chain, any::<prop::sample::Index>());
    drawn.prop_map(|(requested, available, chain, default)| {
        let default = *default.get(&available);
        (requested, available, chain, default)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn any_request_has_the_order_of_the_rule((requested, available, chain, default) in request()) {
        let expect = by_the_rule(requested, &available, &chain, default);
        prop_assert_eq!(order(requested, &available, &chain, default), expect);
    }

    /// Each node by itself, whatever else there is: a name that is added changes no other node, and its own node only to the new name.
    #[test]
    fn a_translation_takes_no_name_from_anybody(
        (requested, available, chain, default) in request(),
        nodes in prop::collection::vec(subsequence(tags(), 0..5), 1..6),
        added in (any::<prop::sample::Index>(), select(tags())),
    ) {
        let _ = available;
        let mut nodes: Vec<BTreeSet<&str>> = nodes.into_iter().map(|names| names.into_iter().chain([default]).collect()).collect();
        let before = names(&nodes, requested, &chain, default);
        let node = added.0.index(nodes.len());
        nodes[node].insert(added.1);
        for (place, name) in names(&nodes, requested, &chain, default) {
            prop_assert!(name == before[&place] || (place == node && name == added.1), "{before:?} {name}");
        }
    }
}

/// Returns the culture in which a reader sees each node.
fn names(
    nodes: &[BTreeSet<&str>],
    requested: &str,
    chain: &[&str],
    default: &str,
) -> BTreeMap<usize, String> {
    let available: BTreeSet<&str> = nodes.iter().flatten().copied().collect();
    let available: Vec<&str> = available.into_iter().collect();
    let order = order(requested, &available, chain, default);
    let name = |names: &BTreeSet<&str>| {
        let mut found = order.iter().filter(|tag| names.contains(tag.as_str()));
        found.next().unwrap().clone()
    };
    nodes.iter().map(name).enumerate().collect()
}
