//! Generates the description of the API, which `functions/lookup/openapi.json` has and `GET /v1/openapi.json` answers.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use lookup::openapi::Description;

fn main() -> Result<(), serde_json::Error> {
    println!("{}", Description::json()?);
    Ok(())
}
