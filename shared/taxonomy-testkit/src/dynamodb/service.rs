//! Requests of the SDK, answered by the embedded engine on the calling thread.

use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::replica::Replicated;
use super::stricter;
use crate::wire::{self, Call, Measure, Refusal, Reply, Subject};

pub(super) struct Service {
    databases: Replicated,
}

impl Service {
    pub(super) fn new(databases: Replicated) -> Self {
        Self { databases }
    }

    fn answer(&self, call: &Call, stale: bool) -> Reply {
        let request = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
        self.databases.apply(call, &request, stale, |database| {
            let allowed = stricter::check(operation(call), &request);
            match allowed.and_then(|()| run(database, operation(call), &call.body)) {
                Ok(body) => reply(200, body),
                Err(error) => reply(error.status_code(), error.to_json()),
            }
        })
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmbeddedDynamoDb")
    }
}

/// Runs one operation; request and answer are JSON as on the wire.
pub(super) fn run(database: &Database, operation: &str, body: &[u8]) -> Result<String, DynoxideError> {
    macro_rules! operations {
        ($($name:literal => $method:ident),* $(,)?) => {
            match operation {
                $($name => execute(body, |request| database.$method(request)),)*
                other => Err(DynoxideError::ValidationException(format!("the testkit does not know {other}"))),
            }
        };
    }
    operations! {
        "BatchGetItem" => batch_get_item,
        "BatchWriteItem" => batch_write_item,
        "CreateTable" => create_table,
        "DeleteItem" => delete_item,
        "DescribeStream" => describe_stream,
        "DescribeTable" => describe_table,
        "DescribeTimeToLive" => describe_time_to_live,
        "GetItem" => get_item,
        "GetRecords" => get_records,
        "GetShardIterator" => get_shard_iterator,
        "ListStreams" => list_streams,
        "PutItem" => put_item,
        "Query" => query,
        "Scan" => scan,
        "TransactGetItems" => transact_get_items,
        "TransactWriteItems" => transact_write_items,
        "UpdateItem" => update_item,
        "UpdateTable" => update_table,
        "UpdateTimeToLive" => update_time_to_live,
    }
}

