//! A cluster answers a request for several keys only where all of them are in one slot.

use std::time::{Duration, Instant};

use taxonomy_keys::{TenantId, Version};
use taxonomy_valkey::TierErrors;

use crate::server::{Server, TIMEOUT, client, entry, first, names, patient};

/// Every character that a tenant's id may hold, and ids of one character and of 64.
fn tenants() -> Vec<TenantId> {
    let mut ids: Vec<String> = ('!'..='~').map(String::from).collect();
    ids.extend(ids.clone().iter().map(|id| format!("a{id}")));
    ids.push("823a8c46-8464-4ce6-ae2d-026540681db2".to_owned());
    ids.push("~".repeat(64));
    let tenants: Vec<TenantId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    // 26 letters twice, ten digits, four marks; a dot alone is no id.
    assert_eq!(tenants.len(), 65 + 66 + 2);
    tenants
}

/// Computes the slot by the cluster specification: CRC-16/XMODEM of the text between the first braces, modulo 16,384.
fn slot(key: &str) -> u16 {
    let (_, rest) = key.split_once('{').unwrap();
    let (tag, _) = rest.split_once('}').unwrap();
    let mut crc: u16 = 0;
    for byte in tag.bytes() {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            let carry = crc >> 15;
            crc = (crc << 1) ^ (carry * 0x1021);
        }
    }
    crc % 16_384
}

#[tokio::test]
async fn all_keys_of_a_tenant_are_in_one_slot_of_a_cluster() {
    let server = Server::start_with(&["--cluster-enabled", "yes"]);
    server.tell::<()>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    let started = Instant::now();
    let state = || server.tell::<String>(&["CLUSTER", "INFO"]);
    while !state().contains("cluster_state:ok") {
        assert!(started.elapsed() < TIMEOUT);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let valkey = client(&patient(server.url()));
    for tenant in tenants() {
        let entries = vec![entry("a", b"1"), entry("{b}", b"2"), entry("}", b"3")];
        valkey.put(&tenant, &first(), entries).await;
        valkey.advance(&tenant, Version::FIRST).await.unwrap();
        let answer = valkey.get(&tenant, &first(), &names(["a", "{b}", "}"])).await;
        let expect = [b"1", b"2", b"3"].map(|value| Some(value.to_vec()));
        assert_eq!(answer.newest, Some(Version::FIRST), "{tenant}");
        assert_eq!(answer.values, expect, "{tenant}");
    }
    assert_eq!(valkey.take_errors(), TierErrors::default());

    let keys: Vec<String> = server.tell(&["KEYS", "*"]);
    assert_eq!(keys.len(), 4 * tenants().len());
    for key in &keys {
        let answered: u16 = server.tell(&["CLUSTER", "KEYSLOT", key]);
        assert_eq!(answered, slot(key), "{key}");
    }
}
