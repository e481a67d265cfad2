//! What a request asks for, out of its query and body. Every refusal names the parameter to blame.

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::Value;
use taxonomy_keys::{Culture, MAX_DEPTH, TermId, Version};
use taxonomy_versions::Retired;
use utoipa::ToSchema;

use crate::problem::{Code, Problem};
use crate::schemas::Id;

/// The most ids that one request may ask for; one BatchGetItem takes as many.
pub const MAX_IDS: usize = 100;
/// The most items on a page, and how many there are where the request does not say.
pub const MAX_LIMIT: u16 = 100;
const DEFAULT_LIMIT: u16 = 50;
/// The same of a term's history.
pub const MAX_HISTORY_LIMIT: u16 = 20;
const DEFAULT_HISTORY_LIMIT: u16 = 10;

/// The longest query that is read. API Gateway takes 10,240 bytes of request line and headers together, so that hardly a longer one arrives.
const MAX_QUERY: usize = 8 * 1024;

/// The parameters of a query, decoded. Those that no route knows are ignored.
#[derive(Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Decodes a query as it was sent: `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// `uri-too-long` over 8 KiB, `invalid-parameter` where an escape does not make UTF-8.
    pub fn parse(query: &str) -> Result<Self, Problem> {
        if query.len() > MAX_QUERY {
            return Err(Problem::new(Code::UriTooLong, "A query has at most 8 KiB.").at("/query"));
        }
        let decode = |text: &str| {
            let text = text.replace('+', " ");
            let decoded = percent_decode_str(&text).decode_utf8().ok()?;
            Some(decoded.into_owned())
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        });
        let pairs: Option<_> = pairs.collect();
        let invalid = || Problem::invalid_parameter("The query is not UTF-8.", "/query");
        Ok(Self(pairs.ok_or_else(invalid)?))
    }

    /// The culture to answer in, if one is asked for.
    ///
    /// # Errors
    /// `invalid-culture` where it is no language tag.
    pub fn culture(&self) -> Result<Option<Culture>, Problem> {
        let parse = |tag: &str| {
            tag.parse().map_err(|error: taxonomy_keys::InvalidCulture| {
                Problem::new(Code::InvalidCulture, sentence(&error)).at("/query/culture")
            })
        };
        self.only("culture", "/query/culture")?.map(parse).transpose()
    }

    /// The version to answer from, if one is asked for.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no version.
    pub fn version(&self) -> Result<Option<Version>, Problem> {
        let parse = |text: &str| {
            version_number(text).and_then(Version::new).ok_or_else(|| {
                let detail = "version is the number of a version, 1 or higher.";
                Problem::invalid_parameter(detail, "/query/version")
            })
        };
        self.only("version", "/query/version")?.map(parse).transpose()
    }

    /// The moment to answer as of, if one is asked for, in epoch milliseconds; 0 for all before 1970, when there were no versions.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no time of RFC 3339.
    pub fn as_of(&self) -> Result<Option<u64>, Problem> {
        let parse = |text: &str| {
            let time = DateTime::from_str(text, Format::DateTimeWithOffset).ok();
            let at = time.and_then(|time| time.to_millis().ok());
            at.map(|at| u64::try_from(at).unwrap_or_default()).ok_or_else(|| {
                let detail = "asOf is a time such as 2026-01-01T00:00:00Z; `+` in a query is written %2B.";
                Problem::invalid_parameter(detail, "/query/asOf")
            })
        };
        self.only("asOf", "/query/asOf")?.map(parse).transpose()
    }

    /// Returns whether the request names a version, by its number or by a time.
    ///
    /// # Errors
    /// `invalid-parameter` where either is none.
    pub fn names_a_version(&self) -> Result<bool, Problem> {
        Ok(self.version()?.is_some() || self.as_of()?.is_some())
    }

    /// How many items a page has.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no number from 1 to 100.
    pub fn limit(&self) -> Result<u16, Problem> {
        self.limit_up_to(MAX_LIMIT, DEFAULT_LIMIT)
    }

    /// The number of versions on a page of a term's history, each of which is a file to read.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no number from 1 to 20.
    pub fn history_limit(&self) -> Result<u16, Problem> {
        self.limit_up_to(MAX_HISTORY_LIMIT, DEFAULT_HISTORY_LIMIT)
    }

    /// Returns the number of items of an answer: from 1 to `most`, `usual` where the request does not say.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no such number.
    pub(crate) fn limit_up_to(&self, most: u16, usual: u16) -> Result<u16, Problem> {
        let Some(text) = self.only("limit", "/query/limit")? else {
            return Ok(usual);
        };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let limit = text
            .parse()
            .ok()
            .filter(|limit| digits && (1..=most).contains(limit));
        limit.ok_or_else(|| {
            let detail = format!("limit is a number from 1 to {most}.");
            Problem::invalid_parameter(detail, "/query/limit")
        })
    }

    /// Returns the id of a category or a term, if the query has one.
    ///
    /// # Errors
    /// `invalid-id` where it is none.
    pub(crate) fn id<T>(&self, name: &str, pointer: &'static str) -> Result<Option<T>, Problem>
    where
        T: std::str::FromStr<Err = taxonomy_keys::InvalidId>,
    {
        let parse = |text: &str| {
            text.parse()
                .map_err(|error| Problem::new(Code::InvalidId, sentence(&error)).at(pointer))
        };
        self.only(name, pointer)?.map(parse).transpose()
    }

    /// The version to list changes after; 0 stands for a tenant without a taxonomy.
    ///
    /// # Errors
    /// `invalid-parameter` where it is absent or no version.
    pub fn after(&self) -> Result<Option<Version>, Problem> {
        let detail = "after is required: the number of a version, or 0 for everything.";
        let after = match self.only("after", "/query/after")?.and_then(version_number) {
            Some(0) => return Ok(None),
            number => number.and_then(Version::new),
        };
        let after = after.ok_or_else(|| Problem::invalid_parameter(detail, "/query/after"));
        after.map(Some)
    }

    /// The two versions to compare.
    ///
    /// # Errors
    /// `invalid-parameter` for the first that is absent or no version.
    pub fn from_and_to(&self) -> Result<(Version, Version), Problem> {
        let version = |name: &str, pointer: &'static str| {
            let number = self.only(name, pointer)?.and_then(version_number);
            number.and_then(Version::new).ok_or_else(|| {
                let detail = format!("{name} is required: the number of a version, 1 or higher.");
                Problem::invalid_parameter(detail, pointer)
            })
        };
        Ok((version("from", "/query/from")?, version("to", "/query/to")?))
    }

    /// How many levels below, from 1 on; all where it is not said.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no number from 1 to 32.
    pub fn depth(&self) -> Result<u8, Problem> {
        let Some(text) = self.only("depth", "/query/depth")? else {
            return Ok(MAX_DEPTH);
        };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let depth = text
            .parse()
            .ok()
            .filter(|depth| digits && (1..=MAX_DEPTH).contains(depth));
        depth.ok_or_else(|| Problem::invalid_parameter("depth is a number from 1 to 32.", "/query/depth"))
    }

    /// Returns the filter of deprecated terms.
    ///
    /// # Errors
    /// `invalid-parameter` where it is none of `include`, `exclude` and `only`.
    pub fn deprecated(&self) -> Result<Retired, Problem> {
        match self.only("deprecated", "/query/deprecated")? {
            None | Some("include") => Ok(Retired::Include),
            Some("exclude") => Ok(Retired::Exclude),
            Some("only") => Ok(Retired::Only),
            Some(_) => {
                let detail = "deprecated is include, exclude or only.";
                Err(Problem::invalid_parameter(detail, "/query/deprecated"))
            }
        }
    }

    /// Returns whether each item of a list comes with its details.
    ///
    /// # Errors
    /// `invalid-parameter` where anything else is to be included.
    pub fn details(&self) -> Result<bool, Problem> {
        match self.only("include", "/query/include")? {
            None => Ok(false),
            Some("details") => Ok(true),
            Some(_) => {
                let detail = "include is details.";
                Err(Problem::invalid_parameter(detail, "/query/include"))
            }
        }
    }

    /// Where the page begins, as the page before said it.
    ///
    /// # Errors
    /// `invalid-parameter` where there are several.
    pub fn cursor(&self) -> Result<Option<&str>, Problem> {
        self.only("cursor", "/query/cursor")
    }

    /// The fields that the answer keeps, where not all are asked for.
    ///
    /// # Errors
    /// `invalid-parameter` where there are several lists of them.
    pub fn fields(&self) -> Result<Option<&str>, Problem> {
        self.only("fields", "/query/fields")
    }

    /// A text, if it is there.
    pub(crate) fn text(&self, name: &str, pointer: &'static str) -> Result<Option<String>, Problem> {
        Ok(self.only(name, pointer)?.map(str::to_owned))
    }

    /// The ids asked for, in order.
    ///
    /// # Errors
    /// `invalid-parameter` without any, `too-many-ids`, `invalid-id` for the first that is none.
    pub fn ids(&self) -> Result<Vec<TermId>, Problem> {
        let text = self.only("ids", "/query/ids")?.filter(|text| !text.is_empty());
        let text = text
            .ok_or_else(|| Problem::invalid_parameter("ids is required, such as ids=1,2,3.", "/query/ids"))?;
        if text.split(',').count() > MAX_IDS {
            return Err(too_many().at("/query/ids"));
        }
        let ids = text.split(',').enumerate();
        ids.map(|(position, id)| term_id(id).map_err(|problem| problem.at(format!("/query/ids/{position}"))))
            .collect()
    }

    fn only(&self, name: &str, pointer: &'static str) -> Result<Option<&str>, Problem> {
        let mut values = self
            .0
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Problem::invalid_parameter(
                format!("{name} is there twice."),
                pointer,
            )),
            (value, None) => Ok(value),
        }
    }
}

