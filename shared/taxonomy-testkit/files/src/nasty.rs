//! Files with everything that a format could trip over: each text, list and relation that the input format allows.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::files;

/// Texts with what delimits, quotes, escapes or starts a formula somewhere, separated by `|`.
pub const TEXTS: &str = "=1+1|+49 30|-ol|@home|＝1|'quoted|a,b;c|say \"hi\"|\"|back\\slash\\| edges |\u{a0}no break\u{a0}\
    |two  spaces|with:colon|::|日本語|😀|e\u{301}|<a href='x'>&amp;</a>|null|TRUE|1e5|007|[1]|{}\
    |\u{200f}right to left|line\u{2028}separator|\u{feff}mark|# no comment|a @en . b";

const CULTURES: &str = "en-GB|fr-FR|de-DE|de-AT|pt-BR|zh-Hant-TW|es-419|x-own";

const CONCEPTS: &str = "http://data.europa.eu/esco/occupation/1|http://data.europa.eu/esco/occupation/2\
    |https://example.com/é?a=1#b|urn:x-taxonomy:tenants/acme/terms/3|http://not an iri/<>|A:12|c1\
    |\"quoted\"\\";

/// A generated file, spiced.
pub fn nasty_files() -> impl Strategy<Value = String> {
    (files(), any::<u64>()).prop_map(|(file, seed)| {
        let mut file: Value = serde_json::from_str(&file).unwrap();
        let mut dice = Dice(seed | 1);
        for category in file["categories"].as_array_mut().unwrap() {
            spice(category, false, &mut dice);
        }
        file.to_string()
    })
}

/// Numbers by xorshift.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 8) % end
    }

    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn one_of(&mut self, texts: &'static str) -> &'static str {
        let texts: Vec<&str> = texts.split('|').collect();
        texts[usize::try_from(self.below(texts.len() as u64)).unwrap()]
    }

    /// Any double, most of them with 17 digits.
    fn float(&mut self) -> f64 {
        loop {
            let float = f64::from_bits(self.next());
            if float.is_finite() {
                return float;
            }
        }
    }
}

fn spice(node: &mut Value, is_term: bool, dice: &mut Dice) {
    let own = node["id"].as_u64().unwrap();
    for name in node["names"].as_array_mut().unwrap() {
        if dice.once_in(2) {
            name["name"] = json!(dice.one_of(TEXTS));
        }
        if dice.once_in(4) {
            name["path"] = json!(dice.one_of(TEXTS));
        }
    }
    if dice.once_in(3) {
        node["notation"] = json!(dice.one_of(TEXTS));
    }
    if dice.once_in(6) {
        node["sortKey"] = json!(dice.one_of(TEXTS));
    }
    if dice.once_in(3) {
        let mut alt_names = vec![node["names"][0].clone()];
        let further = dice.below(6);
        alt_names.extend(
            (0..further).map(|_| json!({"culture": dice.one_of(CULTURES), "name": dice.one_of(TEXTS)})),
        );
        node["altNames"] = json!(alt_names);
    }
    if dice.once_in(4) {
        let text = "line one\nline two\r\n\tthree| edges |\n|\"\"\"|a\\";
        node["notes"] = json!([
            {"culture": "en-GB", "definition": dice.one_of(text), "scopeNote": dice.one_of(TEXTS)},
            {"culture": "x-own", "scopeNote": dice.one_of(text)},
        ]);
    }
    if dice.once_in(3) {
        let (one, other) = (dice.float(), dice.float());
        let place = json!([360.0 / (1.0 + one.abs()), dice.next(), "é\u{0}\n"]);
        node["metadata"] = json!({"z": one, "a": {"\"": other, "place": place}, "": null});
    }
    if dice.once_in(4) {
        let ids = (0..3).map(|_| dice.below(16)).filter(|id| *id != own);
        node["replacedBy"] = json!(ids.collect::<Vec<u64>>());
    }
    if dice.once_in(2) {
        let count = dice.below(5);
        let relations = (0..count).map(|_| relation(own, is_term, dice));
        node["relations"] = json!(relations.flatten().collect::<Vec<Value>>());
    }
    let below = if is_term { "children" } else { "terms" };
    for child in node[below].as_array_mut().unwrap() {
        spice(child, true, dice);
    }
}

fn relation(own: u64, is_term: bool, dice: &mut Dice) -> Option<Value> {
    let kind = dice.one_of("exact|close|broad|narrow|related|broad|related");
    if dice.once_in(2) {
        let scheme = dice.one_of("esco|isco \"08\"");
        return Some(json!({"type": kind, "scheme": scheme, "id": dice.one_of(CONCEPTS)}));
    }
    let id = dice.below(16);
    (!is_term || id != own).then(|| json!({"type": kind, "id": id}))
}
