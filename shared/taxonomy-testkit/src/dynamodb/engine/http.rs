//! An engine behind HTTP: Amazon's DynamoDB Local, or any other that implements DynamoDB's JSON protocol.
//!
//! Such an engine keeps the databases of different access keys apart, so each database of a test has an access key of its own as long as
//! the test uses it. The number of keys is fixed, all are used once before the first test, and databases use them in turn: DynamoDB Local
//! keeps threads and memory for each key, becomes slower with every write that a key has ever made, and resets its single counter of
//! stream sequence numbers for each new key, so that writes with older keys fail (seen with 1.11.478).

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::frozen::frozen;
use super::port::{Engine, Refused};

/// The number of access keys: more than the databases that the tests of one process hold at once, replicas included, so that the history
/// of each key stays short.
const DATABASES: u64 = 64;
/// The largest number of requests that check whether a new table is ready, a tenth of a second apart.
const LOOKS_AT_A_NEW_TABLE: u32 = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The checked address of an engine. Clones share connections and access keys.
#[derive(Clone)]
pub(super) struct Endpoint(Arc<Shared>);

struct Shared {
    client: Client,
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
            client: Client::new(address),
            idle_keys: Mutex::new(access_keys()),
        })))
    }

    /// Uses every access key once, and refuses an engine that does not answer or already holds tables.
    pub(super) fn prepare(&self) -> Result<(), String> {
        for access_key in &*self.idle_keys() {
            let answer = self.post(access_key, "ListTables", b"{}");
            let answer = answer.map_err(|error| format!("no engine answers there ({error})"))?;
            let tables = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
            if answer.status != 200 || tables["TableNames"] != json!([]) {
                let body = String::from_utf8_lossy(&answer.body).into_owned();
                return Err(format!(
                    "a new access key should have no tables there, the answer is {body}"
                ));
            }
        }
        Ok(())
    }

    fn post(&self, access_key: &str, operation: &str, request: &[u8]) -> std::io::Result<Answer> {
        let api = match operation {
            "DescribeStream" | "GetRecords" | "GetShardIterator" | "ListStreams" => {
                "DynamoDBStreams_20120810"
            }
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
        frozen(|| self.0.client.post(&headers, request))
    }

    fn take_key(&self) -> String {
        let key = self.idle_keys().pop_front();
        key.unwrap_or_else(|| panic!("the tests hold more than {DATABASES} databases at once"))
    }

    fn idle_keys(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.idle_keys.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a new table is active, for engines that create tables asynchronously as AWS does.
    fn await_table(&self, table: &Value) {
        let describe = json!({"TableName": table}).to_string();
        for _ in 0..LOOKS_AT_A_NEW_TABLE {
            let described = self.run("DescribeTable", describe.as_bytes()).ok();
            let described = described.and_then(|answer| serde_json::from_str::<Value>(&answer).ok());
            if described.is_some_and(|answer| answer["Table"]["TableStatus"] == "ACTIVE") {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        panic!("table {table} did not become active");
    }
}

impl Engine for Http {
    fn run(&self, operation: &str, request: &[u8]) -> Result<String, Refused> {
        let answer = self.endpoint.post(&self.access_key, operation, request);
        // A write whose response was lost may have been applied, so no request is sent a second time: the test fails.
        let Answer { status, body } =
            answer.unwrap_or_else(|error| panic!("the engine gave no answer to {operation}: {error}"));
        let body = String::from_utf8(body).expect("an engine answers in UTF-8");
        if status != 200 {
            return Err(Refused { status, body });
        }
        if operation == "CreateTable" {
            let request: Value = serde_json::from_slice(request).unwrap_or_default();
            self.tables().push(request["TableName"].clone());
            self.await_table(&request["TableName"]);
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
    use std::collections::BTreeSet;

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

    #[test]
    fn an_access_key_is_used_again_once_its_database_is_gone_and_every_other_key_was() {
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        let held = Http::new(&endpoint);
        let first = Http::new(&endpoint).access_key.clone();
        assert_eq!(first.len(), 12);
        let others: BTreeSet<_> = (2..DATABASES)
            .map(|_| Http::new(&endpoint).access_key.clone())
            .collect();
        assert_eq!(others.len() as u64, DATABASES - 2);
        assert!(!others.contains(&held.access_key) && !others.contains(&first));
        assert_eq!(Http::new(&endpoint).access_key, first);
    }

    #[test]
    fn an_access_key_whose_tables_may_remain_is_not_used_again() {
        // Nothing listens on port 9 of the loopback interface, so the table cannot be deleted.
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        let database = Http::new(&endpoint);
        let key = database.access_key.clone();
        database.tables().push(json!("taxonomy"));
        drop(database);
        assert!(!endpoint.idle_keys().contains(&key));
    }
}
