//! All counts as one JSON document, from which the benchmark's table is made.

use std::path::Path;

use serde_json::{Value, json};
use taxonomy_benches::deployed::{self, ColdStart};
use taxonomy_benches::{Failure, Scenario};

use crate::baseline::Figures;

/// Returns the counts of answers, and of the programs `lookup`, `hello` and `defaults` in a folder.
///
/// # Errors
/// If a program is missing or fails.
pub(crate) async fn report(figures: &Figures, folder: &Path) -> Result<Value, Failure> {
    let certificates = folder.join("certificates");
    let lookup = deployed::binary(folder, "lookup")?;
    let hello = deployed::binary(folder, "hello")?;
    let defaults = deployed::binary(folder, "defaults")?;
    let event = deployed::term_event();
    let cold = async |binary: &Path| -> Result<Value, Failure> {
        let cold = deployed::cold_start(binary, &event, &certificates).await?;
        Ok(cold.map_or(
            Value::Null,
            |ColdStart { init_ms, first_ms }| json!({"init_ms": init_ms, "first_ms": first_ms}),
        ))
    };
    let counted = deployed::lookups(&lookup, &certificates).await?;
    let bare = deployed::hello(&hello).await?;
    let usual = deployed::reads(&defaults, &certificates).await?;
    let scenarios = Scenario::ALL.map(|scenario| json!({"name": scenario.name(), "what": scenario.what()}));
    Ok(json!({
        "answers": figures.to_json(),
        "scenarios": scenarios,
        "deployed": {
            "lookup": {
                "to_first_request": counted.to_first_request,
                "to_first_event": counted.to_first_event,
                "first_answer": counted.first_answer,
                "miss": counted.miss,
                "hit": counted.hit,
                "cold": cold(&lookup).await?,
            },
            "hello": {"to_first_event": bare.to_first_event, "answer": bare.answer, "cold": cold(&hello).await?},
            "defaults": {
                "to_first_event": usual.to_first_event,
                "first_answer": usual.first_answer,
                "answer": usual.answer,
                "cold": cold(&defaults).await?,
            },
        },
    }))
}
