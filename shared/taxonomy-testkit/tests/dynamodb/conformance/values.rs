//! Values, keys and items.

use serde_json::json;

use super::Behaviour;
use super::probe::{item, key, text};

const TYPES: &str = "Supported data types and naming rules in Amazon DynamoDB";
const QUOTAS: &str = "Quotas in Amazon DynamoDB";
const KIB: usize = 1024;

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "An empty text that is no key is stored",
        page: TYPES,
        aws: "accepted",
        probe: |probe| {
            let empty = item("a", "b", json!({"A": {"S": ""}}));
            probe.verdict("PutItem", &json!({"Item": empty}))
        },
    },
    Behaviour {
        name: "A key is not empty, in the table and in the index",
        page: TYPES,
        aws: "partition: ValidationException; sort: ValidationException; index: ValidationException",
        probe: |probe| {
            let listed = json!({"GSI1PK": {"S": "p"}, "GSI1SK": {"S": ""}});
            probe.puts([
                ("partition", key("", "b")),
                ("sort", key("a", "")),
                ("index", item("a", "b", listed)),
            ])
        },
    },
    Behaviour {
        name: "A partition key has at most 2048 bytes",
        page: QUOTAS,
        aws: "2048: accepted; 2049: ValidationException",
        probe: |probe| {
            let of = |length| json!({"PK": text(length), "SK": {"S": "b"}});
            probe.puts([("2048", of(2048)), ("2049", of(2049))])
        },
    },
    Behaviour {
        name: "A sort key has at most 1024 bytes",
        page: QUOTAS,
        aws: "1024: accepted; 1025: ValidationException",
        probe: |probe| {
            let of = |length| json!({"PK": {"S": "a"}, "SK": text(length)});
            probe.puts([("1024", of(1024)), ("1025", of(1025))])
        },
    },
    Behaviour {
        name: "A key of the index has the same limits",
        page: QUOTAS,
        aws: "1024: accepted; 1025: ValidationException; partition of 2049: ValidationException",
        probe: |probe| {
            let of =
                |partition, sort| item("a", "b", json!({"GSI1PK": text(partition), "GSI1SK": text(sort)}));
            probe.puts([
                ("1024", of(1, 1024)),
                ("1025", of(1, 1025)),
                ("partition of 2049", of(2049, 1)),
            ])
        },
    },
    Behaviour {
        name: "An update does not write a longer key of the index",
        page: QUOTAS,
        aws: "1024: accepted; 1025: ValidationException; partition of 2049: ValidationException",
        probe: |probe| {
            let update = |partition, sort| {
                json!({
                    "Key": key("a", "b"),
                    "UpdateExpression": "REMOVE V SET #p = :p, GSI1SK = :s ADD Moves :one",
                    "ExpressionAttributeNames": {"#p": "GSI1PK"},
                    "ExpressionAttributeValues": {":p": text(partition), ":s": text(sort), ":one": {"N": "1"}},
                })
            };
            probe.verdicts(
                "UpdateItem",
                [
                    ("1024", update(1, 1024)),
                    ("1025", update(1, 1025)),
                    ("partition of 2049", update(2049, 1)),
                ],
            )
        },
    },
    Behaviour {
        name: "An item has at most 400 KB, names included",
        page: QUOTAS,
        aws: "409600: accepted; 409601: ValidationException",
        probe: |probe| {
            // The names PK, SK and Data with the values of the keys have 10 bytes.
            let of = |bytes: usize| item("a", "b", json!({"Data": text(bytes - 10)}));
            probe.puts([("409600", of(400 * KIB)), ("409601", of(400 * KIB + 1))])
        },
    },
    Behaviour {
        name: "An update does not grow an item past 400 KB",
        page: QUOTAS,
        aws: "300 KB and 99: accepted; 300 KB and 100: ValidationException",
        probe: |probe| {
            probe.put(item("a", "b", json!({"Data": text(300 * KIB)})));
            let add = |length: usize| {
                json!({
                    "Key": key("a", "b"),
                    "UpdateExpression": "SET More = :m",
                    "ExpressionAttributeValues": {":m": text(length)},
                })
            };
            probe.verdicts(
                "UpdateItem",
                [
                    ("300 KB and 99", add(99 * KIB)),
                    ("300 KB and 100", add(100 * KIB)),
                ],
            )
        },
    },
];
