//! The order of names in each language, as its dictionaries have it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use taxonomy_collation::sibling_keys;
use taxonomy_model::{Defaults, Limits, Siblings, Taxonomy, parse};

fn taxonomy(terms: &[Value]) -> Taxonomy {
    let file = json!({"defaultCulture": "en-GB", "categories": [{"id": 1, "name": "All", "terms": terms}]})
        .to_string();
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    parse(file.as_bytes(), &defaults, Limits::default())
        .unwrap()
        .taxonomy
}

/// Returns the ids of the terms in the order of a culture.
fn ids(taxonomy: &Taxonomy, culture: &str) -> Vec<u64> {
    let keys = sibling_keys(taxonomy, &culture.parse().unwrap());
    let siblings = Siblings::new(taxonomy, &*keys);
    siblings
        .top_terms(1.try_into().unwrap())
        .iter()
        .map(|term| term.id().get())
        .collect()
}

/// The names of a list in the order of a language, separated by commas.
#[test]
fn names_have_the_order_of_their_language() {
    for (culture, names) in [
        ("en-GB", "apple, Apple, Äpfel, Banana, co-op, coop, résumé, Zoo"),
        ("en", "Fig 1, Fig 2, Fig 9, Fig 10, Fig 9a 2, Fig 9a 11"),
        ("fr-FR", "Agriculture, Édition, Éducation, Œnologie, Zoologie"),
        ("fr-FR", "cote, coté, côte, côté"),
        ("fr-CA", "cote, côte, coté, côté"),
        ("sv-SE", "Apelsin, Banan, d, Mango, Zon, Ål, Ärta, Örter, övrigt"),
        ("da-DK", "Banan, Zebra, Æble, Øl, Aabenraa, Ål"),
        ("nb-NO", "Banan, Zebra, Ære, Øl, Ål"),
        ("no", "Banan, Zebra, Ære, Øl, Ål"),
        ("nn", "Banan, Zebra, Ære, Øl, Ål"),
        ("fi-FI", "Auto, Vene, Wok, Zorro, Åland, Äiti, Öljy"),
        ("de-DE", "Apfel, Äpfel, Birne, Obst, Öl, Ostern, Strasse, Straße"),
        ("de-u-co-phonebk", "Adler, Äpfel, Apfel, Birne"),
        ("es-ES", "nube, ñandú, oso"),
        ("cs-CZ", "cena, čaj, dům, had, chata, ibis"),
        ("sk", "had, chata, ibis"),
        ("pl-PL", "ara, ąka, bar, lampa, łapa, mapa"),
        ("tr-TR", "cam, çay, hal, ısı, iki, oda, öğle"),
        ("hr-HR", "car, čaj, ćup, dan, džep, đak, luk, ljeto, more"),
        ("sr-Latn", "car, čaj, ćup, dan, džep, đak, luk, ljeto, more"),
        ("hu-HU", "cukor, csak, dal"),
        ("lt-LT", "ilgas, yla, imti, jau"),
        ("et-EE", "sõna, zebra, žanr, tee"),
        ("ru-RU", "дом, ёж, ель, жук, Zoo"),
        ("uk-UA", "гора, ґанок, дім"),
        ("el-GR", "άλφα, Βήτα, γάμμα"),
        ("vi-VN", "dao, đào, em"),
        ("ja-JP", "アメリカ, いぬ, ウール, 亜鉛, 医師"),
        ("ko-KR", "가방, 나무, 다리, Zoo"),
        ("zh-CN", "北京, 广州, 上海, 天津"),
        ("zh", "北京, 广州, 上海, 天津"),
        ("zh-TW", "一, 三, 中, 北"),
        ("zh-Hant-HK", "一, 三, 中, 北"),
        ("x-none", "Éclair, Zoo"),
    ] {
        let names: Vec<&str> = names.split(", ").collect();
        // Ids descend, so that they cannot be what orders the names.
        let term = |(id, name): (usize, &&str)| json!({"id": 100 - id, "names": [{"culture": "en-GB", "name": name}, {"culture": culture, "name": name}][usize::from(culture == "en-GB")..]});
        let terms: Vec<Value> = names.iter().enumerate().map(term).collect();
        let found = ids(&taxonomy(&terms), culture).into_iter();
        let found: Vec<&str> = found
            .map(|id| names[100 - usize::try_from(id).unwrap()])
            .collect();
        assert_eq!(found, names, "{culture}");
    }
}

/// A reader sees another name than that of the culture where a term lacks it, and the terms in the order of what is seen.
#[test]
fn the_names_that_are_shown_are_sorted() {
    let term = |id: u64, names: Value| json!({"id": id, "names": names});
    let en = |name: &str| json!({"culture": "en-GB", "name": name});
    let fr = |name: &str| json!({"culture": "fr-FR", "name": name});
    let taxonomy = taxonomy(&[
        term(1, json!([en("Zoology"), fr("Biologie")])),
        term(2, json!([en("Crafts")])),
        term(3, json!([en("Arts"), fr("Édition")])),
    ]);
    assert_eq!(ids(&taxonomy, "en-GB"), [3, 2, 1]);
    assert_eq!(ids(&taxonomy, "fr-FR"), [1, 2, 3]);
    assert_eq!(ids(&taxonomy, "fr-BE"), [1, 2, 3]);
    assert_eq!(ids(&taxonomy, "ja"), [3, 2, 1]);
}

/// A sort key stands in for the name. Where every sibling has one, no language has a say.
#[test]
fn sort_keys_come_before_names_and_are_of_no_language() {
    let term = |id: u64, name: &str, key: Option<&str>| {
        let names = json!([{"culture": "en-GB", "name": name}, {"culture": "lt", "name": name}]);
        match key {
            Some(key) => json!({"id": id, "names": names, "sortKey": key}),
            None => json!({"id": id, "names": names}),
        }
    };
    let codes = taxonomy(&[
        term(1, "one", Some("J10")),
        term(2, "two", Some("J9")),
        term(3, "three", Some("Y1")),
        term(4, "four", Some("0")),
        term(5, "five", Some("J9")),
    ]);
    for culture in ["en-GB", "lt", "ja"] {
        assert_eq!(ids(&codes, culture), [4, 2, 5, 1, 3], "{culture}");
    }
    let some = taxonomy(&[
        term(1, "Remote", Some("zzz")),
        term(2, "Paris", None),
        term(3, "Lyon", None),
        term(4, "Everywhere", Some("000")),
    ]);
    assert_eq!(ids(&some, "en-GB"), [4, 3, 2, 1]);
}
