//! Files that are not as they were written.

use std::io::Write as _;

use proptest::prelude::*;
use taxonomy_index::{
    Bits, Block, Bucket, Column, CountedPart, CultureOrder, Damaged, File, Footer, PartName, Reason,
};

use crate::chain::{Link, chain, expected};
use crate::golden::footer;
use crate::steps::{histories, version_of};
use taxonomy_testfiles::taxonomy;

/// Opens a file and decodes every part.
fn read_all(bytes: &[u8], link: &Link) -> Result<(), Damaged> {
    File::open(bytes, expected(&link.identity))?.digest().map(drop)
}

/// The part that holds the byte at an offset.
fn part_at(link: &Link, offset: u64) -> PartName {
    let file = link.file();
    let found = file.footer().parts().find(|part| part.range().contains(&offset));
    match found {
        Some(part) => part.name,
        None if offset >= link.body.len() as u64 - 40 => PartName::Trailer,
        None => PartName::Footer,
    }
}

fn small() -> Link {
    let json = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"A","terms":[{"id":1,"name":"B","notation":"N",
        "names":[{"culture":"en-GB","name":"B","path":"a/b"}],"relations":[{"type":"exact","id":9}]}]}]}"#;
    let after =
        r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"A","terms":[{"id":2,"name":"C"}]}]}"#;
    chain([taxonomy(json), taxonomy(after)]).pop().unwrap()
}

#[test]
fn every_altered_byte_and_every_cut_is_an_error() {
    let link = small();
    let size = link.body.len();
    for at in 0..size {
        let mut body = link.body.clone();
        body[at] ^= 1;
        let damaged = read_all(&body, &link).unwrap_err();
        let part = part_at(&link, at as u64);
        // The trailer says where the footer lies, so a wrong trailer may show in the footer.
        let is_named =
            damaged.part == part || (part == PartName::Trailer && damaged.part == PartName::Footer);
        assert!(is_named, "byte {at} of the {part}: {damaged}");
        for cut in [&link.body[..at], &link.body[size - at..]] {
            assert!(read_all(cut, &link).is_err(), "{at} bytes");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn flipped_cut_or_repeated_bytes_are_an_error(
        history in histories(),
        at in any::<prop::sample::Index>(),
        until in any::<prop::sample::Index>(),
        bit in 0..8_u32,
        kind in 0..3,
    ) {
        let links = chain(history.iter().map(|json| version_of(json)));
        let link = links.last().unwrap();
        let mut body = link.body.clone();
        let (one, other) = (at.index(body.len()), until.index(body.len()));
        match kind {
            0 => body[one] ^= 1_u8 << bit,
            1 => drop(body.drain(one.min(other)..=one.max(other))),
            _ => {
                let again = body[one.min(other)..=one.max(other)].to_vec();
                body.splice(one..one, again);
            }
        }
        prop_assert!(body == link.body || read_all(&body, link).is_err());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), size in any::<u64>()) {
        let link = small();
        let mut tail = bytes;
        prop_assert!(Footer::locate(&tail, size, expected(&link.identity)).is_err());
        tail.extend_from_slice(b"TAXINDX1");
        prop_assert!(Footer::locate(&tail, size, expected(&link.identity)).is_err());
    }
}

#[test]
fn a_file_of_another_tenant_version_or_changeset_is_refused() {
    let link = small();
    let (tenant, changeset) = ("other".parse().unwrap(), taxonomy_model::Hash::digest(b"other"));
    let right = expected(&link.identity);
    let [mut other_tenant, mut other_version, mut other_changeset] = [right; 3];
    other_tenant.tenant = &tenant;
    other_version.version = right.version.next();
    other_changeset.changeset = &changeset;
    for (member, wrong) in [
        ("tenant", other_tenant),
        ("version", other_version),
        ("changeset", other_changeset),
    ] {
        let damaged = File::open(&link.body, wrong).unwrap_err();
        let expect = (PartName::Footer, Reason::Identity(member));
        assert_eq!((damaged.part, damaged.reason), expect);
    }
}

/// Replaces the footer of a file, with a trailer that fits it.
fn with_footer(link: &Link, change: impl FnOnce(String) -> String) -> Vec<u8> {
    let parts = link.file().footer().parts().last().unwrap().range().end;
    let content = change(footer(link)).into_bytes();
    let packed = zstd::bulk::compress(&content, 3).unwrap();
    let parts = &link.body[..usize::try_from(parts).unwrap()];
    forge(parts, &packed, content.len() as u64)
}

/// A file whose trailer fits its footer.
fn forge(parts: &[u8], footer: &[u8], content: u64) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let sum = Sha256::digest(footer);
    let lengths = [parts.len() as u64, footer.len() as u64, content].map(u64::to_le_bytes);
    [parts, footer, lengths.as_flattened(), &sum[..8], b"TAXINDX1"].concat()
}

fn refused(body: &[u8], link: &Link) -> String {
    read_all(body, link).unwrap_err().to_string()
}

