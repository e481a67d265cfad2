//! Attempts, pauses and times, under a paused clock.

use std::time::Duration;

use taxonomy_client::{ClientError, Requests, RetryPolicy};
use tokio::time::Instant;

use crate::api::{Api, Fault, term};

const POLICY: RetryPolicy = RetryPolicy {
    attempts: 4,
    first_pause: Duration::from_millis(100),
    attempt: Duration::from_secs(2),
    operation: Duration::from_secs(10),
};

/// Returns attempts, retries and time of a request for a head under these faults.
async fn ask(
    api: &Api,
    faults: &[Fault],
    retry: RetryPolicy,
) -> (Result<(), ClientError>, Requests, Duration) {
    api.inject(faults.to_vec());
    let (acme, start) = (api.acme_by(|builder| builder.retry(retry)), Instant::now());
    let answer = acme.head().await.map(drop);
    api.heal();
    assert_eq!(acme.client().requests().sent, api.seen().len() as u64);
    (answer, acme.client().requests(), start.elapsed())
}

fn unavailable() -> Fault {
    Fault::message(503, "Service Unavailable")
}

fn asked_to_wait(seconds: &str) -> Fault {
    let headers = vec![("retry-after", seconds.to_owned())];
    Fault::Response(429, headers, r#"{"message":"Too Many Requests"}"#.to_owned())
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[tokio::test(start_paused = true)]
async fn what_passes_is_tried_again() {
    let api = Api::new().await;
    let statuses = [429, 500, 502, 503, 504].map(|status| Fault::message(status, "x"));
    let others = [Fault::Drop, Fault::Hang, Fault::TornBody, Fault::HungBody];
    for fault in statuses.into_iter().chain(others) {
        let (answer, requests, _) = ask(&api, std::slice::from_ref(&fault), POLICY).await;
        assert!(answer.is_ok(), "{fault:?}: {answer:?}");
        assert_eq!((requests.sent, requests.retries), (2, 1), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_pass_is_not() {
    let api = Api::new().await;
    let statuses = [400, 401, 403, 404, 405, 301].map(|status| Fault::message(status, "x"));
    let others = [Fault::body("[]"), Fault::Endless(9 << 20)];
    for fault in statuses.into_iter().chain(others) {
        let (answer, requests, elapsed) = ask(&api, std::slice::from_ref(&fault), POLICY).await;
        let error = answer.unwrap_err();
        assert!(!error.is_retryable(), "{fault:?}: {error:?}");
        assert_eq!((requests.sent, requests.retries), (1, 0), "{fault:?}");
        assert_eq!(elapsed, Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_are_bounded_and_pauses_grow_and_are_random() {
    let api = Api::new().await;
    let mut all = Vec::new();
    for _ in 0..5 {
        let (answer, requests, elapsed) = ask(&api, &vec![unavailable(); 9], POLICY).await;
        let error = answer.unwrap_err();
        assert_eq!((error.status(), error.is_retryable()), (Some(503), true));
        assert_eq!((requests.sent, requests.retries), (4, 3));
        // At most 100 + 200 + 400 ms; tokio's clock has steps of a millisecond.
        assert!((ms(1)..=ms(703)).contains(&elapsed), "{elapsed:?}");
        all.push(elapsed);
    }
    assert!(all.iter().any(|elapsed| *elapsed != all[0]), "{all:?}");
    let once = RetryPolicy {
        attempts: 1,
        ..POLICY
    };
    let (answer, requests, _) = ask(&api, &[unavailable()], once).await;
    let text = "API Gateway answered 503: Service Unavailable";
    assert_eq!(answer.unwrap_err().to_string(), text);
    assert_eq!((requests.sent, requests.retries), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_within_the_time_of_the_operation() {
    let api = Api::new().await;
    for (seconds, from, to) in [
        ("3", 3_000, 3_010),
        ("-1", 0, 110),
        ("soon", 0, 110),
        ("", 0, 110),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 0, 110),
    ] {
        let (answer, _, elapsed) = ask(&api, &[asked_to_wait(seconds)], POLICY).await;
        assert!(answer.is_ok());
        assert!((ms(from)..ms(to)).contains(&elapsed), "{seconds}: {elapsed:?}");
    }
    // Longer than the operation lasts: waiting would be of no use.
    for seconds in ["10", "3600", "99999999999999999999999"] {
        let (answer, requests, elapsed) = ask(&api, &[asked_to_wait(seconds)], POLICY).await;
        assert_eq!(answer.unwrap_err().status(), Some(429));
        assert_eq!((requests.sent, elapsed), (1, Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn one_attempt_and_the_whole_operation_have_their_time() {
    let api = Api::new().await;
    let short = RetryPolicy {
        operation: Duration::from_secs(5),
        ..POLICY
    };
    for (fault, retry, sent, within, longest) in [
        (Fault::Hang, POLICY, 4, 2_000, 8_710),
        (Fault::HungBody, short, 3, 5_000, 5_010),
    ] {
        let (answer, requests, elapsed) = ask(&api, &vec![fault; 9], retry).await;
        let text = format!("no complete answer came within {within} ms");
        assert_eq!(answer.unwrap_err().to_string(), text);
        assert_eq!(requests.sent, sent);
        let shortest = ms(within.max(2_000 * (sent - 1)));
        assert!((shortest..ms(longest)).contains(&elapsed), "{elapsed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_by_post_is_tried_again_with_its_body() {
    let api = Api::new().await;
    api.inject([Fault::Drop, unavailable()]);
    let acme = api.acme_by(|builder| builder.retry(POLICY).cache_bytes(0));
    let answer = acme.terms(&[101, 0].map(term), None).await.unwrap();
    assert_eq!(answer.items.len(), 2);
    let bodies: Vec<String> = api.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(bodies, [r#"{"ids":[0,101]}"#; 3]);
}
