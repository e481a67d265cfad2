//! Publications: a file is uploaded, and the projector receives the event of the upload.

use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::timeout;

use crate::history::History;
use crate::options::Options;
use crate::oracle::Taxonomy;
use crate::program::Program;
use crate::releases::Releases;
use crate::stores::Stores;
use crate::time;

/// Publishes one version after the other.
pub(crate) struct Publisher {
    projector: Program,
    releases: Releases,
    stores: Stores,
    history: History,
    version: u64,
    projections: Vec<Duration>,
}

impl Publisher {
    /// Begins with an empty tenant.
    pub(crate) fn new(projector: Program, releases: Releases, stores: Stores, history: History) -> Self {
        Self {
            projector,
            releases,
            stores,
            history,
            version: 0,
            projections: Vec::new(),
        }
    }

    /// Publishes the next version, and waits until it is served.
    ///
    /// # Errors
    /// If the projector fails, or has answered and another version is served.
    pub(crate) async fn publish(&mut self) -> Result<(), String> {
        self.version += 1;
        let file = self.releases.file(self.version);
        let taxonomy =
            Taxonomy::read(&file).ok_or("the file of a version has another form than the format")?;
        self.history.add(taxonomy);
        let (event, begin) = (self.stores.upload(file.to_string().as_bytes()), Instant::now());
        let answered = self.projector.api.invoke(event.into_bytes().into()).await;
        answered.map_err(|reason| format!("the projector on version {}: {reason}", self.version))?;
        match self.history.newest_served() {
            Some((version, _)) if version == self.version => {
                self.projections.push(begin.elapsed());
                self.history.settle(time::now());
                Ok(())
            }
            served => {
                let served = served.map(|(version, _)| version);
                Err(format!(
                    "version {served:?} is served after the publication of {}",
                    self.version
                ))
            }
        }
    }

    /// Publishes at the interval of the options, each second time after three of them, until the end.
    ///
    /// # Errors
    /// If a publication fails; none follows it.
    pub(crate) async fn run(
        &mut self,
        options: &Options,
        mut end: watch::Receiver<bool>,
    ) -> Result<(), String> {
        while self.version < options.versions {
            let pause = options.every * if self.version.is_multiple_of(2) { 3 } else { 1 };
            if timeout(pause, end.wait_for(|ended| *ended)).await.is_ok() {
                return Ok(());
            }
            self.publish().await?;
        }
        // The requests go on without further versions.
        let _ = end.wait_for(|ended| *ended).await;
        Ok(())
    }

    /// Returns the number of versions.
    pub(crate) fn versions(&self) -> u64 {
        self.version
    }

    /// Returns the time of each publication after the first, from the upload to the answer of the projector, in milliseconds.
    pub(crate) fn projections_ms(&self) -> Vec<u128> {
        self.projections.iter().skip(1).map(Duration::as_millis).collect()
    }
}
