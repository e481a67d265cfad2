//! An engine behind HTTP: Amazon's DynamoDB Local, or any other that implements DynamoDB's JSON protocol.
//!
//! Such an engine keeps the databases of different access keys apart, so each database of a test has an access key of its own as long as
//! the test uses it. The number of keys is fixed, all are used once before the first test, and databases use them in turn: DynamoDB Local
//! keeps threads and memory for each key, becomes slower with every write that a key has ever made, and resets its single counter of
//! stream sequence numbers for each new key, so that writes with older keys fail (seen with 1.11.478).

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use super::client::{Answer, post};
use super::frozen::frozen;
use super::{Engine, Refused};
use crate::lock;

/// The number of access keys: more than the databases that the tests of one process hold at once, replicas included, so that the history
/// of each key stays short.
const DATABASES: u64 = 64;
/// The checked address of an engine. Clones share its access keys.
#[derive(Clone)]
pub(super) struct Endpoint(Arc<Shared>);

struct Shared {
    address: SocketAddr,
    /// The access keys that no database uses, the one that has been idle longest first.
    idle_keys: Mutex<VecDeque<String>>,
}

impl Endpoint {
    /// Accepts `http://HOST:PORT` only on the loopback interface, because tests create and delete tables there.
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let authority = url.strip_prefix("http://").ok_or("only http:// is spoken")?;
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        let mut addresses = authority.to_socket_addrs().map_err(|error| error.to_string())?;
        let is_loopback = |address: &SocketAddr| match address.ip() {
            IpAddr::V4(ip) => ip.is_loopback(),
            IpAddr::V6(ip) => ip.is_loopback(),
        };
        let address = addresses.find(is_loopback);
        let address = address.ok_or("not on the loopback interface, and tests delete tables there")?;
        Ok(Self(Arc::new(Shared {
            address,
            idle_keys: Mutex::new(access_keys()),
        })))
    }

    /// Uses every access key once, and refuses an engine that does not answer or already holds tables.
    pub(super) fn prepare(&self) -> Result<(), String> {
        for access_key in &*self.idle_keys() {
            let answer = self.post(access_key, "ListTables", b"{}");
            let answer = answer.map_err(|error| format!("no engine answers there ({error})"))?;
            let tables = serde_json::from_str::<Value>(&answer.body).unwrap_or_default();
            if answer.status != 200 || tables["TableNames"] != json!([]) {
                return Err(format!(
                    "a new access key should have no tables there, the answer is {}",
                    answer.body
                ));
            }
        }
        Ok(())
    }

    fn post(&self, access_key: &str, operation: &str, request: &[u8]) -> std::io::Result<Answer> {
        let api = match operation {
            "DescribeStream" | "GetRecords" | "GetShardIterator" => "DynamoDBStreams_20120810",
            _ => "DynamoDB_20120810",
        };
        let scope = format!("{access_key}/20260101/eu-west-1/dynamodb/aws4_request");
        let headers = [
            ("X-Amz-Target", format!("{api}.{operation}")),
            ("X-Amz-Date", "20260101T000000Z".to_owned()),
            ("Content-Type", "application/x-amz-json-1.0".to_owned()),
            (
                "Authorization",
                format!(
                    "AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={:064}",
                    0
                ),
            ),
        ];
        frozen(|| post(self.0.address, &headers, request))
    }

    fn take_key(&self) -> String {
        let key = self.idle_keys().pop_front();
        key.unwrap_or_else(|| panic!("the tests hold more than {DATABASES} databases at once"))
    }

    fn idle_keys(&self) -> MutexGuard<'_, VecDeque<String>> {
        lock(&self.0.idle_keys)
    }
}

/// Returns keys that no other process uses. They have twelve digits, because some engines read an access key as the id of an account.
fn access_keys() -> VecDeque<String> {
    let process = fastrand::Rng::new().u64(1_000_000_000..10_000_000_000);
    (0..DATABASES)
        .map(|number| format!("{process}{number:02}"))
        .collect()
}

/// A database: an access key and the tables that were created with it.
pub(super) struct Http {
    endpoint: Endpoint,
    access_key: String,
    tables: Mutex<Vec<Value>>,
}

impl Http {
    pub(super) fn new(endpoint: &Endpoint) -> Self {
        Self {
            endpoint: endpoint.clone(),
            access_key: endpoint.take_key(),
            tables: Mutex::default(),
        }
    }

    fn tables(&self) -> MutexGuard<'_, Vec<Value>> {
        lock(&self.tables)
    }
}

impl Engine for Http {
    fn run(&self, operation: &str, request: &[u8]) -> Result<String, Refused> {
        let answer = self.endpoint.post(&self.access_key, operation, request);
        // A write whose response was lost may have been applied, so no request is sent a second time: the test fails.
        let Answer { status, body } =
            answer.unwrap_or_else(|error| panic!("the engine gave no answer to {operation}: {error}"));
        if status != 200 {
            return Err(Refused { status, body });
        }
        if operation == "CreateTable" {
            let request: Value = serde_json::from_slice(request).unwrap_or_default();
            self.tables().push(request["TableName"].clone());
        }
        Ok(body)
    }

    fn another(&self) -> Arc<dyn Engine> {
        Arc::new(Self::new(&self.endpoint))
    }

    fn expires_on_request(&self) -> bool {
        false
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // This may run during a panic, so nothing here may fail. A key whose tables may still exist is not reused.
        let tables = std::mem::take(&mut *self.tables());
        let is_clean = tables.iter().all(|table| {
            let request = json!({"TableName": table}).to_string();
            let answer = self
                .endpoint
                .post(&self.access_key, "DeleteTable", request.as_bytes());
            answer.is_ok_and(|answer| answer.status == 200)
        });
        if is_clean {
            self.endpoint
                .idle_keys()
                .push_back(std::mem::take(&mut self.access_key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str) -> String {
        Endpoint::parse(url).err().unwrap_or_default()
    }

    #[test]
    fn an_engine_is_an_address_on_the_loopback_interface() {
        for url in [
            "http://127.0.0.1:8000",
            "http://localhost:8000/",
            "http://[::1]:8000",
        ] {
            assert_eq!(refusal(url), "", "{url}");
        }
        assert_eq!(refusal("https://127.0.0.1:8000"), "only http:// is spoken");
        assert!(refusal("http://192.0.2.1:8000").starts_with("not on the loopback interface"));
        assert!(!refusal("http://127.0.0.1").is_empty(), "without a port");
    }
}
