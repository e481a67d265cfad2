//! The functions: each event goes to an idle process, else to a new one, else it waits for one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::Value;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET, TABLE};
use tokio::sync::Semaphore;

use crate::processes::Process;
use crate::runtime_api::Answered;

/// How the processes of a function are started.
#[derive(Deserialize)]
pub(crate) struct Description {
    pub(crate) command: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    /// The most processes at once.
    most: usize,
    /// The function's time-out.
    pub(crate) seconds: u64,
    /// A control group, for a process that has begun.
    pub(crate) group: Option<PathBuf>,
}

/// A function and its processes.
pub(crate) struct Function {
    description: Description,
    /// As many as there may be processes.
    free: Semaphore,
    idle: Mutex<Vec<Arc<Process>>>,
    all: Mutex<Vec<Weak<Process>>>,
}

/// An answer, with the time that its event waited for a process, and that a new process took to begin.
pub(crate) struct Invoked {
    pub(crate) answered: Answered,
    pub(crate) waited: Duration,
    pub(crate) began: Option<Duration>,
}

impl Function {
    /// Creates a function without processes, of the description of this program.
    pub(crate) fn new(name: &str, mut description: Description, stores: SocketAddr) -> Self {
        let mut environment = environment(name, stores);
        environment.append(&mut description.environment);
        description.environment = environment;
        Self {
            free: Semaphore::new(description.most),
            description,
            idle: Mutex::default(),
            all: Mutex::default(),
        }
    }

    /// Hands an event to a process.
    ///
    /// # Errors
    /// Says why there is no answer. The process is ended then.
    pub(crate) async fn invoke(&self, event: Bytes) -> Result<Invoked, String> {
        let arrived = Instant::now();
        let _turn = self.free.acquire().await.map_err(|error| error.to_string())?;
        let waited = arrived.elapsed();
        let idle = lock(&self.idle).pop();
        let (process, began) = match idle {
            Some(process) => (process, None),
            None => {
                let started = Process::start(&self.description).await;
                let (process, began) =
                    started.map_err(|error| format!("{:?}: {error}", self.description.command))?;
                let process = Arc::new(process);
                lock(&self.all).push(Arc::downgrade(&process));
                (process, Some(began))
            }
        };
        let answered = process.api.invoke(event).await?;
        lock(&self.idle).push(process);
        Ok(Invoked {
            answered,
            waited,
            began,
        })
    }

    /// Ends every idle process.
    pub(crate) fn stop(&self) {
        lock(&self.idle).clear();
    }

    /// Returns what each process uses.
    pub(crate) fn usage(&self, name: &str) -> Vec<Value> {
        let mut all = lock(&self.all);
        all.retain(|process| process.strong_count() > 0);
        all.iter()
            .filter_map(|process| process.upgrade()?.usage(name))
            .collect()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The environment of every function: that of Lambda, and that of template.yaml with the defaults of its parameters.
fn environment(function: &str, stores: SocketAddr) -> BTreeMap<String, String> {
    let queues = [
        "RETRY_QUEUE_URL",
        "AUDIT_QUEUE_URL",
        "DOWNLOAD_QUEUE_URL",
        "DEAD_LETTERS_URL",
        "AUDIT_DEAD_LETTERS_URL",
        "DOWNLOAD_DEAD_LETTERS_URL",
    ];
    let queues = queues.map(|name| (name.to_owned(), format!("http://{stores}/123456789012/{name}")));
    let fixed = [
        ("AWS_LAMBDA_FUNCTION_NAME", format!("taxonomy-{function}")),
        ("AWS_ENDPOINT_URL", format!("http://{stores}")),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST".to_owned()),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256".to_owned()),
        (
            "AWS_LAMBDA_LOG_GROUP_NAME",
            format!("/aws/lambda/taxonomy-{function}"),
        ),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "stream".to_owned()),
        ("AWS_REGION", "eu-west-1".to_owned()),
        ("AWS_DEFAULT_REGION", "eu-west-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ("TABLE_NAME", TABLE.to_owned()),
        ("SOURCE_BUCKET", SOURCE_BUCKET.to_owned()),
        ("CHANGESETS_BUCKET", CHANGESETS_BUCKET.to_owned()),
        ("DEFAULT_CULTURE", "en-GB".to_owned()),
        ("AUTH_MODE", "iam".to_owned()),
        ("STAGE", "prod".to_owned()),
        ("ALL_TENANTS_SCOPE", "taxonomy/all-tenants".to_owned()),
        ("CACHE_CONTROL", "private, no-cache".to_owned()),
        ("CACHE_BYTES", (64 << 20).to_string()),
        ("INDEX_CACHE_BYTES", (32 << 20).to_string()),
        ("MALLOC_TRIM_THRESHOLD_", "1048576".to_owned()),
        ("LOG_LEVEL", "info".to_owned()),
    ];
    fixed
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .chain(queues)
        .collect()
}
