//! The stored form, pinned: a change here is a change of what is stored, and needs another index format.

use std::fmt::Write as _;

use insta::assert_snapshot;
use taxonomy_index::{Column, Digest, IdTable, PartName, format_of, notation_key, path_key, relation_key};

use crate::chain::{Link, chain};
use taxonomy_testfiles::taxonomy;

const FIRST: &str = r#"{"defaultCulture":"en-GB","categories":[
    {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur"}],"terms":[
        {"id":100,"names":[{"culture":"en-GB","name":"IT","path":"sector/it"}],"sortKey":"010","children":[
            {"id":101,"notation":"6201","names":[{"culture":"en-GB","name":"Rust"},{"culture":"fr-FR","name":"Rouille"}],
             "relations":[{"type":"exact","scheme":"isco","id":"2512"},{"type":"broad","id":100}]}]}]},
    {"id":2,"name":"Area","terms":[{"id":102,"name":"Bonn"}]}]}"#;

const SECOND: &str = r#"{"defaultCulture":"en-GB","categories":[
    {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur"}],"terms":[
        {"id":100,"names":[{"culture":"en-GB","name":"IT","path":"sector/it"}],"deprecated":true}]}]}"#;

fn links() -> Vec<Link> {
    chain([taxonomy(FIRST), taxonomy(SECOND)])
}

fn unpacked(link: &Link, start: u64, packed: u64, content: usize) -> Vec<u8> {
    let (start, packed) = (usize::try_from(start).unwrap(), usize::try_from(packed).unwrap());
    zstd::bulk::decompress(&link.body[start..start + packed], content).unwrap()
}

fn footer(link: &Link) -> String {
    let trailer: &[u8; 40] = link.body.last_chunk().unwrap();
    assert_eq!(&trailer[32..], b"TAXINDX1");
    let number = |at: usize| u64::from_le_bytes(trailer[at..at + 8].try_into().unwrap());
    let content = unpacked(link, number(0), number(8), usize::try_from(number(16)).unwrap());
    String::from_utf8(content).unwrap()
}

/// Places and sums depend on how zstd packs, which another version of it may do in another way.
fn without_packing(json: &str) -> String {
    let mut footer: serde_json::Value = serde_json::from_str(json).unwrap();
    let lists = [
        "categoryIds",
        "termIds",
        "paths",
        "notations",
        "relations",
        "times",
    ]
    .map(|name| format!("/tables/{name}"));
    for list in ["/blocks", "/columns", "/categoriesCounted", "/bits"]
        .map(str::to_owned)
        .iter()
        .chain(&lists)
    {
        for member in ["offset", "packed", "sum"] {
            let numbers = footer.pointer_mut(&format!("{list}/{member}")).unwrap();
            numbers.as_array_mut().unwrap().fill("..".into());
        }
    }
    footer.to_string()
}

#[test]
fn a_footer_has_these_members() {
    let links = links();
    assert_snapshot!(without_packing(&footer(&links[1])));
    // The order of the members is stored as well.
    let json = footer(&links[1]);
    let members = [
        "{\"indexFormat\":",
        "\"summary\":{",
        "\"tenant\":",
        "\"version\":",
        "\"changeset\":",
        "\"state\":",
        "\"projectionFormat\":",
        "\"defaultCulture\":",
        "\"fallbackChain\":",
        "\"cultures\":",
        "\"search\":",
        "\"categories\":",
        "\"terms\":",
        "\"removedCategories\":",
        "\"removedTerms\":",
        "\"counts\":{\"terms\":",
        "\"blocks\":{\"offset\":",
        "\"columns\":{\"offset\":",
        "\"categoriesCounted\":{\"offset\":",
        "\"bits\":{\"offset\":",
        "\"tables\":{\"categoryIds\":{\"offset\":",
    ];
    let places: Vec<usize> = members.iter().map(|member| json.find(member).unwrap()).collect();
    assert!(places.is_sorted(), "{json}");
}

#[test]
fn parts_have_these_contents() {
    let mut text = String::new();
    for link in links() {
        let file = link.file();
        for part in file.footer().parts() {
            let content = unpacked(&link, part.offset, part.packed.into(), part.content as usize);
            write!(text, "{}: ", part.name).unwrap();
            match part.name {
                PartName::Block(_) | PartName::Counts(_) => {
                    text.push_str(&String::from_utf8(content).unwrap());
                }
                PartName::Bits(_) | PartName::Order(..) => write!(text, "{content:?}").unwrap(),
                PartName::Column(number) => text.push_str(&lines(&file.column(number).unwrap())),
                PartName::Bucket(table, number) => {
                    let entries: Vec<_> = file.bucket(table, number).unwrap().entries().collect();
                    write!(text, "{entries:?}").unwrap();
                }
                PartName::Trailer | PartName::Footer => {}
            }
            text.push('\n');
        }
        writeln!(text, "digest {}\n", link.digest).unwrap();
    }
    assert_snapshot!(text);
}

fn lines(column: &Column) -> String {
    let rows = column
        .ordinals()
        .map(|ordinal| format!("\n  {ordinal} {:?}", column.row(ordinal).unwrap()));
    rows.collect()
}

