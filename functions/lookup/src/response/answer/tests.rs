use super::*;

/// The documented limit of Lambda.
const PASSED_ON: usize = 6_291_556;

fn sent(answer: Answer, accept_encoding: Option<&str>) -> Result<Response, Problem> {
    let event = serde_json::json!({
        "rawPath": "/", "headers": {"accept-encoding": accept_encoding}, "requestContext": {"http": {"method": "GET"}},
    });
    let event = serde_json::from_value(event).unwrap();
    respond(answer, &Auth::Iam, &CacheControl::default(), &event, None)
}

fn code(answer: &str) -> Result<(), ProblemCode> {
    let sent = sent(Answer::json(&answer).unwrap(), None);
    let answer = sent.map_err(|problem| problem.code())?;
    assert!(serde_json::to_vec(&answer).unwrap().len() <= PASSED_ON);
    Ok(())
}

#[test]
fn an_answer_that_the_platform_would_drop_is_a_problem_instead() {
    // The text has its own quotes, each two bytes in the response, and those of the body.
    let most = MAX_ESCAPED - 6;
    assert_eq!(code(&"x".repeat(most)), Ok(()));
    assert_eq!(code(&"x".repeat(most + 1)), Err(ProblemCode::AnswerTooLarge));
}

/// A quote is two bytes in the body, and four where the body is a string in the response.
#[test]
fn the_limit_holds_for_the_answer_as_it_is_sent() {
    assert_eq!(
        code(&"\"".repeat(2_500_000)),
        Err(ProblemCode::AnswerTooLarge),
        "5 MB"
    );
    let most = (MAX_ESCAPED - 6) / 4;
    assert_eq!(code(&"\"".repeat(most)), Ok(()));
    assert_eq!(code(&"\"".repeat(most + 1)), Err(ProblemCode::AnswerTooLarge));
    assert_eq!(code(&"\\".repeat(most + 1)), Err(ProblemCode::AnswerTooLarge));
    // Each takes seven bytes: a backslash, escaped, and five digits and letters.
    assert_eq!(code(&"\u{1}".repeat(most)), Err(ProblemCode::AnswerTooLarge));
    assert_eq!(code(&"\u{1}".repeat((MAX_ESCAPED - 6) / 7)), Ok(()));
}

#[test]
fn a_body_that_fits_compressed_alone_is_sent_so_and_never_in_base64_as_it_is() {
    let body = "\"".repeat(5_000_000);
    for (accept, expect) in [
        (Some("gzip"), Ok("gzip")),
        (Some("br"), Ok("br")),
        (Some("identity, br;q=0.001"), Ok("br")),
        (Some("identity"), Err(ProblemCode::AnswerTooLarge)),
        (None, Err(ProblemCode::AnswerTooLarge)),
    ] {
        let sent = sent(Answer::json(&body).unwrap(), accept);
        let coding = sent.as_ref().map(|answer| &*answer.headers["content-encoding"]);
        assert_eq!(coding.map_err(Problem::code), expect, "{accept:?}");
        assert!(sent.is_ok_and(|answer| answer.is_base64_encoded) == expect.is_ok());
    }
}

/// The limit of a body that compression does not make smaller is that of its base64.
#[test]
fn a_body_that_no_coding_makes_fit_is_too_large() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'0' + u8::try_from(state >> 58).unwrap())
    };
    let body: String = (0..6_500_000).map(|_| noise()).collect();
    let refused = sent(Answer::json(&body).unwrap(), Some("gzip")).unwrap_err();
    assert_eq!(refused.code(), ProblemCode::AnswerTooLarge);
    let longer = "x".repeat(MAX_BODY + 1);
    let refused = sent(Answer::json(&longer).unwrap(), Some("gzip, br")).unwrap_err();
    assert_eq!(refused.code(), ProblemCode::AnswerTooLarge);
}

#[test]
fn the_next_page_has_the_same_query_and_its_own_cursor() {
    for (query, expect) in [
        ("", "<?cursor=c>; rel=\"next\""),
        ("limit=1", "<?limit=1&cursor=c>; rel=\"next\""),
        (
            "cursor=b&limit=1&culture=fr",
            "<?limit=1&culture=fr&cursor=c>; rel=\"next\"",
        ),
        ("%63ursor=b&x&&", "<?x&cursor=c>; rel=\"next\""),
        ("a=%3C+b", "<?a=%3C+b&cursor=c>; rel=\"next\""),
        ("a=<>\"\u{1}é", "<?a=%3C%3E%22%01%C3%A9&cursor=c>; rel=\"next\""),
    ] {
        assert_eq!(link(query, "c").as_deref(), Some(expect), "{query}");
    }
    assert_eq!(link(&"x".repeat(MAX_LINK), "c"), None);
}

#[test]
fn head_has_the_length_of_the_body_and_no_body() {
    for bytes in 2000..2006 {
        for accept in [None, Some("gzip"), Some("br")] {
            let answer = sent(Answer::json(&"x".repeat(bytes)).unwrap(), accept).unwrap();
            let octets = match answer.is_base64_encoded {
                true => STANDARD.decode(&*answer.body).unwrap().len(),
                false => answer.body.len(),
            };
            let head = answer.clone().without_body();
            assert_eq!(head.headers["content-length"], octets.to_string());
            assert_eq!((&*head.body, head.is_base64_encoded), ("", false));
            let mut headers = head.headers;
            headers.remove("content-length");
            assert_eq!((head.status_code, headers), (answer.status_code, answer.headers));
        }
    }
}

#[test]
fn the_escaped_length_is_that_of_the_serialiser() {
    for text in [
        String::new(),
        "é\u{7f}\u{2028}\u{1f600}/".to_owned(),
        (0..=0x7f_u8).map(char::from).collect(),
    ] {
        let serialised = serde_json::to_string(&text).unwrap();
        assert_eq!(escaped_len(&text), serialised.len(), "{text}");
    }
}
