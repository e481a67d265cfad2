//! Tests of puts and gets without failures.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, poll_immediate};
use taxonomy_keys::Version;
use taxonomy_valkey::{EntriesOf, TierErrors, Valkey, ValkeyConfig};

use crate::server::{Server, TIMEOUT, acme, client, entry, first, names, patient, started};

fn version(number: u64) -> Version {
    Version::new(number).unwrap()
}

async fn found(valkey: &Valkey, entry: &str) -> Option<Vec<u8>> {
    let answer = valkey.get(&acme(), &first(), &names([entry])).await;
    answer.values.into_iter().next().unwrap()
}

#[tokio::test]
async fn what_was_put_is_found_under_its_version_and_changeset() {
    let (_server, valkey) = started();
    let before = valkey.get(&acme(), &first(), &names(["a", "b"])).await;
    assert_eq!((before.newest, before.values), (None, vec![None, None]));

    let entries = vec![entry("a", b"1"), entry("b", &[0, 0xff, b'\r', b'\n'])];
    valkey.put(&acme(), &first(), entries).await;
    valkey.advance(&acme(), version(1)).await.unwrap();
    let after = valkey.get(&acme(), &first(), &names(["b", "c", "a"])).await;
    assert_eq!(after.newest, Some(version(1)));
    let expect = [Some(vec![0, 0xff, b'\r', b'\n']), None, Some(b"1".to_vec())];
    assert_eq!(after.values, expect);

    for other in [
        EntriesOf::new(version(2), "0123456789abcdef"),
        EntriesOf::new(version(1), "fedcba9876543210"),
        EntriesOf::new(version(1), "abc"),
    ] {
        let answer = valkey.get(&acme(), &other, &names(["a"])).await;
        let found = (answer.newest, answer.values);
        assert_eq!(found, (Some(version(1)), vec![None]), "{other:?}");
    }
    let other = "acme2".parse().unwrap();
    let foreign = valkey.get(&other, &first(), &names(["a"])).await;
    assert_eq!((foreign.newest, foreign.values), (None, vec![None]));
    assert_eq!(valkey.take_errors(), TierErrors::default());
}

#[tokio::test]
async fn keys_and_expiry_are_what_the_decision_page_says() {
    let server = Server::start();
    let valkey = client(&ValkeyConfig {
        ttl: Duration::from_secs(600),
        ..patient(server.url())
    });
    valkey.put(&acme(), &first(), vec![entry("term:7", b"{}")]).await;
    valkey.advance(&acme(), version(12)).await.unwrap();
    let mut keys: Vec<String> = server.tell(&["KEYS", "*"]);
    keys.sort();
    let expect = ["tx3:{acme}:1-0123456789abcdef:term:7", "tx3:{acme}:version"];
    assert_eq!(keys, expect);
    let lives: i64 = server.tell(&["TTL", &keys[0]]);
    assert!((1..=600).contains(&lives), "{lives}");
    assert_eq!(server.tell::<i64>(&["TTL", &keys[1]]), -1, "for ever");
    assert_eq!(server.tell::<String>(&["GET", &keys[1]]), "12");
}

#[tokio::test]
async fn nothing_to_ask_for_and_nothing_to_put_are_fine() {
    let (_server, valkey) = started();
    valkey.put(&acme(), &first(), Vec::new()).await;
    valkey.put(&acme(), &first(), vec![entry("", b"")]).await;
    let answer = valkey.get(&acme(), &first(), &[]).await;
    assert_eq!((answer.newest, answer.values), (None, vec![]));
    assert_eq!(found(&valkey, "").await, Some(vec![]), "empty is not absent");
}

