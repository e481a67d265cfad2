//! The platform in virtual time: asynchronous invocations, queues and a stream invoke the real functions within limits of concurrency.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use taxonomy_tests::prelude::*;
use tokio::sync::Semaphore;
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout};

use crate::actors::{aggregate, done, given_up, is_acknowledged};

/// The time-out of both functions.
const INVOCATION: Duration = Duration::from_secs(900);
/// The visibility time-out of a message.
const HIDDEN: Duration = Duration::from_secs(960);

/// The interval at which the stream and the queues are polled.
const POLL: Duration = Duration::from_secs(1);

/// The interval of the sweeps.
const SWEEP: Duration = Duration::from_secs(300);

/// The time for which Lambda tries a throttled asynchronous event.
const EVENT_AGE: Duration = Duration::from_secs(21_600);
/// The number of times that Lambda tries a failing asynchronous event.
const EVENT_ATTEMPTS: u32 = 3;

/// The shape of a deployment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deployment {
    /// The concurrency of the projector: its reserved concurrency, or that of the account.
    pub(crate) projectors: usize,
    /// The parallelization factor of the shard.
    pub(crate) lanes: usize,
    /// The maximum number of records of a batch.
    pub(crate) batch: usize,
    /// The maximum concurrency of the event source mapping of each queue.
    pub(crate) of_queue: usize,
}

impl Deployment {
    pub(crate) fn drawn(rng: &mut Rng) -> Self {
        Self {
            projectors: rng.choice([10, 12, 1000]).unwrap(),
            lanes: rng.usize(1..=2),
            batch: rng.choice([1, 3, 10, 100]).unwrap(),
            of_queue: 5,
        }
    }

    /// Returns the greatest number of batches with records of the noisy tenant before a record of a quiet one. Two of the noisy tenant and one of
    /// each of three quiet tenants wait at once; a batch of the template takes them all.
    pub(crate) fn slow_batches(self) -> u32 {
        let batches = 5_usize.div_ceil(self.batch).min(2);
        u32::try_from(batches).unwrap()
    }
}

/// A published version: tenant, version, and time of publication.
pub(crate) type Published = (String, u64, Instant);

pub(crate) struct Platform {
    pub(crate) world: World,
    deployment: Deployment,
    projectors: Semaphore,
    /// Records of each lane.
    lanes: RefCell<Vec<Vec<Value>>>,
    /// Determines the lane of a tenant.
    salt: u64,
    published: RefCell<Vec<Published>>,
}

impl Platform {
    pub(crate) fn new(world: World, deployment: Deployment, salt: u64) -> Rc<Self> {
        Rc::new(Self {
            world,
            deployment,
            projectors: Semaphore::new(deployment.projectors),
            lanes: RefCell::new(vec![Vec::new(); deployment.lanes]),
            salt,
            published: RefCell::default(),
        })
    }

    /// Starts the pollers.
    pub(crate) fn start(self: &Rc<Self>) {
        spawn_local(Rc::clone(self).feed());
        spawn_local(Rc::clone(self).watch_topic());
        for lane in 0..self.deployment.lanes {
            spawn_local(Rc::clone(self).poll_lane(lane));
        }
        spawn_local(Rc::clone(self).poll_queue(RETRIES));
        spawn_local(Rc::clone(self).poll_queue(DEFERRED));
        spawn_local(Rc::clone(self).sweep());
    }

    /// Sends the event of the sweep at its interval.
    async fn sweep(self: Rc<Self>) {
        loop {
            sleep(SWEEP).await;
            let event = scheduled("sweep");
            spawn_local(Rc::clone(&self).invoke_asynchronously(event));
        }
    }

    pub(crate) fn published(&self) -> Vec<Published> {
        self.published.borrow().clone()
    }

    /// Uploads a file; the notification invokes the projector asynchronously.
    pub(crate) fn upload(self: &Rc<Self>, tenant: &str, file: &[u8]) {
        let event = self.world.upload(tenant, file);
        spawn_local(Rc::clone(self).invoke_asynchronously(event));
    }

