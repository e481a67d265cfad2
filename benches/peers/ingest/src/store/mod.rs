//! A table and buckets that answer at once, behind the SDK's HTTP connector, so that building, signing and parsing requests are the real ones
//! and neither a network nor an engine is measured.
//!
//! Items of a taxonomy are counted and dropped. Head, log and objects are kept in a folder, so that the next version is ingested by a new process
//! and none of them takes memory of the measured one. There is one writer, so conditions of DynamoDB always hold and are not evaluated.
//!
//! | File | Contents |
//! |---|---|
//! | `table` | head, log and configuration: their reads, puts and updates |
//! | `expression` | update expressions |
//! | `objects`, `chunked` | objects as files; bodies in the encoding `aws-chunked` |
//! | `connector` | the connector of both |
//! | `usage` | counts, times and memory by phase |

mod chunked;
mod connector;
mod expression;
mod objects;
mod table;
mod usage;

use std::path::Path;
use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::SharedHttpClient;

use crate::failure::Failure;
use connector::Connector;
use objects::Objects;
use table::Table;
pub use usage::{Phase, PhaseUsage, Usage};

/// The name of the table.
pub const TABLE: &str = "taxonomy";
/// The bucket of source objects.
pub const SOURCE_BUCKET: &str = "source";
/// The bucket of snapshots, changesets and index files.
pub const CHANGESETS_BUCKET: &str = "changesets";

/// The stores of a stack, in a folder.
#[derive(Debug, Clone)]
pub struct Store {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    table: Table,
    objects: Objects,
    usage: Usage,
}

impl Store {
    /// Opens the stores in a folder; `source` is the source object of every tenant.
    pub fn open(folder: &Path, source: &Path) -> Result<Self, Failure> {
        let state = State {
            table: Table::open(folder)?,
            objects: Objects::open(folder, source)?,
            usage: Usage::default(),
        };
        Ok(Self {
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// Returns a client of both.
    pub fn http_client(&self) -> SharedHttpClient {
        SharedHttpClient::new(Connector(Arc::clone(&self.state)))
    }

    /// Writes the table into its folder, and returns the requests that were made.
    pub fn close(&self) -> Result<Usage, Failure> {
        let mut state = self.state.lock().map_err(|_| "a request panicked")?;
        state.table.save()?;
        state.usage.enter(Phase::Over);
        Ok(state.usage.clone())
    }
}
