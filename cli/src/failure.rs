//! The failures of commands: their messages, the advice that follows each message, and their exit codes.

use std::error::Error;
use std::io::{self, Write as _};
use std::iter::successors;
use std::path::{Path, PathBuf};

use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use taxonomy_client::ClientError;
use taxonomy_runtime::{ConfigError, causes};
use taxonomy_store::{SourceError, StoreError, UploadError};
use taxonomy_versioning::VersioningError;

use crate::arguments::Output;
use crate::exit::Exit;
use crate::output::printable_lines;
use crate::stack::NoAnswer;
use crate::upstream::validate::Validated;

type Cause = Box<dyn Error + Send + Sync>;

/// The AWS error codes for an identity that is unknown or expired.
const UNKNOWN_IDENTITY: [&str; 9] = [
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "MissingAuthenticationToken",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
];

/// The AWS error codes for an identity that lacks a permission.
const DENIED: [&str; 3] = ["AccessDenied", "AccessDeniedException", "Forbidden"];

/// A failure, worded for the user of the command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file could not be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Read {
        /// The path as it was given.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The content of a file is invalid.
    #[error("{} is invalid: {cause}", path.display())]
    Configuration {
        /// The path as it was given.
        path: PathBuf,
        /// The first error in the file.
        cause: Cause,
    },
    /// A file is refused: it is invalid, or has warnings that `--fail-on` refuses. Its report is written in this form instead of a message.
    #[error("the file is refused")]
    Invalid {
        /// The file with its report.
        file: Box<Validated>,
        /// The form of the output.
        output: Output,
    },
    /// The arguments contradict each other.
    #[error("{0}")]
    Usage(String),
    /// A file or folder could not be written to.
    #[error("{} cannot be written to: {cause}", path.display())]
    WriteTo {
        /// The path as it was given.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Write(#[from] io::Error),
    /// The value of an environment variable is invalid.
    #[error(transparent)]
    Environment(#[from] ConfigError),
    /// Neither an argument nor the AWS configuration sets a region.
    #[error("no AWS region is set")]
    NoRegion,
    /// The HTTP API requires a token, and none is set.
    #[error("the environment variable TAXONOMY_TOKEN holds no token")]
    NoToken,
    /// The stack does not exist, or lacks an output.
    #[error("{0}")]
    Stack(String),
    /// A request to AWS was refused or got no response.
    #[error("{operation} failed: {}", causes(&**cause))]
    Aws {
        /// The operation, by its name in AWS.
        operation: &'static str,
        /// The error code of AWS, if there was a response.
        code: Option<String>,
        /// The error of the SDK.
        cause: Cause,
    },
    /// A request to the table, a bucket or a queue failed.
    #[error("{}", causes(.0))]
    Store(#[from] StoreError),
    /// A command on versions failed.
    #[error("{}", causes(.0))]
    Versioning(#[from] VersioningError),
    /// A request to the HTTP API was refused or got no response.
    #[error("{}", causes(.0))]
    Api(#[from] ClientError),
    /// The command could not do its work.
    #[error("{message}")]
    Unable {
        /// The reason.
        message: String,
        /// The next step.
        advice: Option<String>,
    },
    /// The input was refused, for a reason other than an error in a file.
    #[error("{message}")]
    Refused {
        /// The reason.
        message: String,
        /// The next step.
        advice: Option<String>,
    },
    /// The user interrupted the command.
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// Wraps the error of reading a file.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| Self::Read {
            path: path.to_owned(),
            cause,
        }
    }

    /// Wraps the error in the content of a file.
    pub(crate) fn configuration(path: &Path, cause: impl Into<Cause>) -> Self {
        Self::Configuration {
            path: path.to_owned(),
            cause: cause.into(),
        }
    }

    /// Creates a [`Failure::Usage`].
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// Creates a [`Failure::Invalid`].
    pub(crate) fn invalid(file: Validated, output: Output) -> Self {
        let file = Box::new(file);
        Self::Invalid { file, output }
    }

    /// Wraps an error of the SDK.
    pub(crate) fn aws<E, R>(operation: &'static str, error: SdkError<E, R>) -> Self
    where
        E: Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        Self::Aws {
            operation,
            code: error.code().map(str::to_owned),
            cause: error.into(),
        }
    }

    /// Creates a [`Failure::Unable`] with a reason and the next step.
    pub(crate) fn unable(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Unable {
            message: message.into(),
            advice: Some(advice.into()),
        }
    }

    /// Creates a [`Failure::Refused`] with a reason and the next step.
    pub(crate) fn refused(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            advice: Some(advice.into()),
        }
    }

    /// Writes the failure to standard error, with the next step if there is one.
    pub(crate) fn report(&self) {
        self.write("");
    }

    /// Writes the failure like [`report`](Self::report), prefixed with the name of the failed item, for commands with several items.
    pub(crate) fn report_of(&self, name: &str) {
        self.write(&format!("{name}: "));
    }

    fn write(&self, prefix: &str) {
        if self.is_closed_pipe() {
            return;
        }
        let mut stderr = io::stderr().lock();
        let advice = self.advice().map(|advice| format!("       {advice}\n"));
        let (message, advice) = (self.to_string(), advice.unwrap_or_default());
        // File names and texts of services may contain control characters. A failed write is ignored: there is nowhere else to report it.
        let _ = write!(stderr, "error: {prefix}{}\n{advice}", printable_lines(&message));
    }

    fn advice(&self) -> Option<&str> {
        match self {
            Self::Read { cause, .. } => match cause.kind() {
                io::ErrorKind::NotFound => Some("Check the name; `-` reads standard input."),
                io::ErrorKind::IsADirectory => {
                    Some("Name the files in it, such as FOLDER/*; `taxonomy push` alone takes a folder.")
                }
                io::ErrorKind::InvalidData => {
                    Some("Write the file in UTF-8; `>` of PowerShell may write UTF-16.")
                }
                _ => None,
            },
            Self::WriteTo { cause, .. } => match cause.kind() {
                io::ErrorKind::NotFound => Some("Make the folder first."),
                io::ErrorKind::IsADirectory => Some("Name a file in the folder."),
                _ => None,
            },
            Self::Usage(_) => Some("For more information, try '--help'."),
            Self::Api(ClientError::Configuration(_)) => Some("Check `--api-url` and `--endpoint-url`."),
            Self::Api(ClientError::UnknownAnswer { .. }) => Some(
                "Check `--api-url` and TAXONOMY_API_URL; the output ApiUrl of the stack is the address of its API.",
            ),
            Self::Interrupted => Some(
                "A request that was under way may have been carried out; check before you repeat the command.",
            ),
            Self::NoToken => Some("Get a token of the stack's issuer, or choose another mode with `--auth`."),
            Self::NoRegion => Some("Pass `--region`, or set AWS_REGION or a profile that has one."),
            Self::Unable { advice, .. } | Self::Refused { advice, .. } => advice.as_deref(),
            Self::Versioning(VersioningError::NoVersion) => Some(
                "Check the id: `taxonomy tenant list` lists the tenants. `taxonomy report TENANT` says why an upload was refused.",
            ),
            Self::Versioning(VersioningError::UnknownVersion(_)) => {
                Some("`taxonomy history TENANT` lists the versions.")
            }
            Self::Versioning(VersioningError::Overtaken) => Some("Check the tenant, then try again."),
            Self::Versioning(VersioningError::Asked(_)) => {
                Some("`taxonomy tenant show TENANT` shows whether it still waits.")
            }
            Self::Versioning(VersioningError::Purging) => Some(
                "`taxonomy tenant purge TENANT` completes it; after that the tenant can be published anew.",
            ),
            Self::Api(error) if error.is_unauthenticated() => Some(
                "Sign in for `--auth iam`, or renew TAXONOMY_TOKEN for `--auth token`. 403 can also mean that the policy allows too little.",
            ),
            Self::Api(ClientError::Problem(problem)) => match problem.code() {
                "tenant-not-found" => {
                    Some("`taxonomy tenant list` lists the tenants; or the identity may not read this one.")
                }
                "version-not-found" => Some("`taxonomy history TENANT` lists the versions."),
                "term-not-found" | "category-not-found" => {
                    Some("`taxonomy show TENANT` shows the tree with all ids.")
                }
                _ => None,
            },
            _ if self.is_unknown_identity() => {
                Some("Sign in, such as by `aws sso login`, or choose a profile with `--profile`.")
            }
            _ if self.has_no_answer() => Some(
                "Check that the stack is up, the network and the setting: `--endpoint-url` (AWS_ENDPOINT_URL) is the address of every service, \
                 `--api-url` (TAXONOMY_API_URL) that of the API alone; without them the addresses are those of AWS in `--region` (AWS_REGION).",
            ),
            _ if self.is_denied() => Some(
                "The identity lacks a permission: attach the policy that the stack has for the task, one of its outputs, such as OperatorPolicyArn or \
                     UploaderPolicyArn.",
            ),
            _ => None,
        }
    }

    /// Returns whether the failure concerns one object that is unreadable or invalid, so that a command can continue with the other
    /// objects.
    pub(crate) fn is_about_content(&self) -> bool {
        match self {
            Self::Stack(_) | Self::Store(StoreError::Damaged { .. }) => true,
            // Deleted between listing and reading, as expired objects are.
            Self::Store(error) => error.is_missing(),
            _ => false,
        }
    }

    /// Returns whether the output is a closed pipe, which is no failure: its reader, such as `head`, needs no more lines.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(cause) if cause.kind() == io::ErrorKind::BrokenPipe)
    }

    fn is_unknown_identity(&self) -> bool {
        matches!(self, Self::Api(error) if error.is_unauthenticated())
            || self.code().is_some_and(|code| UNKNOWN_IDENTITY.contains(&code))
            || self.has_no_credentials()
    }

    fn is_denied(&self) -> bool {
        self.code().is_some_and(|code| DENIED.contains(&code))
    }

    /// Returns the error code of the service.
    fn code(&self) -> Option<&str> {
        match self {
            Self::Aws { code, .. } => code.as_deref(),
            Self::Store(StoreError::Request { code, .. })
            | Self::Versioning(VersioningError::Store(StoreError::Request { code, .. })) => code.as_deref(),
            _ => None,
        }
    }

    fn has_no_credentials(&self) -> bool {
        self.has_cause::<CredentialsError>()
    }

    /// Returns whether an address did not answer.
    fn has_no_answer(&self) -> bool {
        matches!(self, Self::Api(ClientError::Transport { .. })) || self.has_cause::<NoAnswer>()
    }

    fn has_cause<E: Error + 'static>(&self) -> bool {
        let first: Option<&(dyn Error + 'static)> = match self {
            Self::Aws { cause, .. } => Some(&**cause),
            Self::Store(error) => Some(error),
            Self::Versioning(error) => Some(error),
            _ => None,
        };
        successors(first, |error| (**error).source()).any(|error| error.is::<E>())
    }

    /// Returns the exit code of the command.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) | Self::Api(ClientError::Configuration(_)) => Exit::Usage,
            Self::Invalid { .. }
            | Self::Refused { .. }
            | Self::Versioning(VersioningError::Refused(_) | VersioningError::RefusedRequest(_)) => {
                Exit::Refused
            }
            Self::Interrupted => Exit::Interrupted,
            Self::NoToken => Exit::NotSignedIn,
            _ if self.is_unknown_identity() => Exit::NotSignedIn,
            _ => Exit::Failed,
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Store(error) => error.into(),
            error => Self::Unable {
                message: error.to_string(),
                advice: None,
            },
        }
    }
}

impl From<UploadError> for Failure {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::Store(error) => error.into(),
            UploadError::Replaced => Self::unable(
                "another upload for the tenant came between, and is its file now",
                "Check the tenant, then push again.",
            ),
        }
    }
}
