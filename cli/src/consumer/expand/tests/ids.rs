//! The term ids of a metric.

use super::super::metric::{self, MAX_IDS};
use super::super::path::FieldPath;
use super::super::render::NamesField;

fn found(path: &str, line: &str) -> Result<(Vec<u64>, Vec<String>), (usize, String)> {
    let path: FieldPath = path.parse().unwrap();
    let into: NamesField = "names".parse().unwrap();
    let found = metric::ids(line, &path, &into).map_err(|broken| (broken.offset, broken.reason))?;
    let no_ids = found.no_ids.iter().map(|value| value.get().to_owned());
    Ok((found.ids.iter().map(|id| id.get()).collect(), no_ids.collect()))
}

fn ids(path: &str, line: &str) -> Result<Vec<u64>, (usize, String)> {
    let (ids, no_ids) = found(path, line)?;
    assert_eq!(no_ids, Vec::<String>::new(), "{line}");
    Ok(ids)
}

#[test]
fn numbers_and_texts_that_are_no_ids_are_kept_as_they_are() {
    for no_id in [
        "-1",
        "1.0",
        "1e3",
        r#""""#,
        r#""x""#,
        r#""01""#,
        r#""+1""#,
        "9007199254740992",
        r#"" 1""#,
        r#""\u0031""#,
    ] {
        let line = format!(r#"{{"b":"é","a":[1,{no_id},2,{no_id}]}}"#);
        assert_eq!(found("a", &line), Ok((vec![1, 2], vec![no_id.to_owned()])));
    }
}

#[test]
fn ids_are_found_along_the_path_in_their_order() {
    const DEFAULT: &str = "categories[].terms[].id";
    let found =
        |path, line, expected: &[u64]| assert_eq!(ids(path, line).as_deref(), Ok(expected), "{path} {line}");
    found(
        DEFAULT,
        r#"{"categories":[{"id":9,"terms":[{"id":3},{"id":"1"}]},{"terms":[{"x":1,"id":3}]}]}"#,
        &[3, 1, 3],
    );
    found(DEFAULT, r#"{"views":7}"#, &[]);
    found(DEFAULT, r#"{"categories":[]}"#, &[]);
    found(DEFAULT, r#"{"categories":null}"#, &[]);
    found(
        DEFAULT,
        r#"{"categories":[null,{},{"terms":null},{"terms":[{},null,{"id":null}]}]}"#,
        &[],
    );
    found(
        "termIds",
        r#" {"a":1, "termIds" : [ 5 , "6", null ] , "b":{}}"#,
        &[5, 6],
    );
    found("termIds", r#"{"termIds":12}"#, &[12]);
    found("termIds[]", r#"{"termIds":[1,[2,3]]}"#, &[1, 2, 3]);
    found(
        "job.terms[].id",
        r#"{"job":{"terms":[{"id":9007199254740991}]},"terms":[{"id":2}]}"#,
        &[9_007_199_254_740_991],
    );
    found(
        "grid[][].id",
        r#"{"grid":[[{"id":1},{"id":2}],[],[{"id":0}]]}"#,
        &[1, 2, 0],
    );
    found("ключ", r#"{"\u043a\u043b\u044e\u0447":[4]}"#, &[4]);
}

#[test]
fn other_values_where_ids_belong_are_refused_at_their_place() {
    const DEFAULT: &str = "categories[].terms[].id";
    let refused = |path, line: &str, mark: &str, says: &str| {
        let (offset, reason) = ids(path, line).unwrap_err();
        assert_eq!(Some(offset), line.find(mark), "{line}: {reason}");
        assert!(reason.contains(says), "{line}: {reason}");
    };
    for id in ["true", "false", "{}"] {
        refused(
            "a",
            &format!(r#"{{"b":"é","a":[1,{id}]}}"#),
            &format!("{id}]"),
            "a term id is expected",
        );
    }
    refused(DEFAULT, r#"{"categories":{"x":1}}"#, r#"{"x"#, "an array");
    refused(DEFAULT, r#"{"categories":[5]}"#, "5", "an object");
    refused(DEFAULT, r#"{"categories":[{"terms":"7"}]}"#, r#""7""#, "an array");
    refused("a", r#"{"a":[[1]]}"#, "[1]", "a term id is expected");
    refused("a", r#"{"a":[1],"a":[2]}"#, "[2]", "`a` is there twice");
    refused("a.b", r#"{"a":{"b":1,"b":3}}"#, "3", "`b` is there twice");
}

#[test]
fn lines_that_are_no_object_are_refused() {
    let refused = |line: &str, at: usize, says: &str| {
        let (offset, reason) = ids("a", line).unwrap_err();
        assert!(offset == at && reason.contains(says), "{line}: {offset} {reason}");
    };
    for line in ["[1]", "7", "null", r#""{}""#] {
        refused(line, 0, "a JSON object");
    }
    refused(r#"  true"#, 2, "a JSON object");
    refused(r#"{"a":1"#, 5, "not JSON: the text ends inside an object");
    refused(r#"{"a":1,}"#, 7, "key must be a string");
    refused(r#"{"a":1} {"a":2}"#, 8, "trailing characters");
    refused(r#"{"b":{"c":01}}"#, 11, "invalid number");
    refused(r#"{"b":nul}"#, 8, "not JSON: a value is expected");
}

#[test]
fn fields_that_the_output_adds_are_refused() {
    for name in ["names", "unknown", "taxonomyVersion", r"n\u0061mes"] {
        let (_, reason) = ids("a", &format!(r#"{{"a":1,"{name}":null}}"#)).unwrap_err();
        assert!(reason.contains("already"), "{reason}");
    }
    assert!(ids("a", r#"{"x":{"names":1},"Names":2}"#).is_ok());
}

#[test]
fn a_metric_has_a_largest_number_of_ids() {
    let line = |count: usize| format!(r#"{{"a":[{}]}}"#, vec!["1"; count].join(","));
    assert_eq!(ids("a", &line(MAX_IDS)).unwrap().len(), MAX_IDS);
    let mixed = line(MAX_IDS).replacen('1', "-1", 1).replace("]", ",1]");
    for line in [line(MAX_IDS + 1), mixed.replacen("-1", "\"\"", 1)] {
        let (_, reason) = ids("a", &line).unwrap_err();
        assert!(reason.contains("10000 term ids"), "{reason}");
    }
    let (offset, reason) = ids("a", &line(MAX_IDS + 1)).unwrap_err();
    assert_eq!(offset, 6 + 2 * MAX_IDS);
    assert!(reason.contains("10000 term ids"), "{reason}");
}

#[test]
fn a_path_is_keys_with_or_without_brackets() {
    for path in [
        "",
        ".",
        "a..b",
        "[]",
        "[].a",
        "a.[]",
        "a[",
        "a]",
        "a[0]",
        "a[]b",
        &["a"; 33].join("."),
    ] {
        assert!(path.parse::<FieldPath>().is_err(), "{path}");
    }
    for path in ["a", "a[]", "a[][].b", "a b.c-d", &["a"; 32].join(".")] {
        assert!(path.parse::<FieldPath>().is_ok(), "{path}");
    }
}

#[test]
fn names_are_written_to_a_field_of_their_own() {
    for name in ["", "unknown", "taxonomyVersion"] {
        assert!(name.parse::<NamesField>().is_err(), "{name}");
    }
}
