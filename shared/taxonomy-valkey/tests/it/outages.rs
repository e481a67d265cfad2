//! Tests of failures: each is a miss and has no other effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::{join_all, poll_immediate};
use taxonomy_keys::Version;
use taxonomy_valkey::{TierErrors, Valkey, ValkeyConfig, ValkeyError};

use crate::server::{Clients, Server, TIMEOUT, acme, client, entry, first, names};

const PAUSE_MS: u64 = 5_000;

async fn put(valkey: &Valkey) {
    valkey.put(&acme(), &first(), vec![entry("a", b"1")]).await;
}

async fn is_there(valkey: &Valkey) -> bool {
    let answer = valkey.get(&acme(), &first(), &names(["a"])).await;
    answer.values == [Some(b"1".to_vec())]
}

fn errors(failed: u64, skipped: u64) -> TierErrors {
    TierErrors { failed, skipped }
}

#[tokio::test]
async fn what_was_flushed_is_not_there_and_can_be_put_again() {
    let server = Server::start();
    let valkey = server.client();
    put(&valkey).await;
    server.tell::<()>(&["FLUSHALL"]);
    assert!(!is_there(&valkey).await);
    put(&valkey).await;
    assert!(is_there(&valkey).await);
    assert_eq!(valkey.take_errors(), errors(0, 0));
}

