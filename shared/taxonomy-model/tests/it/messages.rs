//! Tests of what reports say: the reason, the place, and the next step.

use taxonomy_model::{Code, Defaults, Limits, parse};

use crate::parser::{category, check, sample, term};
use taxonomy_testfiles::{defaults, read};

#[test]
fn bad_json_says_line_and_column() {
    let last = |json: &[u8]| {
        parse(json, &defaults(), Limits::default())
            .unwrap_err()
            .issues
            .pop()
            .unwrap()
    };
    let broken = last(&sample("invalid/broken-json.json"));
    assert_eq!(broken.message, "not JSON at line 6, column 9: trailing comma");
    for (json, expect) in [
        ("", "the file is empty"),
        (" \r\n", "the file is empty"),
        (
            r#"{"categories":[]} x"#,
            "not JSON at line 1, column 19: trailing characters",
        ),
        (
            &"[".repeat(100_000),
            "not JSON at line 1, column 100000: the text ends inside a list",
        ),
        (
            "{\n  // comment\n}",
            "not JSON at line 2, column 3: key must be a string",
        ),
        (
            "{'categories':[]}",
            "not JSON at line 1, column 2: key must be a string",
        ),
        (
            "{\"categories\":[\n1\n2]}",
            "not JSON at line 3, column 1: expected `,` or `]`",
        ),
        ("name,id\n", "not JSON at line 1, column 2: a value is expected"),
        ("id,name\n", "not JSON at line 1, column 1: a value is expected"),
        // Characters, not bytes.
        (
            "{\"é\":\"é\",é",
            "not JSON at line 1, column 10: key must be a string",
        ),
        (
            "{\"categories\":[1e999]}",
            "a number that no double can hold at line 1, column 20",
        ),
    ] {
        let issue = last(json.as_bytes());
        assert_eq!(
            (issue.message.as_str(), issue.code),
            (expect, Code::InvalidJson),
            "{json:.40}"
        );
    }
    // A hint of its own for what is cut off.
    let hints = ["{\"categories\":[", "", "{"].map(|json| last(json.as_bytes()).hint);
    assert_eq!(
        hints,
        ["The text ends too early: export or upload the file again."; 3]
    );
    assert_eq!(broken.hint, Code::InvalidJson.hint());
}

#[test]
fn what_is_no_utf8_says_where() {
    let message = |bytes: &[u8]| {
        let report = parse(bytes, &defaults(), Limits::default()).unwrap_err();
        (report.issues[0].message.clone(), report.issues[0].stops_at)
    };
    let latin = message(
        "{\n\"é\": \""
            .bytes()
            .chain(*b"\xe9\"}")
            .collect::<Vec<u8>>()
            .as_slice(),
    );
    assert_eq!(
        latin,
        (
            "not UTF-8 at byte 9, which is line 2, column 7".to_owned(),
            Some((2, 8))
        )
    );
    for bytes in [b"\xff\xfe{\0", b"\xfe\xff\0{"] {
        assert_eq!(message(bytes), ("the file is UTF-16".to_owned(), Some((1, 1))));
    }
}

