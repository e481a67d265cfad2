//! The settings of a version: default culture and fallback chain. Pure.

use taxonomy_keys::Culture;
use taxonomy_model::{Defaults, Settings};
use taxonomy_store::{Committed, Configuration};

use crate::service::ServiceConfig;

/// Returns the settings that a file does not contain itself.
pub(crate) fn defaults(configuration: &Configuration, stack: &Culture) -> Defaults {
    Defaults {
        tenant_culture: configuration.default_culture.clone(),
        stack_culture: stack.clone(),
        fallback_chain: configuration.fallback_chain.clone(),
    }
}

/// Returns all settings that decide whether a file is accepted, as text: a refusal holds under these alone.
pub(crate) fn judged_under(configuration: &Configuration, config: &ServiceConfig) -> String {
    let (stack, max_file_bytes) = (&config.default_culture, config.max_file_bytes);
    let chain: Vec<&str> = configuration.fallback_chain.iter().map(Culture::as_str).collect();
    format!(
        "{}|{}|{stack}|{}%{}|{max_file_bytes}",
        configuration.default_culture.as_ref().map_or("", Culture::as_str),
        chain.join(","),
        configuration.removal_limit.percent,
        configuration.removal_limit.terms,
    )
}

/// Returns the settings that the head's content should have. Content without a source object keeps its default culture, unless the tenant's
/// configuration names another.
pub(crate) fn effective(head: &Committed, configuration: &Configuration, stack: &Culture) -> Settings {
    let own = if head.detached {
        &head.settings.default_culture
    } else {
        head.source.culture.as_ref().unwrap_or(stack)
    };
    Settings {
        default_culture: configuration.default_culture.as_ref().unwrap_or(own).clone(),
        fallback_chain: configuration.fallback_chain.clone(),
    }
}
