//! The stored form, pinned: a change here is a change of what is stored, and needs another index format.

use std::fmt::Write as _;

use insta::assert_snapshot;
use taxonomy_index::{Column, Digest, Part, PartName, format_of, notation_key, path_key, relation_key};

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

/// 0 is the category, 1 to 3 are the terms 10, 11 below it, and 12, which is before 10 in French.
const ORDERED: &str = r#"{"defaultCulture":"en-GB","categories":[
    {"id":1,"names":[{"culture":"en-GB","name":"C"},{"culture":"fr-FR","name":"C"}],"terms":[
        {"id":10,"name":"ab","children":[{"id":11,"name":"x"}]},{"id":12,"name":"ba"}]}]}"#;

/// Two versions of a tenant, and one of another.
fn links() -> Vec<Link> {
    let mut links = chain([taxonomy(FIRST), taxonomy(SECOND)]);
    links.extend(chain([taxonomy(ORDERED)]));
    links
}

fn unpacked(link: &Link, part: &Part) -> Vec<u8> {
    let start = usize::try_from(part.offset).unwrap();
    let packed = &link.body[start..start + part.packed as usize];
    zstd::bulk::decompress(packed, part.content as usize).unwrap()
}

/// The footer of a file as JSON.
pub(crate) fn footer(link: &Link) -> String {
    let trailer: &[u8; 40] = link.body.last_chunk().unwrap();
    assert_eq!(&trailer[32..], b"TAXINDX1");
    let bytes = |at: usize| <[u8; 8]>::try_from(&trailer[at..at + 8]).unwrap();
    let number = |at| usize::try_from(u64::from_le_bytes(bytes(at))).unwrap();
    let packed = &link.body[number(0)..number(0) + number(8)];
    String::from_utf8(zstd::bulk::decompress(packed, number(16)).unwrap()).unwrap()
}

/// Places and sums depend on how zstd packs, which another version of it may do in another way.
fn without_packing(mut json: String) -> String {
    for member in ["\"offset\":[", "\"packed\":[", "\"sum\":["] {
        let mut lists = json.split(member);
        let first = lists.next().unwrap().to_owned();
        let lists = lists.map(|list| format!("{member}..]{}", list.split_once(']').unwrap().1));
        json = first + &lists.collect::<String>();
    }
    json
}

/// The order of the members is stored as well.
#[test]
fn a_footer_has_these_members() {
    let footers = links()
        .iter()
        .map(footer)
        .map(without_packing)
        .collect::<Vec<_>>();
    assert_snapshot!(footers.join("\n\n"));
}

#[test]
fn parts_have_these_contents() {
    let mut text = String::new();
    for link in links() {
        let file = link.file();
        for part in file.footer().parts() {
            let content = unpacked(&link, &part);
            let shown = match part.name {
                PartName::Block(_) | PartName::Counts(_) => String::from_utf8(content).unwrap(),
                PartName::Column(number) => lines(&file.column(number).unwrap()) + &hex(&content),
                PartName::Bucket(table, number) => {
                    let entries: Vec<_> = file.bucket(table, number).unwrap().entries().collect();
                    format!("{entries:?} {}", hex(&content))
                }
                _ => hex(&content),
            };
            writeln!(text, "{}: {shown}", part.name).unwrap();
        }
        writeln!(text, "digest {}\n", link.digest).unwrap();
    }
    assert_snapshot!(text);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lines(column: &Column) -> String {
    let rows = column.ordinals();
    let rows = rows.map(|ordinal| format!("\n  {ordinal} {:?}", column.row(ordinal).unwrap()));
    rows.chain(["\n  ".to_owned()]).collect()
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
    let expect = "a3a5bf472d16ded1 0d497212b54b228c 25f9b3ab7e7deae2 ad57366865120000";
    assert_eq!(keys.map(|key| format!("{key:016x}")).join(" "), expect);
}

#[test]
fn files_have_these_names() {
    let links = links();
    let Link { identity, digest, .. } = &links[1];
    let changeset = &identity.changeset;
    let begin = format!("indexes/acme/1/000000000002-{changeset}");
    let key = identity.index_key(*digest);
    assert_eq!(key, format!("{begin}-{digest}.index"));
    assert_eq!(format_of(&key), Some(1));
    // By another program: `printf sector | sha256sum`.
    let search_key = identity.search_key(&"fr-FR".parse().unwrap(), Digest::from_content(b"sector"));
    assert_eq!(search_key, format!("{begin}-9d5d7fcf3aa35a48.search-fr-FR"));
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
            hash.update(unpacked(&link, &part));
        }
        let json = footer(&link);
        let summary = json.split_once("\"summary\":").unwrap().1;
        hash.update(summary.split_once(",\"blocks\":").unwrap().0);
        assert_eq!(link.digest.to_string(), hex(&hash.finalize()[..8]));
    }
}
