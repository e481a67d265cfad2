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

fn code(answer: Answer, accept_encoding: Option<&str>) -> Result<(), ProblemCode> {
    let sent = sent(answer, accept_encoding);
    let answer = sent.map_err(|problem| problem.code())?;
    assert!(serde_json::to_vec(&answer).unwrap().len() <= PASSED_ON);
    Ok(())
}

/// The text has its own quotes, each two bytes in the response, and those of the body. A quote is two bytes in the body, and four where the
/// body is a string in the response; a control character takes seven: a backslash, escaped, and five digits and letters.
#[test]
fn an_answer_that_the_platform_would_drop_is_a_problem_instead() {
    for (text, bytes) in [("x", 1), ("\"", 4), ("\\", 4), ("\u{1}", 7)] {
        let most = (MAX_ESCAPED - 6) / bytes;
        for (count, expect) in [(most, Ok(())), (most + 1, Err(ProblemCode::AnswerTooLarge))] {
            let answer = Answer::json(&text.repeat(count)).unwrap();
            assert_eq!(code(answer, None), expect, "{text:?}");
        }
    }
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
    let mut random = fastrand::Rng::with_seed(1);
    let noise: String = (0..6_500_000).map(|_| random.alphanumeric()).collect();
    for body in [noise, "x".repeat(MAX_BODY + 1)] {
        let answer = Answer::json(&body).unwrap();
        assert_eq!(code(answer, Some("gzip")), Err(ProblemCode::AnswerTooLarge));
    }
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
            let mut head = answer.clone().without_body();
            let length = head.headers.remove("content-length").unwrap();
            assert_eq!(length, octets.to_string());
            assert_eq!((&*head.body, head.is_base64_encoded), ("", false));
            let expect = (answer.status_code, answer.headers);
            assert_eq!((head.status_code, head.headers), expect);
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
