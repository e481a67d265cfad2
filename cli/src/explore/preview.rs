//! Previews for the explorer: a file alone, or a file as the next version of a tenant.

use std::path::Path;
use std::sync::Arc;

use lookup::files::{Objects, VersionFiles};
use lookup::{Auth, CacheControl, Context, Lookup};
use pages::SignIn;
use taxonomy_keys::TenantId;
use taxonomy_model::Defaults;
use taxonomy_runtime::{Clock as _, SystemClock};
use taxonomy_store::{Archive, Heads};
use taxonomy_versioning::{Preview, PreviewBase};

use crate::arguments::Output;
use crate::blocking;
use crate::difference::TaxonomyDifference;
use crate::explore::source::ApiSource;
use crate::failure::Failure;
use crate::file::{self, MAX_BYTES};
use crate::stack::Session;
use crate::upstream::plan::{PlanBase, tenant_base};
use crate::upstream::validate::{AcceptedFile, read_and_warn};

/// The size of the cache of decoded parts of index files, in bytes.
const CACHE_BYTES: u64 = 256 << 20;

/// The tenant id for a file whose name is not a tenant id.
const ANY_TENANT: &str = "file";

/// An opened source of taxonomies for the explorer.
pub(crate) struct OpenedSource {
    pub(crate) source: ApiSource,
    /// What the pages say of the sign-in. They need no token: this server authenticates the requests.
    pub(crate) sign_in: SignIn,
    pub(crate) shown: pages::TaxonomySource,
    /// The tenant that the explorer shows first.
    pub(crate) tenant: Option<TenantId>,
}

/// Opens a file alone, as the first version of a tenant that is named after the file.
///
/// # Errors
/// [`Failure`] when the file cannot be read, or is invalid.
pub(crate) async fn of_file(path: &Path, defaults: Defaults) -> Result<OpenedSource, Failure> {
    let file = read_and_warn(path, MAX_BYTES, defaults, Output::Human).await?;
    let stem = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let tenant = stem.parse().or_else(|_| ANY_TENANT.parse());
    let tenant = tenant.map_err(|error| Failure::usage(format!("{ANY_TENANT}: {error}")))?;
    let shown = pages::TaxonomySource::File(file::name(path));
    opened(tenant, None, file, None, shown).await
}

/// Opens a file as the next version of a tenant, after the committed versions.
///
/// # Errors
/// [`Failure`] when the file or the stack cannot be read, or the file is invalid or changes nothing.
pub(crate) async fn of_plan(
    session: &Session,
    path: &Path,
    tenant: &TenantId,
) -> Result<OpenedSource, Failure> {
    let PlanBase {
        old,
        defaults,
        removal_limit,
        max_file_bytes,
        of_tenant,
        ..
    } = tenant_base(session, tenant).await?;
    let file = read_and_warn(path, max_file_bytes, defaults, Output::Human).await?;
    let difference = TaxonomyDifference::between(old.as_ref(), &file.taxonomy, tenant, Some(removal_limit));
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
    let shown = pages::TaxonomySource::Plan(file::name(path));
    opened(tenant.clone(), base, file, Some((archive, heads)), shown).await
}

/// Builds the version that the file would become; `behind` has the committed versions.
async fn opened(
    tenant: TenantId,
    base: Option<PreviewBase>,
    file: AcceptedFile,
    behind: Option<(Archive, Heads)>,
    shown: pages::TaxonomySource,
) -> Result<OpenedSource, Failure> {
    let of = tenant.clone();
    let preview = blocking::run(move || {
        let AcceptedFile { taxonomy, sha256, .. } = file;
        let now = SystemClock.now_ms();
        Ok(Preview::build(&of, base.as_ref(), &taxonomy, sha256, now)?)
    });
    let Preview { head, entry, objects } = preview.await?;
    let (archive, heads) = behind.unzip();
    let versions = VersionFiles::new(Objects::in_memory(objects, archive), CACHE_BYTES);
    let context = Context::of_preview(tenant.clone(), head, entry, versions, heads);
    let (caching, clock) = (CacheControl::default(), Arc::new(SystemClock));
    let lookup = Lookup::new(Auth::None, caching, context, clock);
    Ok(OpenedSource {
        sign_in: SignIn::None,
        source: ApiSource::Preview(Box::new(lookup)),
        shown,
        tenant: Some(tenant),
    })
}
