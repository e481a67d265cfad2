//! Tests of wrong JSON values, and of values that are just valid.

use super::{TERM, Victim, it, term};

#[tokio::test]
async fn what_is_no_taxonomy_is_refused() {
    let mut victim = Victim::new().await;
    for (file, code, pointer) in [
        ("null", "wrong-type", ""),
        ("[]", "wrong-type", ""),
        ("true", "wrong-type", ""),
        ("7", "wrong-type", ""),
        (r#""categories""#, "wrong-type", ""),
        ("{}", "missing-field", ""),
        (r#"{"categories":null}"#, "wrong-type", "/categories"),
        (r#"{"categories":[null]}"#, "wrong-type", "/categories/0"),
        (r#"{"branches":[]}"#, "missing-field", ""),
    ] {
        victim.refuses(file, file, code, pointer).await;
    }
}

#[tokio::test]
async fn an_object_says_each_key_once() {
    let mut victim = Victim::new().await;
    let name = r#"{"culture":"fr","name":"TI""#;
    for (file, pointer) in [
        (r#"{"categories":[],"categories":[]}"#.to_owned(), "/categories"),
        (
            r#"{"categories":[{"id":1,"id":2,"name":"Sector"}]}"#.to_owned(),
            "/categories/0/id",
        ),
        (it(r#""name":"Law""#), "/categories/0/terms/0/name"),
        (it(r#""\u0069d":2"#), "/categories/0/terms/0/id"),
        (
            it(r#""children":[],"children":[{}]"#),
            "/categories/0/terms/0/children",
        ),
        (
            it(r#""children":[{"id":2,"name":"Rust","id":3}]"#),
            "/categories/0/terms/0/children/0/id",
        ),
        (
            it(&format!(r#""names":[{name},"culture":"de"}}]"#)),
            "/categories/0/terms/0/names/0/culture",
        ),
        (
            it(&format!(r#""altNames":[{name},"name":"SI"}}]"#)),
            "/categories/0/terms/0/altNames/0/name",
        ),
        (
            it(r#""metadata":{"a":1,"a":2}"#),
            "/categories/0/terms/0/metadata",
        ),
        (
            it(r#""metadata":{"a":[{"b":1,"\u0062":2}]}"#),
            "/categories/0/terms/0/metadata",
        ),
    ] {
        victim
            .refuses(&file.clone(), file, "duplicate-key", pointer)
            .await;
    }
}

#[tokio::test]
async fn ids_are_whole_numbers_that_every_reader_keeps() {
    let mut victim = Victim::new().await;
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
        victim
            .refuses(&category.clone(), category, code, "/categories/0/id")
            .await;
        let other = term(&format!(r#""id":{id},"name":"IT""#));
        victim
            .refuses(&other.clone(), other, code, &format!("{TERM}/id"))
            .await;
        let replaced = it(&format!(r#""replacedBy":[{id}]"#));
        victim
            .refuses(&replaced.clone(), replaced, code, &format!("{TERM}/replacedBy/0"))
            .await;
    }
    for id in ["0", "9007199254740991"] {
        let file = format!(
            r#"{{"categories":[{{"id":{id},"name":"Sector","terms":[{{"id":{id},"name":"IT"}}]}}]}}"#
        );
        victim.takes(id, file.into()).await;
    }
}

/// Characters of one, two and four bytes: a limit in characters must not be applied to bytes, nor the reverse.
#[tokio::test]
async fn texts_end_at_their_limit_exactly() {
    let mut victim = Victim::new().await;
    let repeat = |text: &str, times: usize| text.repeat(times);
    for (field, code, longest) in [
        (
            "name",
            "name-too-long",
            [repeat("a", 500), repeat("é", 500), repeat("\u{10348}", 500)],
        ),
        (
            "path",
            "path-too-long",
            [repeat("a", 2048), repeat("é", 1024), repeat("\u{10348}", 512)],
        ),
        (
            "notation",
            "value-too-long",
            [repeat("a", 200), repeat("é", 200), repeat("\u{10348}", 200)],
        ),
        (
            "sortKey",
            "value-too-long",
            [repeat("a", 200), repeat("é", 100), repeat("\u{10348}", 50)],
        ),
    ] {
        for text in longest {
            let file = |text: &str| match field {
                "name" => term(&format!(r#""id":1,"name":"{text}""#)),
                "path" => it(&format!(
                    r#""names":[{{"culture":"fr","name":"TI","path":"{text}"}}]"#
                )),
                _ => it(&format!(r#""{field}":"{text}""#)),
            };
            let what = format!(
                "{field} of {} characters, {} bytes",
                text.chars().count(),
                text.len()
            );
            victim.takes(&what, file(&text).into()).await;
            let place = if field == "path" { "names/0/path" } else { field };
            let longer = file(&format!("{text}b"));
            victim
                .refuses(
                    &format!("{what} and one more"),
                    longer,
                    code,
                    &format!("{TERM}/{place}"),
                )
                .await;
        }
    }
}

#[tokio::test]
async fn control_characters_are_refused_and_line_breaks_folded() {
    let mut victim = Victim::new().await;
    for control in [r"\u0000", r"\u0007", r"\u001b", r"\u007f", r"\u0085"] {
        for (field, fields) in [
            ("name", format!(r#""id":1,"name":"I{control}T""#)),
            (
                "notation",
                format!(r#""id":1,"name":"IT","notation":"{control}""#),
            ),
            ("sortKey", format!(r#""id":1,"name":"IT","sortKey":"0{control}""#)),
        ] {
            let pointer = format!("{TERM}/{field}");
            victim
                .refuses(&fields, term(&fields), "control-character", &pointer)
                .await;
        }
        let culture = it(&format!(r#""names":[{{"culture":"fr{control}","name":"TI"}}]"#));
        victim
            .refuses(
                control,
                culture,
                "invalid-culture",
                &format!("{TERM}/names/0/culture"),
            )
            .await;
    }
    victim
        .takes("a line break", term(r#""id":1,"name":"I\r\nT""#).into())
        .await;
    // Escaped, as in the canonical form.
    victim
        .takes(
            "a NUL in metadata",
            it(r#""metadata":{"a\u0000":"\u0000"}"#).into(),
        )
        .await;
}

#[tokio::test]
async fn numbers_in_metadata_are_doubles() {
    let mut victim = Victim::new().await;
    for number in ["1e400", "-1e400", &"9".repeat(5000)] {
        let file = it(&format!(r#""metadata":{{"a":{number}}}"#));
        let error = victim
            .refuses("a huge number", file, "invalid-json", &format!("{TERM}/metadata"))
            .await;
        let message = error["message"].as_str().unwrap();
        assert!(
            message.starts_with("a number that no double can hold"),
            "{message}"
        );
    }
    for number in [
        "1e308",
        "1e-400",
        "18446744073709551616",
        "-9223372036854775809",
        "-0",
        "0.1e1",
        &"9".repeat(300),
    ] {
        victim
            .takes(number, it(&format!(r#""metadata":{{"a":{number}}}"#)).into())
            .await;
    }
}
