//! Prints the description of the API, as `GET /v1/openapi.json` answers it.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use lookup::openapi::Description;
use utoipa::OpenApi;

fn main() -> Result<(), serde_json::Error> {
    println!("{}", Description::openapi().to_pretty_json()?);
    Ok(())
}
