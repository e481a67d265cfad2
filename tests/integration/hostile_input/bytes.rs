//! Tests of hostile bytes, encodings and nesting, which are refused before any value is read.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use taxonomy_tests::world::small;

use super::{TERM, Upload, Victim, it, term};

/// A depth far beyond any stack.
const DEEP: usize = 100_000;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn encoded(bytes: impl Into<Vec<u8>>, encoding: &'static str) -> Upload {
    Upload {
        encoding: Some(encoding),
        ..bytes.into().into()
    }
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

/// Returns a file with one term called IT, whose name also contains these bytes.
fn named(bytes: &[u8]) -> Vec<u8> {
    [
        br#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"#,
        bytes,
        br#""}]}]}"#,
    ]
    .concat()
}

#[tokio::test]
async fn what_is_no_utf8_is_refused_wherever_it_stands() {
    let mut victim = Victim::new().await;
    let key = [br#"{"categories":[],""#, &b"\xff"[..], br#"":1}"#].concat();
    for (what, file) in [
        ("Latin-1 in a name", named(b"\xe9")),
        ("a byte that UTF-8 never has in a name", named(b"\xff")),
        ("the same in a key", key),
        ("a slash spelled too long", named(b"\xc0\xaf")),
        ("a surrogate in three bytes", named(b"\xed\xa0\x80")),
        ("a character beyond Unicode", named(b"\xf4\x90\x80\x80")),
        (
            "a character cut off by the end of the file",
            b"{\"categories\":[]}\xc3".to_vec(),
        ),
        (
            "UTF-16 LE with its mark",
            [b"\xff\xfe".to_vec(), utf16("{}", u16::to_le_bytes)].concat(),
        ),
        (
            "UTF-16 BE with its mark",
            [b"\xfe\xff".to_vec(), utf16("{}", u16::to_be_bytes)].concat(),
        ),
        (
            "a zip archive",
            b"PK\x03\x04\x14\x00\x00\x00\x08\x00\x9c\xd6".to_vec(),
        ),
    ] {
        victim.refuses(what, file, "invalid-utf8", "").await;
    }
    let error = victim
        .refuses("the same at a known place", named(b"\xff"), "invalid-utf8", "")
        .await;
    assert_eq!(
        error["message"],
        "not UTF-8 at byte 66, which is line 1, column 67"
    );
}

#[tokio::test]
async fn a_byte_order_mark_is_told_by_name() {
    let mut victim = Victim::new().await;
    let marked = |bytes: &[u8]| [b"\xef\xbb\xbf", bytes].concat();
    for (what, file) in [
        ("a mark before a good file", marked(&small(&[(1, "IT")]))),
        ("a mark alone", marked(b"")),
        ("a mark before bytes that are no UTF-8", marked(b"\xff")),
    ] {
        victim.refuses(what, file, "byte-order-mark", "").await;
    }
}

#[tokio::test]
async fn what_is_no_json_is_refused_where_it_stops_being_json() {
    let mut victim = Victim::new().await;
    let name = format!("{TERM}/name");
    for (what, file, pointer) in [
        ("an empty file", Vec::new(), ""),
        ("white space alone", b" \n\t".to_vec(), ""),
        (
            "two files in one",
            b"{\"categories\":[]}{\"categories\":[]}".to_vec(),
            "",
        ),
        ("NULs after the end", b"{\"categories\":[]}\0\0".to_vec(), ""),
        (
            "UTF-16 without a mark",
            utf16("{\"categories\":[]}", u16::to_le_bytes),
            "",
        ),
        ("a comment", b"{/* none */\"categories\":[]}".to_vec(), ""),
        ("a cut-off file", named(b"")[..60].to_vec(), TERM),
        ("a NUL in a name", named(b"\0"), &name),
        ("a line break in a name", named(b"\n"), &name),
        ("half a surrogate pair in a name", named(br"\ud800"), &name),
        ("the other half in a name", named(br"\udc00"), &name),
        (
            "a pair the wrong way round in a name",
            named(br"\udc00\ud800"),
            &name,
        ),
        ("half a pair in a key", it(r#""\ud800":1"#).into(), TERM),
        (
            "half a pair in metadata",
            it(r#""metadata":{"a":"\udfff"}"#).into(),
            &format!("{TERM}/metadata"),
        ),
        (
            "an id with a leading zero",
            term(r#""id":01,"name":"IT""#).into(),
            &format!("{TERM}/id"),
        ),
        (
            "no number at all",
            it(r#""metadata":{"a":NaN}"#).into(),
            &format!("{TERM}/metadata"),
        ),
    ] {
        victim.refuses(what, file, "invalid-json", pointer).await;
    }
}

#[tokio::test]
async fn nesting_bombs_are_refused_where_they_begin() {
    let mut victim = Victim::new().await;
    let list = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let object = r#"{"a":"#.repeat(DEEP) + "1" + &"}".repeat(DEEP);
    let metadata = format!("{TERM}/metadata");
    for (what, file, code, pointer) in [
        ("lists that never end", "[".repeat(DEEP), "invalid-json", ""),
        (
            "objects that never end",
            r#"{"a":"#.repeat(DEEP),
            "invalid-json",
            "",
        ),
        ("lists in lists", list.clone(), "wrong-type", ""),
        ("objects in objects", object.clone(), "missing-field", ""),
        (
            "lists for categories",
            format!(r#"{{"categories":{list}}}"#),
            "wrong-type",
            "/categories/0",
        ),
        (
            "lists for an id",
            term(&format!(r#""id":{list},"name":"IT""#)),
            "wrong-type",
            &format!("{TERM}/id"),
        ),
        (
            "objects for names",
            it(&format!(r#""names":[{list}]"#)),
            "wrong-type",
            &format!("{TERM}/names/0"),
        ),
        (
            "deep lists in metadata",
            it(&format!(r#""metadata":{{"a":{list}}}"#)),
            "metadata-too-large",
            &metadata,
        ),
        (
            "deep objects in metadata",
            it(&format!(r#""metadata":{object}"#)),
            "metadata-too-large",
            &metadata,
        ),
        (
            "metadata one level too deep",
            metadata_of_levels(17),
            "metadata-too-large",
            &metadata,
        ),
    ] {
        victim.refuses(what, file, code, pointer).await;
    }
    victim
        .takes("metadata as deep as it may be", metadata_of_levels(16).into())
        .await;
    let unknown = it(&format!(r#""unknown":{list}"#));
    victim.takes("lists in an unknown field", unknown.into()).await;
}

fn metadata_of_levels(levels: usize) -> String {
    let lists = levels - 1;
    it(&format!(
        r#""metadata":{{"a":{}1{}}}"#,
        "[".repeat(lists),
        "]".repeat(lists)
    ))
}

#[tokio::test]
async fn terms_end_at_the_thirty_second_level() {
    let mut victim = Victim::new().await;
    let deep = |levels: usize| {
        let mut node = String::new();
        for level in 1..=levels {
            // Only the uppermost terms need names, because deeper ones are not read.
            let id = if level <= 40 {
                format!(r#""id":{level},"name":"T","#)
            } else {
                String::new()
            };
            node += &format!(r#"{{{id}"children":["#);
        }
        let terms = node + &"]}".repeat(levels);
        format!(r#"{{"categories":[{{"id":1,"name":"Sector","terms":[{terms}]}}]}}"#)
    };
    let pointer = TERM.to_owned() + &"/children/0".repeat(32);
    victim
        .refuses("a thirty-third level", deep(33), "depth-exceeded", &pointer)
        .await;
    victim
        .refuses(
            "a hundred thousand levels",
            deep(DEEP),
            "depth-exceeded",
            &pointer,
        )
        .await;
    victim.takes("thirty-two levels", deep(32).into()).await;
}

#[tokio::test]
async fn gzip_is_what_it_says_and_nothing_else() {
    let mut victim = Victim::new().await;
    let file = small(&[(1, "IT"), (3, "Mining")]);
    let zipped = gzip(&file);
    let cut = |end: usize| zipped[..end].to_vec();
    let mut damaged = zipped.clone();
    damaged[zipped.len() - 6] ^= 1;
    for (what, upload) in [
        ("brotli", encoded(file.clone(), "br")),
        ("gzip twice, as declared", encoded(gzip(&zipped), "gzip, gzip")),
        ("plain text called gzip", encoded(file.clone(), "gzip")),
        ("nothing called gzip", encoded("", "gzip")),
        ("gzip that ends in its header", encoded(cut(5), "gzip")),
        (
            "gzip that ends in its body",
            encoded(cut(zipped.len() / 2), "gzip"),
        ),
        (
            "gzip that ends in its checksum",
            encoded(cut(zipped.len() - 3), "gzip"),
        ),
        ("gzip with another checksum", encoded(damaged, "gzip")),
        (
            "gzip and then garbage",
            encoded([&zipped[..], b"garbage"].concat(), "gzip"),
        ),
        (
            "gzip and then zeros",
            encoded([&zipped[..], &[0; 512]].concat(), "gzip"),
        ),
    ] {
        victim.refuses(what, upload, "invalid-encoding", "").await;
    }
    victim
        .refuses("gzip called plain", zipped.clone(), "invalid-utf8", "")
        .await;
    let twice = encoded(gzip(&zipped), "gzip");
    victim.refuses("gzip in gzip", twice, "invalid-utf8", "").await;

    let members = [gzip(&file[..9]), gzip(b""), gzip(&file[9..])].concat();
    victim
        .takes_upload(
            "gzip in capitals, in several members",
            encoded(members, "GZIP"),
            file,
        )
        .await;
}

#[tokio::test]
async fn gzip_bombs_go_off_at_the_limit() {
    let mut victim = Victim::new().await;
    let bomb = gzip(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < 1 << 20, "a thousand times larger when unpacked");
    victim
        .refuses("a bomb", encoded(bomb, "gzip"), "file-too-large", "")
        .await;
    let members = gzip(&vec![b' '; 1 << 20]).repeat(64);
    victim
        .refuses(
            "a bomb in many members",
            encoded(members, "gzip"),
            "file-too-large",
            "",
        )
        .await;
}
