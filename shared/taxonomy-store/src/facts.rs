//! Reading the facts of a version one by one.

use std::io::Read;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{self, Header};
use taxonomy_model::{Fact, Hash};

use crate::archive::{Archive, MAX_BODY, is_of, unreadable};
use crate::error::StoreError;

impl Archive {
    /// Passes each fact of a version to `each`, and returns the header of the changeset: with the checks of [`Archive::changeset`], in
    /// memory for the compressed body and one fact. On an error, the passed facts mean nothing.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if id, tenant or version differ, [`StoreError::Request`] if S3 fails.
    pub async fn each_fact(
        &self,
        tenant: &TenantId,
        version: Version,
        id: &Hash,
        each: impl FnMut(&Fact),
    ) -> Result<Header, StoreError> {
        let key = Self::changeset_key(tenant, version, id);
        let body = self.compressed(&key).await?;
        let decoder = zstd::Decoder::new(body.as_ref()).map_err(|error| StoreError::damaged(&key, error))?;
        let read = changeset::read_each(decoder.take(MAX_BODY), each);
        let (header, hash) = read.map_err(|error| unreadable(&key, error))?;
        if hash != *id {
            return Err(StoreError::damaged(&key, "its content has another hash"));
        }
        is_of(tenant, version, header, &key)
    }
}
