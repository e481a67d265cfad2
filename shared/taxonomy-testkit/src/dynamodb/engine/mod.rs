//! The port to the database engine, which runs inside this process or behind HTTP.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`Engine`], the port to either, and the choice between the two |
//! | `embedded` | the crate dynoxide, called in process |
//! | `http` | any engine that implements DynamoDB's JSON protocol, such as Amazon's DynamoDB Local |
//! | `frozen` | stops a test's clock while an engine over HTTP works |
//! | `client` | a blocking HTTP client for the loopback interface |
//!
//! The environment chooses the engine of a test run: `TAXONOMY_ENGINE=http://127.0.0.1:PORT` sends every request there, and without it the
//! embedded engine answers. `TAXONOMY_ENGINE_NAME` names the engine behind HTTP, so that its listed deviations from AWS apply.
//! Both engines answer on the calling thread, so a test under paused tokio time runs unchanged against either.

mod client;
mod embedded;
mod frozen;
mod http;

use std::sync::{Arc, OnceLock};

use http::Endpoint;

/// One database: its tables are invisible to every other value of this trait.
pub(super) trait Engine: Send + Sync {
    /// Runs one operation; request and response are JSON as in DynamoDB's protocol.
    fn run(&self, operation: &str, request: &[u8]) -> Result<String, Refused>;
    /// Opens an empty database on the same kind of engine.
    fn another(&self) -> Arc<dyn Engine>;
    /// Whether no item expires by itself.
    fn expires_on_request(&self) -> bool;
}

/// A response that is not a success.
#[derive(Debug)]
pub(super) struct Refused {
    /// The HTTP status.
    pub(super) status: u16,
    /// The JSON body with `__type` and the message.
    pub(super) body: String,
}

/// The name of the embedded engine.
pub const EMBEDDED: &str = "embedded";

/// Opens an empty database on the engine that the environment names.
pub(super) fn open() -> Arc<dyn Engine> {
    match chosen() {
        None => Arc::new(embedded::Embedded::new()),
        Some(named) => Arc::new(http::Http::new(&named.endpoint)),
    }
}

/// Returns the name of the engine under test: [`EMBEDDED`], the value of `TAXONOMY_ENGINE_NAME`, or the engine's address.
pub fn engine_name() -> &'static str {
    chosen().map_or(EMBEDDED, |named| &named.name)
}

struct Named {
    endpoint: Endpoint,
    name: String,
}

fn chosen() -> Option<&'static Named> {
    static CHOSEN: OnceLock<Option<Named>> = OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| {
        let url = setting("TAXONOMY_ENGINE")?;
        let endpoint = Endpoint::parse(&url).and_then(|endpoint| endpoint.prepare().map(|()| endpoint));
        let endpoint = endpoint.unwrap_or_else(|reason| panic!("TAXONOMY_ENGINE={url}: {reason}"));
        let name = setting("TAXONOMY_ENGINE_NAME").unwrap_or(url);
        Some(Named { endpoint, name })
    });
    chosen.as_ref()
}

fn setting(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "a test's own setting")]
    let value = std::env::var(name);
    value.ok().filter(|value| !value.is_empty())
}
