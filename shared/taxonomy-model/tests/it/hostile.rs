//! Files that were written to do harm: each is refused with one error at its place. What the projector does with a refused file is asserted by
//! the tests of the whole service.

use taxonomy_model::{Limits, Severity, parse};

use crate::parser::term;
use taxonomy_testfiles::defaults;

/// The place of the fields of [`term`].
const TERM: &str = "/categories/0/terms/0";
/// A depth far beyond any stack.
const DEEP: usize = 100_000;

/// `code pointer` of every error of a file; pointers into the term are shortened.
fn errors(file: &[u8]) -> Vec<String> {
    let Err(report) = parse(file, &defaults(), Limits::default()) else {
        return Vec::new();
    };
    let errors = report
        .issues
        .iter()
        .filter(|issue| issue.severity == Severity::Error);
    errors
        .map(|issue| {
            format!("{} {}", issue.code.as_str(), issue.pointer.replace(TERM, "T"))
                .trim_end()
                .to_owned()
        })
        .collect()
}

fn refuse(file: impl AsRef<[u8]>, expect: &str) {
    let file = file.as_ref();
    assert_eq!(errors(file), [expect], "{:.200}", String::from_utf8_lossy(file));
}

fn take(file: impl AsRef<[u8]>) {
    let file = file.as_ref();
    assert_eq!(errors(file), [""; 0], "{:.200}", String::from_utf8_lossy(file));
}

