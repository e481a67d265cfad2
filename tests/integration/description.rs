//! Tests of the description of the API against the parsers of the described parameters.

use lookup::openapi::Description;
use regex_lite::Regex;
use taxonomy_keys::Culture;
use taxonomy_tests::prelude::*;

fn document() -> Value {
    serde_json::from_str(&Description::json().unwrap()).unwrap()
}

/// The irregular tags of RFC 5646, which the pattern leaves out, and tags with a repeated variant or extension, which no pattern can exclude.
fn is_special(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    let irregular = [
        "i-",
        "art-lojban",
        "cel-gaulish",
        "en-gb-oed",
        "no-bok",
        "no-nyn",
        "sgn-",
        "zh-guoyu",
        "zh-hakka",
        "zh-min",
        "zh-xiang",
    ];
    let mut parts: Vec<&str> = tag.split('-').collect();
    parts.sort_unstable();
    let twice = parts.windows(2).any(|pair| pair[0] == pair[1]);
    twice || irregular.iter().any(|known| tag.starts_with(known))
}

#[test]
fn a_culture_is_described_as_it_is_parsed() {
    let document = document();
    let schema = &document["components"]["parameters"]["Culture"]["schema"];
    let pattern = Regex::new(schema["pattern"].as_str().unwrap()).unwrap();
    let longest = usize::try_from(schema["maxLength"].as_u64().unwrap()).unwrap();
    let described = |tag: &str| tag.len() <= longest && pattern.is_match(tag);
    let mut random = fastrand::Rng::with_seed(13);
    let parts = [
        "en",
        "de",
        "zh",
        "yue",
        "Latn",
        "GB",
        "419",
        "1996",
        "rozaj",
        "u",
        "co",
        "phonebk",
        "x",
        "a",
        "",
        "e1",
        "_",
        "abcdefghi",
        "é",
    ];
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let many = random.usize(1..6);
        let tag: Vec<&str> = (0..many).map(|_| parts[random.usize(..parts.len())]).collect();
        let tag = tag.join("-");
        if is_special(&tag) {
            continue;
        }
        let parsed = tag.parse::<Culture>().is_ok();
        assert_eq!(described(&tag), parsed, "{tag}");
        if parsed { accepted += 1 } else { refused += 1 }
    }
    assert!(accepted > 200 && refused > 2_000, "{accepted} {refused}");
}
