//! Previews for the explorer: a file alone, or a file as the next version of a tenant.

use std::io;
use std::path::Path;
use std::sync::Arc;

use lookup::files::{Objects, VersionFiles};
use lookup::{Auth, CacheControl, Context, Lookup};
use taxonomy_keys::TenantId;
use taxonomy_model::{Defaults, Hash, Taxonomy};
use taxonomy_runtime::{Clock as _, SystemClock};
use taxonomy_store::{Archive, Heads};
use taxonomy_versioning::{Preview, PreviewBase};

use crate::blocking;
use crate::difference::Difference;
use crate::explore::source::Source;
use crate::failure::Failure;
use crate::file::{self, MAX_BYTES};
use crate::output::stderr;
use crate::stack::Session;
use crate::upstream::plan::{Base, ReadFile, read, tenant_base};
use crate::upstream::validate::{Validated, warn};

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

/// Opens a file alone, as the first version of a tenant that is named after the file. Returns its report if the file is refused.
///
/// # Errors
/// [`Failure`] when the file cannot be read.
pub(crate) async fn of_file(path: &Path, defaults: Defaults) -> Result<Result<Opened, Validated>, Failure> {
    let (new, sha256) = match read(path.to_owned(), MAX_BYTES, defaults).await? {
        Ok(read) => warned(read)?,
        Err(refused) => return Ok(Err(refused)),
    };
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
    Ok(Ok(Opened {
        source: source(tenant.clone(), preview, None),
        shown: pages::TaxonomySource::File(file::name(path)),
        tenant: Some(tenant),
    }))
}

/// Shows the warnings of a file. Returns its content and its hash.
fn warned(read: ReadFile) -> io::Result<(Taxonomy, Hash)> {
    if read.validated.has_warnings() {
        warn(&mut stderr(), &read.validated)?;
    }
    Ok((read.taxonomy, read.sha256))
}

/// Opens a file as the next version of a tenant, after the committed versions. Returns its report if the file is refused.
///
/// # Errors
/// [`Failure`] when the file or the stack cannot be read, or the file changes nothing.
pub(crate) async fn of_plan(
    session: &Session,
    path: &Path,
    tenant: &TenantId,
) -> Result<Result<Opened, Validated>, Failure> {
    let Base {
        old,
        defaults,
        removal_limit,
        max_file_bytes,
        of_tenant,
        ..
    } = tenant_base(session, tenant).await?;
    let (new, sha256) = match read(path.to_owned(), max_file_bytes, defaults).await? {
        Ok(read) => warned(read)?,
        Err(refused) => return Ok(Err(refused)),
    };
    let difference = Difference::between(old.as_ref(), &new, tenant, Some(removal_limit));
    if difference.is_empty() && old.is_some() {
        let message = format!("{tenant} already has the content of the file: there would be no new version");
        return Err(Failure::unable(
            message,
            "`taxonomy explore --tenant` shows the newest version.",
        ));
    }
    if difference.exceeds_removal_limit() {
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
    Ok(Ok(Opened {
        source: source(tenant.clone(), preview, Some((archive, heads))),
        shown: pages::TaxonomySource::Plan(file::name(path)),
        tenant: Some(tenant.clone()),
    }))
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
