use super::*;

fn parameters(query: &str) -> Parameters {
    Parameters::parse(query).unwrap()
}

fn blamed<T: fmt::Debug>(outcome: Result<T, Problem>) -> String {
    let problem = outcome.unwrap_err();
    let document = serde_json::to_value(problem.document()).unwrap();
    let pointer = document["pointer"].as_str().unwrap_or("-");
    format!("{} {pointer}", problem.code().as_str())
}

#[test]
fn a_query_is_decoded_once() {
    for (query, expect) in [
        ("cursor=a%2Bb+c&x", Some("a+b c")),
        ("cursor=%2541", Some("%41")),
        ("cursor", Some("")),
        ("", None),
        ("&&x=<>\"{}^`\\\u{1}&cursor=1=2&", Some("1=2")),
    ] {
        assert_eq!(parameters(query).text("cursor").unwrap(), expect, "{query}");
    }
    let malformed = blamed(Parameters::parse("culture=%FF"));
    assert_eq!(malformed, "invalid-parameter /query");
}

#[test]
fn a_culture_is_a_language_tag() {
    let culture = |query: &str| parameters(query).culture();
    assert_eq!(culture("").unwrap(), None);
    assert_eq!(culture("culture=EN-gb").unwrap().unwrap().as_str(), "en-GB");
    for query in ["culture=en_GB", "culture=", "culture=%3Cx%3E", "culture=<x>"] {
        let blamed = blamed(culture(query));
        assert_eq!(blamed, "invalid-culture /query/culture", "{query}");
    }
    let twice = blamed(culture("culture=en&culture=fr"));
    assert_eq!(twice, "invalid-parameter /query/culture");
}

#[test]
fn a_limit_is_from_1_to_100() {
    for (query, limit) in [("", 50), ("limit=1", 1), ("limit=100", 100)] {
        assert_eq!(parameters(query).limit().unwrap(), limit);
    }
    for limit in ["0", "101", "", "%2B5", "-1", "many", "1e1", "99999"] {
        let blamed = blamed(parameters(&format!("limit={limit}")).limit());
        assert_eq!(blamed, "invalid-parameter /query/limit", "{limit}");
    }
}

#[test]
fn ids_keep_their_order_and_those_that_cannot_be_are_blamed_by_their_place() {
    let hundred = vec!["1"; 100].join(",");
    assert_eq!(parameters(&format!("ids={hundred}")).ids().unwrap().len(), 100);
    for (query, expect) in [
        ("", "invalid-parameter /query/ids"),
        ("ids=", "invalid-parameter /query/ids"),
        ("ids=1&ids=2", "invalid-parameter /query/ids"),
        (&format!("ids={hundred},1"), "too-many-ids /query/ids"),
    ] {
        assert_eq!(blamed(parameters(query).ids()), expect, "{query}");
    }
    for (query, count, place) in [
        ("ids=1,,2", 3, 1),
        ("ids=1,x", 2, 1),
        ("ids=01", 1, 0),
        ("ids=1,2,-3", 3, 2),
        ("ids=9007199254740992", 1, 0),
    ] {
        let bad = one_bad(parameters(query).ids().unwrap(), count);
        assert_eq!(bad, format!("invalid-id /query/ids/{place}"), "{query}");
    }
    let ids = parameters("ids=3,1,3").ids().unwrap();
    assert_eq!(numbers(ids), [3, 1, 3]);
    assert_eq!(parameters("ids=3%2C1").ids().unwrap().len(), 2);
}

fn numbers(ids: Vec<RequestedId>) -> Vec<u64> {
    ids.into_iter().map(|id| id.unwrap().get()).collect()
}

/// Returns the problem of the one id that is none among so many.
fn one_bad(ids: Vec<RequestedId>, count: usize) -> String {
    assert_eq!(ids.len(), count);
    let mut bad: Vec<String> = ids.into_iter().filter(Result::is_err).map(blamed).collect();
    assert_eq!(bad.len(), 1);
    bad.remove(0)
}

#[test]
fn a_parameter_that_no_operation_has_is_unknown() {
    for (query, expect) in [
        ("culture=fr&version=1&asOf=x&q=", None),
        ("cultur=fr", Some("cultur")),
        ("version=1&Culture=fr&x=1", Some("Culture")),
        ("%63ulture=fr", None),
        ("=1&&", None),
        ("X-Amz-Signature=1&X-Amz-Date=2", None),
        ("x-amz-date=2", Some("x-amz-date")),
    ] {
        assert_eq!(parameters(query).unknown(), expect, "{query}");
    }
}

#[test]
fn a_body_holds_ids_and_nothing_else() {
    assert_eq!(body_ids(br#"{"ids":[2,0,9007199254740991]}"#).unwrap().len(), 3);
    assert_eq!(body_ids(br#"{"ids":[]}"#).unwrap().len(), 0);
    let whole = body_ids(br#"{"ids":[7.0,9007199254740991.0,1e3]}"#).unwrap();
    assert_eq!(numbers(whole), [7, 9_007_199_254_740_991, 1_000]);
    let many = format!(r#"{{"ids":{:?}}}"#, vec![1; 101]);
    assert_eq!(blamed(body_ids(many.as_bytes())), "too-many-ids /body/ids");
    let no_objects = ["", "{", "[]", "{}"];
    for body in no_objects.into_iter().chain([
        r#"{"ids":"113"}"#,
        r#"{"ids":null}"#,
        r#"{"ids":[1]} x"#,
        r#"{"ids":[1],"ids":[2]}"#,
        r#"{"ids":[1],"culture":"fr-FR"}"#,
    ]) {
        let blamed = blamed(body_ids(body.as_bytes()));
        assert_eq!(blamed, "invalid-body /body", "{body}");
    }
    let too_large = ["9007199254740992.0", "1e300", "9007199254740992"];
    for bad in [r#""4""#, "-1", "1.5", "null", "-0.5", "[1]"]
        .into_iter()
        .chain(too_large)
    {
        let ids = body_ids(format!(r#"{{"ids":[1,{bad},2]}}"#).as_bytes()).unwrap();
        assert_eq!(one_bad(ids, 3), "invalid-id /body/ids/1", "{bad}");
    }
}

#[test]
fn the_id_of_a_path_is_a_number() {
    assert_eq!(path_id::<TermId>("7").unwrap().get(), 7);
    for text in [
        "",
        "07",
        "+7",
        "-1",
        "1.5",
        "rust",
        "%37",
        "7 ",
        "..",
        "9007199254740992",
    ] {
        assert_eq!(blamed(path_id::<TermId>(text)), "invalid-id /path/id", "{text}");
    }
}
