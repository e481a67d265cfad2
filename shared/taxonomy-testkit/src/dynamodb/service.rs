//! SDK requests, which the engine answers on the calling thread.

use serde_json::{Value, json};

use super::engine::Refused;
use super::replica::Replicated;
use crate::iam::Access;
use crate::transport::{self, Call, Measure, Refusal, Reply, Subject};

pub(super) struct Service {
    databases: Replicated,
}

impl Service {
    pub(super) fn new(databases: Replicated) -> Self {
        Self { databases }
    }

    fn answer(&self, call: &Call, stale: bool) -> Reply {
        let request = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
        self.databases.apply(call, &request, stale, |engine| {
            match engine.run(operation(call), &call.body) {
                Ok(body) => reply(200, body),
                Err(Refused { status, body }) => reply(status, body),
            }
        })
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmbeddedDynamoDb")
    }
}

impl transport::Service for Service {
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
            Refusal::Invalid => (400, "ValidationException"),
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

    fn accesses(&self, call: &Call, _: Option<u16>) -> Vec<Access> {
        let request: Value = serde_json::from_slice(&call.body).unwrap_or_default();
        accesses(operation(call), &request)
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

/// Returns one access per item, by its partition key; a transaction needs the permission of each of its actions.
fn accesses(operation: &str, request: &Value) -> Vec<Access> {
    let partition = |of: &Value| {
        let key = if of["Key"].is_object() {
            &of["Key"]
        } else {
            &of["Item"]
        };
        key_text(&key["PK"])
    };
    let table = |of: &Value| of["TableName"].as_str().unwrap_or_default().to_owned();
    let item = |action: &str, of: &Value| {
        Access::item(&format!("dynamodb:{action}"), &table(of), None, &partition(of))
    };
    match operation {
        "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" => vec![item(operation, request)],
        "Query" => {
            // `PK = :pk`, with which every condition begins.
            let condition = request["KeyConditionExpression"].as_str().unwrap_or_default();
            let mut words = condition.split_whitespace();
            assert!(
                matches!((words.next(), words.next()), (Some("PK" | "GSI1PK"), Some("="))),
                "{condition}"
            );
            let name = words.next().unwrap_or_default();
            let partition = key_text(&request["ExpressionAttributeValues"][name]);
            let index = request["IndexName"].as_str();
            vec![Access::item("dynamodb:Query", &table(request), index, &partition)]
        }
        "TransactWriteItems" => {
            let actions = request["TransactItems"].as_array().into_iter().flatten();
            let actions = actions.filter_map(Value::as_object).flatten();
            let accesses = actions.map(|(name, of)| match name.as_str() {
                "ConditionCheck" => item("ConditionCheckItem", of),
                name => item(&format!("{name}Item"), of),
            });
            accesses.collect()
        }
        "BatchGetItem" => {
            let tables = request["RequestItems"].as_object().into_iter().flatten();
            let keys = tables.flat_map(|(table, wanted)| {
                let keys = wanted["Keys"].as_array().into_iter().flatten();
                keys.map(move |key| (table, key_text(&key["PK"])))
            });
            keys.map(|(table, partition)| Access::item("dynamodb:BatchGetItem", table, None, &partition))
                .collect()
        }
        // These operations name no partition, so no condition key describes the items they touch.
        other => {
            let resource = Access::item("", &table(request), None, "").resource;
            vec![Access::new(&format!("dynamodb:{other}"), resource)]
        }
    }
}

fn operation(call: &Call) -> &str {
    call.json_operation()
}

fn reply(status: u16, body: String) -> Reply {
    Reply::new(status, "application/x-amz-json-1.0", body)
}

/// Returns the capacity units; `ConsumedCapacity` is one object or a list of them, one per table.
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

/// Returns `table PK SK`, further keys after commas; for a query the values of its conditions.
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
