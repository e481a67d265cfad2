//! Tests of failures: each is a miss and has no other effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::{join_all, poll_immediate};
use taxonomy_keys::Version;
use taxonomy_valkey::{TierErrors, Valkey, ValkeyError};

use crate::server::{
    Server, TIMEOUT, acme, client, clocked, entry, first, impatient, is_there, patient, put, started,
};

const PAUSE_MS: u64 = 5_000;

/// The failed and the skipped requests since the last time.
#[track_caller]
fn check_errors(valkey: &Valkey, failed: u64, skipped: u64) {
    assert_eq!(valkey.take_errors(), TierErrors { failed, skipped });
}

/// The error of a new version.
async fn refused(valkey: &Valkey) -> ValkeyError {
    valkey.advance(&acme(), Version::FIRST).await.unwrap_err()
}

#[tokio::test]
async fn a_restart_costs_what_was_remembered_and_no_answer() {
    let (mut server, valkey) = started();
    valkey.advance(&acme(), Version::FIRST).await.unwrap();
    put(&valkey).await;
    server.kill();
    server.start_again();
    assert!(!is_there(&valkey).await);
    put(&valkey).await;
    assert!(is_there(&valkey).await);
    valkey.advance(&acme(), Version::FIRST).await.unwrap();
    check_errors(&valkey, 0, 0);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let (server, valkey) = started();
    put(&valkey).await;
    for _ in 0..20 {
        server.tell::<()>(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        assert!(is_there(&valkey).await);
    }
    check_errors(&valkey, 0, 0);
}

/// While Lambda freezes the process nothing runs in it, and the server closes what is idle for long.
#[tokio::test]
async fn the_first_requests_after_a_freeze_find_what_was_put() {
    let server = Server::start_with(&["--timeout", "1"]);
    let (valkey, clock) = clocked(&patient(server.url()));
    put(&valkey).await;
    let frozen = Instant::now();
    while server.tell::<String>(&["CLIENT", "LIST"]).lines().count() > 1 {
        assert!(frozen.elapsed() < TIMEOUT, "the server closes nothing");
        thread::sleep(Duration::from_millis(50));
    }
    clock.fetch_add(3_600_000, Ordering::Relaxed);
    let there = join_all((0..20).map(|_| is_there(&valkey))).await;
    assert!(there.iter().all(|there| *there), "{there:?}");
    check_errors(&valkey, 0, 0);
}

#[tokio::test]
async fn a_dead_server_is_asked_three_times_and_then_left_alone() {
    let mut server = Server::start();
    let (valkey, clock) = healed(&server).await;
    server.kill();
    for _ in 0..10 {
        assert!(!is_there(&valkey).await);
        put(&valkey).await;
    }
    check_errors(&valkey, 3, 17);
    assert!(matches!(refused(&valkey).await, ValkeyError::BreakerOpen));
    check_errors(&valkey, 0, 1);
    check_errors(&valkey, 0, 0);

    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    assert!(!is_there(&valkey).await);
    assert!(!is_there(&valkey).await);
    check_errors(&valkey, 1, 1);

    server.start_again();
    heal(&valkey, &clock).await;
}

/// An impatient client that has found what it put, and its clock.
async fn healed(server: &Server) -> (Valkey, Arc<AtomicU64>) {
    let (valkey, clock) = impatient(&patient(server.url()));
    heal(&valkey, &clock).await;
    valkey.take_errors();
    (valkey, clock)
}

/// On a busy machine the first try may come too late as well.
async fn heal(valkey: &Valkey, clock: &AtomicU64) {
    let started = Instant::now();
    while started.elapsed() < TIMEOUT {
        clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
        put(valkey).await;
        if is_there(valkey).await {
            return;
        }
    }
    panic!("still left alone: {:?}", valkey.take_errors());
}

/// Nobody listens on port 1.
#[tokio::test]
async fn a_server_that_was_never_there_does_not_keep_a_function_from_starting() {
    for url in ["redis://127.0.0.1:1", "rediss://no-such-host.invalid"] {
        let valkey = client(&patient(url));
        valkey.connect().await;
        assert!(!is_there(&valkey).await);
        assert!(matches!(refused(&valkey).await, ValkeyError::Unreachable(_)));
        let errors = valkey.take_errors();
        assert!(errors.failed >= 2, "{errors:?}");
    }
}

#[tokio::test]
async fn a_black_hole_costs_three_time_outs_and_then_nothing() {
    let server = Server::start();
    let (valkey, clock) = healed(&server).await;
    server.pause();
    let started = Instant::now();
    for _ in 0..500 {
        assert!(!is_there(&valkey).await);
    }
    check_errors(&valkey, 3, 497);
    // 500 time-outs would be 25 s.
    assert!(started.elapsed() < TIMEOUT, "{:?}", started.elapsed());
    assert!(matches!(refused(&valkey).await, ValkeyError::BreakerOpen));

    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    assert!(matches!(refused(&valkey).await, ValkeyError::TimedOut));

    server.resume();
    assert!(!is_there(&valkey).await, "not before five seconds are over");
    heal(&valkey, &clock).await;
}

#[tokio::test]
async fn a_try_that_is_given_up_is_made_by_the_next_request() {
    let server = Server::start();
    let (valkey, clock) = impatient(&patient(server.url()));
    server.pause();
    for _ in 0..3 {
        assert!(!is_there(&valkey).await);
    }
    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    let given_up = poll_immediate(Box::pin(is_there(&valkey))).await;
    assert_eq!(given_up, None);
    check_errors(&valkey, 3, 0);
    assert!(!is_there(&valkey).await);
    check_errors(&valkey, 1, 0);
    server.resume();
    heal(&valkey, &clock).await;
}

#[tokio::test]
async fn a_full_server_refuses_writes_and_goes_on_answering_reads() {
    let (server, valkey) = started();
    put(&valkey).await;
    server.tell::<()>(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    server.tell::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    for _ in 0..5 {
        valkey.put(&acme(), &first(), vec![entry("b", b"2")]).await;
    }
    check_errors(&valkey, 5, 0);
    assert!(is_there(&valkey).await);
    let refused = refused(&valkey).await;
    assert!(matches!(refused, ValkeyError::Refused { code } if code == "OOM"));
    check_errors(&valkey, 1, 0);

    server.tell::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    valkey.advance(&acme(), Version::FIRST).await.unwrap();
    check_errors(&valkey, 0, 0);
}

#[tokio::test]
async fn a_server_that_refuses_reads_is_as_good_as_none() {
    let server = Server::start();
    let (valkey, clock) = healed(&server).await;
    server.tell::<()>(&["ACL", "SETUSER", "default", "-mget"]);
    for _ in 0..5 {
        assert!(!is_there(&valkey).await);
    }
    check_errors(&valkey, 3, 2);
    server.tell::<()>(&["ACL", "SETUSER", "default", "+mget"]);
    heal(&valkey, &clock).await;
}
