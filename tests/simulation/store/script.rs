//! One tenant, step by step: each step runs processes that may crash, and the repetitions that AWS makes of them.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_store::Freeze;
use taxonomy_testkit::Injected;
use taxonomy_testkit::s3::Object;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::ServiceConfig;

use crate::actors::{given_up, project, send_reconcile};
use crate::fault_plan::NthFault;
use crate::losses::{Lost, are_restored, lose};
use crate::raw::{configuration, head, is_frozen, number, text};
use crate::stored_file::StoredFile;

use super::changeset_log::Upload;
use super::files::other_file;
use super::invariants::Invariants;
use super::quiescent_checks::{self, LastVersion};
use super::step::Step;

/// The maximum number of invocations for one event.
const DELIVERIES: usize = 3;
/// The seconds after which a heartbeat is stale.
const STALE_SECONDS: u64 = 91;
/// The maximum number of rounds over the retry queue until a tenant of this size is at rest.
const ROUNDS: usize = 200;

/// A tenant, its stack and its uploads.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) uploads: Vec<Upload>,
    invariants: Invariants,
    other_tenant: Vec<String>,
    /// The items of the backup.
    backup: Vec<Item>,
    /// The fault that comes next, with the number of its request, and those after it. Each counts the requests since the one before.
    next_fault: Option<(usize, Injected)>,
    faults: Vec<NthFault>,
    /// The number of objects that are lost when the next fault is met, and the seed that chooses them.
    loss: Option<(usize, u64)>,
    lost: Vec<Lost>,
    event: Value,
    /// Whether an object was stored whose event nobody delivers.
    is_event_lost: bool,
    is_next_format: bool,
}

impl Run {
    /// Creates a tenant after steps without faults, beside another tenant at rest.
    pub(crate) async fn after(steps: &[Step]) -> Result<Self, String> {
        let world = World::new();
        Box::pin(world.push(GLOBEX, other_file().to_string().as_bytes())).await;
        let mut run = Self {
            invariants: Invariants::new(&world, TENANT),
            other_tenant: quiescent_checks::other_tenant(&world),
            uploads: Vec::new(),
            backup: Vec::new(),
            next_fault: None,
            faults: Vec::new(),
            loss: None,
            lost: Vec::new(),
            event: json!({}),
            is_event_lost: false,
            is_next_format: false,
            world,
        };
        for step in steps {
            Box::pin(run.perform(step)).await?;
        }
        Ok(run)
    }

    /// Returns the same tenant in a stack of its own, which has recorded no request.
    pub(crate) fn copy(&self) -> Self {
        let is_without_faults = self.faults.is_empty() && self.loss.is_none() && self.lost.is_empty();
        assert!(is_without_faults && self.world.sqs.messages(RETRIES).is_empty());
        Self {
            world: self.world.copy(),
            invariants: self.invariants.of_copy(),
            next_fault: None,
            ..self.clone()
        }
    }

    /// Sets the faults that come next, one or more; all but the last are crashes.
    pub(crate) fn expect(&mut self, faults: &[NthFault]) {
        self.faults = faults.to_vec();
        self.inject_next_fault();
    }

    /// Loses objects of the tenant's versions when the process dies at the next fault.
    pub(crate) fn lose_at_the_fault(&mut self, number: usize, seed: u64) {
        self.loss = Some((number, seed));
    }

    /// Has the tenant repaired, once it is at rest, and checks that what was lost is as it was.
    pub(crate) async fn repair(&mut self) -> Result<(), String> {
        self.drain(None).await?;
        self.world.transport.settle().await;
        self.check()?;
        self.world.transport.reset_faults();
        (self.next_fault, self.faults) = (None, Vec::new());
        if head(&self.world, TENANT).is_empty() {
            return Ok(());
        }
        self.world.pass(1200);
        self.ask(&Request::Repair {
            partitions: Vec::new(),
        })
        .await?;
        self.reconcile().await?;
        let head = head(&self.world, TENANT);
        match &*text(&head, "Answered.Answer.Left") {
            "0" => {
                are_restored(&self.world, &self.lost).await?;
                self.invariants.forget(&self.world);
                Ok(())
            }
            _ => Err(format!("the repair left something: {:?}", head.get("Answered"))),
        }
    }

