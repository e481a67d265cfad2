//! Files that are not as they were written.

use std::io::Write as _;

use proptest::prelude::*;
use taxonomy_index::{Damaged, Expected, File, Footer, Located, PartName, Reason};

use crate::chain::{Link, chain, expected};
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
fn every_flipped_byte_is_an_error_that_names_its_part() {
    let link = small();
    for offset in 0..link.body.len() {
        let mut body = link.body.clone();
        body[offset] ^= 1;
        let damaged = read_all(&body, &link).unwrap_err();
        let part = part_at(&link, offset as u64);
        // The trailer says where the footer lies, so a wrong trailer may show in the footer.
        let is_named =
            damaged.part == part || (part == PartName::Trailer && damaged.part == PartName::Footer);
        assert!(is_named, "byte {offset} of the {part}: {damaged}");
    }
}

#[test]
fn every_truncated_file_is_an_error() {
    let link = small();
    for length in 0..link.body.len() {
        assert!(read_all(&link.body[..length], &link).is_err(), "{length} bytes");
        assert!(
            read_all(&link.body[link.body.len() - length..], &link).is_err(),
            "the last {length} bytes"
        );
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
    for (member, wrong) in [
        (
            "tenant",
            Expected {
                tenant: &tenant,
                ..right
            },
        ),
        (
            "version",
            Expected {
                version: right.version.next(),
                ..right
            },
        ),
        (
            "changeset",
            Expected {
                changeset: &changeset,
                ..right
            },
        ),
    ] {
        let damaged = File::open(&link.body, wrong).unwrap_err();
        assert_eq!(
            (damaged.part, damaged.reason),
            (PartName::Footer, Reason::Identity(member))
        );
    }
}

/// The footer of a file as JSON.
fn footer_of(link: &Link) -> String {
    let body = &link.body;
    let number = |at: usize| {
        let at = body.len() - 40 + at;
        usize::try_from(u64::from_le_bytes(body[at..at + 8].try_into().unwrap())).unwrap()
    };
    let packed = &body[number(0)..number(0) + number(8)];
    String::from_utf8(zstd::bulk::decompress(packed, number(16)).unwrap()).unwrap()
}

/// Replaces the footer of a file, with a trailer that fits it.
fn with_footer(link: &Link, change: impl FnOnce(String) -> String) -> Vec<u8> {
    let parts = link.file().footer().parts().last().unwrap().range().end;
    let content = change(footer_of(link)).into_bytes();
    let packed = zstd::bulk::compress(&content, 3).unwrap();
    forge(
        &link.body[..usize::try_from(parts).unwrap()],
        &packed,
        content.len() as u64,
    )
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

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn a_footer_that_contradicts_itself_is_refused() {
    let link = small();
    assert!(
        read_all(&with_footer(&link, |json| json), &link).is_ok(),
        "the forger works"
    );
    for (from, to, reason) in [
        (
            r#""indexFormat":1"#,
            r#""indexFormat":2"#,
            "it has format 2, which this build does not read",
        ),
        (r#""terms":1,"#, r#""terms":2,"#, "block"),
        (
            r#""terms":1,"#,
            r#""terms":4294967295,"#,
            "more ordinals than a number can have",
        ),
        (
            r#""terms":1,"#,
            r#""terms":9000,"#,
            "columns that do not cover the ordinals",
        ),
        (
            r#""terms":1,"removed"#,
            r#""terms":0,"removed"#,
            "blocks that do not cover the ordinals",
        ),
        (
            r#""cultures":["en-GB"],"search":["#,
            r#""cultures":["en-GB","fr-FR"],"search":["0000000000000000","#,
            "bit maps of another number of ordinals or cultures",
        ),
        (r#""offset":[0,"#, r#""offset":[1,"#, "a part that lies elsewhere"),
        (
            r#""offset":[0,"#,
            r#""offset":[0,0,"#,
            "a list of parts with arrays of different lengths",
        ),
        (
            r#""first":[0,1,2]"#,
            r#""first":[0,2,1]"#,
            "blocks that do not cover the ordinals",
        ),
        (
            r#""first":[0,1,2]"#,
            r#""first":[0,1,3]"#,
            "blocks that do not cover the ordinals",
        ),
        (
            r#""first":[0,1,2]"#,
            r#""first":[1,1,2]"#,
            "blocks that do not cover the ordinals",
        ),
        (
            r#""changedIn":[2]"#,
            r#""first":[2]"#,
            "a list of parts with arrays of different lengths",
        ),
        (r#""search":[""#, r#""search":["0"#, "a digest has 16 hex digits"),
        (
            r#""search":["#,
            r#""search":["0123456789abcdef","#,
            "search objects that are not those of the cultures",
        ),
        (r#""tenant":"#, r#""tenants":"#, "its content is malformed"),
    ] {
        let mut is_found = false;
        let body = with_footer(&link, |json| {
            is_found = json.contains(from);
            json.replacen(from, to, 1)
        });
        assert!(is_found, "{from}");
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
    let (json, mut packed) = (footer_of(&link), Vec::new());
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
    assert!(
        refused(&forge(&[], &bomb, 64 << 20), &link)
            .contains("67108864 bytes of content, more than a reader takes")
    );
    assert!(refused(&forge(&[], &bomb, 1 << 20), &link).contains("it cannot be unpacked"));
    assert!(refused(&forge(&[], &bomb, u64::MAX), &link).contains("it has another length"));
    let footer = link.file().footer().clone();
    for content in [1_u64 << 20 | 1, u32::MAX.into()] {
        let (_, column) = footer.column_of(0).unwrap();
        let lengths = format!(r#""content":[{}],"#, column.content);
        let body = with_footer(&link, |json| {
            let (before, after) = json.split_once("\"columns\":").unwrap();
            assert!(after.contains(&lengths));
            format!(
                "{before}\"columns\":{}",
                after.replacen(&lengths, &format!(r#""content":[{content}],"#), 1)
            )
        });
        assert!(refused(&body, &link).contains("no possible length"));
    }
}

#[test]
fn a_part_read_at_another_place_is_refused() {
    let link = small();
    let file = link.file();
    let footer = file.footer();
    let parts: Vec<_> = footer.parts().collect();
    for one in &parts {
        for other in parts.iter().filter(|other| *other != one) {
            let start = usize::try_from(other.offset).unwrap();
            let packed = &link.body[start..start + other.packed as usize];
            let is_refused = match one.name {
                PartName::Block(_) => taxonomy_index::Block::open(packed, one, footer).is_err(),
                PartName::Column(_) => taxonomy_index::Column::open(packed, one, footer).is_err(),
                PartName::Order(..) => taxonomy_index::CultureOrder::open(packed, one, footer).is_err(),
                PartName::Counts(_) => taxonomy_index::CountedPart::open(packed, one, footer).is_err(),
                PartName::Bits(_) => taxonomy_index::Bits::open(packed, one, footer).is_err(),
                _ => taxonomy_index::Bucket::open(packed, one, footer).is_err(),
            };
            assert!(is_refused, "{} in place of {}", other.name, one.name);
            let packed = footer.bytes_in_tail(one, &link.body).unwrap();
            let is_kind = |name| {
                matches!(
                    (one.name, name),
                    (PartName::Block(_), 0)
                        | (PartName::Column(_), 1)
                        | (PartName::Bucket(..), 2)
                        | (PartName::Bits(_), 3)
                )
            };
            assert_eq!(
                taxonomy_index::Block::open(packed, one, footer).is_ok(),
                is_kind(0)
            );
            assert_eq!(
                taxonomy_index::Column::open(packed, one, footer).is_ok(),
                is_kind(1)
            );
            assert_eq!(
                taxonomy_index::Bucket::open(packed, one, footer).is_ok(),
                is_kind(2)
            );
            assert_eq!(
                taxonomy_index::Bits::open(packed, one, footer).is_ok(),
                is_kind(3)
            );
        }
    }
}

#[test]
fn a_footer_outside_the_tail_is_located() {
    let link = small();
    let size = link.body.len() as u64;
    let tail = &link.body[link.body.len() - 60..];
    let Located::Elsewhere(part) = Footer::locate(tail, size, expected(&link.identity)).unwrap() else {
        panic!("the tail holds 60 bytes")
    };
    let range = part.range();
    let packed = &link.body[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()];
    let footer = Footer::open(packed, &part, expected(&link.identity)).unwrap();
    assert_eq!(&footer, link.file().footer());
    assert!(
        footer
            .parts()
            .all(|part| footer.bytes_in_tail(&part, tail).is_none())
    );
}
