//! `taxonomy explore`: the explorer in a local browser, over a stack, a file, or a file as the next version of a tenant.

mod guard;
mod preview;
mod server;
mod source;

use std::io::Write as _;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use clap::Args;
use pages::{PageSettings, Pages, SignIn};
use taxonomy_keys::TenantId;
use tokio::net::TcpListener;

use crate::arguments::Configured;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::stdout;
use crate::stack::{AuthMode, Session, StackArguments};
use guard::Guard;
use preview::OpenedSource;
use server::Server;
use source::ApiSource;

/// Show taxonomies in a browser
///
/// Serves the explorer at an address of this machine until it is interrupted. Without a file it shows a stack, with every request
/// signed by your identity; with a file that file alone, without any stack; with a file and a tenant the version that the file would become.
/// The printed address works once, in one browser; nothing can be changed by it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy explore
  taxonomy explore --tenant acme
  taxonomy explore acme.json
  taxonomy explore acme.json --tenant acme")]
pub(crate) struct Explore {
    /// The file to show instead of a stack; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The tenant to begin with; with a file, the tenant whose next version the file would become
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// The port of 127.0.0.1; 0 selects a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// The configuration of the stack and the tenant, for a file without a tenant.
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    stack: StackArguments,
}

/// Serves the explorer until the command is interrupted.
///
/// # Errors
/// [`Failure`] when the stack or the file cannot be read, or the port is taken.
pub(crate) async fn run(explore: &Explore) -> Result<Exit, Failure> {
    let opened = match (&explore.file, &explore.tenant) {
        (None, _) => of_stack(explore).await?,
        (Some(file), None) => preview::of_file(file, explore.configured.defaults()).await?,
        (Some(file), Some(tenant)) => {
            preview::of_plan(&Session::open(&explore.stack).await?, file, tenant).await?
        }
    };
    serve(explore.port, opened).await
}

async fn of_stack(explore: &Explore) -> Result<OpenedSource, Failure> {
    let session = Session::open(&explore.stack).await?;
    let sign_in = match session.auth_mode().await? {
        AuthMode::Iam => SignIn::Signed,
        AuthMode::Token | AuthMode::None => SignIn::None,
    };
    Ok(OpenedSource {
        source: ApiSource::Stack(session.api_without_cache().await?),
        sign_in,
        shown: pages::TaxonomySource::Stack(session.name().to_owned()),
        tenant: explore.tenant.clone(),
    })
}

async fn serve(port: u16, opened: OpenedSource) -> Result<Exit, Failure> {
    let OpenedSource {
        source,
        sign_in,
        shown,
        tenant,
    } = opened;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = listener.map_err(|error| {
        Failure::unable(
            format!("port {port} cannot be listened to: {error}"),
            "`--port 0` selects a free one.",
        )
    })?;
    let guard = Guard::new(listener.local_addr()?.port());
    let guard = guard
        .map_err(|error| Failure::unable(format!("the system has no random bits: {error}"), "Try again."))?;
    let settings = PageSettings {
        source: shown,
        sign_in,
    };
    let pages = Pages::new(&settings);
    let pages = pages.map_err(|error| Failure::Stack(error.to_string()))?;
    // An id of a tenant has no character that a query escapes.
    let query = tenant.map(|tenant| format!("tenant={tenant}"));
    let address = guard.address(&query.unwrap_or_default());
    let mut out = stdout();
    writeln!(out, "{address}")?;
    out.flush()?;
    drop(out);
    anstream::eprintln!("The address works once. Ctrl-C ends the explorer.");
    let server = Server { guard, pages, source };
    server.run(listener).await
}
