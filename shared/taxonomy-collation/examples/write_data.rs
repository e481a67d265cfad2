//! Writes `data/collations.zst`: of the collations of CLDR that `icu_collator` has compiled in the usual one of each language and script.
//!
//!     cargo run -p taxonomy-collation --example write_data
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for developers"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::{fs, iter};

use icu_collator::provider::{
    Baked, CollationData, CollationDiacritics, CollationDiacriticsV1, CollationJamoV1, CollationMetadataV1,
    CollationReordering, CollationReorderingV1, CollationRootV1, CollationSpecialPrimariesV1,
    CollationTailoringV1,
};
use icu_provider::prelude::yoke::Yokeable;
use icu_provider::prelude::{
    DataIdentifierBorrowed, DataLocale, DataMarker, DataMarkerAttributes, DataProvider, DataRequest,
};
use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/collations.zst");

/// The languages that the service knows, a row for each of their scripts.
const LIKELY: &str = include_str!("../../taxonomy-keys/src/subtags/likely.txt");

/// Bits of the metadata: what a collation has of its own.
const TAILORED: u32 = 1 << 3;
const TAILORED_DIACRITICS: u32 = 1 << 4;
const REORDERING: u32 = 1 << 5;

fn main() {
    let content = content();
    let packed = zstd::bulk::compress(&content, 22).unwrap();
    fs::write(FILE, &packed).unwrap();
    println!("{} bytes, unpacked {}", packed.len(), content.len());
}

fn content() -> Vec<u8> {
    let mut out = Vec::new();
    let special = load::<CollationSpecialPrimariesV1>("und");
    collation(&mut out, Some(load::<CollationRootV1>("und")));
    let jamo = load::<CollationJamoV1>("und");
    array(&mut out, 4, jamo.ce32s.iter().map(u64::from));
    array(&mut out, 2, special.last_primaries.iter().map(u64::from));
    array(&mut out, 1, [special.numeric_primary.into()]);
    array(&mut out, 2, special.compressible_bytes.iter().map(u64::from));
    for (name, tailoring) in tailorings() {
        array(&mut out, 1, name.bytes().map(u64::from));
        tailoring.write(&mut out);
    }
    out
}

/// Returns the collations by name, each that differs from the one that is taken without it.
fn tailorings() -> BTreeMap<String, Tailoring> {
    let root = Tailoring::load("und");
    let mut found = BTreeMap::new();
    let rows = LIKELY.lines().map(|row| row.split_once(' ').unwrap());
    let rows = rows.map(|(language, rest)| (language, rest.split(' ').next().unwrap()));
    let (languages, scripts): (BTreeSet<&str>, BTreeSet<&str>) = rows.unzip();
    for language in iter::once("und").chain(languages) {
        for script in &scripts {
            let of_script = found.get(&format!("und-{script}")).unwrap_or(&root);
            let name = format!("{language}-{script}");
            let own = Tailoring::load(&name);
            if own != *of_script {
                found.insert(name, own);
            }
        }
    }
    for row in LIKELY.lines() {
        let name = row.split(' ').take(2).collect::<Vec<_>>().join("-");
        let own = Tailoring::load(&name);
        for region in regions() {
            let name = format!("{name}-{region}");
            let regional = Tailoring::load(&name);
            if regional != own {
                found.insert(name, regional);
            }
        }
    }
    found.insert("und".to_owned(), root);
    found
}

fn regions() -> impl Iterator<Item = String> {
    let letters = || 'A'..='Z';
    letters().flat_map(move |first| letters().map(move |second| String::from_iter([first, second])))
}

/// The collation of a locale, beside the root's.
#[derive(PartialEq)]
struct Tailoring {
    bits: u32,
    data: Option<&'static CollationData<'static>>,
    diacritics: Option<&'static CollationDiacritics<'static>>,
    reordering: Option<&'static CollationReordering<'static>>,
}

impl Tailoring {
    fn load(locale: &str) -> Self {
        let bits = load::<CollationMetadataV1>(locale).bits;
        let has_diacritics = bits & TAILORED_DIACRITICS != 0 || locale == "und";
        Self {
            bits,
            data: (bits & TAILORED != 0).then(|| load::<CollationTailoringV1>(locale)),
            diacritics: has_diacritics.then(|| load::<CollationDiacriticsV1>(locale)),
            reordering: (bits & REORDERING != 0).then(|| load::<CollationReorderingV1>(locale)),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        array(out, 4, [self.bits.into()]);
        collation(out, self.data);
        let secondaries = self.diacritics.iter().flat_map(|own| own.secondaries.iter());
        array(out, 2, secondaries.map(u64::from));
        let own = self.reordering;
        array(out, 4, own.map(|own| own.min_high_no_reorder.into()));
        let table = own.iter().flat_map(|own| own.reorder_table.iter());
        array(out, 1, table.map(u64::from));
        let ranges = own.iter().flat_map(|own| own.reorder_ranges.iter());
        array(out, 4, ranges.map(u64::from));
    }
}

/// Adds the stored form of the data of a collation.
fn collation(out: &mut Vec<u8>, data: Option<&CollationData<'_>>) {
    let trie = data.map(|data| serde_json::to_value(&data.trie).unwrap());
    let header = trie.as_ref().map(|trie| {
        let names = "high_start shifted12_high_start index3_null_offset data_null_offset null_value";
        let numbers = names
            .split(' ')
            .map(|name| trie["header"][name].as_u64().unwrap());
        let is_small = trie["header"]["trie_type"] == "Small";
        numbers.chain([is_small.into()])
    });
    array(out, 4, header.into_iter().flatten());
    let of_trie = |name| {
        let numbers = trie.as_ref().map(|trie| trie[name].as_array().unwrap());
        let numbers = numbers.into_iter().flatten();
        numbers.map(|number: &Value| number.as_u64().unwrap())
    };
    array(out, 2, of_trie("index"));
    array(out, 4, of_trie("data"));
    array(out, 8, data.iter().flat_map(|data| data.ces.iter()));
    let ce32s = data.iter().flat_map(|data| data.ce32s.iter());
    array(out, 4, ce32s.map(u64::from));
    let contexts = data.iter().flat_map(|data| data.contexts.iter());
    array(out, 2, contexts.map(u64::from));
}

/// Adds numbers of so many bytes, as `src/data.rs` describes it.
fn array(out: &mut Vec<u8>, width: usize, numbers: impl IntoIterator<Item = u64>) {
    let numbers: Vec<[u8; 8]> = numbers.into_iter().map(u64::to_le_bytes).collect();
    out.extend(u32::try_from(numbers.len()).unwrap().to_le_bytes());
    for place in 0..width {
        out.extend(numbers.iter().map(|number| number[place]));
    }
}

/// Loads what a locale has. Korean has its collation without the readings of Hanja, which take as much as all of Japanese twice.
fn load<M: DataMarker>(locale: &str) -> &'static <M::DataStruct as Yokeable<'static>>::Output
where
    Baked: DataProvider<M>,
{
    let kind = match locale.split('-').next() {
        Some("ko") => "unihan",
        _ => "",
    };
    let locale: DataLocale = locale.parse().unwrap();
    let mut request = DataRequest {
        id: DataIdentifierBorrowed::for_marker_attributes_and_locale(
            DataMarkerAttributes::from_str_or_panic(kind),
            &locale,
        ),
        ..DataRequest::default()
    };
    let loaded = DataProvider::<M>::load(&Baked, request).or_else(|_| {
        request.id.marker_attributes = Default::default();
        Baked.load(request)
    });
    loaded.unwrap().payload.get_static().unwrap()
}