    /// Returns the number of requests since the last fault became the next one; none if it never did.
    pub(crate) fn requests(&self) -> Option<usize> {
        let (_, last) = self.next_fault.filter(|_| self.faults.is_empty())?;
        Some(self.world.transport.counted(last))
    }

    /// Whether every fault has met its request.
    pub(crate) fn met_every_fault(&self) -> bool {
        self.faults.is_empty() && self.is_next_fault_met()
    }

    /// Performs one step, with every repetition that its failures cause.
    pub(crate) async fn perform(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Upload(_) | Step::CompressedUpload(_) => {
                self.event = self.put(step);
                self.deliver(None).await?;
            }
            Step::Mislabel(file) => {
                StoredFile::compressed(file).mislabelled().put(&self.world);
                self.is_event_lost = true;
            }
            Step::Redeliver => self.deliver(None).await?,
            Step::Refused(file) => {
                self.event = self.world.upload(TENANT, file.to_string().as_bytes());
                self.deliver(None).await?;
            }
            Step::ShortInvocations(file, readings) => {
                self.put_valid(file);
                self.deliver(Some(*readings)).await?;
            }
            Step::HalfWritten(file, item) => {
                let nth = When::nth(*item).operation("PutItem");
                self.upload_with(file, nth, Fault::Crash).await?;
                // Otherwise the next process would leave the load to the dead one.
                self.world.pass(STALE_SECONDS);
            }
            Step::Unloaded(file) => {
                let cursor = When::nth(1).operation("UpdateItem");
                self.upload_with(file, cursor, Fault::Crash).await?;
            }
            Step::CutOff(file, readings) => {
                let event = self.put_valid(file);
                self.invoke(&event, Some(*readings)).await?;
            }
            Step::RefusedItem(file, key) => {
                let refused = When::always().operation("PutItem").containing(key);
                self.upload_with(file, refused, Fault::Refuse).await?;
            }
            _ => self.perform_of_operator(step).await?,
        }
        Ok(())
    }

    /// Puts a valid file, whose event is the last one. Returns the event.
    fn put_valid(&mut self, file: &Value) -> Value {
        self.event = self.put(&Step::Upload(file.clone()));
        self.event.clone()
    }

    /// Uploads a valid file, whose process meets a fault.
    async fn upload_with(&mut self, file: &Value, when: When, fault: Fault) -> Result<(), String> {
        let event = self.put_valid(file);
        self.invoke_with(&event, when, fault).await
    }

    /// Performs a step that is no upload.
    async fn perform_of_operator(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Ask(request) => self.ask(request).await?,
            Step::Pass(seconds) => self.world.pass(*seconds),
            Step::UnloadedRebuild => {
                Box::pin(self.perform(&Step::Ask(Request::Rebuild))).await?;
                let event = sqs_event(RETRIES, &[send_reconcile(&self.world)]);
                self.world.sqs.take(RETRIES);
                let cursor = When::nth(1).operation("UpdateItem");
                self.invoke_with(&event, cursor, Fault::Crash).await?;
            }
            Step::Damage(key) => {
                let mut item = self.world.db.item(TABLE, key, key).unwrap();
                item.insert("Name".to_owned(), AttributeValue::S("damaged".to_owned()));
                self.world.put_by_hand(item).await;
                self.invariants.forget(&self.world);
            }
            Step::Backup => self.backup = self.world.db.items(TABLE),
            Step::Restore => self.restore().await,
            Step::Rebuild => {
                let service = self.world.service();
                self.operate(async |tenant| drop(service.rebuild(tenant, Provenance::default()).await))
                    .await?;
            }
            Step::MakeFrenchDefault => {
                let french = Configuration {
                    default_culture: Some("fr-FR".parse().unwrap()),
                    ..Configuration::default()
                };
                self.configure(&french).await?;
            }
            Step::Freeze => self.freeze(true).await?,
            Step::NextFormat => {
                self.is_next_format = true;
                self.deliver(None).await?;
            }
            _ => unreachable!("{step:?} is an upload"),
        }
        Ok(())
    }

    async fn configure(&mut self, wanted: &Configuration) -> Result<(), String> {
        let service = self.world.service();
        self.operate(async |tenant| drop(service.configure(tenant, wanted).await))
            .await
    }

    /// Freezes the tenant, or ends that.
    async fn freeze(&mut self, frozen: bool) -> Result<(), String> {
        let configuration = configuration(&self.world, TENANT);
        let wanted = Configuration {
            default_culture: Some("en-GB".parse().unwrap()),
            frozen: frozen.then(Freeze::default),
            revision: number(&configuration, "Revision"),
            ..Configuration::default()
        };
        self.configure(&wanted).await
    }

    /// Asks for something, and again after each failure that the operator sees.
    async fn ask(&mut self, request: &Request) -> Result<(), String> {
        for _ in 0..DELIVERIES {
            let format = if self.is_next_format {
                2
            } else {
                ServiceConfig::PROJECTION_FORMAT
            };
            let (service, tenant) = (self.world.service_in_format(format), tenant());
            let asked = service.ask(&tenant, request.clone(), Provenance::default());
            let asked = self.world.transport.until_crash(Box::pin(asked)).await;
            self.end_process().await?;
            self.check()?;
            if matches!(asked, Some(Ok(_))) {
                break;
            }
        }
        Ok(())
    }

    /// Gives the table the items of the backup. The buckets keep what was stored since.
    async fn restore(&mut self) {
        for item in self.world.db.items(TABLE) {
            self.world.delete_by_hand(&item).await;
        }
        for item in &self.backup {
            self.world.put_by_hand(item.clone()).await;
        }
        self.invariants.forget(&self.world);
    }

    /// Empties the retry queue, lets late requests arrive and the sweep run, and checks everything.
    pub(crate) async fn finish(&mut self) -> Result<(), String> {
        self.drain(None).await?;
        self.world.transport.settle().await;
        self.check()?;
        self.world.transport.reset_faults();
        (self.next_fault, self.faults) = (None, Vec::new());
        self.world.pass(1200);
        let sweeps = ["sweep", "sweep-sources"];
        for sweep in &sweeps[..=usize::from(self.is_event_lost)] {
            if !self.invoke(&scheduled(sweep), None).await? {
                return Err("a sweep without faults failed".to_owned());
            }
        }
        quiescent_checks::is_listed_for_what_needs_attention(&self.world)?;
        if is_frozen(&self.world, TENANT) {
            self.freeze(false).await?;
        }
        quiescent_checks::check(
            &self.world,
            &self.uploads,
            LastVersion::Upload,
            &self.other_tenant,
        )?;
        if !self.is_next_format {
            quiescent_checks::duplicate_costs_two_reads(&self.world, &self.event).await?;
        }
        self.check()
    }

    /// Puts a file without delivering its event, and returns the event.
    pub(crate) fn put(&mut self, step: &Step) -> Value {
        let stored = match step {
            Step::CompressedUpload(file) => StoredFile::compressed(file),
            Step::Upload(file) => StoredFile::plain(file),
            other => panic!("{other:?} is no upload"),
        };
        stored.put(&self.world);
        self.uploads.push(Upload::new(&stored.file, &stored.bytes));
        notification(&self.world)
    }

    /// Stores a file of a version as another build has stored it.
    pub(crate) fn store(&mut self, key: &str, object: &Object) {
        let metadata: Vec<_> = object
            .metadata
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let (bytes, encoding) = (object.bytes.clone(), object.encoding.as_deref());
        self.world
            .s3
            .put_with(CHANGESETS_BUCKET, key, bytes, encoding, &metadata);
        self.invariants.forget(&self.world);
    }

    /// Lets every later process be of the next build, with another projection format.
    pub(crate) fn update_build(&mut self) {
        self.is_next_format = true;
    }

    /// Sets the event that [`Step::Redeliver`] delivers.
    pub(crate) fn set_event(&mut self, event: &Value) {
        self.event = event.clone();
    }

    /// Reconciles the tenant, by a message of the retry queue.
    pub(crate) async fn reconcile(&mut self) -> Result<(), String> {
        send_reconcile(&self.world);
        self.drain(None).await
    }

    /// Delivers the event as often as Lambda does, and then sends it to the retry queue.
    async fn deliver(&mut self, readings: Option<u64>) -> Result<(), String> {
        let event = self.event.clone();
        for _ in 0..DELIVERIES {
            if self.invoke(&event, readings).await? {
                return self.drain(readings).await;
            }
            // The heartbeat of a process that died is stale by the next delivery.
            self.world.pass(STALE_SECONDS);
        }
        self.world.sqs.send(RETRIES, &given_up(&event));
        self.drain(readings).await
    }

    /// Delivers the messages of the retry queue, one at a time, until it is empty.
    async fn drain(&mut self, readings: Option<u64>) -> Result<(), String> {
        for _ in 0..ROUNDS {
            let messages = self.world.next_retries();
            if messages.is_empty() {
                return Ok(());
            }
            for message in messages {
                let event = sqs_event(RETRIES, std::slice::from_ref(&message));
                if !self.invoke(&event, readings).await? {
                    self.world.sqs.send(RETRIES, &message.body);
                    self.world.pass(STALE_SECONDS);
                }
            }
        }
        Err(format!("the retry queue is not empty after {ROUNDS} rounds"))
    }

    /// Delivers an event to a new process. Returns whether the process succeeded.
    async fn invoke(&mut self, event: &Value, readings: Option<u64>) -> Result<bool, String> {
        let world = self.world.clone();
        let succeeded = if self.is_next_format {
            let service = world.service_in_format(2);
            let tenant = tenant();
            let process = Box::pin(service.reconcile(&tenant, Deadline::NONE));
            let outcome = world.transport.until_crash(process).await;
            matches!(outcome, Some(Ok(Outcome::AtRest)))
        } else {
            let deadline = readings.map_or(Deadline::NONE, |readings| deadline_in(&world, readings));
            let process = Box::pin(project(&world, event.clone(), deadline));
            world.transport.until_crash(process).await == Some(true)
        };
        self.end_process().await?;
        self.check()?;
        Ok(succeeded)
    }

    /// Delivers an event to a new process that meets a fault beside those that come next.
    async fn invoke_with(&mut self, event: &Value, when: When, fault: Fault) -> Result<(), String> {
        let injected = self.world.transport.inject(when, fault);
        let invoked = self.invoke(event, None).await;
        self.world.transport.withdraw(injected);
        invoked.map(drop)
    }

    /// Runs a command of an operator once, because an operator sees a failure, and reconciles the tenant.
    async fn operate(&mut self, command: impl AsyncFnOnce(&TenantId)) -> Result<(), String> {
        let (world, tenant) = (self.world.clone(), tenant());
        world.transport.until_crash(Box::pin(command(&tenant))).await;
        self.end_process().await?;
        self.check()?;
        self.world.pass(STALE_SECONDS);
        self.reconcile().await
    }

    /// Ends the crash of a process, if it crashed. If that was the next fault, the one after it comes next, and what is to be lost is lost.
    async fn end_process(&mut self) -> Result<(), String> {
        self.world.transport.revive();
        if self.is_next_fault_met()
            && let Some((number, seed)) = self.loss.take_if(|_| self.next_fault.is_some())
        {
            self.lost = lose(&self.world, number, seed).await?;
            self.invariants.allow(self.lost.iter().map(|lost| &*lost.key));
        }
        if !self.faults.is_empty() && self.is_next_fault_met() {
            self.inject_next_fault();
        }
        Ok(())
    }

    fn is_next_fault_met(&self) -> bool {
        self.next_fault
            .is_none_or(|(nth, fault)| self.world.transport.counted(fault) >= nth)
    }

    fn inject_next_fault(&mut self) {
        let (nth, fault) = self.faults.remove(0);
        let injected = self.world.transport.inject(When::nth(nth), fault);
        self.next_fault = Some((nth, injected));
    }

    fn check(&mut self) -> Result<(), String> {
        self.invariants.check(&self.world)
    }
}

/// Returns the deadline of an invocation with time for this many readings of the clock.
pub(crate) fn deadline_in(world: &World, readings: u64) -> Deadline {
    Deadline::of_invocation(world.service().clock.now_ms() + Deadline::MARGIN_MS + readings * 1000)
}

/// Returns the notification of the newest object.
pub(crate) fn notification(world: &World) -> Value {
    let key = format!("taxonomies/{TENANT}.json");
    sns_event(&[world.s3.event(SOURCE_BUCKET, &key)])
}
