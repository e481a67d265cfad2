//! Failures of commands.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::PathBuf;

use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use taxonomy_client::ClientError;
use taxonomy_protocol::{ProtocolError, causes};
use taxonomy_runtime::ConfigError;
use taxonomy_store::{SourceError, StoreError, UploadError};

use crate::consumer::expand;
use crate::exit::Exit;
use crate::output::printable_lines;

type Cause = Box<dyn Error + Send + Sync>;

/// The codes with which AWS answers an identity that it does not know, or no longer.
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

/// The codes with which AWS answers an identity that lacks a right.
const DENIED: [&str; 3] = ["AccessDenied", "AccessDeniedException", "Forbidden"];

/// A failure, described for the person who typed the command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file could not be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Read {
        /// The file as it was named.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A file is not of its form.
    #[error("{} is not of the form: {cause}", path.display())]
    Configuration {
        /// The file as it was named.
        path: PathBuf,
        /// The first mistake.
        cause: Cause,
    },
    /// The arguments contradict each other.
    #[error("{0}")]
    Usage(String),
    /// A file or folder could not be written to.
    #[error("{} cannot be written to: {cause}", path.display())]
    WriteTo {
        /// The file or folder as it was named.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// Metrics could not be expanded.
    #[error("{0}")]
    Expand(#[from] expand::Error),
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Write(#[from] io::Error),
    /// An environment variable cannot be used.
    #[error(transparent)]
    Environment(#[from] ConfigError),
    /// Neither flags nor AWS configuration name a region.
    #[error("no AWS region is set")]
    NoRegion,
    /// The HTTP API takes tokens, and there is none.
    #[error("the environment variable TAXONOMY_TOKEN holds no token")]
    NoToken,
    /// The stack is not there, or lacks a part.
    #[error("{0}")]
    Stack(String),
    /// AWS refused a request or did not answer.
    #[error("{operation} failed: {}", causes(&**cause))]
    Aws {
        /// The operation, as the service calls it.
        operation: &'static str,
        /// The service's code, where it answered.
        code: Option<String>,
        /// The error of the SDK.
        cause: Cause,
    },
    /// The table, a bucket or a queue failed.
    #[error("{}", causes(.0))]
    Store(#[from] StoreError),
    /// A command over versions failed.
    #[error("{}", causes(.0))]
    Protocol(#[from] ProtocolError),
    /// The HTTP API refused a request or did not answer.
    #[error("{}", causes(.0))]
    Api(#[from] ClientError),
    /// The command could not do what it was asked for.
    #[error("{message}")]
    Unable {
        /// The reason.
        message: String,
        /// The next step.
        advice: Option<String>,
    },
    /// The input was refused for a reason that is no mistake in a file.
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
    /// An error of the SDK.
    pub(crate) fn aws<E, R>(operation: &'static str, error: SdkError<E, R>) -> Self
    where
        E: Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        let code = error
            .as_service_error()
            .and_then(ProvideErrorMetadata::code)
            .map(str::to_owned);
        Self::Aws {
            operation,
            code,
            cause: error.into(),
        }
    }

    /// A reason and the next step.
    pub(crate) fn unable(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Unable {
            message: message.into(),
            advice: Some(advice.into()),
        }
    }

    /// A refusal and the next step.
    pub(crate) fn refused(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            advice: Some(advice.into()),
        }
    }

    /// Writes the failure to standard error, with the next step where there is one.
    pub(crate) fn report(&self) {
        self.write("");
    }

    /// The same with the name of the thing that failed, where several could have.
    pub(crate) fn report_of(&self, name: &str) {
        self.write(&format!("{name}: "));
    }

    fn write(&self, prefix: &str) {
        // A reader that went away, such as `head`, has what it wanted.
        if self.is_closed_pipe() {
            return;
        }
        let mut stderr = io::stderr().lock();
        let advice = self.advice().map(|advice| format!("       {advice}\n"));
        let (message, advice) = (self.to_string(), advice.unwrap_or_default());
        // Names of files and texts of services may hold anything. There is no other place to report to.
        let _ = write!(stderr, "error: {prefix}{}\n{advice}", printable_lines(&message));
    }

    fn advice(&self) -> Option<&str> {
        match self {
            Self::Read { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("Check the name; `-` reads standard input.")
            }
            Self::WriteTo { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("Make the folder first.")
            }
            Self::Usage(_) => Some("For more information, try '--help'."),
            Self::Api(ClientError::Configuration(_)) => Some("Check `--api-url` and `--endpoint-url`."),
            Self::Interrupted => Some(
                "A request that was under way may have been carried out; look before you repeat the command.",
            ),
            Self::NoToken => Some("Get a token of the stack's issuer, or choose another mode with `--auth`."),
            Self::NoRegion => Some("Pass `--region`, or set AWS_REGION or a profile that has one."),
            Self::Unable { advice, .. } | Self::Refused { advice, .. } => advice.as_deref(),
            Self::Protocol(ProtocolError::NoVersion) => {
                Some("Check the id of the tenant; `taxonomy tenant list` lists them.")
            }
            Self::Protocol(ProtocolError::UnknownVersion(_)) => {
                Some("`taxonomy history TENANT` lists the versions.")
            }
            Self::Protocol(ProtocolError::Overtaken) => Some("Look at the tenant, then try again."),
            Self::Api(error) if error.is_unauthenticated() => Some(
                "Sign in for `--auth iam`, or renew TAXONOMY_TOKEN for `--auth token`. 403 can also mean that the policy allows too little.",
            ),
            _ if self.is_unknown_identity() => {
                Some("Sign in, such as by `aws sso login`, or choose a profile with `--profile`.")
            }
            _ if self.is_denied() => {
                Some("The identity lacks a right; docs/operations.md says which policy has it.")
            }
            _ => None,
        }
    }

    /// Returns whether something that was read is not of its form; other things may be.
    pub(crate) fn is_about_content(&self) -> bool {
        match self {
            Self::Stack(_) | Self::Store(StoreError::Damaged { .. }) => true,
            // Gone between the listing and the reading, as objects expire.
            Self::Store(error) => error.is_missing(),
            _ => false,
        }
    }

    fn is_closed_pipe(&self) -> bool {
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

    /// The code that a service answered with.
    fn code(&self) -> Option<&str> {
        match self {
            Self::Aws { code, .. } => code.as_deref(),
            Self::Store(StoreError::Request { code, .. })
            | Self::Protocol(ProtocolError::Store(StoreError::Request { code, .. })) => code.as_deref(),
            _ => None,
        }
    }

    fn has_no_credentials(&self) -> bool {
        let first: Option<&(dyn Error + 'static)> = match self {
            Self::Aws { cause, .. } => Some(&**cause),
            Self::Store(error) => Some(error),
            Self::Protocol(error) => Some(error),
            _ => None,
        };
        let mut next = first;
        while let Some(error) = next {
            if error.is::<CredentialsError>() {
                return true;
            }
            next = error.source();
        }
        false
    }

    /// The code that the command ends with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) | Self::Api(ClientError::Configuration(_)) => Exit::Usage,
            Self::Refused { .. } | Self::Protocol(ProtocolError::Refused(_)) => Exit::Refused,
            Self::Interrupted => Exit::Interrupted,
            Self::Expand(error) => error.exit(),
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
                "Look at the tenant, then push again.",
            ),
        }
    }
}
