//! A process of a deployed function, with the environment that Lambda gives it, and its memory.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET, TABLE};
use tokio::process::{Child, Command};

use crate::runtime_api::RuntimeApi;

/// A running function.
pub(crate) struct Program {
    pub(crate) api: RuntimeApi,
    child: Child,
}

impl Program {
    /// Starts a process. It ends with this value.
    pub(crate) async fn start(
        binary: &Path,
        name: &str,
        stores: SocketAddr,
        limit: Duration,
    ) -> io::Result<Self> {
        let api = RuntimeApi::serve(limit).await?;
        let queue = |name: &str| format!("http://{stores}/123456789012/{name}");
        let child = Command::new(binary)
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", api.address().to_string())
            .env("AWS_ENDPOINT_URL", format!("http://{stores}"))
            .env("AWS_LAMBDA_FUNCTION_NAME", name)
            .env("RETRY_QUEUE_URL", queue("retries"))
            .env("AUDIT_QUEUE_URL", queue("audits"))
            .env("DOWNLOAD_QUEUE_URL", queue("downloads"))
            .env("DEAD_LETTERS_URL", queue("dead-letters"))
            .env("AUDIT_DEAD_LETTERS_URL", queue("audit-dead-letters"))
            .env("DOWNLOAD_DEAD_LETTERS_URL", queue("download-dead-letters"))
            .envs(ENVIRONMENT)
            .envs(CACHES.map(|(name, bytes)| (name, bytes.to_string())))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interruption by the keyboard ends this program first, which then reports what it has measured.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self { api, child })
    }

    /// Returns the resident memory, in KiB; none once the process has ended.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        parse_resident(&status)
    }
}

fn parse_resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the capacity of the caches of each process of the lookup, in KiB.
pub(crate) fn caches_kib() -> u64 {
    CACHES.map(|(_, bytes)| bytes).iter().sum::<u64>() / 1024
}

/// The capacities of the caches of the lookup, in bytes: the defaults of template.yaml.
const CACHES: [(&str, u64); 2] = [("CACHE_BYTES", 64 << 20), ("INDEX_CACHE_BYTES", 32 << 20)];

/// The environment of the functions as in template.yaml, with the defaults of its parameters.
const ENVIRONMENT: [(&str, &str); 16] = [
    ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
    ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/taxonomy-load"),
    ("AWS_LAMBDA_LOG_STREAM_NAME", "stream"),
    ("AWS_REGION", "eu-west-1"),
    ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("TABLE_NAME", TABLE),
    ("SOURCE_BUCKET", SOURCE_BUCKET),
    ("CHANGESETS_BUCKET", CHANGESETS_BUCKET),
    ("DEFAULT_CULTURE", "en-GB"),
    ("AUTH_MODE", "iam"),
    ("STAGE", "prod"),
    ("ALL_TENANTS_SCOPE", "taxonomy/all-tenants"),
    ("CACHE_CONTROL", "private, no-cache"),
    ("LOG_LEVEL", "info"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_status_of_a_process() {
        assert_eq!(
            parse_resident("VmPeak:\t   90 kB\nVmRSS:\t   12345 kB\n"),
            Some(12_345)
        );
        assert_eq!(
            parse_resident("Name:\tlookup\n"),
            None,
            "of a process that has ended"
        );
        let own = std::fs::read_to_string("/proc/self/status").unwrap();
        assert!(parse_resident(&own).unwrap() > 100);
    }
}
