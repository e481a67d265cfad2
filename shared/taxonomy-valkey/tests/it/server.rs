//! Clients of a server of one's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taxonomy_keys::TenantId;
use taxonomy_valkey::{EntriesOf, Valkey, ValkeyConfig};

/// Longer than any answer takes on a busy machine: what runs into it hangs.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);
/// Short enough to run into on purpose.
const IMPATIENCE: Duration = Duration::from_millis(50);

pub(crate) use taxonomy_testkit::ValkeyServer as Server;

/// A server, and a client with much patience.
pub(crate) fn started() -> (Server, Valkey) {
    let server = Server::start();
    let valkey = client(&patient(server.url()));
    (server, valkey)
}

/// The settings of a client with much patience.
pub(crate) fn patient(url: impl Into<String>) -> ValkeyConfig {
    ValkeyConfig {
        timeout: TIMEOUT,
        ..ValkeyConfig::new(url)
    }
}

pub(crate) fn client(config: &ValkeyConfig) -> Valkey {
    clocked(config).0
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
    clocked(&ValkeyConfig {
        timeout: IMPATIENCE,
        ..config.clone()
    })
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