/// A file with one term called IT and further fields.
fn it(fields: &str) -> String {
    term(&format!(r#""id":1,"name":"IT",{fields}"#))
}

/// A file with one term called IT, whose name also contains these bytes.
fn named(bytes: &[u8]) -> Vec<u8> {
    let file = term(r#""id":1,"name":"IT~""#);
    let (before, behind) = file.split_once('~').unwrap();
    [before.as_bytes(), bytes, behind.as_bytes()].concat()
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

#[test]
fn what_is_no_utf8_is_refused_wherever_it_stands() {
    // Latin-1, a byte that UTF-8 never has, a slash spelled too long, a surrogate, a character beyond Unicode.
    let names: [&[u8]; 5] = [
        b"\xe9",
        b"\xff",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
    ];
    names
        .into_iter()
        .for_each(|bytes| refuse(named(bytes), "invalid-utf8"));
    let files: [&[u8]; 3] = [
        b"{\"categories\":[],\"\xff\":1}",
        b"{\"categories\":[]}\xc3",
        b"PK\x03\x04\x14\0\x08\x9c\xd6",
    ];
    files.into_iter().for_each(|file| refuse(file, "invalid-utf8"));
    refuse(
        [b"\xff\xfe".to_vec(), utf16("{}", u16::to_le_bytes)].concat(),
        "invalid-utf8",
    );
    refuse(
        [b"\xfe\xff".to_vec(), utf16("{}", u16::to_be_bytes)].concat(),
        "invalid-utf8",
    );
    // A mark is told by name, before whatever it stands.
    for behind in [it(r#""notation":"1""#).into_bytes(), Vec::new(), b"\xff".to_vec()] {
        refuse([b"\xef\xbb\xbf".to_vec(), behind].concat(), "byte-order-mark");
    }
}

#[test]
fn what_is_no_json_is_refused_where_it_stops_being_json() {
    for file in [
        "",
        " \n\t",
        r#"{"categories":[]}{"categories":[]}"#,
        "{\"categories\":[]}\0\0",
        r#"{/* none */"categories":[]}"#,
    ] {
        refuse(file, "invalid-json");
    }
    refuse(utf16("{\"categories\":[]}", u16::to_le_bytes), "invalid-json");
    let cut = it("");
    refuse(&cut[..cut.find("IT").unwrap() + 4], "invalid-json T");
    // A NUL, a line break, half of a surrogate pair, and a pair the wrong way round.
    let names: [&[u8]; 5] = [b"\0", b"\n", br"\ud800", br"\udc00", br"\udc00\ud800"];
    names
        .into_iter()
        .for_each(|bytes| refuse(named(bytes), "invalid-json T/name"));
    refuse(it(r#""\ud800":1"#), "invalid-json T");
    refuse(term(r#""id":01,"name":"IT""#), "invalid-json T/id");
    for metadata in [r#"{"a":"\udfff"}"#, r#"{"a":NaN}"#] {
        refuse(
            it(&format!(r#""metadata":{metadata}"#)),
            "invalid-json T/metadata",
        );
    }
}

#[test]
fn nesting_bombs_are_refused_where_they_begin() {
    let list = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let object = r#"{"a":"#.repeat(DEEP) + "1" + &"}".repeat(DEEP);
    let metadata = |levels: usize| {
        let lists = levels - 1;
        it(&format!(
            r#""metadata":{{"a":{}1{}}}"#,
            "[".repeat(lists),
            "]".repeat(lists)
        ))
    };
    refuse("[".repeat(DEEP), "invalid-json");
    refuse(r#"{"a":"#.repeat(DEEP), "invalid-json");
    refuse(&list, "wrong-type");
    refuse(&object, "missing-field");
    refuse(format!(r#"{{"categories":{list}}}"#), "wrong-type /categories/0");
    refuse(term(&format!(r#""id":{list},"name":"IT""#)), "wrong-type T/id");
    refuse(it(&format!(r#""names":[{list}]"#)), "wrong-type T/names/0");
    refuse(
        it(&format!(r#""metadata":{{"a":{list}}}"#)),
        "metadata-too-large T/metadata",
    );
    refuse(
        it(&format!(r#""metadata":{object}"#)),
        "metadata-too-large T/metadata",
    );
    refuse(metadata(17), "metadata-too-large T/metadata");
    take(metadata(16));
    take(it(&format!(r#""unknown":{list}"#)));
}

#[test]
fn terms_end_at_the_thirty_second_level() {
    let deep = |levels: usize| {
        // Only the uppermost terms need names, because deeper ones are not read.
        let id = |level| {
            if level <= 40 {
                format!(r#""id":{level},"name":"T","#)
            } else {
                String::new()
            }
        };
        let nodes: String = (1..levels)
            .map(|level| format!(r#"{}"children":[{{"#, id(level)))
            .collect();
        term(&format!(
            "{nodes}{}\"children\":[]{}",
            id(levels),
            "}]".repeat(levels - 1)
        ))
    };
    let expect = format!("depth-exceeded T{}", "/children/0".repeat(32));
    refuse(deep(33), &expect);
    refuse(deep(DEEP), &expect);
    take(deep(32));
}

#[test]
fn metadata_ends_at_its_limit_whatever_it_is_made_of() {
    let members: Vec<String> = (0..500_000).map(|n| format!(r#""{n}":0"#)).collect();
    for metadata in [
        format!("{{{}}}", members.join(",")),
        format!(r#"{{"a":[{}[]]}}"#, "[],".repeat(1_000_000)),
        format!(r#"{{"a":"{}"}}"#, "x".repeat(8 << 20)),
        format!(r#"{{"{}":1}}"#, "x".repeat(8 << 20)),
    ] {
        refuse(
            it(&format!(r#""metadata":{metadata}"#)),
            "metadata-too-large T/metadata",
        );
    }
}

#[test]
fn lists_of_a_node_end_at_their_limit() {
    for (field, most) in [("altNames", 100), ("replacedBy", 50), ("relations", 50)] {
        let value = |n: usize| match field {
            "altNames" => format!(r#"{{"culture":"en-GB","name":"IT {n}"}}"#),
            "replacedBy" => (100 + n).to_string(),
            _ => format!(r#"{{"type":"exact","scheme":"s","id":"{n}"}}"#),
        };
        let file = |n: usize| {
            it(&format!(
                r#""{field}":[{}]"#,
                (0..n).map(value).collect::<Vec<_>>().join(",")
            ))
        };
        refuse(file(most + 1), &format!("too-many-values T/{field}/{most}"));
        take(file(most));
    }
}

#[test]
fn what_is_no_taxonomy_is_refused() {
    for (file, expect) in [
        ("null", "wrong-type"),
        ("[]", "wrong-type"),
        ("true", "wrong-type"),
        ("7", "wrong-type"),
        (r#""categories""#, "wrong-type"),
        ("{}", "missing-field"),
        (r#"{"categories":null}"#, "wrong-type /categories"),
        (r#"{"categories":[null]}"#, "wrong-type /categories/0"),
        (r#"{"branches":[]}"#, "missing-field"),
    ] {
        refuse(file, expect);
    }
}

#[test]
fn an_object_says_each_key_once() {
    refuse(
        r#"{"categories":[],"categories":[]}"#,
        "duplicate-key /categories",
    );
    refuse(
        r#"{"categories":[{"id":1,"id":2,"name":"Sector"}]}"#,
        "duplicate-key /categories/0/id",
    );
    for (fields, place) in [
        (r#""name":"Law""#, "name"),
        (r#""\u0069d":2"#, "id"),
        (r#""children":[],"children":[{}]"#, "children"),
        (r#""children":[{"id":2,"name":"Rust","id":3}]"#, "children/0/id"),
        (
            r#""names":[{"culture":"fr","name":"TI","culture":"de"}]"#,
            "names/0/culture",
        ),
        (
            r#""altNames":[{"culture":"fr","name":"TI","name":"SI"}]"#,
            "altNames/0/name",
        ),
        (r#""metadata":{"a":1,"a":2}"#, "metadata"),
        (r#""metadata":{"a":[{"b":1,"\u0062":2}]}"#, "metadata"),
    ] {
        refuse(it(fields), &format!("duplicate-key T/{place}"));
    }
}

#[test]
fn ids_are_whole_numbers_that_every_reader_keeps() {
    for (id, code) in [
        ("9007199254740992", "invalid-id"),
        ("18446744073709551615", "invalid-id"),
        ("18446744073709551616", "invalid-id"),
        ("-1", "invalid-id"),
        ("-0", "invalid-id"),
        ("1.0", "invalid-id"),
        ("1e3", "invalid-id"),
        (r#""1""#, "wrong-type"),
        ("null", "wrong-type"),
        ("true", "wrong-type"),
        ("1e400", "invalid-json"),
    ] {
        refuse(
            format!(r#"{{"categories":[{{"id":{id},"name":"Sector"}}]}}"#),
            &format!("{code} /categories/0/id"),
        );
        refuse(
            term(&format!(r#""id":{id},"name":"IT""#)),
            &format!("{code} T/id"),
        );
        refuse(
            it(&format!(r#""replacedBy":[{id}]"#)),
            &format!("{code} T/replacedBy/0"),
        );
    }
    for id in ["0", "9007199254740991"] {
        take(format!(
            r#"{{"categories":[{{"id":{id},"name":"Sector","terms":[{{"id":{id},"name":"IT"}}]}}]}}"#
        ));
    }
    refuse(term(r#""name":"IT""#), "missing-field T");
}

/// Characters of one, two and four bytes: a limit in characters must not be applied to bytes, nor the reverse.
#[test]
fn texts_end_at_their_limit_exactly() {
    for (field, code, longest) in [
        ("name", "name-too-long", [500, 500, 500]),
        ("path", "path-too-long", [2048, 1024, 512]),
        ("notation", "value-too-long", [200, 200, 200]),
        ("sortKey", "value-too-long", [200, 100, 50]),
    ] {
        for (character, longest) in ["a", "é", "\u{10348}"].into_iter().zip(longest) {
            let file = |text: &str| match field {
                "name" => term(&format!(r#""id":1,"name":"{text}""#)),
                "path" => it(&format!(
                    r#""names":[{{"culture":"fr","name":"TI","path":"{text}"}}]"#
                )),
                _ => it(&format!(r#""{field}":"{text}""#)),
            };
            let place = if field == "path" { "names/0/path" } else { field };
            take(file(&character.repeat(longest)));
            refuse(
                file(&(character.repeat(longest) + "b")),
                &format!("{code} T/{place}"),
            );
        }
    }
}

#[test]
fn control_characters_are_refused_and_line_breaks_folded() {
    for control in [r"\u0000", r"\u0007", r"\u001b", r"\u007f", r"\u0085"] {
        refuse(
            term(&format!(r#""id":1,"name":"I{control}T""#)),
            "control-character T/name",
        );
        refuse(
            it(&format!(r#""notation":"{control}""#)),
            "control-character T/notation",
        );
        refuse(
            it(&format!(r#""sortKey":"0{control}""#)),
            "control-character T/sortKey",
        );
        let culture = it(&format!(r#""names":[{{"culture":"fr{control}","name":"TI"}}]"#));
        refuse(culture, "invalid-culture T/names/0/culture");
    }
    take(term(r#""id":1,"name":"I\r\nT""#));
    // Escaped, as in the canonical form.
    take(it(r#""metadata":{"a\u0000":"\u0000"}"#));
}

#[test]
fn numbers_in_metadata_are_doubles() {
    let file = |number: &str| it(&format!(r#""metadata":{{"a":{number}}}"#));
    for number in ["1e400", "-1e400", &"9".repeat(5000)] {
        refuse(file(number), "invalid-json T/metadata");
    }
    let many = "9".repeat(300);
    for number in [
        "1e308",
        "1e-400",
        "18446744073709551616",
        "-9223372036854775809",
        "-0",
        "0.1e1",
        &many,
    ] {
        take(file(number));
    }
}
