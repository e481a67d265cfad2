//! Capacity units.

use serde_json::{Value, json};

use super::Behaviour;
use super::probe::{batch, item, key, line, query, text};
use super::transactions;

const CONSUMPTION: &str = "DynamoDB read and write operations";
const INDEXES: &str = "Using Global Secondary Indexes in DynamoDB";

fn listed(sort: &str) -> Value {
    json!({"Item": item("a", "b", json!({"GSI1PK": {"S": "p"}, "GSI1SK": {"S": sort}}))})
}

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "A read of a small item costs half a unit, a consistent one a whole",
        page: CONSUMPTION,
        aws: "eventual: 0.5; consistent: 1.0",
        probe: |probe| {
            probe.put(key("a", "b"));
            let get = |consistent: bool| json!({"Key": key("a", "b"), "ConsistentRead": consistent});
            probe.costs("GetItem", [("eventual", get(false)), ("consistent", get(true))])
        },
    },
    Behaviour {
        name: "A read of an item that is not there costs as much as one of a small item",
        page: CONSUMPTION,
        aws: "get: 0.5; two in a batch, one of them there: 1.0",
        probe: |probe| {
            probe.put(key("a", "b"));
            line([
                ("get", probe.units("GetItem", json!({"Key": key("a", "c")}))),
                (
                    "two in a batch, one of them there",
                    probe.units("BatchGetItem", batch(&[key("a", "b"), key("a", "c")])),
                ),
            ])
        },
    },
    Behaviour {
        name: "A query that finds nothing costs as much as one of a small item",
        page: CONSUMPTION,
        aws: "eventual: 0.5; consistent: 1.0",
        probe: |probe| {
            let mut consistent = query("a");
            consistent["ConsistentRead"] = json!(true);
            probe.costs("Query", [("eventual", query("a")), ("consistent", consistent)])
        },
    },
    Behaviour {
        name: "A query rounds the size of all items up, a batch that of each",
        page: CONSUMPTION,
        aws: "query of three: 0.5; batch of three: 1.5",
        probe: |probe| {
            let keys = ["0", "1", "2"].map(|sort| key("a", sort));
            keys.iter().for_each(|key| probe.put(key.clone()));
            line([
                ("query of three", probe.units("Query", query("a"))),
                ("batch of three", probe.units("BatchGetItem", batch(&keys))),
            ])
        },
    },
    Behaviour {
        name: "A write costs a unit for each KB",
        page: CONSUMPTION,
        aws: "1024 bytes: 1.0; 1025 bytes: 2.0; deleting nothing: 1.0",
        probe: |probe| {
            let put = |bytes: usize| json!({"Item": item("a", "b", json!({"Data": text(bytes - 10)}))});
            // A write costs the units of the larger of the old and the new item.
            let puts = probe.costs("PutItem", [("1024 bytes", put(1024)), ("1025 bytes", put(1025))]);
            let nothing = probe.units("DeleteItem", json!({"Key": key("a", "absent")}));
            format!("{puts}; deleting nothing: {nothing}")
        },
    },
    Behaviour {
        name: "An index entry that appears, stays, moves and goes costs 1, 0, 2 and 1 more",
        page: INDEXES,
        aws: "appears: 2.0; stays: 1.0; moves: 3.0; goes: 2.0",
        probe: |probe| {
            let appears = probe.units("PutItem", listed("a"));
            let stays = json!({
                "Key": key("a", "b"),
                "UpdateExpression": "SET Lineage = :l",
                "ExpressionAttributeValues": {":l": {"S": "not projected"}},
            });
            let stays = probe.units("UpdateItem", stays);
            let moves = probe.units("PutItem", listed("b"));
            let goes = probe.units("PutItem", json!({"Item": key("a", "b")}));
            line([
                ("appears", appears),
                ("stays", stays),
                ("moves", moves),
                ("goes", goes),
            ])
        },
    },
    Behaviour {
        name: "A transaction costs twice a plain write, and reading units when its token is sent again",
        page: "TransactWriteItems (API reference)",
        aws: "2.0; with a token: 2.0; the same again: 2.0",
        probe: transactions::price,
    },
];
