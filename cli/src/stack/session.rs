//! A session: the outputs of a stack and the clients of its parts, each created on first use.

use std::sync::Arc;
use std::time::Duration;

use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::sts::AssumeRoleProvider;
use aws_config::{BehaviorVersion, Region};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use taxonomy_client::{Client, ClientBuilder, Tenant};
use taxonomy_keys::{Culture, TenantId};
use taxonomy_model::Provenance;
use taxonomy_runtime::{SystemClock, env};
use taxonomy_store::{Archive, Heads, Queue, Sources, Table};
use taxonomy_versioning::{Service, ServiceConfig, Stores};
use tokio::sync::OnceCell;

use crate::failure::Failure;
use crate::file::MAX_BYTES;
use crate::stack::arguments::{AuthMode, StackArguments};
use crate::stack::http;
use crate::stack::outputs::Outputs;

/// The default of the template's parameter `DefaultCulture`, for stacks that do not output it.
const DEFAULT_CULTURE: &str = "en-GB";

/// The environment variable that holds a JWT. It is not an argument, because every process of the machine can read arguments.
const TOKEN: &str = "TAXONOMY_TOKEN";

/// The session name of an assumed role, as CloudTrail records it.
const SESSION_NAME: &str = "taxonomy-cli";

const ATTEMPTS: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The time limit of one attempt, until the headers of the response arrive.
const ATTEMPT: Duration = Duration::from_secs(10);
/// The time limit of all attempts and the pauses between them.
const OPERATION: Duration = Duration::from_secs(40);

/// A stack and an identity.
pub(crate) struct Session {
    settings: StackArguments,
    sdk: SdkConfig,
    outputs: OnceCell<Outputs>,
}

impl Session {
    /// Reads the settings and the AWS configuration: environment, profiles, single sign-on, processes, metadata. A profile of `aws login` is not
    /// read.
    ///
    /// # Errors
    /// [`Failure`] when the settings are invalid.
    pub(crate) async fn open(arguments: &StackArguments) -> Result<Self, Failure> {
        let settings = arguments.with_file()?;
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(ATTEMPT)
            .operation_attempt_timeout(ATTEMPT)
            .operation_timeout(OPERATION);
        let retries = RetryConfig::standard()
            .with_max_attempts(ATTEMPTS)
            .with_initial_backoff(FIRST_PAUSE);
        let mut loader = aws_config::defaults(BehaviorVersion::latest())
            .http_client(http::client()?)
            .retry_config(retries)
            .timeout_config(timeouts.build());
        if let Some(profile) = &settings.profile {
            loader = loader.profile_name(profile);
        }
        if let Some(profile) = &arguments.profile {
            // The SDK's default chain prefers credentials in the environment to any profile, so `--profile` needs a provider of its own.
            let provider = ProviderConfig::without_region().with_http_client(http::client()?);
            let provider = ProfileFileCredentialsProvider::builder()
                .configure(&provider.load_default_region().await)
                .profile_name(profile);
            loader = loader.credentials_provider(provider.build());
        }
        if let Some(region) = &settings.region {
            loader = loader.region(Region::new(region.clone()));
        }
        if let Some(url) = &settings.endpoint_url {
            loader = loader.endpoint_url(url);
        }
        let sdk = loader.load().await;
        Ok(Self {
            settings,
            sdk,
            outputs: OnceCell::new(),
        })
    }

    /// Returns this session under the given role, or else the one of an output, which the identity assumes for an hour.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read. A role that cannot be assumed fails the first request instead.
    pub(crate) async fn under_role(self, given: Option<&str>, output: &str) -> Result<Self, Failure> {
        // Read before the role is assumed, because the role may lack the permission to read the stack.
        let outputs = self.outputs().await?;
        let role = match given {
            Some(role) => role,
            None => outputs.required(output)?,
        };
        let provider = AssumeRoleProvider::builder(role)
            .session_name(SESSION_NAME)
            .configure(&self.sdk)
            .build()
            .await;
        let sdk = self
            .sdk
            .into_builder()
            .credentials_provider(SharedCredentialsProvider::new(provider))
            .build();
        Ok(Self { sdk, ..self })
    }

