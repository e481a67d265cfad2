//! The quiet tenants: each uploads a few small files, far enough apart that each upload makes a version in every run.

use std::time::Duration;

use fastrand::Rng;
use taxonomy_tests::prelude::*;

const TENANTS: [&str; 3] = ["acme", "globex", "umbrella"];

/// The least time between two uploads of a tenant: longer than an upload takes beside any neighbour.
const APART: Duration = Duration::from_secs(180);

/// An upload of a quiet tenant, which makes the version `version`.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    pub(crate) tenant: &'static str,
    pub(crate) version: u64,
    pub(crate) at: Duration,
    pub(crate) file: Vec<u8>,
}

/// Draws the uploads, in no particular order.
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

/// Draws a file that differs from those of all other versions.
pub(crate) fn file(rng: &mut Rng, version: u64) -> Vec<u8> {
    named(1..=rng.u64(1..=3), |id| format!("term {id} of version {version}"))
}
