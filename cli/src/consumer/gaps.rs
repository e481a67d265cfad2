//! `taxonomy gaps`: lists what has no name in a culture.

use clap::Args;
use taxonomy_client::answers::{Gap, NodeKind};
use taxonomy_keys::{CategoryId, Culture};

use crate::arguments::{CommonArguments, SubjectTenant};
use crate::consumer::children::list;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::printable;
use crate::stack::Session;

/// List the categories and terms without a name in a culture
///
/// Lists the categories, then the terms in the order of the tree, each with the name that readers of the culture get instead.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy gaps acme --culture fr-FR
  taxonomy gaps acme --culture fr-FR --category 1 --output json")]
pub(crate) struct Gaps {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// The culture: exactly this tag
    #[arg(long, value_name = "TAG")]
    culture: Culture,
    /// Only this category and its terms
    #[arg(long, value_name = "ID")]
    category: Option<CategoryId>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Lists the gaps page by page.
///
/// # Errors
/// [`Failure`] when a request fails, or the category does not exist.
pub(crate) async fn run(gaps: &Gaps) -> Result<Exit, Failure> {
    let session = Session::open(&gaps.common.stack).await?;
    let tenant = session.api(gaps.tenant.id()?).await?;
    let items = tenant.gaps(&gaps.culture, gaps.category);
    list(gaps.common.output, items, |gap: &Gap| {
        let (name, kind) = match gap.kind {
            NodeKind::Category => (&gap.name, "  (category)"),
            NodeKind::Term => (gap.final_name.as_ref().unwrap_or(&gap.name), ""),
        };
        let deprecated = if gap.deprecated { "  (deprecated)" } else { "" };
        format!("{:>8}  {}{kind}{deprecated}", gap.id, printable(name))
    })
    .await
}