/// The version that a path names.
///
/// # Errors
/// `invalid-parameter`.
pub fn path_version(text: &str) -> Result<Version, Problem> {
    version_number(text)
        .and_then(Version::new)
        .ok_or_else(|| Problem::invalid_parameter("A version is a number from 1 on.", "/path/id"))
}

/// A number in digits alone: Rust takes a sign as well.
fn version_number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// The id that a path names.
///
/// # Errors
/// `invalid-id`.
pub fn path_id<T: std::str::FromStr<Err = taxonomy_keys::InvalidId>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: taxonomy_keys::InvalidId| {
        Problem::new(Code::InvalidId, sentence(&error)).at("/path/id")
    })
}

/// The body of a batch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchGet {
    /// The terms, at most 100; the answer has their order.
    #[schema(value_type = Vec<Id>, max_items = 100)]
    ids: Vec<Value>,
}

/// The ids that a body asks for, in order.
///
/// # Errors
/// `invalid-body`, `too-many-ids`, `invalid-id` for the first that is none.
pub fn body_ids(body: &[u8]) -> Result<Vec<TermId>, Problem> {
    let batch: BatchGet = serde_json::from_slice(body).map_err(|_| {
        Problem::new(
            Code::InvalidBody,
            "The body is a JSON object such as {\"ids\":[1,2,3]}.",
        )
        .at("/body")
    })?;
    if batch.ids.len() > MAX_IDS {
        return Err(too_many().at("/body/ids"));
    }
    let ids = batch.ids.iter().enumerate();
    ids.map(|(position, id)| {
        let id = id.as_u64().or_else(|| whole(id.as_f64()?)).and_then(TermId::new);
        id.ok_or_else(|| {
            let detail = "A term id is a whole number from 0 to 9007199254740991.";
            Problem::new(Code::InvalidId, detail).at(format!("/body/ids/{position}"))
        })
    })
    .collect()
}

/// A whole number that is written with a fraction of zeros: to JSON Schema `3.0` is an integer.
fn whole(number: f64) -> Option<u64> {
    let is_id = number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a whole number in range"
    )]
    let id = number as u64;
    is_id.then_some(id)
}

fn term_id(text: &str) -> Result<TermId, Problem> {
    text.parse()
        .map_err(|error: taxonomy_keys::InvalidId| Problem::new(Code::InvalidId, sentence(&error)))
}

fn too_many() -> Problem {
    Problem::new(Code::TooManyIds, "A request has at most 100 ids.")
}

/// Library errors begin in lower case and end without a full stop; what callers read does neither.
fn sentence(error: &impl ToString) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests;
