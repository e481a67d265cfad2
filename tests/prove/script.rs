//! What happens to a tenant, step by step, by processes that die and are followed by others as AWS does it.

use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;
use taxonomy_protocol::{Deadline, Outcome};
use taxonomy_runtime::Clock;
use taxonomy_store::Configuration;
use taxonomy_testkit::fixtures::{GLOBEX, SOURCE_BUCKET};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{TENANT, World};

use crate::chain::Upload;
use crate::files::{Stored, file, node};
use crate::rest::{self, Last};
use crate::watch::{Rules, Watch};

/// The retry queue.
pub(crate) const QUEUE: &str = "retry";
/// Lambda invokes for one event at most so often.
const DELIVERIES: usize = 3;
/// No retry queue needs as many messages to bring a tenant of this size to rest.
const MESSAGES: usize = 200;

/// Something that happens.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A valid file is uploaded, and its event delivered.
    Upload(Value),
    /// A packed file is uploaded.
    Zipped(Value),
    /// The same bytes once more, without saying that they are packed; nobody is told.
    Mislabelled(Value),
    /// The same event once more.
    Again,
    /// A file that is refused.
    Refused(Value),
    /// The same as an upload, but every invocation has time for few things only, this many ticks of the clock.
    InHaste(Value, u64),
    /// A file is uploaded whose process dies at its n-th item; AWS has not repeated the event yet.
    HalfWritten(Value, usize),
    /// An operator has everything written again.
    Rebuild,
    /// An operator makes French the default culture.
    French,
    /// A later build, which makes other items, looks at the tenant.
    Reformat,
}

/// A request that goes wrong: the n-th since the attempt before it failed, or since the beginning.
pub(crate) type Mishap = (usize, Fault);

/// A tenant and what it went through.
pub(crate) struct Tale {
    pub(crate) world: World,
    pub(crate) uploads: Vec<Upload>,
    watch: Watch,
    neighbour: Vec<String>,
    /// What will go wrong, in this order.
    mishaps: Vec<Mishap>,
    event: Value,
    later_build: bool,
}

impl Tale {
    /// A tenant that went through `before` without any trouble, beside another one at rest.
    pub(crate) async fn after(before: &[Step], rules: Rules) -> Result<Self, String> {
        let world = World::new();
        let other = file(&[node(1, "Sector", &[node(1, "IT", &[])])]);
        Box::pin(world.push(GLOBEX, other.to_string().as_bytes())).await;
        let mut tale = Self {
            watch: Watch::new(&world, TENANT, rules),
            neighbour: rest::neighbour(&world),
            uploads: Vec::new(),
            mishaps: Vec::new(),
            event: json!({}),
            later_build: false,
            world,
        };
        for step in before {
            Box::pin(tale.go_on(step)).await?;
        }
        Ok(tale)
    }

    /// From now on these requests go wrong.
    pub(crate) fn expect(&mut self, mishaps: &[Mishap]) {
        self.mishaps = mishaps.to_vec();
        self.arm();
    }