fn execute<Request: DeserializeOwned, Answer: Serialize>(
    body: &[u8],
    action: impl FnOnce(Request) -> Result<Answer, DynoxideError>,
) -> Result<String, DynoxideError> {
    let invalid =
        |error: serde_json::Error| DynoxideError::ValidationException(without_marker(&error.to_string()));
    let answer = action(serde_json::from_slice(body).map_err(invalid)?)?;
    serde_json::to_string(&answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// The engine marks its own messages with a word in capitals and a colon, and its server takes that off.
fn without_marker(message: &str) -> String {
    let marked = message
        .split_once(':')
        .filter(|(marker, _)| marker.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    marked.map_or(message, |(_, rest)| rest).to_owned()
}

impl wire::Service for Service {
    fn name(&self) -> &'static str {
        "DynamoDB"
    }

    fn subject(&self, call: &Call) -> Subject {
        let body = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
        Subject {
            operation: operation(call).to_owned(),
            target: target(&body),
        }
    }

    fn apply(&self, call: &Call) -> Reply {
        self.answer(call, false)
    }

    fn apply_stale(&self, call: &Call) -> Reply {
        self.answer(call, true)
    }

    fn refuse(&self, call: &Call, refusal: Refusal) -> Reply {
        let (status, code) = match refusal {
            Refusal::ServerError => (500, "InternalServerError"),
            Refusal::Throttle => (400, "ProvisionedThroughputExceededException"),
            Refusal::Conflict if operation(call).starts_with("Transact") => {
                (400, "TransactionCanceledException")
            }
            Refusal::Conflict => (400, "TransactionConflictException"),
        };
        let kind = format!("com.amazonaws.dynamodb.v20120810#{code}");
        let mut body = json!({"__type": kind, "message": "injected by the testkit"});
        if code == "TransactionCanceledException" {
            let request: Value = serde_json::from_slice(&call.body).unwrap_or_default();
            let actions = request["TransactItems"].as_array().map_or(1, Vec::len);
            let mut reasons = vec![json!({"Code": "None"}); actions];
            reasons[0] =
                json!({"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"});
            body["CancellationReasons"] = json!(reasons);
        }
        reply(status, body.to_string())
    }

    fn measure(&self, call: &Call, reply: &Reply) -> Measure {
        let answer = serde_json::from_slice(&reply.body).unwrap_or(Value::Null);
        if !reply.is_success() {
            let code = answer["__type"].as_str().unwrap_or("unknown");
            let code = code.rsplit('#').next().unwrap_or(code);
            return Measure {
                error: Some(code.to_owned()),
                ..Measure::default()
            };
        }
        let items = match operation(call) {
            "GetItem" => usize::from(answer["Item"].is_object()),
            "Query" | "Scan" => answer["Items"].as_array().map_or(0, Vec::len),
            "BatchGetItem" => {
                let tables = answer["Responses"].as_object();
                tables.map_or(0, |tables| {
                    tables.values().filter_map(Value::as_array).map(Vec::len).sum()
                })
            }
            "TransactGetItems" => {
                let found = answer["Responses"].as_array();
                found.map_or(0, |found| {
                    found.iter().filter(|one| one["Item"].is_object()).count()
                })
            }
            "TransactWriteItems" => {
                let request: Value = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
                request["TransactItems"].as_array().map_or(0, Vec::len)
            }
            "PutItem" | "UpdateItem" | "DeleteItem" => 1,
            _ => 0,
        };
        Measure {
            error: None,
            items,
            units: units(&answer["ConsumedCapacity"]),
        }
    }
}

fn operation(call: &Call) -> &str {
    call.json_operation()
}

fn reply(status: u16, body: String) -> Reply {
    Reply::new(status, "application/x-amz-json-1.0", body)
}

/// `ConsumedCapacity` is one object or a list of them, one per table.
fn units(consumed: &Value) -> Option<f64> {
    match consumed {
        Value::Array(tables) => Some(
            tables
                .iter()
                .filter_map(|table| table["CapacityUnits"].as_f64())
                .sum(),
        ),
        table => table["CapacityUnits"].as_f64(),
    }
}

/// `table PK SK`, further keys after commas; a query shows the values of its conditions.
fn target(body: &Value) -> String {
    let table = body["TableName"].as_str().unwrap_or_default();
    if let Some(values) = body["ExpressionAttributeValues"]
        .as_object()
        .filter(|_| is_query(body))
    {
        let index = body["IndexName"]
            .as_str()
            .map(|index| format!(".{index}"))
            .unwrap_or_default();
        let values: Vec<_> = values
            .iter()
            .map(|(name, value)| format!("{name}={}", key_text(value)))
            .collect();
        return format!("{table}{index} {}", values.join(" "));
    }
    let mut keys = Vec::new();
    for actions in body["TransactItems"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
    {
        keys.extend(actions.values().map(|action| {
            format!(
                "{} {}",
                action["TableName"].as_str().unwrap_or_default(),
                key(action)
            )
        }));
    }
    for (table, request) in body["RequestItems"].as_object().into_iter().flatten() {
        let requested = request["Keys"].as_array().into_iter().flatten();
        keys.extend(requested.map(|wanted| format!("{table} {}", pair(wanted))));
    }
    if keys.is_empty() {
        format!("{table} {}", key(body)).trim_end().to_owned()
    } else {
        keys.join(", ")
    }
}

fn is_query(body: &Value) -> bool {
    body["KeyConditionExpression"].is_string()
}

fn key(action: &Value) -> String {
    pair(if action["Key"].is_object() {
        &action["Key"]
    } else {
        &action["Item"]
    })
}

fn pair(key: &Value) -> String {
    format!("{} {}", key_text(&key["PK"]), key_text(&key["SK"]))
        .trim()
        .to_owned()
}

fn key_text(value: &Value) -> String {
    let typed = value.as_object().and_then(|typed| typed.values().next());
    typed
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .unwrap_or_default()
}
