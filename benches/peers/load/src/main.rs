//! Mixed traffic to the deployed function `lookup` while the deployed function `projector` publishes versions: several processes of the one and
//! one of the other under an emulated runtime API that adds little, over the embedded table and buckets on the loopback interface. Each
//! response is compared with the file of its version, which this program reads by itself.
//!
//! It measures and prints a JSON document; `python3 -m checks load` judges it. `docs/load.md` is its report.
//!
//! | File | Contents |
//! |---|---|
//! | `options` | the command line |
//! | `releases`, `oracle`, `history` | the files, their meaning, and when each was published |
//! | `zipf`, `mix`, `request` | the draw of terms and of requests, and their events |
//! | `response` | the comparison of a response with the file of its version |
//! | `server`, `stores`, `runtime_api`, `program` | table, buckets and runtime API over HTTP; the processes |
//! | `publisher`, `traffic` | the publications; the requests to one process |
//! | `histogram`, `results`, `memory` | the measurements |

mod histogram;
mod history;
mod memory;
mod mix;
mod options;
mod oracle;
mod program;
mod publisher;
mod releases;
mod request;
mod response;
mod results;
mod runtime_api;
mod server;
mod stores;
mod time;
mod traffic;
mod zipf;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::watch;

use history::History;
use memory::Memory;
use options::{Options, USAGE};
use program::Program;
use publisher::Publisher;
use releases::Releases;
use results::Results;
use stores::Stores;
use traffic::Traffic;

/// The time-outs of the functions in template.yaml.
const LOOKUP_LIMIT: Duration = Duration::from_secs(10);
const PROJECTOR_LIMIT: Duration = Duration::from_secs(900);

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(reason) => {
            eprintln!("error: {reason}\nusage: {USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let releases = Releases::read(&options.data)?;
    let (stores, address) = Stores::serve().await?;
    let history = History::new(stores.clone());
    let projector =
        Program::start(&options.projector, "taxonomy-projector", address, PROJECTOR_LIMIT).await?;
    let taxonomy = releases.name;
    let mut publisher = Publisher::new(projector, releases, stores, history.clone());
    publisher.publish().await?;
    let mut lookups = Vec::new();
    for _ in 0..options.processes {
        lookups.push(Arc::new(
            Program::start(&options.lookup, "taxonomy-lookup", address, LOOKUP_LIMIT).await?,
        ));
    }

    let (begin, end) = (Instant::now(), stop_after(options.time));
    let memory = tokio::spawn(Memory::watch(lookups.clone(), end.clone()));
    let mut workers = Vec::new();
    for (process, lookup) in lookups.iter().enumerate() {
        let traffic = Traffic::new(options, process as u64, Arc::clone(lookup), history.clone());
        workers.push(tokio::spawn(traffic.run(end.clone())));
    }
    let published = publisher.run(options, end).await;
    let mut results = Results::default();
    for worker in workers {
        results.merge(worker.await?);
    }
    if let Err(reason) = &published {
        results.failed(reason.clone());
    }
    let mut report = results.report();
    report["seconds"] = json!(begin.elapsed().as_secs_f64());
    report["wanted_seconds"] = json!(options.time.as_secs());
    report["taxonomy"] = json!(taxonomy);
    report["processes"] = json!(options.processes);
    report["rate"] = json!(options.rate);
    report["every_seconds"] = json!(options.every.as_secs());
    report["caches_kib"] = json!(program::caches_kib());
    report["versions"] = json!(publisher.versions());
    report["projections_ms"] = json!(publisher.projections_ms());
    report["memory"] = memory.await?;
    println!("{report}");
    Ok(())
}

/// Returns a signal that becomes true when the time is over or the user interrupts the program.
fn stop_after(time: Duration) -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        // Everything may have ended already.
        let _ = sender.send(true);
        // A second interruption ends the program.
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(130);
        }
    });
    receiver
}
