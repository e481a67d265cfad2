//! Prints the description of the API, as `GET /v1/openapi.json` answers it.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use lookup::openapi::Description;

fn main() -> Result<(), serde_json::Error> {
    println!("{}", Description::json()?);
    Ok(())
}
