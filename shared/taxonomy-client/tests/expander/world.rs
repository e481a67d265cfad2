//! A tenant whose terms change with time, and a source that answers slowly, in any order, and sometimes late.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use taxonomy_client::expander::{
    Answer, BATCH, Expanded, Expander, ExpanderSettings, Metric, Source, Statistics,
};
use taxonomy_keys::TermId;
use tokio::time::{Instant, sleep};

pub(crate) type Error = taxonomy_client::expander::Error<String>;

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) fn id(number: u64) -> TermId {
    TermId::new(number).unwrap()
}

/// The names of each term of one version.
pub(crate) type Terms = BTreeMap<u64, Vec<String>>;

/// Terms `1..=count`, each below one of ten parents, with the version in every name.
pub(crate) fn terms(count: u64, version: u64) -> Terms {
    let named = |number: u64| {
        let parent = number % 10;
        let names = [
            format!("Sector:Term {number} v{version}"),
            format!("Sector:Group {parent} v{version}"),
            format!("Sector:All v{version}"),
        ];
        (number, names.to_vec())
    };
    (1..=count).map(named).collect()
}

/// A version, served from a moment on.
pub(crate) struct Version {
    pub(crate) from: Duration,
    pub(crate) number: u64,
    pub(crate) terms: Terms,
}

/// What a world has seen so far.
#[derive(Clone, Default)]
pub(crate) struct Watched {
    in_flight: HashSet<TermId>,
    requests: usize,
    pub(crate) most_requests: usize,
    /// The batches, in the order of their requests.
    pub(crate) asked: Vec<Vec<u64>>,
    /// The times of the requests for the current version.
    pub(crate) checks: Vec<Duration>,
}

pub(crate) struct World {
    pub(crate) versions: Vec<Version>,
    /// The longest time to a request's answer.
    pub(crate) slowest: Duration,
    /// The time for which a process may serve the previous version.
    pub(crate) lag: Duration,
    /// Whether an answer without a name has a version.
    pub(crate) names_version: bool,
    /// Requests for this id fail.
    pub(crate) broken: Option<u64>,
    start: Instant,
    random: Mutex<fastrand::Rng>,
    watched: Mutex<Watched>,
}

impl World {
    pub(crate) fn new(seed: u64, terms: Terms) -> Self {
        let world = Self {
            versions: Vec::new(),
            slowest: ms(50),
            lag: Duration::ZERO,
            names_version: true,
            broken: None,
            start: Instant::now(),
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
            watched: Mutex::default(),
        };
        world.with_version(Duration::ZERO, 1, terms)
    }

    pub(crate) fn with_version(mut self, from: Duration, number: u64, terms: Terms) -> Self {
        self.versions.push(Version { from, number, terms });
        self
    }

    /// The version that was current at a moment.
    pub(crate) fn at(&self, moment: Duration) -> &Version {
        let mut versions = self.versions.iter().rev();
        versions.find(|version| version.from <= moment).unwrap()
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn watched(&self) -> Watched {
        self.watched.lock().unwrap().clone()
    }

    fn below(&self, limit: Duration) -> Duration {
        let nanos = u64::try_from(limit.as_nanos()).unwrap();
        Duration::from_nanos(self.random.lock().unwrap().u64(0..=nanos))
    }

    async fn served(&self) -> &Version {
        sleep(self.below(self.slowest)).await;
        let served = self.at(self.now().saturating_sub(self.below(self.lag)));
        sleep(self.below(self.slowest)).await;
        served
    }

    fn take_off(&self, ids: &[TermId]) {
        let mut watched = self.watched.lock().unwrap();
        assert!((1..=BATCH).contains(&ids.len()), "{} ids", ids.len());
        for id in ids {
            assert!(watched.in_flight.insert(*id), "{id} is in flight already");
        }
        watched.asked.push(ids.iter().map(|id| id.get()).collect());
        watched.requests += 1;
        watched.most_requests = watched.most_requests.max(watched.requests);
    }

    fn landed(&self, ids: &[TermId]) {
        let mut watched = self.watched.lock().unwrap();
        watched.requests -= 1;
        for id in ids {
            watched.in_flight.remove(id);
        }
    }
}

impl Source for World {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        self.take_off(ids);
        let served = self.served().await;
        self.landed(ids);
        if ids.iter().any(|id| Some(id.get()) == self.broken) {
            return Err("broken".to_owned());
        }
        let terms = ids.iter().map(|id| served.terms.get(&id.get()).cloned());
        let terms: Vec<_> = terms.collect();
        let has_version = self.names_version || terms.iter().any(Option::is_some);
        Ok(Answer {
            version: has_version.then_some(served.number),
            terms,
        })
    }