/// A piece of a footer, what stands in its place, and why the footer is refused.
const CONTRADICTIONS: &str = r#"
"indexFormat":1 -> "indexFormat":2 -> it has format 2, which this build does not read
"terms":1, -> "terms":2, -> block
"terms":1, -> "terms":4294967295, -> more ordinals than a number can have
"terms":1, -> "terms":9000, -> columns that do not cover the ordinals
"terms":1,"removed -> "terms":0,"removed -> blocks that do not cover the ordinals
"search":[" -> "search":["0 -> a digest has 16 hex digits
"search":[ -> "search":["0123456789abcdef", -> search objects that are not those of the cultures
["en-GB"],"search":[ -> ["en-GB","fr"],"search":["0000000000000000", -> bit maps of another number of ordinals or cultures
"offset":[0, -> "offset":[1, -> a part that lies elsewhere
"offset":[0, -> "offset":[0,0, -> a list of parts with arrays of different lengths
"first":[0,1,2] -> "first":[0,2,1] -> blocks that do not cover the ordinals
"first":[0,1,2] -> "first":[0,1,3] -> blocks that do not cover the ordinals
"first":[0,1,2] -> "first":[1,1,2] -> blocks that do not cover the ordinals
"changedIn":[2] -> "first":[2] -> a list of parts with arrays of different lengths
"tenant": -> "tenants": -> its content is malformed
"#;

#[test]
fn a_footer_that_contradicts_itself_is_refused() {
    let link = small();
    let forged = with_footer(&link, |json| json);
    assert!(read_all(&forged, &link).is_ok(), "the forger works");
    for row in CONTRADICTIONS.trim().lines() {
        let [from, to, reason] = row.split(" -> ").collect::<Vec<&str>>()[..] else {
            panic!("not a row: {row}")
        };
        let body = with_footer(&link, |json| {
            assert!(json.contains(from), "{from}");
            json.replacen(from, to, 1)
        });
        let message = refused(&body, &link);
        assert!(message.contains(reason), "{from} to {to}: {message}");
    }
}

/// A frame without the length of its content would have to be decompressed to find it out.
#[test]
fn a_frame_without_its_content_size_is_refused() {
    let link = small();
    let file = link.file();
    let parts = usize::try_from(file.footer().parts().last().unwrap().range().end).unwrap();
    let (json, mut packed) = (footer(&link), Vec::new());
    let mut encoder = zstd::Encoder::new(&mut packed, 3).unwrap();
    encoder.write_all(json.as_bytes()).unwrap();
    encoder.finish().unwrap();
    let body = forge(&link.body[..parts], &packed, json.len() as u64);
    assert!(refused(&body, &link).contains("it cannot be unpacked"));
}

/// The content size is checked before anything is unpacked, in the trailer, in the footer, and in the frame.
#[test]
fn a_length_bomb_is_refused_before_it_is_unpacked() {
    let link = small();
    let bomb = zstd::bulk::compress(&vec![b' '; 64 << 20], 3).unwrap();
    for (content, reason) in [
        (64 << 20, "67108864 bytes of content, more than a reader takes"),
        (1 << 20, "it cannot be unpacked"),
        (u64::MAX, "it has another length"),
    ] {
        assert!(refused(&forge(&[], &bomb, content), &link).contains(reason));
    }
    let (_, column) = link.file().footer().column_of(0).unwrap();
    for content in [1_u64 << 20 | 1, u32::MAX.into()] {
        let body = with_footer(&link, |json| {
            let (before, after) = json.split_once("\"columns\":").unwrap();
            let length = format!(r#""content":[{}],"#, column.content);
            assert!(after.contains(&length));
            let after = after.replacen(&length, &format!(r#""content":[{content}],"#), 1);
            format!("{before}\"columns\":{after}")
        });
        assert!(refused(&body, &link).contains("no possible length"));
    }
}

#[test]
fn a_part_is_read_as_its_own_kind_and_at_its_place_alone() {
    let link = small();
    let file = link.file();
    let footer = file.footer();
    let parts: Vec<_> = footer.parts().collect();
    for one in &parts {
        let kind = match one.name {
            PartName::Block(_) => 0,
            PartName::Column(_) => 1,
            PartName::Order(..) => 2,
            PartName::Counts(_) => 3,
            PartName::Bits(_) => 4,
            _ => 5,
        };
        for other in &parts {
            let packed = footer.bytes_in_tail(other, &link.body).unwrap();
            let is_read = [
                Block::open(packed, one, footer).is_ok(),
                Column::open(packed, one, footer).is_ok(),
                CultureOrder::open(packed, one, footer).is_ok(),
                CountedPart::open(packed, one, footer).is_ok(),
                Bits::open(packed, one, footer).is_ok(),
                Bucket::open(packed, one, footer).is_ok(),
            ];
            let expect = [0, 1, 2, 3, 4, 5].map(|number| one == other && number == kind);
            assert_eq!(is_read, expect, "{} in place of {}", other.name, one.name);
        }
    }
}