    /// One step, with every repetition that its failures bring about.
    pub(crate) async fn go_on(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Upload(_) | Step::Zipped(_) => {
                self.event = self.put(step);
                self.deliver(None).await?;
            }
            Step::Mislabelled(file) => Stored::zipped(file).mislabelled().put(&self.world),
            Step::Again => self.deliver(None).await?,
            Step::Refused(file) => {
                self.event = self.world.upload(TENANT, file.to_string().as_bytes());
                self.deliver(None).await?;
            }
            Step::InHaste(file, ticks) => {
                self.event = self.put(&Step::Upload(file.clone()));
                self.deliver(Some(*ticks)).await?;
            }
            Step::HalfWritten(file, item) => {
                self.event = self.put(&Step::Upload(file.clone()));
                let dies = When::nth(*item).operation("PutItem");
                self.world.wire.inject(dies, Fault::Crash);
                self.attempt(&self.event.clone(), None).await?;
            }
            Step::Rebuild => {
                let taxonomies = self.world.taxonomies();
                self.command(async |tenant| drop(taxonomies.rebuild(tenant, Provenance::default()).await))
                    .await?;
                self.look().await?;
            }
            Step::French => {
                let taxonomies = self.world.taxonomies();
                self.command(async |tenant| {
                    let french = Configuration {
                        default_culture: Some("fr-FR".parse().unwrap()),
                        ..Configuration::default()
                    };
                    drop(taxonomies.configure(tenant, &french).await);
                })
                .await?;
                self.look().await?;
            }
            Step::Reformat => {
                self.later_build = true;
                self.deliver(None).await?;
            }
        }
        Ok(())
    }

    /// The queue is worked off, late requests arrive, the sweep has come: then everything holds.
    pub(crate) async fn ends_well(&mut self) -> Result<(), String> {
        self.drain(None).await?;
        self.world.wire.settle().await;
        self.step()?;
        self.world.wire.reset_faults();
        self.mishaps.clear();
        self.world.pass(1200);
        let sweep = json!({"source": "taxonomy.schedule", "detail-type": "sweep"});
        if !self.attempt(&sweep, None).await? {
            return Err("a clean sweep failed".to_owned());
        }
        rest::holds(&self.world, &self.uploads, Last::Upload, &self.neighbour)?;
        if !self.later_build {
            rest::a_duplicate_costs_two_reads(&self.world, &self.event).await?;
        }
        self.step()
    }

    /// Puts a file, of which nobody is told yet, and returns its event.
    pub(crate) fn put(&mut self, step: &Step) -> Value {
        let stored = match step {
            Step::Zipped(file) => Stored::zipped(file),
            Step::Upload(file) => Stored::plain(file),
            other => panic!("{other:?} is no upload"),
        };
        stored.put(&self.world);
        self.uploads.push(Upload::new(&stored.file, &stored.bytes));
        notification(&self.world)
    }

    /// What went over the wire so far is forgotten.
    pub(crate) fn forget(&mut self) {
        self.watch.forget();
    }

    /// The event that is delivered again where somebody says so.
    pub(crate) fn told_of(&mut self, event: &Value) {
        self.event = event.clone();
    }

    /// Looks at the tenant, as a message of the retry queue makes it.
    pub(crate) async fn look(&mut self) -> Result<(), String> {
        self.world
            .sqs
            .send(QUEUE, &json!({ "tenant": TENANT }).to_string());
        self.drain(None).await
    }

    /// Delivers the event as often as Lambda does, and then hands it to the retry queue.
    async fn deliver(&mut self, ticks: Option<u64>) -> Result<(), String> {
        let event = self.event.clone();
        for _ in 0..DELIVERIES {
            if self.attempt(&event, ticks).await? {
                return self.drain(ticks).await;
            }
        }
        let body = json!({ "requestPayload": event });
        self.world.sqs.send(QUEUE, &body.to_string());
        self.drain(ticks).await
    }

    /// Works the retry queue off, one message at a time.
    async fn drain(&mut self, ticks: Option<u64>) -> Result<(), String> {
        for _ in 0..MESSAGES {
            let messages = self.world.next_retries();
            if messages.is_empty() {
                return Ok(());
            }
            for message in messages {
                let event = sqs_event(QUEUE, std::slice::from_ref(&message));
                if !self.attempt(&event, ticks).await? {
                    self.world.sqs.send(QUEUE, &message.body);
                }
            }
        }
        Err(format!("the retry queue is not empty after {MESSAGES} rounds"))
    }

    /// One process and one event: whether it worked it off. Where it did not, the next mishap waits for the next.
    async fn attempt(&mut self, event: &Value, ticks: Option<u64>) -> Result<bool, String> {
        let world = self.world.clone();
        let outcome = if self.later_build {
            let build = world.taxonomies_in_format(2);
            let tenant = tenant();
            let run = Box::pin(build.reconcile(&tenant, Deadline::NONE));
            let outcome = world.wire.until_crash(run).await;
            if let Some(Ok(Outcome::Deferred(deferral))) = outcome {
                world.pass(deferral.delay.as_secs());
            }
            matches!(outcome, Some(Ok(Outcome::AtRest)))
        } else {
            let deadline = ticks.map_or(Deadline::NONE, |ticks| {
                // Thirty seconds are kept for the end; see `Deadline`.
                Deadline::of_invocation(
                    world.taxonomies().clock().now_ms() + Deadline::MARGIN_MS + ticks * 1000,
                )
            });
            let projector = world.projector();
            // Boxed, as the state of everything below is large.
            let run = Box::pin(projector.handle(event.clone(), deadline));
            let outcome = world.wire.until_crash(run).await;
            outcome.is_some_and(|result| result.is_ok_and(|response| response.batch_item_failures.is_empty()))
        };
        self.step()?;
        // A message whose work failed is there again, with a count.
        let mut waiting = world.sqs.messages(QUEUE).into_iter();
        let failed = !outcome || waiting.any(|message| message.body.contains(r#""tries""#));
        if world.wire.is_crashed() || failed {
            self.arm();
        }
        Ok(outcome)
    }

    /// What an operator asks for, once: he would see that it failed.
    async fn command(&mut self, run: impl AsyncFnOnce(&TenantId)) -> Result<(), String> {
        let (world, tenant) = (self.world.clone(), tenant());
        world.wire.until_crash(Box::pin(run(&tenant))).await;
        if world.wire.is_crashed() {
            self.arm();
        }
        self.step()
    }

    /// A new process: what was to go wrong before is over.
    fn arm(&mut self) {
        self.world.wire.reset_faults();
        if !self.mishaps.is_empty() {
            let (nth, fault) = self.mishaps.remove(0);
            self.world.wire.inject(When::nth(nth), fault);
        }
    }

    fn step(&mut self) -> Result<(), String> {
        self.watch.step(&self.world)
    }
}

pub(crate) fn tenant() -> TenantId {
    TENANT.parse().unwrap()
}

/// The notification of whatever lies there now.
pub(crate) fn notification(world: &World) -> Value {
    let key = format!("taxonomies/{TENANT}.json");
    sns_event(&[world.s3.event(SOURCE_BUCKET, &key)])
}