    /// Invokes the projector as Lambda does for an asynchronous event: it retries a throttled event, and a failed one after one and two minutes;
    /// then it sends the event to the retry queue.
    async fn invoke_asynchronously(self: Rc<Self>, event: Value) {
        let (began, mut failures, mut pause) = (Instant::now(), 0, POLL);
        while failures < EVENT_ATTEMPTS && began.elapsed() < EVENT_AGE {
            match self.invoke_projector(event.clone()).await {
                Some(Some(_)) => return,
                Some(None) => {
                    failures += 1;
                    sleep(Duration::from_secs(60) * failures).await;
                }
                None => {
                    sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(300));
                }
            }
        }
        self.world.sqs.send(RETRIES, &given_up(&event));
    }

    /// Invokes the projector. Returns `None` if the invocation is throttled, `Some(None)` if it failed.
    async fn invoke_projector(&self, event: Value) -> Option<Option<Value>> {
        let _slot = self.projectors.try_acquire().ok()?;
        let projector = self.world.projector();
        let deadline = self.world.invocation_of(INVOCATION);
        let handled = timeout(INVOCATION, Box::pin(projector.handle(event, deadline))).await;
        let response = handled.ok().and_then(Result::ok);
        Some(response.map(|response| serde_json::to_value(response).unwrap()))
    }

    async fn invoke_aggregator(&self, event: Value) -> Option<Value> {
        let deadline = self.world.invocation_of(INVOCATION);
        let handled = aggregate(&self.world, event, deadline);
        timeout(INVOCATION, handled).await.ok()
    }

    /// Polls a queue, with one message for each invocation. A throttled or failed message stays hidden.
    async fn poll_queue(self: Rc<Self>, queue: &'static str) {
        let slots = Arc::new(Semaphore::new(self.deployment.of_queue));
        loop {
            let slot = Arc::clone(&slots).acquire_owned().await.unwrap();
            let Some(message) = self.world.sqs.receive(queue, 1, HIDDEN).pop() else {
                drop(slot);
                sleep(POLL).await;
                continue;
            };
            let platform = Rc::clone(&self);
            spawn_local(async move {
                let event = sqs_event(queue, std::slice::from_ref(&message));
                let response = match queue {
                    RETRIES => platform.invoke_projector(event).await.flatten(),
                    _ => platform.invoke_aggregator(event).await,
                };
                if response.is_some_and(|response| is_acknowledged(&response)) {
                    platform.world.sqs.delete(queue, &message);
                }
                drop(slot);
            });
        }
    }

    /// Gives the records that pass the filter, those of heads, to their lanes.
    async fn feed(self: Rc<Self>) {
        let mut stream = self.world.db.stream(TABLE);
        loop {
            for record in stream.changes() {
                let keys = &record["dynamodb"]["Keys"];
                if keys["SK"]["S"] == "HEAD" {
                    let lane = self.lane_of(keys["PK"]["S"].as_str().unwrap());
                    self.lanes.borrow_mut()[lane].push(record);
                }
            }
            sleep(POLL).await;
        }
    }

    fn lane_of(&self, partition: &str) -> usize {
        let sum = partition.bytes().fold(self.salt, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
        usize::try_from(sum % 1_000_003).unwrap() % self.deployment.lanes
    }

    /// Delivers the records of a lane, batch after batch: the next begins when all records before it are done.
    async fn poll_lane(self: Rc<Self>, lane: usize) {
        let mut at = 0;
        loop {
            let batch: Vec<Value> = {
                let records = &self.lanes.borrow()[lane];
                records[at..]
                    .iter()
                    .take(self.deployment.batch)
                    .cloned()
                    .collect()
            };
            if batch.is_empty() {
                sleep(POLL).await;
                continue;
            }
            let response = self.invoke_aggregator(json!({ "Records": batch })).await;
            let done = response.map_or(0, |response| done(&batch, &response));
            at += done;
            if done < batch.len() {
                sleep(POLL).await;
            }
        }
    }

    /// Records the time of each publication of a version. It does not wait for the end of the invocation, which another tenant of its batch may
    /// delay.
    async fn watch_topic(self: Rc<Self>) {
        let mut noted = 0;
        loop {
            let all = self.world.sns.published();
            for message in all.iter().skip(noted) {
                let message: Value = serde_json::from_str(&message.message).unwrap();
                let tenant = message["subject"].as_str().unwrap().to_owned();
                if let Some(version) = message["data"]["to"].as_u64() {
                    let published = (tenant, version, Instant::now());
                    self.published.borrow_mut().push(published);
                }
            }
            noted = all.len();
            sleep(POLL).await;
        }
    }
}