#[tokio::test]
async fn a_version_only_rises() {
    let (_server, valkey) = started();
    let mut expect = 0;
    for to in [3, 3, 2, 10, 9, 999_999_999_999, 11] {
        expect = to.max(expect);
        let there = valkey.advance(&acme(), version(to)).await.unwrap();
        assert_eq!(there, version(expect), "to {to}");
        let newest = valkey.get(&acme(), &first(), &[]).await.newest;
        assert_eq!(newest, Some(version(expect)), "to {to}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_writers_at_once_leave_the_highest_version() {
    let server = Server::start();
    let clients: Vec<_> = (0..10)
        .map(|_| Arc::new(client(&patient(server.url()))))
        .collect();
    let watcher = client(&patient(server.url()));
    let watching = async {
        let mut seen = Vec::new();
        while seen.last() != Some(&Some(version(50))) {
            seen.push(watcher.get(&acme(), &first(), &[]).await.newest);
        }
        seen
    };
    let writers = (0..50_u64).map(|number| {
        // Every number from 1 to 50 once, in no order.
        let to = version(number * 17 % 50 + 1);
        let valkey = Arc::clone(&clients[usize::try_from(number).unwrap() % clients.len()]);
        tokio::spawn(async move { (to, valkey.advance(&acme(), to).await.unwrap()) })
    });
    let writers: Vec<_> = writers.collect();
    let both = async { tokio::join!(watching, join_all(writers)) };
    let (seen, outcomes) = tokio::time::timeout(TIMEOUT, both).await.unwrap();
    assert!(seen.is_sorted(), "{seen:?}");
    assert_eq!(outcomes.len(), 50);
    for outcome in outcomes {
        let (to, there) = outcome.unwrap();
        assert!(there >= to, "{there:?} after {to:?}");
    }
}

#[tokio::test]
async fn a_server_that_forgot_the_script_is_told_it_again() {
    let (server, valkey) = started();
    valkey.advance(&acme(), version(1)).await.unwrap();
    server.tell::<()>(&["SCRIPT", "FLUSH"]);
    assert_eq!(valkey.advance(&acme(), version(2)).await.unwrap(), version(2));
    assert_eq!(valkey.take_errors(), TierErrors::default(), "no failure");
}

#[tokio::test]
async fn values_of_foreign_types_are_not_there() {
    let (server, valkey) = started();
    let both = vec![entry("a", b"1"), entry("b", b"2")];
    valkey.put(&acme(), &first(), both).await;
    let key = "tx3:{acme}:1-0123456789abcdef:a";
    server.tell::<()>(&["DEL", key]);
    server.tell::<()>(&["RPUSH", key, "1", "2"]);
    for foreign in [
        &["RPUSH", "tx3:{acme}:version", "7"][..],
        &["HSET", "tx3:{acme}:version", "7", "7"],
        &["SET", "tx3:{acme}:version", "seven"],
        &["SET", "tx3:{acme}:version", "0007"],
        &["SET", "tx3:{acme}:version", "99999999999999999999999"],
    ] {
        server.tell::<()>(&["DEL", "tx3:{acme}:version"]);
        server.tell::<()>(foreign);
        let answer = valkey.get(&acme(), &first(), &names(["a", "b"])).await;
        assert_eq!(answer.newest, None, "{foreign:?}");
        assert_eq!(answer.values, [None, Some(b"2".to_vec())], "{foreign:?}");
        let there = valkey.advance(&acme(), version(5)).await.unwrap();
        assert_eq!(there, version(5), "overwritten: {foreign:?}");
    }
    valkey.put(&acme(), &first(), vec![entry("a", b"3")]).await;
    let overwritten = found(&valkey, "a").await;
    assert_eq!(overwritten, Some(b"3".to_vec()));
    assert_eq!(valkey.take_errors(), TierErrors::default());
}

#[tokio::test]
async fn huge_values_come_back_whole() {
    let (_server, valkey) = started();
    let huge: Vec<u8> = (0..16 << 20).map(|at: u32| at.to_le_bytes()[1]).collect();
    let both = vec![entry("huge", &huge), entry("small", b"1")];
    valkey.put(&acme(), &first(), both).await;
    let answer = valkey.get(&acme(), &first(), &names(["huge", "small"])).await;
    assert!(answer.values == [Some(huge), Some(b"1".to_vec())], "{answer:?}");
}

#[tokio::test]
async fn requests_at_once_share_a_connection_and_get_their_own_answers() {
    let (server, valkey) = started();
    let entries = (0..200).map(|number| (number.to_string(), vec![number]));
    valkey.put(&acme(), &first(), entries.collect()).await;
    let names: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let answers = join_all(names.iter().map(|name| found(&valkey, name))).await;
    let expect: Vec<_> = (0..200).map(|number| Some(vec![number])).collect();
    assert_eq!(answers, expect);
    // One, and the one that asks.
    let clients: String = server.tell(&["CLIENT", "LIST"]);
    assert_eq!(clients.lines().count(), 2, "{clients}");
}

#[tokio::test]
async fn a_request_that_is_given_up_does_not_disturb_the_next() {
    let (_server, valkey) = started();
    let both = vec![entry("a", b"1"), entry("b", b"2")];
    valkey.put(&acme(), &first(), both).await;
    for _ in 0..100 {
        let mut given_up = Box::pin(found(&valkey, "a"));
        // Far enough to have sent it, mostly not far enough to have its answer.
        for _ in 0..2 {
            let _ = poll_immediate(&mut given_up).await;
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(found(&valkey, "b").await, Some(b"2".to_vec()));
    assert_eq!(valkey.take_errors(), TierErrors::default());
}
