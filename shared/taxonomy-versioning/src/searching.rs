//! The search objects of a version, one for each culture in which a node has a name (docs/decisions/0019-search.md).
//!
//! The object of a culture contains the terms that have a name in it: the preferred name and the alternative names in that culture, and the
//! notation. An object is a function of the version alone, so every process builds the same bytes.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use taxonomy_index::{INDEX_FORMAT, Preorder};
use taxonomy_keys::{Culture, TenantId};
use taxonomy_model::{Taxonomy, Term};
use taxonomy_runtime::Clock;
use taxonomy_search::{Entry, Kind, WriteError, Writer};
use taxonomy_store::{Archive, LogEntry, StoreError, Stored, extra_time};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::indexing::damaged;
use crate::service::Service;

/// The time to write one name, three times the measured one (docs/decisions/0019-search.md).
const MICROSECONDS_A_NAME: u64 = 20;

impl<C: Clock> Service<C> {
    /// Builds and stores the search objects of a version, one at a time, and returns their total size in bytes. Compares an object that exists
    /// already. Checks the deadline before each.
    pub(crate) async fn store_search_objects(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
        taxonomy: &Taxonomy,
        order: &Preorder,
        deadline: Deadline,
    ) -> Result<usize, VersioningError> {
        let mut total = 0;
        for culture in taxonomy.cultures() {
            let key = key_of(tenant, entry, culture);
            deadline.in_time(&self.clock)?;
            let names = names_of(taxonomy, order, culture).map_err(|error| damaged(&key, error))?;
            deadline.in_time_for(time_to_write(names.name_count()), &self.clock)?;
            let body = Bytes::from(written(names).map_err(|error| damaged(&key, error))?);
            deadline.in_time_for(extra_time(body.len() as u64), &self.clock)?;
            match self.archive.put_index(&key, body.clone()).await? {
                Stored::Now => {}
                Stored::Before => self.archive.compare(&key, &body).await?,
            }
            total += body.len();
        }
        Ok(total)
    }

    /// Builds the search object of a version in one culture again, compares it with the stored one, and returns its size in bytes.
    pub(crate) async fn compare_search_object(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
        taxonomy: &Taxonomy,
        order: &Preorder,
        culture: &Culture,
    ) -> Result<u64, StoreError> {
        let key = key_of(tenant, entry, culture);
        let body = names_of(taxonomy, order, culture).and_then(written);
        let body = body.map_err(|error| damaged(&key, error))?;
        let compared = self.archive.compare(&key, &body).await;
        // S3's message for a missing object does not contain its key.
        match compared {
            Err(error) if error.is_missing() => Err(damaged(&key, error)),
            compared => compared.map(|()| body.len() as u64),
        }
    }
}

/// Returns the search objects of a version by their keys.
pub(crate) fn search_objects(
    tenant: &TenantId,
    entry: &LogEntry,
    taxonomy: &Taxonomy,
    order: &Preorder,
) -> Result<HashMap<String, Bytes>, StoreError> {
    let object = |culture| {
        let key = key_of(tenant, entry, culture);
        let body = names_of(taxonomy, order, culture).and_then(written);
        match body {
            Ok(body) => Ok((key, body.into())),
            Err(error) => Err(damaged(&key, error)),
        }
    };
    taxonomy.cultures().iter().map(object).collect()
}

fn key_of(tenant: &TenantId, entry: &LogEntry, culture: &Culture) -> String {
    Archive::search_key(tenant, INDEX_FORMAT, entry.version, &entry.changeset, culture)
}

fn time_to_write(names: usize) -> Duration {
    Duration::from_micros((names as u64).saturating_mul(MICROSECONDS_A_NAME))
}

fn written(names: Writer) -> Result<Vec<u8>, WriteError> {
    let mut body = Vec::new();
    names.finish(&mut body)?;
    Ok(body)
}

/// Collects the names of a culture.
fn names_of(taxonomy: &Taxonomy, order: &Preorder, culture: &Culture) -> Result<Writer, WriteError> {
    let mut writer = Writer::new(order.len());
    let terms = order.terms().iter().map(|id| taxonomy.term(*id));
    for (ordinal, term) in order.term_range().zip(terms) {
        if let Some(term) = term {
            push(&mut writer, ordinal, term, culture)?;
        }
    }
    Ok(writer)
}

/// Adds the names of a term that has one in the culture.
fn push(writer: &mut Writer, ordinal: u32, term: Term<'_>, culture: &Culture) -> Result<(), WriteError> {
    let details = term.node.details();
    let preferred = term.node.name_in(culture).map(|name| name.name);
    let preferred = preferred.map(|name| (Kind::Preferred, name));
    let alternative = details.alt_names.iter().filter(|(tag, _)| tag == culture);
    let alternative = alternative.map(|(_, name)| (Kind::Alternative, name.as_str()));
    let mut names = preferred.into_iter().chain(alternative).peekable();
    let is_named = names.peek().is_some();
    let notation = details.notation.as_deref().filter(|_| is_named);
    for (kind, name) in names.chain(notation.map(|notation| (Kind::Notation, notation))) {
        writer.push(&Entry {
            ordinal,
            id: term.id().get(),
            name,
            kind,
            depth: term.depth(),
            deprecated: details.deprecated,
            sort_key: details.sort_key.as_deref().unwrap_or_default(),
        })?;
    }
    Ok(())
}
