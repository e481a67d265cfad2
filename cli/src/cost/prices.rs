//! The list prices, in one dated file, from which the benchmark takes them as well.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::failure::Failure;

/// Prices of a day in a region.
#[derive(Debug, Deserialize)]
pub(super) struct Prices {
    pub(super) date: String,
    pub(super) region: String,
    /// By service and thing.
    prices: BTreeMap<String, BTreeMap<String, Price>>,
}

/// Dollars for so many of a thing.
#[derive(Debug, Deserialize)]
struct Price {
    dollars: f64,
    per: f64,
}

impl Prices {
    /// Reads the prices of this build.
    ///
    /// # Errors
    /// [`Failure`] when the file is not one of prices, which a test rules out.
    pub(super) fn list() -> Result<Self, Failure> {
        serde_json::from_str(include_str!("prices.json")).map_err(|error| {
            let reason = format!("the prices of this build cannot be read: {error}");
            Failure::unable(reason, "report it, please")
        })
    }

    /// Returns the dollars of a quantity; no number for a thing without a price, of which the bill has none.
    pub(super) fn of(&self, service: &str, what: &str, quantity: f64) -> f64 {
        let price = self.prices.get(service).and_then(|things| things.get(what));
        price.map_or(f64::NAN, |price| quantity * price.dollars / price.per)
    }
}