#[test]
fn numbers_lie_in_these_bytes() {
    let links = links();
    let file = links[1].file();
    let bytes = |part: taxonomy_index::Part| {
        unpacked(&links[1], part.offset, part.packed.into(), part.content as usize)
    };
    // Category 1, term 100, then category 2 and terms 102 and 101, which are removed: category 2 came first, by its name.
    let small = |numbers: [u32; 5]| numbers.map(u32::to_le_bytes).concat();
    let large = |numbers: [u64; 5]| numbers.map(u64::to_le_bytes).concat();
    let column = [
        small([1, 1, 0, 0, 0]),
        small([1, u32::MAX, u32::MAX, u32::MAX, u32::MAX]),
        small([1, 0, 0, 0, 0]),
        large([1; 5]),
        large([1, 2, 2, 2, 2]),
        vec![0, 1, 0, 1, 2],
        vec![0, 1, 3, 3, 3],
    ];
    assert_eq!(
        bytes(file.footer().part(PartName::Column(0)).unwrap()),
        column.concat()
    );
    let ids = [100_u64, 101, 102].map(u64::to_le_bytes).concat();
    let ordinals = [1_u32, 4, 3].map(u32::to_le_bytes).concat();
    assert_eq!(
        bytes(file.footer().part(PartName::Bucket(IdTable::TermIds, 0)).unwrap()),
        [ids, ordinals].concat()
    );
}

/// By hand: 0 is the category, 1 to 3 are the terms 10, 11 below it, and 12, which is before 10 in French.
#[test]
fn an_order_lies_in_these_bytes() {
    let links = chain([taxonomy(
        r#"{"defaultCulture":"en-GB","categories":[
            {"id":1,"names":[{"culture":"en-GB","name":"C"},{"culture":"fr-FR","name":"C"}],"terms":[
                {"id":10,"name":"ab","children":[{"id":11,"name":"x"}]},{"id":12,"name":"ba"}]}]}"#,
    )]);
    let file = links[0].file();
    let order = file.footer().order_of(&"fr-FR".parse().unwrap()).unwrap();
    let part = file.footer().part(PartName::Order(order, 0)).unwrap();
    let ordinals_then_positions = [0, 3 - 1, 1 - 2, 2 - 3, 0, 2 - 1, 3 - 2, 1 - 3_i32];
    assert_eq!(
        unpacked(&links[0], part.offset, part.packed.into(), part.content as usize),
        ordinals_then_positions.map(i32::to_le_bytes).concat()
    );
    let json = footer(&links[0]);
    let members = [
        "\"columns\":{",
        "\"orders\":{\"fr-FR\":{\"offset\":",
        "\"categoriesCounted\":{",
    ];
    let places: Vec<usize> = members.iter().map(|member| json.find(member).unwrap()).collect();
    assert!(places.is_sorted(), "{json}");
}

/// By another program: `printf 'en-GB\0sector' | sha256sum`, and so on; of a relation 12 digits for its id, then 4 for its scheme.
#[test]
fn keys_are_the_beginnings_of_these_hashes() {
    let culture = "en-GB".parse().unwrap();
    let keys = [
        path_key(&culture, "sector"),
        notation_key("6201"),
        relation_key(Some("isco"), "2512"),
        relation_key(None, "100"),
    ];
    assert_eq!(keys.map(|key| format!("{key:016x}")), KEYS);
}

const KEYS: [&str; 4] = [
    "a3a5bf472d16ded1",
    "0d497212b54b228c",
    "25f9b3ab7e7deae2",
    "ad57366865120000",
];

#[test]
fn files_have_these_names() {
    let links = links();
    let Link { identity, digest, .. } = &links[1];
    let changeset = &identity.changeset;
    let key = identity.index_key(*digest);
    assert_eq!(
        key,
        format!("indexes/acme/1/000000000002-{changeset}-{digest}.index")
    );
    assert_eq!(format_of(&key), Some(1));
    let (culture, digest) = ("fr-FR".parse().unwrap(), Digest::from_content(b"sector"));
    // By another program: `printf sector | sha256sum`.
    assert_eq!(
        identity.search_key(&culture, digest),
        format!("indexes/acme/1/000000000002-{changeset}-9d5d7fcf3aa35a48.search-fr-FR")
    );
    for (key, format) in [
        ("indexes/acme/27/a.index", Some(27)),
        ("indexes/acme/a.index", None),
        ("indexes/acme", None),
        ("snapshots/acme/1/a.index", None),
    ] {
        assert_eq!(format_of(key), format, "{key}");
    }
}

#[test]
fn a_digest_is_that_of_all_contents_however_they_are_packed() {
    use sha2::Digest as _;
    for link in links() {
        let mut hash = sha2::Sha256::new();
        for part in link.file().footer().parts() {
            hash.update(unpacked(
                &link,
                part.offset,
                part.packed.into(),
                part.content as usize,
            ));
        }
        let json = footer(&link);
        let summary = json.split_once("\"summary\":").unwrap().1;
        hash.update(summary.split_once(",\"blocks\":").unwrap().0);
        let hex: String = hash
            .finalize()
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(link.digest.to_string(), hex);
    }
}