    /// Returns the outputs of the stack. They are read once a session.
    ///
    /// # Errors
    /// [`Failure`] when they cannot be read.
    pub(crate) async fn outputs(&self) -> Result<&Outputs, Failure> {
        let read = || async {
            match &self.settings.outputs {
                Some(path) => Outputs::of_file(path),
                None if self.sdk.region().is_none() => Err(Failure::NoRegion),
                None => {
                    let client = aws_sdk_cloudformation::Client::new(&self.sdk);
                    Outputs::of_stack(&client, self.settings.name()).await
                }
            }
        };
        self.outputs.get_or_try_init(read).await
    }

    /// Returns the client of the HTTP API for a tenant.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read, or a token is needed and missing.
    pub(crate) async fn api(&self, tenant: &TenantId) -> Result<Tenant, Failure> {
        Ok(self.api_client().await?.build()?.tenant(tenant.clone()))
    }

    /// Returns the client of the HTTP API for any tenant, without a cache: for a caller that has one, or forwards requests unchanged.
    ///
    /// # Errors
    /// As [`api`](Self::api).
    pub(crate) async fn api_without_cache(&self) -> Result<Client, Failure> {
        Ok(self.api_client().await?.cache_bytes(0).build()?)
    }

    /// Returns the name of the stack.
    pub(crate) fn name(&self) -> &str {
        self.settings.name()
    }

    async fn api_client(&self) -> Result<ClientBuilder, Failure> {
        let url = match &self.settings.api_url {
            Some(url) => url.clone(),
            None => self.outputs().await?.required("ApiUrl")?.to_owned(),
        };
        let client = Client::builder(url)
            .auth(self.auth().await?)
            .user_agent(concat!("taxonomy/", env!("CARGO_PKG_VERSION")));
        let client = match http::authorities()? {
            Some(authorities) => client.authorities(authorities),
            None => client,
        };
        // The endpoint serves every address, unless the API has an explicit address of its own.
        let endpoint = self
            .sdk
            .endpoint_url()
            .filter(|_| self.settings.api_url.is_none());
        Ok(match endpoint {
            Some(endpoint) => client.connect_to(endpoint),
            None => client,
        })
    }

