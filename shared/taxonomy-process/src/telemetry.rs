//! Logging: one JSON object per line on stdout, which Lambda hands to CloudWatch with its own time-stamp.

use tracing_subscriber::Layer;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use crate::env;

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

fn subscriber<W>(wanted: Option<&str>, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_ansi(false)
        .without_time()
        .with_writer(writer);
    // Both filters must let an event pass, so no setting gets past the cap.
    Registry::default().with(lines.with_filter(wish(wanted)).with_filter(cap()))
}

fn wish(wanted: Option<&str>) -> Targets {
    let parsed = wanted.and_then(|wanted| wanted.parse().ok());
    parsed.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO))
}

fn cap() -> Targets {
    let capped = CAPPED.map(|prefix| (prefix, LevelFilter::INFO));
    Targets::new()
        .with_default(LevelFilter::TRACE)
        .with_targets(capped)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::subscriber;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(wanted: Option<&str>, log: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        tracing::subscriber::with_default(subscriber(wanted, move || writer.clone()), log);
        let lines = lines.0.lock().unwrap();
        String::from_utf8(lines.clone()).unwrap()
    }

    #[test]
    fn a_line_is_a_flat_object() {
        let line = logged(None, || {
            let _span = tracing::info_span!("request", tenant = "acme").entered();
            tracing::info!(target: "taxonomy", version = 3, "version 3 committed");
        });
        let expect = r#"{"level":"INFO","message":"version 3 committed","version":3,"target":"taxonomy","span":{"tenant":"acme","name":"request"}}"#;
        assert_eq!(line.trim_end(), expect);
    }

    #[test]
    fn without_a_level_or_with_a_wrong_one_info_is_logged() {
        for wanted in [None, Some("info"), Some("=!="), Some("taxonomy=loud")] {
            let lines = logged(wanted, || {
                tracing::info!(target: "taxonomy", "seen");
                tracing::debug!(target: "taxonomy", "hidden");
            });
            assert!(
                lines.contains("seen") && !lines.contains("hidden"),
                "{wanted:?}: {lines}"
            );
        }
    }

    #[test]
    fn levels_go_by_target() {
        let lines = logged(Some("warn,taxonomy_store=debug"), || {
            tracing::info!(target: "taxonomy", "hidden");
            tracing::debug!(target: "taxonomy_store", "seen");
        });
        assert!(lines.contains("seen") && !lines.contains("hidden"), "{lines}");
    }

    #[test]
    fn no_wish_gets_the_sdk_below_info() {
        for wanted in [
            "trace",
            "aws_smithy_runtime=trace",
            "aws_smithy_runtime::client=trace,hyper::proto=debug",
        ] {
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
