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
    let issues = report.issues.iter();
    let errors = issues.filter(|issue| issue.severity == Severity::Error);
    let texts = errors.map(|issue| format!("{} {}", issue.code.as_str(), issue.pointer.replace(TERM, "T")));
    texts.map(|text| text.trim_end().to_owned()).collect()
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

fn with_metadata(metadata: &str) -> String {
    it(&format!(r#""metadata":{metadata}"#))
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
    let (long, surrogate): (&[u8], &[u8]) = (b"\xc0\xaf", b"\xed\xa0\x80");
    for bytes in [b"\xe9", b"\xff", long, surrogate, b"\xf4\x90\x80\x80"] {
        refuse(named(bytes), "invalid-utf8");
    }
    refuse(b"{\"categories\":[],\"\xff\":1}", "invalid-utf8");
    refuse(b"{\"categories\":[]}\xc3", "invalid-utf8");
    refuse(b"PK\x03\x04\x14\0\x08\x9c\xd6", "invalid-utf8");
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        refuse(utf16("\u{feff}{}", to_bytes), "invalid-utf8");
    }
    // A mark is told by name, before whatever it stands.
    for behind in [it(r#""notation":"1""#).into_bytes(), Vec::new(), b"\xff".to_vec()] {
        refuse([b"\xef\xbb\xbf".to_vec(), behind].concat(), "byte-order-mark");
    }
}

#[test]
fn what_is_no_json_is_refused_where_it_stops_being_json() {
    let comment = r#"{/* none */"categories":[]}"#;
    let twice = r#"{"categories":[]}{"categories":[]}"#;
    for file in ["", " \n\t", twice, "{\"categories\":[]}\0\0", comment] {
        refuse(file, "invalid-json");
    }
    refuse(utf16("{\"categories\":[]}", u16::to_le_bytes), "invalid-json");
    let cut = it("");
    refuse(&cut[..cut.find("IT").unwrap() + 4], "invalid-json T");
    // A NUL, a line break, half of a surrogate pair, and a pair the wrong way round.
    let names: [&[u8]; 5] = [b"\0", b"\n", br"\ud800", br"\udc00", br"\udc00\ud800"];
    for bytes in names {
        refuse(named(bytes), "invalid-json T/name");
    }
    refuse(it(r#""\ud800":1"#), "invalid-json T");
    refuse(term(r#""id":01,"name":"IT""#), "invalid-json T/id");
    for metadata in [r#"{"a":"\udfff"}"#, r#"{"a":NaN}"#] {
        refuse(with_metadata(metadata), "invalid-json T/metadata");
    }
}

#[test]
fn nesting_bombs_are_refused_where_they_begin() {
    let list = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let object = r#"{"a":"#.repeat(DEEP) + "1" + &"}".repeat(DEEP);
    let lists = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        with_metadata(&format!(r#"{{"a":{open}1{close}}}"#))
    };
    refuse("[".repeat(DEEP), "invalid-json");
    refuse(r#"{"a":"#.repeat(DEEP), "invalid-json");
    refuse(&list, "wrong-type");
    refuse(&object, "missing-field");
    refuse(format!(r#"{{"categories":{list}}}"#), "wrong-type /categories/0");
    refuse(term(&format!(r#""id":{list},"name":"IT""#)), "wrong-type T/id");
    refuse(it(&format!(r#""names":[{list}]"#)), "wrong-type T/names/0");
    for metadata in [lists(DEEP), with_metadata(&object), lists(16)] {
        refuse(metadata, "metadata-too-large T/metadata");
    }
    take(lists(15));
    take(it(&format!(r#""unknown":{list}"#)));
}

#[test]
fn terms_end_at_the_thirty_second_level() {
    let deep = |levels: usize| {
        // Only the uppermost terms need names, because deeper ones are not read.
        let id = |level| match level {
            0..=40 => format!(r#""id":{level},"name":"T","#),
            _ => String::new(),
        };
        let nodes = (1..levels).map(|level| format!(r#"{}"children":[{{"#, id(level)));
        let nodes: String = nodes.collect();
        let (last, close) = (id(levels), "}]".repeat(levels - 1));
        term(&format!("{nodes}{last}\"children\":[]{close}"))
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
        refuse(with_metadata(&metadata), "metadata-too-large T/metadata");
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
            let values: Vec<String> = (0..n).map(value).collect();
            it(&format!(r#""{field}":[{}]"#, values.join(",")))
        };
        refuse(file(most + 1), &format!("too-many-values T/{field}/{most}"));
        take(file(most));
    }
}

/// A file, or behind a `+` further fields of the term called IT, and the error.
const REFUSED: &str = r#"
null -> wrong-type
[] -> wrong-type
true -> wrong-type
7 -> wrong-type
"categories" -> wrong-type
{} -> missing-field
{"branches":[]} -> missing-field
{"categories":null} -> wrong-type /categories
{"categories":[null]} -> wrong-type /categories/0
{"categories":[],"categories":[]} -> duplicate-key /categories
{"categories":[{"id":1,"id":2,"name":"Sector"}]} -> duplicate-key /categories/0/id
+ "name":"Law" -> duplicate-key T/name
+ "\u0069d":2 -> duplicate-key T/id
+ "children":[],"children":[{}] -> duplicate-key T/children
+ "children":[{"id":2,"name":"Rust","id":3}] -> duplicate-key T/children/0/id
+ "names":[{"culture":"fr","name":"TI","culture":"de"}] -> duplicate-key T/names/0/culture
+ "altNames":[{"culture":"fr","name":"TI","name":"SI"}] -> duplicate-key T/altNames/0/name
+ "metadata":{"a":1,"a":2} -> duplicate-key T/metadata
+ "metadata":{"a":[{"b":1,"\u0062":2}]} -> duplicate-key T/metadata
"#;

#[test]
fn what_is_no_taxonomy_or_says_a_key_twice_is_refused() {
    for row in REFUSED.trim().lines() {
        let (file, expect) = row.split_once(" -> ").unwrap();
        refuse(file.strip_prefix("+ ").map_or(file.to_owned(), it), expect);
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
        let category = format!(r#"{{"categories":[{{"id":{id},"name":"Sector"}}]}}"#);
        let term = term(&format!(r#""id":{id},"name":"IT""#));
        let replaced = it(&format!(r#""replacedBy":[{id}]"#));
        refuse(category, &format!("{code} /categories/0/id"));
        refuse(term, &format!("{code} T/id"));
        refuse(replaced, &format!("{code} T/replacedBy/0"));
    }
    for id in ["0", "9007199254740991"] {
        let terms = format!(r#"[{{"id":{id},"name":"IT"}}]"#);
        let category = format!(r#"{{"id":{id},"name":"Sector","terms":{terms}}}"#);
        take(format!(r#"{{"categories":[{category}]}}"#));
    }
    refuse(term(r#""name":"IT""#), "missing-field T");
}

/// Fields of a term, the place and the code of a text that is too long, and the most characters of one, two and four bytes: a limit in characters
/// must not be applied to bytes, nor the reverse.
const TEXTS: &str = r#"
"name":"~" | name | name-too-long | 500 500 500
"name":"IT","names":[{"culture":"fr","name":"TI","path":"~"}] | names/0/path | path-too-long | 2048 1024 512
"name":"IT","notation":"~" | notation | value-too-long | 200 200 200
"name":"IT","sortKey":"~" | sortKey | value-too-long | 200 100 50
"name":"IT","notes":[{"culture":"en","definition":"~"}] | notes/0/definition | value-too-long | 4000
"name":"IT","notes":[{"culture":"en","scopeNote":"~"}] | notes/0/scopeNote | value-too-long | 4000
"name":"IT","relations":[{"type":"exact","id":"b","scheme":"~"}] | relations/0/scheme | value-too-long | 100
"name":"IT","relations":[{"type":"exact","scheme":"a","id":"~"}] | relations/0/id | value-too-long | 500
"#;

#[test]
fn texts_end_at_their_limit_exactly() {
    for row in TEXTS.trim().lines() {
        let [fields, place, code, limits] = row.split(" | ").collect::<Vec<&str>>()[..] else {
            panic!("not a row: {row}")
        };
        let limits = limits.split(' ').map(|limit| limit.parse().unwrap());
        for (character, most) in ["a", "é", "\u{10348}"].iter().zip(limits) {
            let file = |text: &str| term(&format!(r#""id":1,{}"#, fields.replace('~', text)));
            let text = character.repeat(most);
            take(file(&text));
            refuse(file(&(text + "b")), &format!("{code} T/{place}"));
        }
    }
}

#[test]
fn control_characters_are_refused_and_line_breaks_folded() {
    for control in [r"\u0000", r"\u0007", r"\u001b", r"\u007f", r"\u0085"] {
        let of_name = term(&format!(r#""id":1,"name":"I{control}T""#));
        refuse(of_name, "control-character T/name");
        let of_notation = it(&format!(r#""notation":"{control}""#));
        refuse(of_notation, "control-character T/notation");
        let of_key = it(&format!(r#""sortKey":"0{control}""#));
        refuse(of_key, "control-character T/sortKey");
        let of_culture = it(&format!(r#""names":[{{"culture":"fr{control}","name":"TI"}}]"#));
        refuse(of_culture, "invalid-culture T/names/0/culture");
    }
    take(term(r#""id":1,"name":"I\r\nT""#));
    // Escaped, as in the canonical form.
    take(with_metadata(r#"{"a\u0000":"\u0000"}"#));
}

#[test]
fn numbers_in_metadata_are_doubles() {
    let file = |number: &str| with_metadata(&format!(r#"{{"a":{number}}}"#));
    for number in ["1e400", "-1e400", &"9".repeat(5000)] {
        refuse(file(number), "invalid-json T/metadata");
    }
    for number in "1e308 1e-400 18446744073709551616 -9223372036854775809 -0 0.1e1".split(' ') {
        take(file(number));
    }
    take(file(&"9".repeat(300)));
}