    /// Returns how requests to the HTTP API are authenticated.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn auth_mode(&self) -> Result<AuthMode, Failure> {
        Ok(match self.settings.auth {
            Some(auth) => auth,
            None => match self.outputs().await?.optional("AuthMode") {
                Some("none") => AuthMode::None,
                Some("jwt") => AuthMode::Token,
                _ => AuthMode::Iam,
            },
        })
    }

    async fn auth(&self) -> Result<taxonomy_client::Auth, Failure> {
        Ok(match self.auth_mode().await? {
            AuthMode::None => taxonomy_client::Auth::None,
            AuthMode::Token => {
                let token = env::optional(TOKEN)?;
                taxonomy_client::Auth::bearer(token.ok_or(Failure::NoToken)?)
            }
            AuthMode::Iam => {
                let credentials = self.sdk.credentials_provider().ok_or(Failure::NoRegion)?;
                let region = self.sdk.region().ok_or(Failure::NoRegion)?;
                taxonomy_client::Auth::Iam {
                    credentials,
                    region: region.to_string(),
                }
            }
        })
    }

    /// Returns the default culture of the stack.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn default_culture(&self) -> Result<Culture, Failure> {
        let tag = self
            .outputs()
            .await?
            .optional("DefaultCulture")
            .unwrap_or(DEFAULT_CULTURE);
        tag.parse()
            .map_err(|error| Failure::Stack(format!("the output DefaultCulture is no culture: {error}")))
    }

    /// Returns the largest size of an upload, in bytes.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn max_file_bytes(&self) -> Result<u64, Failure> {
        match self.outputs().await?.optional("MaxFileBytes") {
            Some(bytes) => bytes
                .parse()
                .map_err(|_| Failure::Stack("the output MaxFileBytes is no number".to_owned())),
            None => Ok(MAX_BYTES),
        }
    }

    /// Returns the store of heads, configurations and logs.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn heads(&self) -> Result<Heads, Failure> {
        Ok(Heads::new(self.table().await?))
    }

    async fn table(&self) -> Result<Table, Failure> {
        let table = self.outputs().await?.required("TableName")?;
        Ok(Table::new(aws_sdk_dynamodb::Client::new(&self.sdk), table))
    }

    /// Returns the store of snapshots, changesets and reports.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn archive(&self) -> Result<Archive, Failure> {
        let bucket = self.outputs().await?.required("ChangesetsBucketName")?;
        Ok(Archive::new(self.s3(), bucket))
    }

    /// Returns the store of source objects.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn sources(&self) -> Result<Sources, Failure> {
        let bucket = self.outputs().await?.required("SourceBucketName")?;
        Ok(Sources::new(self.s3(), bucket, self.max_file_bytes().await?))
    }

    /// Returns the service that runs the commands of operators.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn service(&self) -> Result<Service, Failure> {
        let config = ServiceConfig {
            default_culture: self.default_culture().await?,
            max_file_bytes: self.max_file_bytes().await?,
            projection_format: ServiceConfig::PROJECTION_FORMAT,
        };
        let stores = Stores {
            table: self.table().await?,
            sources: self.sources().await?,
            archive: self.archive().await?,
        };
        Ok(Service::new("cli", config, stores, Arc::new(SystemClock)))
    }

    /// Returns the queue whose URL is the output `output`.
    ///
    /// # Errors
    /// [`Failure`] when the outputs cannot be read.
    pub(crate) async fn queue(&self, output: &str) -> Result<Queue, Failure> {
        let url = self.outputs().await?.required(output)?;
        Ok(Queue::new(self.sqs(), url))
    }

    /// Sends the projector a message to process what waits for a tenant.
    ///
    /// # Errors
    /// [`Failure`] when the message cannot be sent.
    pub(crate) async fn ask_for_tenant(&self, tenant: &TenantId) -> Result<(), Failure> {
        let queue = self.queue("RetryQueueUrl").await?;
        Ok(queue.ask_for_tenant(tenant).await?)
    }

    /// Returns a client of SQS.
    pub(crate) fn sqs(&self) -> aws_sdk_sqs::Client {
        aws_sdk_sqs::Client::new(&self.sdk)
    }

    /// Returns the ARN of the calling identity, from STS.
    async fn identity(&self) -> Result<String, Failure> {
        let answer = aws_sdk_sts::Client::new(&self.sdk)
            .get_caller_identity()
            .send()
            .await;
        let answer = answer.map_err(|error| Failure::aws("GetCallerIdentity", error))?;
        answer
            .arn
            .ok_or_else(|| Failure::Stack("GetCallerIdentity names no identity".to_owned()))
    }

    /// Returns `given`, with the calling identity as its author unless it names one.
    ///
    /// # Errors
    /// [`Failure`] when no identity is signed in.
    pub(crate) async fn provenance(&self, given: Provenance) -> Result<Provenance, Failure> {
        let author = match given.author {
            Some(author) => author,
            None => self.identity().await?,
        };
        Ok(Provenance {
            author: Some(author),
            ..given
        })
    }

    /// Returns a client of S3.
    pub(crate) fn s3(&self) -> aws_sdk_s3::Client {
        let config = aws_sdk_s3::config::Builder::from(&self.sdk)
            // A fixed endpoint has no subdomain for each bucket.
            .force_path_style(self.sdk.endpoint_url().is_some());
        aws_sdk_s3::Client::from_conf(config.build())
    }
}
