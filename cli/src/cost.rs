//! `taxonomy cost`: estimates a month's bill for a stack.

mod bill;
mod prices;
mod workload;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{FORMAT_VERSION, document, grouped, stdout};

use bill::{Capacity, Line};
use prices::{Peer, PriceList};
use workload::Workload;

/// Estimate a month's bill
///
/// Estimates what AWS charges for a stack each month, by service, beside a PostgreSQL with a cache. It sends no request. The prices are list prices
/// without free tier, discounts and taxes; check them before you rely on them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy cost
  taxonomy cost --tenants 200 --terms 20000 --cultures 8 --lookups 500000000 --batch 20")]
pub(crate) struct Cost {
    #[command(flatten)]
    work: Workload,
    /// A file of other prices, in the form of the built-in one, which the source code has as cli/src/cost/prices.json
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    format_version: u32,
    prices_of: &'a str,
    region: &'a str,
    lines: Vec<DocumentLine>,
    dollars: f64,
    capacity: DocumentCapacity,
    peers: Vec<DocumentPeer<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentLine {
    service: &'static str,
    what: &'static str,
    quantity: f64,
    dollars: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentCapacity {
    on_demand_dollars: f64,
    following_dollars: f64,
    provisioned_dollars: f64,
    break_even_peak: Option<f64>,
    break_even_read_units: Option<f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentPeer<'a> {
    name: &'a str,
    database: &'a str,
    cache: &'a str,
    dollars: f64,
}

/// Writes the estimate.
///
/// # Errors
/// [`Failure`] when the prices cannot be read or the output cannot be written.
pub(crate) fn run(cost: &Cost) -> Result<Exit, Failure> {
    cost.work.check()?;
    let prices = PriceList::read(cost.prices.as_deref())?;
    let used = cost.work.quantities();
    let lines = bill::lines(&used, &prices.dollars);
    let capacity = bill::capacity(&cost.work, &used, &prices.dollars);
    match cost.output {
        Output::Human => write_human(&mut stdout(), &prices, &lines, capacity)?,
        Output::Json => write_json(&prices, &lines, capacity)?,
    }
    Ok(Exit::Done)
}

fn write_human(
    out: &mut dyn Write,
    prices: &PriceList,
    lines: &[Line],
    capacity: Capacity,
) -> io::Result<()> {
    writeln!(out, "A month in {}:\n", bill::heading(prices))?;
    for line in lines {
        let (service, what) = (line.service, line.what);
        writeln!(
            out,
            "{service:<13} {what:<24} {:>17} {:>12}",
            amount(line.quantity),
            dollars(line.dollars)
        )?;
    }
    writeln!(out, "{:<56} {:>12}\n", "in all", dollars(bill::total(lines)))?;
    write_capacity(out, capacity)?;
    writeln!(
        out,
        "\nBeside it, PostgreSQL in two zones and a cache of two nodes, without the machines that answer the API:\n"
    )?;
    for peer in &prices.peers {
        let Peer {
            name,
            database,
            cache,
            ..
        } = peer;
        writeln!(
            out,
            "{name:<13} {database:<16} 2 x {cache:<20} {:>12}",
            dollars(bill::peer(peer))
        )?;
    }
    Ok(())
}

fn write_capacity(out: &mut dyn Write, capacity: Capacity) -> io::Result<()> {
    let Capacity {
        on_demand,
        following,
        provisioned,
        ..
    } = capacity;
    writeln!(
        out,
        "Units on demand: {}. Provisioned: {} if capacity follows the load exactly, {} if it is always enough for the busiest hour.",
        dollars(on_demand),
        dollars(following),
        dollars(provisioned)
    )?;
    match capacity.break_even_peak {
        Some(peak) => writeln!(
            out,
            "Held for the busiest hour, provisioned capacity is cheaper while that hour is less than {peak:.1} times the average one."
        )?,
        None => writeln!(
            out,
            "The least provisioned capacity costs more than these requests on demand."
        )?,
    }
    match capacity.break_even_read_units {
        Some(units) => writeln!(
            out,
            "With the peak given, it is cheaper from {} read units a month on, with writes in proportion.",
            amount(units)
        ),
        None => writeln!(
            out,
            "With the peak given, it is cheaper for no number of requests."
        ),
    }
}

fn write_json(prices: &PriceList, lines: &[Line], capacity: Capacity) -> io::Result<()> {
    let estimate = Document {
        format_version: FORMAT_VERSION,
        prices_of: &prices.date,
        region: &prices.region,
        lines: lines
            .iter()
            .map(|line| DocumentLine {
                service: line.service,
                what: line.what,
                quantity: line.quantity,
                dollars: cents(line.dollars),
            })
            .collect(),
        dollars: cents(bill::total(lines)),
        capacity: DocumentCapacity {
            on_demand_dollars: cents(capacity.on_demand),
            following_dollars: cents(capacity.following),
            provisioned_dollars: cents(capacity.provisioned),
            break_even_peak: capacity.break_even_peak,
            break_even_read_units: capacity.break_even_read_units,
        },
        peers: prices
            .peers
            .iter()
            .map(|peer| DocumentPeer {
                name: &peer.name,
                database: &peer.database,
                cache: &peer.cache,
                dollars: cents(bill::peer(peer)),
            })
            .collect(),
    };
    document(&mut io::stdout().lock(), &estimate)
}

/// Formats dollars: `1,234.50`.
fn dollars(dollars: f64) -> String {
    let text = format!("{dollars:.2}");
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    format!(
        "{}.{cents}",
        whole.parse().map_or_else(|_| whole.to_owned(), grouped)
    )
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

fn cents(dollars: f64) -> f64 {
    (dollars * 100.0).round() / 100.0
}
