//! Previews for the explorer: a file alone, or a file as the next version of a tenant.

use std::path::Path;
use std::sync::Arc;

use lookup::files::{Objects, VersionFiles};
use lookup::{Auth, CacheControl, Context, Lookup};
use taxonomy_keys::TenantId;
use taxonomy_model::{Defaults, Hash, Taxonomy};
use taxonomy_runtime::{Clock as _, SystemClock};
use taxonomy_store::{Archive, Heads};
use taxonomy_versioning::{Preview, PreviewBase};

use crate::arguments::Output;
use crate::blocking;
use crate::difference::Difference;
use crate::explore::source::Source;
use crate::failure::Failure;
use crate::file::{self, MAX_BYTES};
use crate::output::stderr;
use crate::stack::Session;
use crate::upstream::plan::{PlanBase, tenant_base};
use crate::upstream::validate::{read_accepted, warn};

/// The size of the cache of decoded parts of index files, in bytes.
const CACHE_BYTES: u64 = 256 << 20;

/// The tenant id for a file whose name is not a tenant id.
const ANY_TENANT: &str = "file";

/// An opened source of taxonomies for the explorer.
pub(crate) struct Opened {
    pub(crate) source: Source,
    pub(crate) shown: pages::TaxonomySource,
    /// The tenant that the explorer shows first.
    pub(crate) tenant: Option<TenantId>,
}

/// Opens a file alone, as the first version of a tenant that is named after the file.
///
/// # Errors
/// [`Failure`] when the file cannot be read, or is invalid.
pub(crate) async fn of_file(path: &Path, defaults: Defaults) -> Result<Opened, Failure> {
    let (new, sha256) = content(path, MAX_BYTES, defaults).await?;
    let stem = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let tenant: TenantId = match stem.parse().or_else(|_| ANY_TENANT.parse()) {
        Ok(tenant) => tenant,
        Err(error) => return Err(Failure::Usage(format!("{ANY_TENANT}: {error}"))),
    };
    let preview = build(tenant.clone(), None, new, sha256).await?;
    Ok(Opened {
        source: source(tenant.clone(), preview, None),
        shown: pages::TaxonomySource::File(file::name(path)),
        tenant: Some(tenant),
    })
}

/// Reads a file, and shows its warnings. Returns its content and its hash.
async fn content(path: &Path, most: u64, defaults: Defaults) -> Result<(Taxonomy, Hash), Failure> {
    let file = read_accepted(path, most, defaults, Output::Human).await?;
    warn(&mut stderr(), &file.validated)?;
    Ok((file.taxonomy, file.sha256))
}

/// Opens a file as the next version of a tenant, after the committed versions.
///
/// # Errors
/// [`Failure`] when the file or the stack cannot be read, or the file is invalid or changes nothing.
pub(crate) async fn of_plan(session: &Session, path: &Path, tenant: &TenantId) -> Result<Opened, Failure> {
    let PlanBase {
        old,
        defaults,
        removal_limit,
        max_file_bytes,
        of_tenant,
        ..
    } = tenant_base(session, tenant).await?;
    let (new, sha256) = content(path, max_file_bytes, defaults).await?;
    let difference = Difference::between(old.as_ref(), &new, tenant, Some(removal_limit));
    if difference.is_empty() && old.is_some() {
        let message = format!("{tenant} already has the content of the file: there would be no new version");
        return Err(Failure::unable(
            message,
            "`taxonomy explore --tenant` shows the newest version.",
        ));
    }
    if difference.exceeds_removal_limit {
        anstream::eprintln!(
            "The service would refuse the file: it removes more terms than the tenant's limit allows."
        );
    }
    let (archive, heads) = (session.archive().await?, session.heads().await?);
    let head = of_tenant.and_then(|of| of.head.committed);
    let base = match head.zip(old) {
        Some((head, taxonomy)) => {
            let index = archive.whole(&head.index_key).await?;
            Some(PreviewBase {
                head,
                taxonomy,
                index,
            })
        }
        None => None,
    };
    let preview = build(tenant.clone(), base, new, sha256).await?;
    Ok(Opened {
        source: source(tenant.clone(), preview, Some((archive, heads))),
        shown: pages::TaxonomySource::Plan(file::name(path)),
        tenant: Some(tenant.clone()),
    })
}

async fn build(
    tenant: TenantId,
    base: Option<PreviewBase>,
    new: Taxonomy,
    sha256: Hash,
) -> Result<Preview, Failure> {
    blocking::run(move || {
        Ok(Preview::build(
            &tenant,
            base.as_ref(),
            &new,
            sha256,
            SystemClock.now_ms(),
        )?)
    })
    .await
}

fn source(tenant: TenantId, preview: Preview, behind: Option<(Archive, Heads)>) -> Source {
    let Preview { head, entry, objects } = preview;
    let (archive, heads) = behind.unzip();
    let versions = VersionFiles::new(Objects::in_memory(objects, archive), CACHE_BYTES);
    let context = Context::of_preview(tenant, head, entry, versions, heads);
    let lookup = Lookup::new(
        Auth::None,
        CacheControl::default(),
        context,
        Arc::new(SystemClock),
    );
    Source::Preview(Box::new(lookup))
}
