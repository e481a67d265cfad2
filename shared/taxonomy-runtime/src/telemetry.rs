//! Logging: one JSON object per line on stdout, which Lambda hands to CloudWatch with its own time-stamp.

use tracing::Subscriber;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use crate::env;
use crate::line::Lines;

/// Crates that never log below INFO, by prefix of their targets. Below that they print headers, signatures, whole
/// payloads with their tokens and, in one released version, credentials (RUSTSEC-2023-0125).
const CAPPED: [&str; 5] = ["aws_", "hyper", "h2", "rustls", "lambda_runtime"];

/// Installs logging for the whole process. `LOG_LEVEL` is a level (`debug`) or levels by target
/// (`info,taxonomy_store=debug`); if it is unset or invalid, the level is INFO. Only the first call has an effect.
pub fn init() {
    let wanted = env::optional("LOG_LEVEL").ok().flatten();
    let subscriber = subscriber(wanted.as_deref(), std::io::stdout);
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        tracing::debug!("logging was set up before");
    }
}

/// Formats an error with its causes, in one line.
pub fn causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// Returns what [`init`] installs, for another level and writer.
pub fn subscriber<W>(wanted: Option<&str>, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .event_format(Lines)
        .with_writer(writer);
    Registry::default().with(lines).with(levels(wanted))
}

/// Returns the levels by target. One filter with one highest level: an event below that level costs a comparison.
fn levels(wanted: Option<&str>) -> Targets {
    let parsed = wanted.and_then(|wanted| wanted.parse::<Targets>().ok());
    let wanted = parsed.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let default = wanted.default_level().unwrap_or(LevelFilter::OFF);
    let capped = CAPPED.map(|prefix| (prefix.to_owned(), default.min(LevelFilter::INFO)));
    // A setting for a capped crate, or for a module of it, raises no level above the cap.
    let wanted = wanted.into_iter().map(|(target, level)| {
        let is_capped = CAPPED
            .iter()
            .any(|prefix| target.starts_with(prefix) || prefix.starts_with(&target));
        let cap = if is_capped { LevelFilter::INFO } else { level };
        (target, level.min(cap))
    });
    Targets::new()
        .with_default(default)
        .with_targets(capped)
        .with_targets(wanted)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::subscriber;

    /// What is logged, of less than 64 KiB, which a pipe holds.
    fn logged(wanted: Option<&str>, log: impl FnOnce()) -> String {
        let (lines, writer) = std::io::pipe().unwrap();
        tracing::subscriber::with_default(subscriber(wanted, Arc::new(writer)), log);
        std::io::read_to_string(lines).unwrap()
    }

    #[test]
    fn a_line_is_a_flat_object() {
        let line = logged(None, || {
            tracing::info!(target: "taxonomy", version = 3, tenant = %"acme", "version 3 committed");
        });
        let expect = r#"{"level":"INFO","message":"version 3 committed","version":3,"tenant":"acme","target":"taxonomy"}"#;
        assert_eq!(line.trim_end(), expect);
    }

    /// Any text in a field is valid JSON in the line: an independent parser reads it back.
    #[test]
    fn every_value_is_json() {
        let texts = [
            "",
            "a \"quoted\" \\ text",
            "two\nlines\r\tand \u{0}\u{1b}[31m",
            "é ☃ \u{1F600} \u{2028}",
        ];
        for text in texts {
            let line = logged(None, || {
                tracing::info!(target: "taxonomy", text, shown = %text, debugged = ?text, "{text}");
            });
            let read: Value = serde_json::from_str(&line).unwrap();
            for name in ["text", "shown", "message"] {
                assert_eq!(read[name], text, "{line}");
            }
            assert_eq!(read["debugged"], format!("{text:?}"));
            assert_eq!(line.matches('\n').count(), 1, "{line:?}");
        }
        let line = logged(None, || {
            let none: Option<u64> = None;
            tracing::info!(target: "taxonomy", low = -1_i64, high = u64::MAX, half = 0.5, whole = 2.0, no = f64::NAN, yes = true, none, some = Some(1), "numbers");
        });
        let read: Value = serde_json::from_str(&line).unwrap();
        let expect = json!({"level": "INFO", "message": "numbers", "low": -1, "high": u64::MAX, "half": 0.5, "whole": 2.0, "no": null, "yes": true, "some": 1, "target": "taxonomy"});
        assert_eq!(read, expect);
    }

    #[test]
    fn levels_go_by_target_and_without_one_or_with_a_wrong_one_info_is_logged() {
        for (wanted, target) in [
            (None, "info"),
            (Some("info"), "info"),
            (Some("=!="), "info"),
            (Some("taxonomy=loud"), "info"),
            (Some("warn,taxonomy_store=debug"), "store"),
        ] {
            let lines = logged(wanted, || {
                tracing::info!(target: "taxonomy", "info");
                tracing::debug!(target: "taxonomy", "hidden");
                tracing::debug!(target: "taxonomy_store", "store");
            });
            let seen =
                ["info", "store", "hidden"].map(|text| lines.contains(&format!("\"message\":\"{text}\"")));
            let expect = ["info", "store", "hidden"].map(|text| text == target);
            assert_eq!(seen, expect, "{wanted:?}: {lines}");
        }
    }

    #[test]
    fn no_wish_gets_the_sdk_below_info() {
        let modules = [
            "info,aws_smithy_runtime::client::orchestrator=trace,aws_sigv4=debug,hyper=trace",
            "aws_smithy_runtime::client=trace,hyper::proto=debug",
        ];
        let crates = [
            "trace",
            "aws=trace",
            "a=trace,h=trace",
            "aws_smithy_runtime=trace",
        ];
        for wanted in crates.into_iter().chain(modules) {
            let lines = logged(Some(wanted), || {
                tracing::debug!(target: "aws_smithy_runtime", "secret");
                tracing::trace!(target: "aws_smithy_runtime::client::orchestrator", "secret");
                tracing::trace!(target: "aws_sigv4::http_request", "secret");
                tracing::debug!(target: "hyper::proto", "secret");
                tracing::debug!(target: "hyper_util::client", "secret");
                tracing::warn!(target: "aws_config", "loud enough");
            });
            assert!(!lines.contains("secret"), "{wanted}: {lines}");
        }
        assert!(logged(Some("trace"), || tracing::info!(target: "aws_config", "seen")).contains("seen"));
    }
}
