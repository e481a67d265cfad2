//! The requests to one process, one after the other, at a steady rate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::sleep_until;

use crate::history::History;
use crate::mix::{Mix, Remembered};
use crate::options::Options;
use crate::program::Program;
use crate::request::{Request, Subject};
use crate::response::Response;
use crate::results::Results;
use crate::runtime_api::Answered;

/// The longest delay that is caught up: after a longer one the requests begin anew, instead of coming at once.
const CAUGHT_UP: Duration = Duration::from_secs(1);

/// The requests to a process.
pub(crate) struct Traffic {
    lookup: Arc<Program>,
    history: History,
    mix: Mix,
    pause: Duration,
    results: Results,
}

impl Traffic {
    /// Draws the requests of a process by the seed of the options.
    pub(crate) fn new(options: &Options, process: u64, lookup: Arc<Program>, history: History) -> Self {
        let first = history.taxonomy(1);
        let (ids, cultures) = first
            .map(|first| (first.terms().collect(), first.cultures()))
            .unwrap_or_default();
        Self {
            lookup,
            history,
            mix: Mix::new(options.seed, process, ids, cultures),
            pause: Duration::from_secs(options.processes.into()) / options.rate,
            results: Results::default(),
        }
    }

    /// Sends requests until the end. Returns the results.
    pub(crate) async fn run(mut self, end: watch::Receiver<bool>) -> Results {
        let mut due = Instant::now();
        while !*end.borrow() {
            let earliest = Instant::now().checked_sub(CAUGHT_UP);
            due = earliest.map_or(due, |earliest| due.max(earliest)) + self.pause;
            sleep_until(due.into()).await;
            let request = self.mix.draw(&self.history);
            match self.lookup.api.invoke(request.event().into()).await {
                Ok(answered) => self.take(request, &answered),
                Err(reason) => self.results.failed(format!("{}: {reason}", request.describe())),
            }
        }
        self.results
    }

    fn take(&mut self, request: Request, answered: &Answered) {
        let response = match Response::parse(&answered.body) {
            Ok(response) => response,
            Err(reason) => return self.results.failed(format!("{}: {reason}", request.describe())),
        };
        self.results
            .answered(request.kind, response.status, answered.took);
        if response.status >= 500 {
            return self
                .results
                .failed(format!("{}: status {}", request.describe(), response.status));
        }
        match response.check(&request, &self.history) {
            Err(reason) => self.results.wrong(format!(
                "{}, version {:?}: {reason}",
                request.describe(),
                response.version
            )),
            Ok(None) => {}
            Ok(Some(version)) => {
                if request.pinned.is_none() {
                    let at = answered.handed_out;
                    self.results
                        .aged(version, at, at + answered.took, &self.history.served());
                }
                self.remember(request, response, version);
            }
        }
    }

    /// Keeps the tag of a term for a conditional request.
    fn remember(&mut self, request: Request, response: Response, version: u64) {
        let is_plain = request.known.is_none() && request.pinned.is_none();
        if let (Some(tag), true, Subject::Term { .. }) = (response.tag, is_plain, &request.subject) {
            self.mix.last = Some(Remembered {
                request,
                tag,
                version,
            });
        }
    }
}
