//! The clients of the function.

use std::sync::Arc;

use taxonomy_runtime::{AwsEnv, Clock, RetryPolicy, sdk_config};
use taxonomy_store::{Archive, Queue, Sources, Table};
use taxonomy_versioning::{Service, ServiceConfig, Stores};

use crate::config::Config;
use crate::handler::{Projector, WorkQueue};

impl Projector {
    /// Builds the projector from its configuration, over AWS.
    pub fn connect(config: Config, aws: &AwsEnv, clock: Arc<dyn Clock>) -> Self {
        let sdk = sdk_config(aws, RetryPolicy::EVENTS);
        let s3 = aws_sdk_s3::config::Builder::from(&sdk)
            .force_path_style(aws.path_style())
            .build();
        Self::new(
            config,
            aws_sdk_dynamodb::Client::new(&sdk),
            aws_sdk_s3::Client::from_conf(s3),
            aws_sdk_sqs::Client::new(&sdk),
            clock,
        )
    }

    /// Builds the projector from its clients.
    pub fn new(
        config: Config,
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
        sqs: aws_sdk_sqs::Client,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let stores = Stores {
            table: Table::new(dynamodb, &config.table),
            sources: Sources::new(s3.clone(), &config.source_bucket, config.max_file_bytes),
            archive: Archive::new(s3, &config.changesets_bucket),
        };
        let service = ServiceConfig {
            default_culture: config.default_culture,
            max_file_bytes: config.max_file_bytes,
            projection_format: ServiceConfig::PROJECTION_FORMAT,
        };
        let work_queue = move |queue: &str, dead_letters: &str| WorkQueue {
            queue: Queue::new(sqs.clone(), queue),
            dead_letters: Queue::new(sqs.clone(), dead_letters),
        };
        Self {
            source_bucket: config.source_bucket,
            service: Service::new(&config.function, service, stores, clock),
            retries: work_queue(&config.retry_queue, &config.dead_letters),
            audits: work_queue(&config.audit_queue, &config.audit_dead_letters),
            downloads: work_queue(&config.download_queue, &config.download_dead_letters),
        }
    }
}
