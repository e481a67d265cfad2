//! The design of Steve Gordon's article, "Architecting a Cloud-Native Service with .NET and AWS", in the table of the service: a partition a term,
//! with an item for its FinalName, one for its category and one for each parent; names in the default culture alone, no version.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use taxonomy_testkit::fixtures::TABLE;

use crate::question::{Answer, Failure, Question};
use crate::rows::{Row, Rows};

/// Beside the tenant of the service.
const TENANT: &str = "article";
const PARENT: &str = "#PARENT#";

pub struct Article {
    client: Client,
}

impl Article {
    /// Writes the items of the terms that the questions are about: the embedded engine finds a key as fast among few as among many.
    pub async fn load(client: Client, rows: &Rows, before: &Rows) -> Result<Self, Failure> {
        let mut asked = BTreeSet::new();
        for question in Question::draw(rows, before, crate::QUESTIONS, crate::SEED) {
            match question {
                Question::Term(id) => drop(asked.insert(id)),
                Question::Batch(ids) => asked.extend(ids),
                Question::AsOf(_) => {}
            }
        }
        for row in asked.into_iter().filter_map(|id| rows.term(id)) {
            for (sort, final_name) in items(rows, row) {
                let put = client
                    .put_item()
                    .table_name(TABLE)
                    .item("PK", partition(row.id))
                    .item("SK", AttributeValue::S(sort));
                put.item("FinalName", AttributeValue::S(final_name))
                    .send()
                    .await?;
            }
        }
        Ok(Self { client })
    }

    /// Returns the FinalNames of a term and of its ancestors, nearest first.
    pub async fn lineage(&self, id: u64) -> Result<Answer, Failure> {
        let query = self
            .client
            .query()
            .table_name(TABLE)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .key_condition_expression("PK = :pk");
        let found = query
            .expression_attribute_values(":pk", partition(id))
            .send()
            .await?;
        let (mut own, mut above) = (Vec::new(), Vec::new());
        for item in found.items() {
            let text = |name: &str| {
                item.get(name)
                    .and_then(|value| value.as_s().ok())
                    .cloned()
                    .unwrap_or_default()
            };
            match text("SK") {
                sort if sort.starts_with(PARENT) => above.push(text("FinalName")),
                sort if sort.starts_with("TERM#") => own.push(text("FinalName")),
                _ => {}
            }
        }
        own.extend(above);
        Ok(own)
    }
}

fn partition(id: u64) -> AttributeValue {
    AttributeValue::S(format!("TERM#{TENANT}#{id}"))
}

/// The sort keys and FinalNames of a term's items; that of the category has none of its own.
fn items<'r>(rows: &'r Rows, row: &'r Row) -> impl Iterator<Item = (String, String)> + 'r {
    let own = (format!("TERM#{TENANT}#{}", row.id), row.final_name.clone());
    let category = (format!("CATEGORY#{TENANT}#1"), row.final_name.clone());
    let above = row.ancestors.iter().zip(1..);
    let above = above
        .filter_map(|(id, level)| Some((format!("{PARENT}{level:02}"), rows.term(*id)?.final_name.clone())));
    [own, category].into_iter().chain(above)
}
