//! The actors of the scenarios: invocations of the functions as AWS makes them, and the first violation that a run meets.

use std::cell::RefCell;
use std::rc::Rc;

use taxonomy_testkit::Scenario;
use taxonomy_tests::prelude::*;

/// Plans an action of a workload several times, at random moments.
pub(crate) fn plan<'a, W: 'a>(
    scenario: &mut Scenario<'a, bool>,
    times: usize,
    workload: &Rc<W>,
    action: fn(&Rc<W>, &mut Scenario<'a, bool>),
) {
    for _ in 0..times {
        let workload = Rc::clone(workload);
        scenario.later(move |scenario| action(&workload, scenario));
    }
}

/// The first violation of a run. The run continues after it, as the service would.
#[derive(Debug, Default)]
pub(crate) struct Violation(RefCell<Option<String>>);

impl Violation {
    /// Checks an invariant, unless one was violated already.
    pub(crate) fn check(&self, invariant: impl FnOnce() -> Result<(), String>) {
        let mut violation = self.0.borrow_mut();
        if violation.is_none() {
            *violation = invariant().err();
        }
    }

    /// Records a violation, unless it is not the first.
    pub(crate) fn add(&self, violation: String) {
        self.0.borrow_mut().get_or_insert(violation);
    }

    pub(crate) fn get(&self) -> Option<String> {
        self.0.borrow().clone()
    }
}

/// Returns what the retry queue receives of an event that Lambda gave up.
pub(crate) fn given_up(event: &Value) -> String {
    json!({ "requestPayload": event }).to_string()
}

/// Sends the message that reconciles the tenant.
pub(crate) fn send_reconcile(world: &World) -> Message {
    let body = json!({ "tenant": TENANT }).to_string();
    world.sqs.send(RETRIES, &body)
}

/// Delivers an event to a new process of the projector. Returns whether it succeeded.
pub(crate) async fn project(world: &World, event: Value, deadline: Deadline) -> bool {
    let handled = Box::pin(world.projector().handle(event, deadline)).await;
    handled.is_ok_and(|response| response.batch_item_failures.is_empty())
}

/// Delivers an event to a new process of the aggregator, and returns its response.
pub(crate) async fn aggregate(world: &World, event: Value, deadline: Deadline) -> Value {
    let batch = serde_json::from_value(event).unwrap();
    let response = Box::pin(world.aggregator().handle(batch, deadline)).await;
    serde_json::to_value(response).unwrap()
}

/// Delivers records of the stream to a new process of the aggregator. Returns the number of records before the first that failed.
pub(crate) async fn aggregate_records(world: &World, records: &[Value]) -> usize {
    let response = aggregate(world, json!({ "Records": records }), Deadline::NONE).await;
    done(records, &response)
}

/// Delivers a message of the deferred queue, and deletes it once it is acknowledged. Returns whether it is.
pub(crate) async fn aggregate_deferred(world: &World, message: Message) -> bool {
    let event = sqs_event(DEFERRED, std::slice::from_ref(&message));
    let response = aggregate(world, event, Deadline::NONE).await;
    let is_acknowledged = is_acknowledged(&response);
    if is_acknowledged {
        world.sqs.delete(DEFERRED, &message);
    }
    is_acknowledged
}

/// Returns whether a response names no failed message or record.
pub(crate) fn is_acknowledged(response: &Value) -> bool {
    response["batchItemFailures"] == json!([])
}

/// Returns the number of records before the first that failed.
pub(crate) fn done(records: &[Value], response: &Value) -> usize {
    let failures = response["batchItemFailures"].as_array().unwrap().iter();
    let position = |failure: &Value| {
        let is_it = |record: &Value| record["dynamodb"]["SequenceNumber"] == failure["itemIdentifier"];
        records.iter().position(is_it).unwrap()
    };
    failures.map(position).min().unwrap_or(records.len())
}
