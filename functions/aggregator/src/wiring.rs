//! The clients of the function, each built only for the deployment that needs it.

use std::sync::Arc;

use aws_sdk_cloudfront::Client as CloudFront;
use taxonomy_runtime::{AwsEnv, Clock, ConfigError, Metrics, RetryPolicy, sdk_config};
use taxonomy_store::{Archive, FailureBucket, Publisher, Queue, Table};
use taxonomy_valkey::Valkey;
use taxonomy_versioning::AggregateUpdater;

use crate::caches::{Caches, Distribution};
use crate::config::{CachesConfig, Config, VersionsConfig};
use crate::handler::{Aggregator, Role};
use crate::isolation::Isolation;
use crate::notification::Origin;
use crate::versions::Versions;

impl Aggregator {
    /// Builds the configured deployment over AWS.
    ///
    /// # Errors
    /// [`ConfigError`] if the address of the second tier is invalid.
    pub fn connect(config: Config, aws: &AwsEnv, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let sdk = sdk_config(aws, RetryPolicy::EVENTS);
        match config {
            Config::Versions(config) => {
                let s3 = aws_sdk_s3::config::Builder::from(&sdk)
                    .force_path_style(aws.path_style())
                    .build();
                Ok(Self::of_versions(
                    &config,
                    aws_sdk_dynamodb::Client::new(&sdk),
                    aws_sdk_s3::Client::from_conf(s3),
                    aws_sdk_sns::Client::new(&sdk),
                    aws_sdk_sqs::Client::new(&sdk),
                    clock,
                ))
            }
            Config::Caches(config) => Self::of_caches(config, CloudFront::new(&sdk), clock),
        }
    }

    /// Builds the deployment that counts and publishes versions.
    pub fn of_versions(
        config: &VersionsConfig,
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
        sns: aws_sdk_sns::Client,
        sqs: aws_sdk_sqs::Client,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let table = Table::new(dynamodb, &config.table);
        let versions = Versions {
            updater: AggregateUpdater::new(table, Archive::new(s3.clone(), &config.changesets_bucket)),
            publisher: Publisher::new(sns, &config.events_topic),
            origin: Origin {
                source: config.events_source.clone(),
                bucket: config.changesets_bucket.clone(),
            },
        };
        let isolation = Isolation {
            versions,
            queue: Queue::new(sqs, &config.deferred_queue),
            failures: FailureBucket::new(s3, &config.failures_bucket),
            clock,
            metrics: Metrics::new(&config.function),
        };
        Self {
            role: Role::Versions(isolation),
        }
    }

    /// Builds the deployment that updates caches.
    ///
    /// # Errors
    /// [`ConfigError`] if the address of the second tier is invalid.
    pub fn of_caches(
        config: CachesConfig,
        cloudfront: CloudFront,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConfigError> {
        let tier = config
            .tier
            .map(|tier| Valkey::new(&tier, clock.clone()))
            .transpose()?;
        let distribution = config.distribution.map(|id| Distribution {
            client: cloudfront,
            id,
        });
        let caches = Caches {
            tier,
            distribution,
            clock,
            metrics: Metrics::new(&config.function),
        };
        Ok(Self {
            role: Role::Caches(caches),
        })
    }
}
