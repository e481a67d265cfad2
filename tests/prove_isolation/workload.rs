//! The quiet tenants: each uploads a few small files, far enough apart that no two of its uploads coalesce in any run.

use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

/// All there may be.
const TENANTS: [&str; 3] = ["acme", "globex", "umbrella"];

/// Between two uploads of a tenant, at least: longer than an upload may take beside any neighbour.
const APART: Duration = Duration::from_secs(180);

/// An upload of a quiet tenant, which makes its version number `version`.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    pub(crate) tenant: &'static str,
    pub(crate) version: u64,
    pub(crate) at: Duration,
    pub(crate) file: Vec<u8>,
}

/// The uploads of a seed, in no order.
pub(crate) fn uploads(rng: &mut Rng) -> Vec<Upload> {
    let mut uploads = Vec::new();
    for tenant in &TENANTS[..rng.usize(2..=3)] {
        for version in 1..=rng.u64(1..=2) {
            let jitter = Duration::from_millis(rng.u64(0..30_000));
            let at = APART * u32::try_from(version - 1).unwrap() + jitter;
            let file = file(rng, version);
            uploads.push(Upload {
                tenant,
                version,
                at,
                file,
            });
        }
    }
    uploads
}

/// A file that differs from that of every other version.
pub(crate) fn file(rng: &mut Rng, version: u64) -> Vec<u8> {
    let term = |id: u64| json!({"id": id, "name": format!("term {id} of version {version}")});
    let terms: Vec<Value> = (1..=rng.u64(1..=3)).map(term).collect();
    let category = json!({"id": 1, "name": "Sector", "terms": terms});
    json!({ "categories": [category] }).to_string().into_bytes()
}
