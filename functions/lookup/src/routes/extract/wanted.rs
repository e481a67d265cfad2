//! The parameters and the body of a request.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Number;
use taxonomy_index::search::Deprecated;
use taxonomy_keys::{Culture, InvalidCulture};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ArrayBuilder};

use crate::files::Branch;
use crate::openapi::shared_parts;
use crate::request::parameters::{Parameters, sentence, whole};
use crate::response::problem::{Problem, ProblemCode};
use crate::routes::branch::branch;

/// The longest text, in bytes of UTF-8.
const MAX_TEXT: usize = 100 << 10;
/// The longest body: a text of that length whose every letter beyond ASCII is escaped takes three times as much.
pub(super) const MAX_BODY: usize = 320 << 10;

/// The most mentions of a response, and their usual number.
const MAX_MENTIONS: u16 = 500;
const USUAL_MENTIONS: u16 = 100;

/// The most cultures whose names are looked for.
pub(super) const MAX_CULTURES: usize = 5;

/// The body of a request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextToRead {
    /// The text, at most 102,400 bytes in UTF-8.
    #[schema(max_length = 102_400)]
    text: String,
    /// The cultures whose names are looked for.
    #[serde(default)]
    #[schema(schema_with = cultures)]
    cultures: Vec<String>,
    /// The place where reading begins, in UTF-16 code units: `next` of the response before.
    #[serde(default, deserialize_with = "place")]
    #[schema(maximum = 4_294_967_295u32)]
    from: u32,
}

/// Reads a whole number, which JSON may write with a fraction of zeros.
fn place<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = Number::deserialize(deserializer)?;
    let number_of = || number.as_u64().or_else(|| whole(number.as_f64()?));
    let place = number_of().and_then(|number| u32::try_from(number).ok());
    place.ok_or_else(|| D::Error::custom("no place"))
}

/// What to look for.
pub(super) struct Wanted {
    pub(super) text: String,
    pub(super) cultures: Vec<Culture>,
    pub(super) from: u32,
    pub(super) branch: Option<Branch>,
    pub(super) deprecated: Deprecated,
    pub(super) limit: usize,
}

impl Wanted {
    pub(super) fn parse(body: &[u8], query: &Parameters) -> Result<Self, Problem> {
        let invalid = |_| {
            let detail = "The body is a JSON object such as {\"text\":\"We look for Rust developers.\"}.";
            Problem::new(ProblemCode::InvalidBody, detail).at("/body")
        };
        let TextToRead { text, cultures, from } = serde_json::from_slice(body).map_err(invalid)?;
        if text.len() > MAX_TEXT {
            let detail = "A text has at most 102,400 bytes in UTF-8. Send a longer one in parts.";
            return Err(Problem::new(ProblemCode::BodyTooLarge, detail).at("/body/text"));
        }
        if cultures.len() > MAX_CULTURES {
            let detail = "A request names at most 5 cultures.";
            return Err(Problem::invalid_parameter(detail, "/body/cultures"));
        }
        let cultures = cultures.iter().enumerate();
        let cultures = cultures.map(|(position, tag)| culture(tag, position));
        Ok(Self {
            text,
            cultures: cultures.collect::<Result<_, _>>()?,
            from,
            branch: branch(query)?,
            deprecated: query.deprecated()?,
            limit: query.number("limit", MAX_MENTIONS, USUAL_MENTIONS)?.into(),
        })
    }
}

/// Returns the schema of the cultures of a text.
fn cultures() -> Array {
    let description = "The cultures whose names are looked for; each stands for all of its language. Without it the culture of the response";
    let list = ArrayBuilder::new().items(shared_parts::culture());
    list.max_items(Some(MAX_CULTURES))
        .description(Some(description))
        .examples([serde_json::json!(["en-GB"])])
        .build()
}

fn culture(tag: &str, position: usize) -> Result<Culture, Problem> {
    tag.parse().map_err(|error: InvalidCulture| {
        Problem::new(ProblemCode::InvalidCulture, sentence(&error)).at(format!("/body/cultures/{position}"))
    })
}