    async fn version(&self) -> Result<u64, String> {
        self.watched.lock().unwrap().checks.push(self.now());
        Ok(self.served().await.number)
    }
}

/// A source that answers as two functions say.
pub(crate) struct Scripted<N, V>(pub(crate) N, pub(crate) V);

impl<N, V> Source for Scripted<N, V>
where
    N: Fn(&[TermId]) -> Answer + Sync,
    V: Fn() -> Result<u64, String> + Sync,
{
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        Ok(self.0(ids))
    }

    async fn version(&self) -> Result<u64, String> {
        self.1()
    }
}

/// Names with the version in them, of the ids that are known.
pub(crate) fn answer(version: u64, ids: &[TermId], is_known: impl Fn(u64) -> bool) -> Answer {
    let name = |id: &TermId| is_known(id.get()).then(|| vec![format!("{id} v{version}")]);
    let terms: Vec<_> = ids.iter().map(name).collect();
    let has_names = terms.iter().any(Option::is_some);
    Answer {
        version: has_names.then_some(version),
        terms,
    }
}

/// A metric that is no step.
pub(crate) fn plain(ids: impl IntoIterator<Item = u64>) -> Metric<()> {
    Metric {
        value: (),
        ids: ids.into_iter().map(id).collect(),
        bytes: 1,
    }
}

/// The settings of a source that is asked about one metric after the other.
pub(crate) fn in_turn() -> ExpanderSettings {
    ExpanderSettings {
        concurrency: 1,
        read_ahead_items: 1,
        ..ExpanderSettings::default()
    }
}

/// Expands plain metrics: the names of each, and the error at the end.
pub(crate) async fn outcome(
    source: &impl Source<Error = String>,
    metrics: impl Stream<Item = Metric<()>> + Send + Unpin,
    settings: ExpanderSettings,
) -> (Vec<Expanded<()>>, Option<Error>, Statistics) {
    let mut expander = Expander::new(source, metrics, settings);
    let (mut all, mut error) = (Vec::new(), None);
    while let Some(next) = expander.next().await {
        match next {
            Ok(expanded) => all.push(expanded),
            Err(failure) => error = Some(failure),
        }
    }
    (all, error, *expander.statistics())
}

/// A metric of a test: when it was read, and its ids.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    pub(crate) place: usize,
    pub(crate) at: Duration,
    pub(crate) ids: Vec<u64>,
}

/// An element of an input.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Metric(Vec<u64>),
    Pause(Duration),
}

pub(crate) fn metric(ids: impl IntoIterator<Item = u64>) -> Step {
    Step::Metric(ids.into_iter().collect())
}

/// The bytes of each metric's value.
pub(crate) const METRIC_BYTES: usize = 100;

fn stream<'w>(world: &'w World, steps: &'w [Step]) -> BoxStream<'w, Metric<Read>> {
    let read = stream::iter(steps).filter_map(async |step| match step {
        Step::Pause(pause) => {
            sleep(*pause).await;
            None
        }
        Step::Metric(ids) => Some(ids.clone()),
    });
    let metrics = read.enumerate().map(|(place, ids)| Metric {
        ids: ids.iter().map(|number| id(*number)).collect(),
        value: Read {
            place,
            at: world.now(),
            ids,
        },
        bytes: METRIC_BYTES,
    });
    metrics.boxed()
}

/// The outcome of a run.
pub(crate) struct Run {
    pub(crate) metrics: Vec<(Expanded<Read>, Duration)>,
    pub(crate) error: Option<Error>,
    pub(crate) statistics: Statistics,
}

/// Expands an input with the default settings for a fast consumer.
pub(crate) async fn expand(world: &World, steps: &[Step]) -> Run {
    run(world, steps, ExpanderSettings::default(), Duration::ZERO).await
}

/// Expands an input; the consumer is slow if `slow` is set.
pub(crate) async fn run(world: &World, steps: &[Step], settings: ExpanderSettings, slow: Duration) -> Run {
    let mut expander = Expander::new(world, stream(world, steps), settings);
    let (mut metrics, mut error) = (Vec::new(), None);
    while let Some(next) = expander.next().await {
        match next {
            Ok(expanded) => metrics.push((expanded, world.now())),
            Err(failure) => error = Some(failure),
        }
        if !slow.is_zero() {
            sleep(world.below(slow)).await;
        }
    }
    assert!(expander.next().await.is_none(), "an ended stream goes on");
    Run {
        metrics,
        error,
        statistics: *expander.statistics(),
    }
}
