//! Headers of changesets: the reader reads every header that the writer writes, within its bounds, and refuses everything else.

use std::io::Write as _;

use taxonomy_keys::{Culture, Version};
use taxonomy_model::changeset::{self, Cause, Header, HeaderReader, ReadError};
use taxonomy_model::{CategoryCounts, Census, Changes, Counts, Coverage, Hash, Provenance, TenantCounts};

/// Cultures that a file may name in all.
const CULTURES: u64 = 500;

/// The longest ids: 2^53 - 1 has 16 digits.
const LARGEST_ID: u64 = (1 << 53) - 1;

/// Distinct tags of 35 characters, the longest there are.
fn longest_cultures() -> Vec<Culture> {
    let tags = (0..CULTURES).map(|number| format!("en-Latn-GB-x-{number:07}-abcdefgh-abcde"));
    let tags = tags.inspect(|tag| assert_eq!(tag.len(), 35));
    tags.map(|tag| tag.parse().unwrap()).collect()
}

/// The same number of names in each culture.
fn each(cultures: &[Culture], names: u64) -> Coverage {
    let names = cultures.iter().map(|culture| (culture.clone(), names));
    names.collect()
}

fn largest_counts(cultures: &[Culture]) -> Counts {
    Counts {
        terms: 1_100_000,
        leaves: 1_100_000,
        deprecated: 1_100_000,
        depths: vec![1_100_000; 32],
        names: each(cultures, 1_100_000),
    }
}

fn category(id: u64, counts: Counts) -> CategoryCounts {
    CategoryCounts { id, counts }
}

fn header(counts: Counts, categories: Vec<CategoryCounts>, touched: Vec<u64>) -> Header {
    let hash = Hash::digest(b"anything");
    let totals = TenantCounts {
        categories: categories.len() as u64,
        counts,
    };
    Header {
        tenant: "t".repeat(64).parse().unwrap(),
        version: Version::new(999_999_999_999).unwrap(),
        parent: Some(hash.clone()),
        cause: Cause::Upload { sha256: hash.clone() },
        provenance: Provenance::new(|_| Some("\u{10348}".repeat(500))),
        full: true,
        before: Some(hash.clone()),
        after: hash,
        projection_format: u32::MAX,
        census: Census { totals, categories },
        changes: Changes::default(),
        touched: Some(touched),
    }
}