#[test]
fn keys_of_other_systems_are_led_to_their_numbers() {
    let issue = |id: &str| {
        let report = read(&term(&format!(r#""id":{id},"name":"IT""#))).unwrap_err();
        report
            .issues
            .into_iter()
            .map(|issue| (issue.message, issue.hint))
            .next()
            .unwrap()
    };
    assert_eq!(
        issue(r#""20""#),
        (
            "expected a number: the same without quotes".to_owned(),
            Code::WrongType.hint()
        )
    );
    for key in [
        r#""6f9619ff-8b86-d011-b42d-00cf4fc964ff""#,
        r#""IT-01""#,
        r#""007""#,
        r#""""#,
    ] {
        let (message, hint) = issue(key);
        assert_eq!(message, "expected a number, and this is a text", "{key}");
        assert!(hint.contains("`taxonomy import csv --ids`"), "{hint}");
    }
}

#[test]
fn a_field_with_a_culture_in_its_name_is_led_to_the_list() {
    for (field, message) in [
        (
            "name_fr",
            r#": a name in fr is {"culture":"fr","name":".."} in the list names"#,
        ),
        (
            "name-en_GB",
            r#": a name in en-GB is {"culture":"en-GB","name":".."} in the list names"#,
        ),
        (
            "name@zh-hant",
            r#": a name in zh-Hant is {"culture":"zh-Hant","name":".."} in the list names"#,
        ),
        ("name_12", ""),
        ("surname_fr", ""),
    ] {
        let report = read(&term(&format!(r#""id":1,"name":"IT","{field}":"x""#)))
            .unwrap()
            .report;
        let messages: Vec<&str> = report.issues.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(
            messages,
            [format!("the format has no such field{message}")],
            "{field}"
        );
    }
}

#[test]
fn a_default_culture_of_the_tenant_is_told_beside_the_file_s() {
    let message = |culture: &str, file: &str| {
        let tenant_culture = Some(culture.parse().unwrap());
        let defaults = Defaults {
            tenant_culture,
            ..defaults()
        };
        let report = parse(file.as_bytes(), &defaults, Limits::default()).unwrap_err();
        report.issues[0].message.clone()
    };
    let english =
        r#"{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"Sector"}]}]}"#;
    assert_eq!(
        message("de-DE", english),
        "has no name in the default culture de-DE, which the tenant's configuration sets in place of the file's en-GB"
    );
    let neither = english.replace(r#""defaultCulture":"en-GB","#, "");
    assert_eq!(
        message("de-DE", &neither),
        "has no name in the default culture de-DE"
    );
    let same = english.replace(r#""culture":"en-GB""#, r#""culture":"fr""#);
    assert_eq!(
        message("en-GB", &same),
        "has no name in the default culture en-GB"
    );
}

#[test]
fn characters_that_nobody_sees_are_told() {
    let names = |fields: &str| term(&format!(r#""id":1,"names":[{{"culture":"en-GB",{fields}}}]"#));
    let name = |name: &str| names(&format!(r#""name":"{name}""#));
    let place = "invisible-character /categories/0/terms/0/names/0/name";
    for invisible in [
        "200b", "202e", "2066", "061c", "00ad", "feff", "3164", "2028", "fff9",
    ] {
        check(&name(&format!("a\\u{invisible}b")), &[place]);
    }
    // Joiners and variation selectors are seen by what they do; so are the letters beside invisible characters.
    for visible in [
        "می\u{200c}خواهم",
        "👨\u{200d}👩\u{200d}👧",
        "❤\u{fe0f}",
        "ظ",
        "ﾊ",
        "カ",
        "ᄀ",
    ] {
        check(&name(visible), &[]);
    }
    check(
        &name("\\u200b \\u2060"),
        &[place, "empty-name /categories/0/terms/0/names/0/name"],
    );
    check(
        &names(r#""name":"a","path":"a\u200b""#),
        &["invisible-character /categories/0/terms/0/names/0/path"],
    );
    check(
        &term(
            r#""id":1,"name":"a","notation":"\u200b1","notes":[{"culture":"en-GB","definition":"a\u00adb"}]"#,
        ),
        &["invisible-character /categories/0/terms/0/notation"],
    );
}

#[test]
fn siblings_that_look_alike_are_told_with_the_first() {
    let siblings = |one: &str, other: &str| {
        category(&format!(
            r#""terms":[{{"id":1,"name":"{one}"}},{{"id":2,"name":"{other}"}}]"#
        ))
    };
    for (one, other) in [
        ("Café", "Café"),
        ("Café", "CAFÉ"),
        ("Café", "Cafe\u{301}"),
        ("Café", "Caf\u{200b}é"),
        ("Pears", "Pe\u{ad}ars"),
        ("Red pears", " Red  pears "),
        ("Red pears", "Red\u{a0}pears"),
    ] {
        let report = parse(siblings(one, other).as_bytes(), &defaults(), Limits::default())
            .unwrap()
            .report;
        let found: Vec<_> = report
            .issues
            .iter()
            .filter(|issue| issue.code == Code::DuplicateSiblingName)
            .collect();
        let [issue] = found.as_slice() else {
            panic!("{report:?}")
        };
        assert_eq!(
            issue.message,
            "readers see the same name as at /categories/0/terms/0"
        );
        assert_eq!(issue.first.as_deref(), Some("/categories/0/terms/0"));
    }
    check(&siblings("Café", "Cafe"), &[]);
}

#[test]
fn a_repeated_id_is_told_with_the_first() {
    let json =
        category(r#""terms":[{"id":7,"name":"a","children":[{"id":8,"name":"b"}]},{"id":8,"name":"c"}]"#);
    let report = read(&json).unwrap_err();
    let issue = &report.issues[0];
    assert_eq!(
        (
            issue.pointer.as_str(),
            issue.message.as_str(),
            issue.first.as_deref()
        ),
        (
            "/categories/0/terms/1/id",
            "the id is already used at /categories/0/terms/0/children/0/id",
            Some("/categories/0/terms/0/children/0/id")
        )
    );
}

#[test]
fn a_file_without_terms_is_told() {
    check(r#"{"categories":[]}"#, &["no-terms /categories"]);
    check(
        &category(r#""terms":[]"#),
        &["empty-category /categories/0", "no-terms /categories"],
    );
    // A file with errors has more to say.
    check(
        r#"{"categories":[{"id":1}]}"#,
        &[
            "missing-default-name /categories/0",
            "empty-category /categories/0",
        ],
    );
}
