//! Tests of what reports say: the reason, the place, and the next step.

use taxonomy_model::{Code, Defaults, Issue, Limits, parse};

use crate::parser::{category, check, sample, term};
use taxonomy_testfiles::{defaults, read};

/// The last issue of a file that is refused.
fn last(json: impl AsRef<[u8]>) -> Issue {
    let report = parse(json.as_ref(), &defaults(), Limits::default()).unwrap_err();
    report.issues.into_iter().next_back().unwrap()
}

#[test]
fn bad_json_says_line_and_column() {
    let broken = last(sample("invalid/broken-json.json"));
    assert_eq!(broken.message, "not JSON at line 6, column 9: trailing comma");
    assert_eq!(broken.hint, Code::InvalidJson.hint());
    let lists = "[".repeat(100_000);
    for (json, line, column, reason) in [
        (r#"{"categories":[]} x"#, 1, 19, "trailing characters"),
        (&lists, 1, 100_000, "the text ends inside a list"),
        ("{\n  // comment\n}", 2, 3, "key must be a string"),
        ("{'categories':[]}", 1, 2, "key must be a string"),
        ("{\"categories\":[\n1\n2]}", 3, 1, "expected `,` or `]`"),
        ("name,id\n", 1, 2, "a value is expected"),
        ("id,name\n", 1, 1, "a value is expected"),
        // Characters, not bytes.
        ("{\"é\":\"é\",é", 1, 10, "key must be a string"),
    ] {
        let issue = last(json);
        let message = format!("not JSON at line {line}, column {column}: {reason}");
        let expect = (message, Code::InvalidJson);
        assert_eq!((issue.message, issue.code), expect, "{json:.40}");
    }
    for empty in ["", " \r\n"] {
        assert_eq!(last(empty).message, "the file is empty");
    }
    let no_double = "a number that no double can hold at line 1, column 20";
    assert_eq!(last(r#"{"categories":[1e999]}"#).message, no_double);
    let cut_off = "The text ends too early: export or upload the file again.";
    for cut in [r#"{"categories":["#, "", "{"] {
        assert_eq!(last(cut).hint, cut_off);
    }
}

#[test]
fn what_is_no_utf8_says_where() {
    let latin = last(["{\n\"é\": \"".as_bytes(), b"\xe9\"}"].concat());
    assert_eq!(latin.message, "not UTF-8 at byte 9, which is line 2, column 7");
    assert_eq!(latin.stops_at, Some((2, 8)));
    for bytes in [b"\xff\xfe{\0", b"\xfe\xff\0{"] {
        let issue = last(bytes);
        let told = (&*issue.message, issue.stops_at);
        assert_eq!(told, ("the file is UTF-16", Some((1, 1))));
    }
}

#[test]
fn keys_of_other_systems_are_led_to_their_numbers() {
    let issue = |id: &str| last(term(&format!(r#""id":{id},"name":"IT""#)));
    let quoted = issue(r#""20""#);
    assert_eq!(quoted.message, "expected a number: the same without quotes");
    assert_eq!(quoted.hint, Code::WrongType.hint());
    for key in ["6f9619ff-8b86-d011-b42d-00cf4fc964ff", "IT-01", "007", ""] {
        let issue = issue(&format!("\"{key}\""));
        assert_eq!(issue.message, "expected a number, and this is a text", "{key}");
        let hint = issue.hint;
        assert!(hint.contains("`taxonomy import csv --ids`"), "{hint}");
    }
}

#[test]
fn a_field_with_a_culture_in_its_name_is_led_to_the_list() {
    for (field, culture) in [
        ("name_fr", "fr"),
        ("name-en_GB", "en-GB"),
        ("name@zh-hant", "zh-Hant"),
        ("name_12", ""),
        ("surname_fr", ""),
    ] {
        let parsed = read(&term(&format!(r#""id":1,"name":"IT","{field}":"x""#))).unwrap();
        let mut expect = "the format has no such field".to_owned();
        if !culture.is_empty() {
            let name = format!(r#"{{"culture":"{culture}","name":".."}}"#);
            expect += &format!(": a name in {culture} is {name} in the list names");
        }
        let issues = parsed.report.issues.into_iter();
        let messages: Vec<String> = issues.map(|issue| issue.message).collect();
        assert_eq!(messages, [expect], "{field}");
    }
}

#[test]
fn a_default_culture_of_the_tenant_is_told_beside_the_file_s() {
    let english =
        r#"{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"Sector"}]}]}"#;
    let neither = english.replace(r#""defaultCulture":"en-GB","#, "");
    let french = english.replace(r#""culture":"en-GB""#, r#""culture":"fr""#);
    let in_place = ", which the tenant's configuration sets in place of the file's en-GB";
    for (culture, file, more) in [
        ("de-DE", english, in_place),
        ("de-DE", &neither, ""),
        ("en-GB", &french, ""),
    ] {
        let defaults = Defaults {
            tenant_culture: Some(culture.parse().unwrap()),
            ..defaults()
        };
        let report = parse(file.as_bytes(), &defaults, Limits::default()).unwrap_err();
        let expect = format!("has no name in the default culture {culture}{more}");
        assert_eq!(report.issues[0].message, expect);
    }
}

#[test]
fn characters_that_nobody_sees_are_told() {
    let names = |fields: &str| term(&format!(r#""id":1,"names":[{{"culture":"en-GB",{fields}}}]"#));
    let name = |name: &str| names(&format!(r#""name":"{name}""#));
    let place = "invisible-character /categories/0/terms/0/names/0/name";
    for invisible in "200b 202e 2066 061c 00ad feff 3164 2028 fff9".split(' ') {
        check(&name(&format!("a\\u{invisible}b")), &[place]);
    }
    // Joiners and variation selectors are seen by what they do; so are the letters beside invisible characters.
    let joined = ["می\u{200c}خواهم", "👨\u{200d}👩\u{200d}👧", "❤\u{fe0f}"];
    for visible in joined.into_iter().chain(["ظ", "ﾊ", "カ", "ᄀ"]) {
        check(&name(visible), &[]);
    }
    let empty = "empty-name /categories/0/terms/0/names/0/name";
    check(&name("\\u200b \\u2060"), &[place, empty]);
    let of_path = "invisible-character /categories/0/terms/0/names/0/path";
    check(&names(r#""name":"a","path":"a\u200b""#), &[of_path]);
    let note = r#""notes":[{"culture":"en-GB","definition":"a\u00adb"}]"#;
    let of_notation = "invisible-character /categories/0/terms/0/notation";
    let file = term(&format!(r#""id":1,"name":"a","notation":"\u200b1",{note}"#));
    check(&file, &[of_notation]);
}

#[test]
fn siblings_that_look_alike_are_told_with_the_first() {
    let siblings = |one: &str, other: &str| {
        let terms = format!(r#"[{{"id":1,"name":"{one}"}},{{"id":2,"name":"{other}"}}]"#);
        category(&format!(r#""terms":{terms}"#))
    };
    let first = "/categories/0/terms/0";
    for (one, other) in [
        ("Café", "Café"),
        ("Café", "CAFÉ"),
        ("Café", "Cafe\u{301}"),
        ("Café", "Caf\u{200b}é"),
        ("Café", "Ca\u{200b}fé\u{feff}"),
        ("Café", "Cafe\u{200b}\u{301}"),
        ("abc", "\u{202e}abc\u{202c}"),
        ("Pears", "Pe\u{ad}ars"),
        ("Red pears", " Red  pears "),
        ("Red pears", "Red\u{a0}pears"),
    ] {
        let mut issues = read(&siblings(one, other)).unwrap().report.issues;
        issues.retain(|issue| issue.code == Code::DuplicateSiblingName);
        let [issue] = issues.as_slice() else {
            panic!("{issues:?}")
        };
        assert_eq!(issue.message, format!("readers see the same name as at {first}"));
        assert_eq!(issue.first.as_deref(), Some(first));
    }
    for (one, other) in [
        ("Café", "Cafe"),
        ("Café", "Cafe\u{200d}\u{301}"),
        ("Red pears", "Redpears"),
        ("Red pears", "Red"),
    ] {
        check(&siblings(one, other), &[]);
    }
}

#[test]
fn a_repeated_id_is_told_with_the_first() {
    let json =
        category(r#""terms":[{"id":7,"name":"a","children":[{"id":8,"name":"b"}]},{"id":8,"name":"c"}]"#);
    let issue = read(&json).unwrap_err().issues.remove(0);
    let first = "/categories/0/terms/0/children/0/id";
    assert_eq!(issue.pointer.as_str(), "/categories/0/terms/1/id");
    assert_eq!(issue.message, format!("the id is already used at {first}"));
    assert_eq!(issue.first.as_deref(), Some(first));
}
