//! A program under callgrind, with the environment that Lambda gives it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::runtime_api::RuntimeApi;
use crate::failure::Failure;

/// The longest run. A cold start takes seconds under callgrind.
const LONGEST: Duration = Duration::from_secs(120);

/// A program to count.
pub(super) struct Program {
    binary: PathBuf,
    environment: Vec<(&'static str, String)>,
}

impl Program {
    pub(super) fn new(binary: &Path) -> Self {
        Self {
            binary: binary.to_owned(),
            environment: Vec::new(),
        }
    }

    /// The endpoint of every AWS service, and the authority that it proves itself by.
    pub(super) fn with_table(mut self, url: &str, authority: &Path) -> Self {
        self.environment.push(("AWS_ENDPOINT_URL", url.to_owned()));
        self.environment
            .push(("AWS_CA_BUNDLE", authority.display().to_string()));
        self.environment
            .push(("SSL_CERT_FILE", authority.display().to_string()));
        self
    }

    /// Runs it until it has answered every event. Returns the number of instructions.
    pub(super) async fn count(&self, api: RuntimeApi) -> Result<u64, Failure> {
        self.count_while(&api.address().to_string(), api.ended()).await
    }

    /// Runs it until something else has happened. Returns the number of instructions.
    pub(super) async fn count_until(&self, happened: impl Future<Output = ()>) -> Result<u64, Failure> {
        let api = RuntimeApi::serve(Vec::new()).await?;
        self.count_while(&api.address().to_string(), async {
            happened.await;
            Ok(())
        })
        .await
    }

    async fn count_while(
        &self,
        api: &str,
        work: impl Future<Output = Result<(), Failure>>,
    ) -> Result<u64, Failure> {
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(&self.binary);
        let child = self.start(command, api)?;
        let worked = timeout(LONGEST, work).await;
        let report = stop(child).await?;
        worked.map_err(|_| format!("{} did not end:\n{report}", self.binary.display()))??;
        let collected = report
            .split_once("Collected :")
            .map(|(_, after)| after.trim_start());
        let digits = collected.and_then(|after| after.split_whitespace().next());
        let digits = digits.ok_or_else(|| format!("callgrind counted nothing:\n{report}"))?;
        Ok(digits.parse()?)
    }

    /// Starts it as it is.
    pub(super) fn run(&self, api: &str) -> Result<Child, Failure> {
        self.start(Command::new(&self.binary), api)
    }

    fn start(&self, mut command: Command, api: &str) -> Result<Child, Failure> {
        command
            .env_clear()
            .envs(std::env::vars_os().filter(|(name, _)| name == "PATH"))
            .env("AWS_LAMBDA_RUNTIME_API", api)
            .envs(ENVIRONMENT)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let program = command.as_std().get_program().display().to_string();
        let started = command.spawn();
        started.map_err(|error| {
            format!("{program} cannot be run ({error}); without it nothing was counted").into()
        })
    }
}

/// Ends a process by the signal that callgrind answers with its report.
async fn stop(child: Child) -> Result<String, Failure> {
    if let Some(id) = child.id() {
        Command::new("kill")
            .args(["-TERM", &id.to_string()])
            .status()
            .await?;
    }
    let output = timeout(LONGEST, child.wait_with_output()).await??;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The environment of the function `lookup` (template.yaml), and that of every function.
const ENVIRONMENT: [(&str, &str); 17] = [
    ("AWS_LAMBDA_FUNCTION_NAME", "taxonomy-lookup"),
    ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
    ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/taxonomy-lookup"),
    ("AWS_LAMBDA_LOG_STREAM_NAME", "stream"),
    ("AWS_REGION", "eu-west-1"),
    ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("AWS_SESSION_TOKEN", SESSION_TOKEN),
    ("TABLE_NAME", crate::canned::TABLE),
    ("AUTH_MODE", "iam"),
    ("STAGE", "prod"),
    ("CHANGESETS_BUCKET", "taxonomy-changesets"),
    (
        "DOWNLOAD_QUEUE_URL",
        "https://sqs.eu-west-1.amazonaws.com/123456789012/taxonomy-downloads",
    ),
    ("ALL_TENANTS_SCOPE", "taxonomy/all-tenants"),
    ("CACHE_CONTROL", "private, no-cache"),
    ("LOG_LEVEL", "info"),
];

/// As long as Lambda's.
const SESSION_TOKEN: &str = concat!(
    "IQoJb3JpZ2luX2VjEXAMPLEtttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
    "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
    "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
    "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
    "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
);