fn written(header: &Header) -> Vec<u8> {
    let mut bytes = Vec::new();
    changeset::write(header, std::iter::empty(), &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<Header, ReadError> {
    read_in(100_003, bytes, HeaderReader::default())
}

/// Reads a header in pieces of a size.
fn read_in(size: usize, bytes: &[u8], mut reader: HeaderReader) -> Result<Header, ReadError> {
    for piece in bytes.chunks(size) {
        reader.write_all(piece).unwrap();
    }
    reader.finish().map(|(_, header)| header)
}

/// Every part of a header that the limits of a file allow is within the reader's bounds, with half of them to spare.
#[test]
fn the_largest_parts_of_a_header_are_read() {
    let cultures = longest_cultures();
    let counts = largest_counts(&cultures);
    let largest = category(LARGEST_ID, counts.clone());
    // Every category of the version before is gone, and as many others are there.
    let touched: Vec<u64> = (LARGEST_ID - 2_200_000..LARGEST_ID).collect();
    let header = header(counts, vec![largest.clone(), largest], touched);
    let bytes = written(&header);
    let text = std::str::from_utf8(&bytes).unwrap();
    let (opening, rest) = text.split_once(r#","categories":["#).unwrap();
    let (categories, closing) = rest.split_once("],").unwrap_or_default();
    assert!(opening.len() < 64 << 10, "opening {}", opening.len());
    let category = categories.len() / 2;
    assert!(category < 64 << 10, "category {category}");
    assert!(closing.len() < 40 << 20, "closing {}", closing.len());
    assert_eq!(read(&bytes).unwrap(), header);
}

/// The header of the review: 88 MB from a file of 128 MiB.
#[test]
fn a_header_of_43_000_categories_with_50_long_cultures_each_is_read() {
    let cultures = &longest_cultures()[..50];
    let counts = Counts {
        terms: 1,
        leaves: 1,
        deprecated: 0,
        depths: vec![1],
        names: each(cultures, 1),
    };
    let categories = (0..43_000).map(|id| category(id, counts.clone()));
    let categories = categories.collect();
    let header = header(largest_counts(cultures), categories, (0..43_000).collect());
    let bytes = written(&header);
    assert!(bytes.len() > 80 << 20, "{}", bytes.len());
    assert_eq!(read(&bytes).unwrap(), header);
}

/// To the byte, whatever the pieces are.
#[test]
fn a_reader_may_be_given_a_bound() {
    let categories = (0..100).map(|id| category(id, Counts::default())).collect();
    let header = header(Counts::default(), categories, (0..100).collect());
    let bytes = written(&header);
    let exactly = bytes.len() - "]}".len();
    let bounded = HeaderReader::of_at_most(exactly);
    assert_eq!(read_in(100_003, &bytes, bounded).unwrap(), header);
    for most in [0, 1, 100, 5000, exactly - 1] {
        for size in [1, 7, bytes.len()] {
            let error = read_in(size, &bytes, HeaderReader::of_at_most(most)).unwrap_err();
            let is_given_up = matches!(error, ReadError::TooLong(at) if at == most);
            assert!(is_given_up, "{most} {size} {error}");
        }
    }
}

#[test]
fn a_part_that_does_not_end_is_given_up() {
    let spaces = vec![b' '; 1 << 20];
    let of_category = r#"{"formatVersion":1,"categories":[{"#;
    for begin in ["", of_category, r#"{"formatVersion":1,"#] {
        let mut reader = HeaderReader::default();
        reader.write_all(begin.as_bytes()).unwrap();
        let given_up = (0..40).any(|_| {
            reader.write_all(&spaces).unwrap();
            reader.failed()
        });
        assert!(given_up, "{begin}");
    }
}

/// Whatever it is made of: another build knows.
#[test]
fn another_format_is_known_by_its_first_bytes() {
    let long = format!(r#"{{"formatVersion":2{},"facts":[]}}"#, " ".repeat(1 << 20));
    for body in [
        r#"{"formatVersion":2,"facts":[]}"#,
        r#"{"formatVersion":2,"counts":{"#,
        r#"{"formatVersion":2,"categories":[]"#,
        r#"{"formatVersion":02,"categories":[]"#,
        r#"{"formatVersion":20}"#,
        &long,
    ] {
        for size in [1, 7, body.len()] {
            let error = read_in(size, body.as_bytes(), HeaderReader::default()).unwrap_err();
            assert!(matches!(error, ReadError::Format(2 | 20)), "{body:.40}: {error}");
        }
        let error = changeset::read(body.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("changeset format 2") && error.ends_with("is not known to this build"));
    }
}

#[test]
fn a_damaged_header_is_an_error() {
    let cultures = &longest_cultures()[..2];
    let categories = vec![category(1, largest_counts(&cultures[..1]))];
    let whole = written(&header(largest_counts(cultures), categories, vec![1]));
    let whole = String::from_utf8(whole).unwrap();
    for (from, to) in [
        (r#""categories":[{"id":1"#, r#""categories":[{"id":-1"#),
        (r#""categories":[{"#, r#""categories":["#),
        (r#""categories":[{"#, r#""categories":[,{"#),
        (r#"}}],"changes""#, r#"}},],"changes""#),
        (r#"}}],"changes""#, r#"}}]"changes""#),
        (r#""changes":{"#, r#""changes":{,"#),
        (r#""depths":["#, r#""depths":[["#),
        (r#","facts":["#, r#","fact":["#),
        (r#"en-Latn-GB"#, r#"en Latn GB"#),
        ("\"tenant\":\"t", "\"tenant\":\"#"),
        (r#","finalNames":0"#, ""),
    ] {
        assert!(whole.contains(from), "{from}");
        let damaged = whole.replace(from, to);
        assert!(read(damaged.as_bytes()).is_err(), "{from} -> {to}");
        assert!(changeset::read(damaged.as_bytes()).is_err(), "{from} -> {to}");
    }
    for cut in [1, 2, whole.len() / 2, whole.len()] {
        let read = changeset::read(&whole.as_bytes()[..whole.len() - cut]);
        assert!(read.is_err(), "{cut} bytes are missing");
    }
}
