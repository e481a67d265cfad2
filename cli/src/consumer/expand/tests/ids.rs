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
    let texts = [r#""""#, r#""x""#, r#""01""#, r#""+1""#, r#"" 1""#, r#""\u0031""#];
    for no_id in ["-1", "1.0", "1e3", "9007199254740992"].into_iter().chain(texts) {
        let line = format!(r#"{{"b":"é","a":[1,{no_id},2,{no_id}]}}"#);
        assert_eq!(found("a", &line), Ok((vec![1, 2], vec![no_id.to_owned()])));
    }
}

const DEFAULT: &str = "categories[].terms[].id";

#[test]
fn ids_are_found_along_the_path_in_their_order() {
    let several = r#"{"categories":[{"id":9,"terms":[{"id":3},{"id":"1"}]},{"terms":[{"x":1,"id":3}]}]}"#;
    let empty = r#"{"categories":[null,{},{"terms":null},{"terms":[{},null,{"id":null}]}]}"#;
    let largest = r#"{"job":{"terms":[{"id":9007199254740991}]},"terms":[{"id":2}]}"#;
    let spaced = r#" {"a":1, "termIds" : [ 5 , "6", null ] , "b":{}}"#;
    let grid = r#"{"grid":[[{"id":1},{"id":2}],[],[{"id":0}]]}"#;
    for (path, line, expected) in [
        (DEFAULT, several, &[3, 1, 3][..]),
        (DEFAULT, r#"{"views":7}"#, &[]),
        (DEFAULT, r#"{"categories":[]}"#, &[]),
        (DEFAULT, r#"{"categories":null}"#, &[]),
        (DEFAULT, empty, &[]),
        ("termIds", spaced, &[5, 6]),
        ("termIds", r#"{"termIds":12}"#, &[12]),
        ("termIds[]", r#"{"termIds":[1,[2,3]]}"#, &[1, 2, 3]),
        ("job.terms[].id", largest, &[9_007_199_254_740_991]),
        ("grid[][].id", grid, &[1, 2, 0]),
        ("ключ", r#"{"\u043a\u043b\u044e\u0447":[4]}"#, &[4]),
    ] {
        assert_eq!(ids(path, line).as_deref(), Ok(expected), "{path} {line}");
    }
}

#[test]
fn other_values_where_ids_belong_are_refused_at_their_place() {
    let no_id = "a term id is expected";
    for (path, line, mark, says) in [
        ("a", r#"{"b":"é","a":[1,true]}"#, "true]", no_id),
        ("a", r#"{"b":"é","a":[1,false]}"#, "false]", no_id),
        ("a", r#"{"b":"é","a":[1,{}]}"#, "{}]", no_id),
        (DEFAULT, r#"{"categories":{"x":1}}"#, r#"{"x"#, "an array"),
        (DEFAULT, r#"{"categories":[5]}"#, "5", "an object"),
        (DEFAULT, r#"{"categories":[{"terms":"7"}]}"#, r#""7""#, "an array"),
        ("a", r#"{"a":[[1]]}"#, "[1]", no_id),
        ("a", r#"{"a":[1],"a":[2]}"#, "[2]", "`a` is there twice"),
        ("a.b", r#"{"a":{"b":1,"b":3}}"#, "3", "`b` is there twice"),
    ] {
        let (offset, reason) = ids(path, line).unwrap_err();
        assert_eq!(Some(offset), line.find(mark), "{line}: {reason}");
        assert!(reason.contains(says), "{line}: {reason}");
    }
}

#[test]
fn lines_that_are_no_object_are_refused() {
    let ends = "not JSON: the text ends inside an object";
    for (line, at, says) in [
        ("[1]", 0, "a JSON object"),
        ("7", 0, "a JSON object"),
        ("null", 0, "a JSON object"),
        (r#""{}""#, 0, "a JSON object"),
        ("  true", 2, "a JSON object"),
        (r#"{"a":1"#, 5, ends),
        (r#"{"a":1,}"#, 7, "key must be a string"),
        (r#"{"a":1} {"a":2}"#, 8, "trailing characters"),
        (r#"{"b":{"c":01}}"#, 11, "invalid number"),
        (r#"{"b":nul}"#, 8, "not JSON: a value is expected"),
    ] {
        let (offset, reason) = ids("a", line).unwrap_err();
        assert!(offset == at && reason.contains(says), "{line}: {offset} {reason}");
    }
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
fn a_path_is_keys_with_or_without_brackets_and_names_have_a_field_of_their_own() {
    let long = ["a"; 33].join(".");
    let brackets = ["[]", "[].a", "a.[]", "a[", "a]", "a[0]", "a[]b"];
    for path in brackets.into_iter().chain(["", ".", "a..b", &long]) {
        assert!(path.parse::<FieldPath>().is_err(), "{path}");
    }
    for path in ["a", "a[]", "a[][].b", "a b.c-d", &["a"; 32].join(".")] {
        assert!(path.parse::<FieldPath>().is_ok(), "{path}");
    }
    for name in ["", "unknown", "taxonomyVersion"] {
        assert!(name.parse::<NamesField>().is_err(), "{name}");
    }
}
