//! The clients of the function.

use std::sync::Arc;

use taxonomy_runtime::{AwsEnv, Clock, ConfigError, RetryPolicy, sdk_config};
use taxonomy_store::{Aggregates, Archive, Heads, Queue, Reader, Table};
use taxonomy_valkey::Valkey;

use crate::cache::CachedReader;
use crate::config::Config;
use crate::files::{OnFirstUse, VersionFiles};
use crate::lookup::Lookup;
use crate::snapshot::context::Context;
use crate::snapshot::downloads::Downloads;

impl Lookup {
    /// Builds the function from its configuration, over AWS.
    ///
    /// # Errors
    /// [`ConfigError`] when the address of the second tier is invalid.
    pub fn connect(config: Config, aws: &AwsEnv, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let sdk = sdk_config(aws, RetryPolicy::REQUESTS);
        let table = Table::new(aws_sdk_dynamodb::Client::new(&sdk), &config.table);
        let s3 = aws_sdk_s3::config::Builder::from(&sdk).force_path_style(aws.path_style());
        let archive: OnFirstUse<Archive> = OnFirstUse::new(Box::new(move || {
            Archive::new(
                aws_sdk_s3::Client::from_conf(s3.build()),
                &config.changesets_bucket,
            )
        }));
        let archive = Arc::new(archive);
        let versions = VersionFiles::new(archive.clone(), config.index_cache_bytes);
        let downloads_clock = clock.clone();
        let downloads = move || {
            let queue = Queue::new(aws_sdk_sqs::Client::new(&sdk), &config.download_queue);
            Downloads::new(Archive::clone(&archive), queue, downloads_clock)
        };
        let prepared_bytes = config.cache_bytes / 4;
        let entry_bytes = config.cache_bytes - prepared_bytes;
        let reader = CachedReader::new(Reader::new(table.clone()), clock.clone(), entry_bytes);
        let reader = match config.valkey {
            Some(valkey) => reader.with_second_tier(Arc::new(Valkey::new(&valkey, clock.clone())?)),
            None => reader,
        };
        let context = Context::new(reader, Aggregates::new(table.clone()))
            .with_versions(versions, Heads::new(table))
            .with_downloads(downloads);
        let lookup = Self::new(config.auth, config.cache_control, context, clock);
        Ok(lookup.with_prepared(prepared_bytes).named(&config.function))
    }
}
