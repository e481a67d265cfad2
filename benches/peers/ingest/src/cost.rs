//! The items and write units of a projection, by the model alone.

use std::path::Path;

use serde_json::{Value, json};
use taxonomy_model::units;

use crate::failure::Failure;
use crate::ingest::tenant;
use crate::parse::service;

/// Returns the number of terms of `new`, and items and units of its projection over `old` (none: an empty table).
pub fn cost(old: Option<&Path>, new: &Path) -> Result<Value, Failure> {
    let read = |file: &Path| Ok::<_, Failure>(service(&std::fs::read(file)?)?.taxonomy);
    let (old, new) = (old.map(read).transpose()?, read(new)?);
    let version = if old.is_some() { 2 } else { 1 };
    let cost = units::cost(&tenant()?, old.as_ref(), &new, version);
    Ok(json!({
        "terms": new.terms().len(),
        "items": cost.items + cost.tombstones,
        "units": cost.units,
    }))
}