#[tokio::test]
async fn a_restart_costs_what_was_remembered_and_no_answer() {
    let mut server = Server::start();
    let valkey = server.client();
    valkey.advance(&acme(), Version::FIRST).await.unwrap();
    put(&valkey).await;
    server.kill();
    server.start_again();
    assert!(!is_there(&valkey).await);
    put(&valkey).await;
    assert!(is_there(&valkey).await);
    valkey.advance(&acme(), Version::FIRST).await.unwrap();
    assert_eq!(
        valkey.take_errors(),
        errors(0, 0),
        "connected anew, noticed by nobody"
    );
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let server = Server::start();
    let valkey = server.client();
    put(&valkey).await;
    for _ in 0..20 {
        server.tell::<()>(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        assert!(is_there(&valkey).await);
    }
    assert_eq!(valkey.take_errors(), errors(0, 0));
}

/// While Lambda freezes the process nothing runs in it, and the server closes what is idle for long.
#[tokio::test]
async fn the_first_requests_after_a_freeze_find_what_was_put() {
    let server = Server::start_with(&["--timeout", "1"]);
    let clock = Arc::new(AtomicU64::new(0));
    let reading = Arc::clone(&clock);
    let config = ValkeyConfig {
        timeout: TIMEOUT,
        ..ValkeyConfig::new(server.url())
    };
    let valkey = Valkey::new(&config, Arc::new(move || reading.load(Ordering::Relaxed))).unwrap();
    put(&valkey).await;
    let frozen = Instant::now();
    while server.tell::<String>(&["CLIENT", "LIST"]).lines().count() > 1 {
        assert!(frozen.elapsed() < TIMEOUT, "the server closes nothing");
        thread::sleep(Duration::from_millis(50));
    }
    clock.fetch_add(3_600_000, Ordering::Relaxed);
    let there = join_all((0..20).map(|_| is_there(&valkey))).await;
    assert!(there.iter().all(|there| *there), "{there:?}");
    assert_eq!(valkey.take_errors(), errors(0, 0));
}

#[tokio::test]
async fn a_dead_server_is_asked_three_times_and_then_left_alone() {
    let mut server = Server::start();
    let (valkey, clock) = server.impatient_client();
    heal(&valkey, &clock).await;
    valkey.take_errors();
    server.kill();
    for _ in 0..10 {
        assert!(!is_there(&valkey).await);
        put(&valkey).await;
    }
    assert_eq!(valkey.take_errors(), errors(3, 17));
    let refused = valkey.advance(&acme(), Version::FIRST).await;
    assert!(matches!(refused, Err(ValkeyError::BreakerOpen)), "{refused:?}");
    assert_eq!(valkey.take_errors(), errors(0, 1));
    assert_eq!(valkey.take_errors(), errors(0, 0), "taken");

    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    assert!(!is_there(&valkey).await);
    assert!(!is_there(&valkey).await);
    assert_eq!(valkey.take_errors(), errors(1, 1), "one tried");

    server.start_again();
    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    heal(&valkey, &clock).await;
}

/// On a busy machine the first try may come too late as well.
async fn heal(valkey: &Valkey, clock: &AtomicU64) {
    let started = Instant::now();
    while started.elapsed() < TIMEOUT {
        put(valkey).await;
        if is_there(valkey).await {
            return;
        }
        clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    }
    panic!("still left alone: {:?}", valkey.take_errors());
}

#[tokio::test]
async fn a_server_that_was_never_there_does_not_keep_a_function_from_starting() {
    // Nobody listens on port 1.
    let valkey = client(&ValkeyConfig {
        timeout: TIMEOUT,
        ..ValkeyConfig::new("redis://127.0.0.1:1")
    });
    valkey.connect().await;
    assert_eq!(valkey.take_errors(), errors(1, 0));
    assert!(!is_there(&valkey).await);
    let refused = valkey.advance(&acme(), Version::FIRST).await;
    assert!(matches!(refused, Err(ValkeyError::Unreachable(_))), "{refused:?}");
}

#[tokio::test]
async fn a_name_that_is_none_is_a_server_that_is_not_there() {
    let valkey = client(&ValkeyConfig {
        timeout: TIMEOUT,
        ..ValkeyConfig::new("rediss://no-such-host.invalid")
    });
    valkey.connect().await;
    assert!(!is_there(&valkey).await);
    let errors = valkey.take_errors();
    assert!(errors.failed >= 2, "{errors:?}");
}

#[tokio::test]
async fn a_black_hole_costs_three_time_outs_and_then_nothing() {
    let server = Server::start();
    let (valkey, clock) = server.impatient_client();
    heal(&valkey, &clock).await;
    valkey.take_errors();
    server.pause();
    let started = Instant::now();
    for _ in 0..500 {
        assert!(!is_there(&valkey).await);
    }
    assert_eq!(valkey.take_errors(), errors(3, 497));
    assert!(
        started.elapsed() < TIMEOUT,
        "500 time-outs would be 25 s: {:?}",
        started.elapsed()
    );
    let refused = valkey.advance(&acme(), Version::FIRST).await;
    assert!(matches!(refused, Err(ValkeyError::BreakerOpen)), "{refused:?}");

    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    let refused = valkey.advance(&acme(), Version::FIRST).await;
    assert!(matches!(refused, Err(ValkeyError::TimedOut)), "{refused:?}");

    server.resume();
    assert!(!is_there(&valkey).await, "not before five seconds are over");
    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    heal(&valkey, &clock).await;
}

#[tokio::test]
async fn after_the_pause_exactly_one_of_many_tries() {
    let server = Server::start();
    let (valkey, clock) = server.impatient_client();
    server.pause();
    join_all((0..20).map(|_| is_there(&valkey))).await;
    assert_eq!(
        valkey.take_errors(),
        errors(20, 0),
        "all under way before the first failed"
    );
    for _ in 0..3 {
        clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
        let there = join_all((0..20).map(|_| is_there(&valkey))).await;
        assert!(there.iter().all(|there| !there));
        assert_eq!(valkey.take_errors(), errors(1, 19));
    }
}

#[tokio::test]
async fn a_try_that_is_given_up_is_made_by_the_next_request() {
    let server = Server::start();
    let (valkey, clock) = server.impatient_client();
    server.pause();
    for _ in 0..3 {
        assert!(!is_there(&valkey).await);
    }
    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    let given_up = poll_immediate(Box::pin(is_there(&valkey))).await;
    assert_eq!(given_up, None);
    assert_eq!(valkey.take_errors(), errors(3, 0));
    assert!(!is_there(&valkey).await);
    assert_eq!(valkey.take_errors(), errors(1, 0), "it tried");
    server.resume();
    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    heal(&valkey, &clock).await;
}

#[tokio::test]
async fn a_full_server_refuses_writes_and_goes_on_answering_reads() {
    let server = Server::start();
    let valkey = server.client();
    put(&valkey).await;
    server.tell::<()>(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    server.tell::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    for _ in 0..5 {
        valkey.put(&acme(), &first(), vec![entry("b", b"2")]).await;
    }
    assert_eq!(valkey.take_errors(), errors(5, 0));
    assert!(is_there(&valkey).await);
    match valkey.advance(&acme(), Version::FIRST).await {
        Err(ValkeyError::Refused { code }) => assert_eq!(code, "OOM"),
        other => panic!("{other:?}"),
    }
    assert_eq!(valkey.take_errors(), errors(1, 0));

    server.tell::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    valkey.advance(&acme(), Version::FIRST).await.unwrap();
    assert_eq!(valkey.take_errors(), errors(0, 0));
}

#[tokio::test]
async fn a_full_server_that_evicts_takes_everything_and_forgets_some_of_it() {
    let server = Server::start_with(&["--maxmemory-policy", "allkeys-lru", "--maxmemory", "6mb"]);
    let valkey = server.client();
    for batch in 0..40 {
        let entries = (0..10).map(|number| (format!("{batch}-{number}"), vec![7; 100_000]));
        valkey.put(&acme(), &first(), entries.collect()).await;
    }
    let all: Vec<String> = (0..40)
        .flat_map(|batch| (0..10).map(move |number| format!("{batch}-{number}")))
        .collect();
    let answer = valkey.get(&acme(), &first(), &all).await;
    let kept = answer.values.iter().flatten().count();
    assert!((1..100).contains(&kept), "{kept} of 400 are 40 MB");
    assert_eq!(valkey.take_errors(), errors(0, 0));
}

#[tokio::test]
async fn a_server_that_refuses_reads_is_as_good_as_none() {
    let server = Server::start();
    let (valkey, clock) = server.impatient_client();
    heal(&valkey, &clock).await;
    valkey.take_errors();
    server.tell::<()>(&["ACL", "SETUSER", "default", "-mget"]);
    for _ in 0..5 {
        assert!(!is_there(&valkey).await);
    }
    assert_eq!(valkey.take_errors(), errors(3, 2));
    server.tell::<()>(&["ACL", "SETUSER", "default", "+mget"]);
    clock.fetch_add(PAUSE_MS, Ordering::Relaxed);
    heal(&valkey, &clock).await;
}
