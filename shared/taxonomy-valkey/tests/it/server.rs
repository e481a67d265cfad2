//! Clients of a server of one's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taxonomy_keys::TenantId;
use taxonomy_testkit::ValkeyServer;
use taxonomy_valkey::{EntriesOf, Valkey, ValkeyConfig};

/// Longer than any answer takes on a busy machine: what runs into it hangs.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);
/// Short enough to run into on purpose.
pub(crate) const IMPATIENCE: Duration = Duration::from_millis(50);

pub(crate) use taxonomy_testkit::ValkeyServer as Server;

/// Further operations of tests on a server.
pub(crate) trait Clients {
    /// A client with much patience.
    fn client(&self) -> Valkey;
    /// A client with little patience, and the clock that its breaker goes by.
    fn impatient_client(&self) -> (Valkey, Arc<AtomicU64>);
}

impl Clients for ValkeyServer {
    fn client(&self) -> Valkey {
        client(&patient(self.url()))
    }

    fn impatient_client(&self) -> (Valkey, Arc<AtomicU64>) {
        impatient(&ValkeyConfig::new(self.url()))
    }
}

/// The settings of a client with much patience.
pub(crate) fn patient(url: impl Into<String>) -> ValkeyConfig {
    with_timeout(ValkeyConfig::new(url), TIMEOUT)
}

fn with_timeout(config: ValkeyConfig, timeout: Duration) -> ValkeyConfig {
    ValkeyConfig { timeout, ..config }
}

pub(crate) fn client(config: &ValkeyConfig) -> Valkey {
    Valkey::new(config, Arc::new(|| 0)).unwrap()
}

/// A client, and the clock that its breaker goes by.
pub(crate) fn clocked(config: &ValkeyConfig) -> (Valkey, Arc<AtomicU64>) {
    let clock = Arc::new(AtomicU64::new(1_767_225_600_000));
    let reading = Arc::clone(&clock);
    let valkey = Valkey::new(config, Arc::new(move || reading.load(Ordering::Relaxed))).unwrap();
    (valkey, clock)
}

/// The same with little patience.
pub(crate) fn impatient(config: &ValkeyConfig) -> (Valkey, Arc<AtomicU64>) {
    clocked(&with_timeout(config.clone(), IMPATIENCE))
}

/// Puts an entry that [`is_there`] looks for.
pub(crate) async fn put(valkey: &Valkey) {
    valkey.put(&acme(), &first(), vec![entry("a", b"1")]).await;
}

pub(crate) async fn is_there(valkey: &Valkey) -> bool {
    let answer = valkey.get(&acme(), &first(), &names(["a"])).await;
    answer.values == [Some(b"1".to_vec())]
}

pub(crate) fn acme() -> TenantId {
    "acme".parse().unwrap()
}

/// The entries that most tests request.
pub(crate) fn first() -> EntriesOf<'static> {
    EntriesOf::new(taxonomy_keys::Version::FIRST, "0123456789abcdef0123456789abcdef")
}

pub(crate) fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).into()
}

pub(crate) fn entry(name: &str, value: &[u8]) -> (String, Vec<u8>) {
    (name.to_owned(), value.to_vec())
}
