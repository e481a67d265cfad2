//! `taxonomy cost`: estimates a month's bill for a stack.

mod bill;
mod prices;
mod workload;

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::grouped;

use bill::BillLine;
use prices::Prices;
use workload::Workload;

/// Estimate a month's bill
///
/// Estimates what AWS charges for a stack each month, by service. It sends no request. The prices are list prices without free tier, discounts and
/// taxes; check them before you rely on them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy cost
  taxonomy cost --tenants 200 --terms 20000 --cultures 8 --lookups 500000000 --batch 20")]
pub(crate) struct Cost {
    #[command(flatten)]
    work: Workload,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bill<'a> {
    prices_of: &'a str,
    region: &'a str,
    lines: &'a [BillLine],
    dollars: f64,
}

/// Writes the estimate.
///
/// # Errors
/// [`Failure`] when the output cannot be written.
pub(crate) fn run(cost: &Cost) -> Result<Exit, Failure> {
    let prices = Prices::list()?;
    let lines = bill::lines(&prices, &cost.work);
    let dollars = bill::cents(lines.iter().map(|line| line.dollars).sum());
    let fields = Bill {
        prices_of: &prices.date,
        region: &prices.region,
        lines: &lines,
        dollars,
    };
    cost.output
        .write(&fields, |out| write_human(out, &prices, &lines, dollars))?;
    Ok(Exit::Done)
}

fn write_human(out: &mut dyn Write, prices: &Prices, lines: &[BillLine], sum: f64) -> io::Result<()> {
    writeln!(
        out,
        "A month in {}, list prices of {}:\n",
        prices.region, prices.date
    )?;
    for line in lines {
        let (service, what) = (line.service, line.what);
        let quantity = amount(line.quantity);
        writeln!(
            out,
            "{service:<13} {what:<24} {quantity:>17} {:>12}",
            dollars(line.dollars)
        )?;
    }
    writeln!(out, "{:<56} {:>12}", "in all", dollars(sum))
}

/// Formats dollars: `1,234.50`.
fn dollars(dollars: f64) -> String {
    let text = format!("{dollars:.2}");
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    format!("{whole}.{cents}")
}

/// Formats a quantity: whole from ten on, else with two digits.
fn amount(quantity: f64) -> String {
    match quantity < 10.0 && quantity.fract() != 0.0 {
        true => format!("{quantity:.2}"),
        false => {
            let whole = format!("{quantity:.0}");
            whole.parse().map_or_else(|_| whole.clone(), grouped)
        }
    }
}
