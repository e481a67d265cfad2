//! Tests of authentication and permissions.

use taxonomy_keys::Version;
use taxonomy_valkey::{Secret, TierErrors, Valkey, ValkeyConfig, ValkeyError};

use crate::server::{Server, acme, client, first, is_there, names, patient, put};

fn config(server: &Server, user: &str, password: Option<&str>) -> ValkeyConfig {
    ValkeyConfig {
        password: password.map(Secret::new),
        ..patient(server.url().replace("//", &format!("//{user}")))
    }
}

async fn works(valkey: &Valkey) {
    put(valkey).await;
    assert!(is_there(valkey).await);
    let newest = valkey.advance(&acme(), Version::FIRST).await.unwrap();
    assert_eq!(newest, Version::FIRST);
    assert_eq!(valkey.take_errors(), TierErrors::default());
}

/// A client that is not allowed gets no values, and the error names the reason without the password.
async fn is_refused(config: &ValkeyConfig, expect: &str) {
    let valkey = client(config);
    let answer = valkey.get(&acme(), &first(), &names(["a"])).await;
    assert_eq!((answer.newest, answer.values), (None, vec![None]));
    match valkey.advance(&acme(), Version::FIRST).await {
        Err(ValkeyError::Refused { code }) => assert_eq!(code, expect),
        other => panic!("{other:?}"),
    }
    let shown = format!("{valkey:?} {config:?}");
    assert!(!shown.contains("hunter2") && !shown.contains("guess"), "{shown}");
}

#[tokio::test]
async fn the_password_of_a_server_is_known_or_nothing_is_there() {
    let server = Server::start_with(&["--requirepass", "hunter2"]);
    works(&client(&config(&server, "", Some("hunter2")))).await;
    is_refused(&config(&server, "", Some("guess")), "WRONGPASS").await;
    is_refused(&config(&server, "", None), "NOAUTH").await;
}

/// The required permissions of a user are those in docs/operations.md.
#[tokio::test]
async fn a_user_needs_four_commands_and_the_keys_of_this_service() {
    let server = Server::start();
    let setuser = ["ACL", "SETUSER", "taxonomy", "on", ">hunter2", "~tx3:*"];
    let commands = ["+mget", "+get", "+set", "+eval"];
    server.tell::<()>(&[&setuser[..], &commands[..]].concat());
    works(&client(&config(&server, "taxonomy@", Some("hunter2")))).await;
    is_refused(&config(&server, "taxonomy@", Some("guess")), "WRONGPASS").await;
    is_refused(&config(&server, "nobody@", Some("hunter2")), "WRONGPASS").await;
    server.tell::<()>(&["ACL", "SETUSER", "taxonomy", "resetkeys", "~other:*"]);
    is_refused(&config(&server, "taxonomy@", Some("hunter2")), "NOPERM").await;
}
