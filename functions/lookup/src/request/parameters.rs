//! The parameters of a request, from its query and body. Every error names the parameter at fault.

use std::fmt;
use std::str::FromStr;

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taxonomy_index::search::Deprecated;
use taxonomy_keys::{Culture, InvalidId, MAX_DEPTH, TermId, Version};
use taxonomy_model::ChangeKind;
use utoipa::ToSchema;

use crate::response::problem::{Problem, ProblemCode};

/// The id of a term.
#[derive(Debug, Serialize, ToSchema)]
#[schema(minimum = 0, maximum = 9007199254740991u64)]
pub(crate) struct Id(u64);

/// The maximum number of ids in one request: the most keys of one BatchGetItem.
pub const MAX_IDS: usize = 100;
/// The maximum number of items on a page, and their default number.
pub const MAX_LIMIT: u16 = 100;
const DEFAULT_LIMIT: u16 = 50;
/// The maximum number of versions on a page of a term's history, and their default number.
pub const MAX_HISTORY_LIMIT: u16 = 20;
const DEFAULT_HISTORY_LIMIT: u16 = 10;

/// The longest query, in bytes. API Gateway accepts 10,240 bytes of request line and headers together, so a longer query hardly arrives.
const MAX_QUERY: usize = 8 * 1024;

/// Every parameter that a query can have; the description says which of them an operation has.
#[rustfmt::skip]
pub const NAMES: [&str; 30] = [
    "after", "asOf", "below", "category", "counts", "culture", "cultures", "cursor", "deprecated", "depth", "dialect", "fields", "format", "from", "id", "ids",
    "include", "kind", "limit", "missing", "names", "notation", "operation", "parents", "path", "q", "scheme", "to", "total", "version",
];

/// How the parameters begin that sign a URL (Signature Version 4).
const SIGNATURE: &str = "X-Amz-";

/// The parameters of a query, decoded.
#[derive(Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Decodes a query in the form in which it was sent: `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// `uri-too-long` over 8 KiB, `invalid-parameter` where an escape does not make UTF-8.
    pub fn parse(query: &str) -> Result<Self, Problem> {
        if query.len() > MAX_QUERY {
            return Err(Problem::new(ProblemCode::UriTooLong, "A query has at most 8 KiB.").at("/query"));
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

    /// Returns the name of the first parameter that no operation has, as a misspelt one.
    pub(crate) fn unknown(&self) -> Option<&str> {
        let names = self
            .0
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !name.is_empty());
        let mut unknown = names.filter(|name| !NAMES.contains(name) && !name.starts_with(SIGNATURE));
        unknown.next()
    }

    /// Returns the requested culture, if there is one.
    ///
    /// # Errors
    /// `invalid-culture` where it is not a language tag.
    pub fn culture(&self) -> Result<Option<Culture>, Problem> {
        let parse = |tag: &str| {
            tag.parse().map_err(|error: taxonomy_keys::InvalidCulture| {
                Problem::new(ProblemCode::InvalidCulture, sentence(&error)).at("/query/culture")
            })
        };
        self.text("culture")?.map(parse).transpose()
    }

    /// Returns the requested version, if there is one.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not a version.
    pub fn version(&self) -> Result<Option<Version>, Problem> {
        let detail = "version is the number of a version, 1 or higher.";
        self.optional("version", detail, version)
    }

    /// Returns the requested time in epoch milliseconds, if there is one; 0 for every time before 1970, when there were no versions.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not a time of RFC 3339.
    pub fn as_of(&self) -> Result<Option<u64>, Problem> {
        let detail = "asOf is a time such as 2026-01-01T00:00:00Z; `+` in a query is written %2B.";
        self.optional("asOf", detail, |text| {
            let time = DateTime::from_str(text, Format::DateTimeWithOffset).ok()?;
            Some(u64::try_from(time.to_millis().ok()?).unwrap_or_default())
        })
    }

    /// Returns whether the request names a version, by its number or by a time.
    ///
    /// # Errors
    /// `invalid-parameter` where either is invalid.
    pub fn names_a_version(&self) -> Result<bool, Problem> {
        Ok(self.version()?.is_some() || self.as_of()?.is_some())
    }

    /// Returns the number of items on a page.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not a number from 1 to 100.
    pub fn limit(&self) -> Result<u16, Problem> {
        self.number("limit", MAX_LIMIT, DEFAULT_LIMIT)
    }

    /// Returns the number of versions on a page of a term's history, each of which is a file to read.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not a number from 1 to 20.
    pub fn history_limit(&self) -> Result<u16, Problem> {
        self.number("limit", MAX_HISTORY_LIMIT, DEFAULT_HISTORY_LIMIT)
    }

    /// Returns the number of levels below a node, from 1 on; all levels by default.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not a number from 1 to 32.
    pub fn depth(&self) -> Result<u8, Problem> {
        self.number("depth", MAX_DEPTH, MAX_DEPTH)
    }

    /// Returns a number from 1 to `most`, `usual` by default.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not such a number.
    pub(crate) fn number<N>(&self, name: &str, most: N, usual: N) -> Result<N, Problem>
    where
        N: FromStr + PartialOrd + From<u8> + fmt::Display,
    {
        let detail = format!("{name} is a number from 1 to {most}.");
        let is_allowed = |number: &N| (N::from(1)..=most).contains(number);
        let number = self.optional(name, &detail, |text| digits(text).filter(is_allowed))?;
        Ok(number.unwrap_or(usual))
    }

    /// Returns the id of a category or a term, if the query has one.
    ///
    /// # Errors
    /// `invalid-id` where it is not an id.
    pub(crate) fn id<T: FromStr<Err = InvalidId>>(&self, name: &str) -> Result<Option<T>, Problem> {
        let id = self.text(name)?.map(parse_id).transpose();
        id.map_err(|problem| problem.at(format!("/query/{name}")))
    }

    /// Returns the version after which changes are listed; 0 stands for a tenant without a taxonomy.
    ///
    /// # Errors
    /// `invalid-parameter` where it is absent or not a version.
    pub fn after(&self) -> Result<Option<Version>, Problem> {
        let detail = "after is required: the number of a version, or 0 for everything.";
        self.required("after", detail, |text| match digits(text)? {
            0 => Some(None),
            number => Version::new(number).map(Some),
        })
    }

    /// Returns the two versions to compare.
    ///
    /// # Errors
    /// `invalid-parameter` for the first that is absent or not a version.
    pub fn from_and_to(&self) -> Result<(Version, Version), Problem> {
        let version = |name: &str| {
            let detail = format!("{name} is required: the number of a version, 1 or higher.");
            self.required(name, &detail, version)
        };
        Ok((version("from")?, version("to")?))
    }

    /// Returns the filter of deprecated terms.
    ///
    /// # Errors
    /// `invalid-parameter` where it is not `include`, `exclude` or `only`.
    pub fn deprecated(&self) -> Result<Deprecated, Problem> {
        let detail = "deprecated is include, exclude or only.";
        let filter = self.optional("deprecated", detail, |text| match text {
            "include" => Some(Deprecated::Include),
            "exclude" => Some(Deprecated::Exclude),
            "only" => Some(Deprecated::Only),
            _ => None,
        });
        Ok(filter?.unwrap_or_default())
    }

    /// Returns whether each item of a list has its details.
    ///
    /// # Errors
    /// `invalid-parameter` for any value but `details`.
    pub fn details(&self) -> Result<bool, Problem> {
        let include = self.optional("include", "include is details.", |text| {
            (text == "details").then_some(true)
        });
        Ok(include?.unwrap_or_default())
    }

    /// Returns whether changes have the names of what is above them.
    ///
    /// # Errors
    /// `invalid-parameter` for any value but `places`.
    pub(crate) fn places(&self) -> Result<bool, Problem> {
        let include = self.optional("include", "include is places.", |text| {
            (text == "places").then_some(true)
        });
        Ok(include?.unwrap_or_default())
    }

    /// Returns the kind of the wanted changes, if the request names one.
    ///
    /// # Errors
    /// `invalid-parameter` where it is none.
    pub(crate) fn operation(&self) -> Result<Option<ChangeKind>, Problem> {
        let detail =
            "operation is added, removed, renamed, moved, deprecated, restored, changed or finalName.";
        self.optional("operation", detail, |text| {
            Some(match text {
                "added" => ChangeKind::Added,
                "removed" => ChangeKind::Removed,
                "renamed" => ChangeKind::Renamed,
                "moved" => ChangeKind::Moved,
                "deprecated" => ChangeKind::Deprecated,
                "restored" => ChangeKind::Restored,
                "changed" => ChangeKind::Changed,
                "finalName" => ChangeKind::FinalName,
                _ => return None,
            })
        })
    }

    /// Returns which of these members an answer by id has beside its own.
    ///
    /// # Errors
    /// `invalid-parameter` for any other member.
    pub fn members<const N: usize>(&self, known: [&str; N]) -> Result<[bool; N], Problem> {
        let detail = format!("include is one of {}, or several with commas.", known.join(", "));
        let included = self.optional("include", &detail, |text| {
            let named: Vec<&str> = text.split(',').collect();
            let are_known = named.iter().all(|name| known.contains(name));
            are_known.then(|| known.map(|name| named.contains(&name)))
        });
        Ok(included?.unwrap_or([false; N]))
    }

    /// Returns whether a list has what is below a term by any of its parents, not by its own place in the tree alone.
    ///
    /// # Errors
    /// `invalid-parameter` for any value but `all`.
    pub fn all_parents(&self) -> Result<bool, Problem> {
        let parents = self.optional("parents", "parents is all.", |text| {
            (text == "all").then_some(true)
        });
        Ok(parents?.unwrap_or_default())
    }

    /// Returns whether the response has the names in every culture.
    ///
    /// # Errors
    /// `invalid-parameter` for any value but `all`.
    pub fn all_names(&self) -> Result<bool, Problem> {
        let names = self.optional("names", "names is all.", |text| (text == "all").then_some(true));
        Ok(names?.unwrap_or_default())
    }

    /// Returns the requested ids in order, `invalid-id` in the place of each that is none.
    ///
    /// # Errors
    /// `invalid-parameter` without any, `too-many-ids`.
    pub fn ids(&self) -> Result<Vec<RequestedId>, Problem> {
        let detail = "ids is required, such as ids=1,2,3.";
        let text = self.required("ids", detail, |text| Some(text).filter(|text| !text.is_empty()))?;
        if text.split(',').count() > MAX_IDS {
            return Err(too_many().at("/query/ids"));
        }
        let ids = text.split(',').enumerate();
        let ids = ids.map(|(position, id)| {
            parse_id(id).map_err(|problem| problem.at(format!("/query/ids/{position}")))
        });
        Ok(ids.collect())
    }

    /// Returns the value of a parameter, if it is present.
    ///
    /// # Errors
    /// `invalid-parameter` where there are several.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.0.iter().filter(|(known, _)| known == name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(invalid(name, format!("{name} is there twice."))),
            (value, None) => Ok(value.map(|(_, value)| value.as_str())),
        }
    }

    /// Returns the parsed value of a parameter.
    ///
    /// # Errors
    /// `invalid-parameter`, with this detail, where it is absent or `parse` has no value.
    pub(crate) fn required<'q, T>(
        &'q self,
        name: &str,
        detail: &str,
        parse: impl FnOnce(&'q str) -> Option<T>,
    ) -> Result<T, Problem> {
        let value = self.text(name)?.and_then(parse);
        value.ok_or_else(|| invalid(name, detail.to_owned()))
    }

    /// Returns the parsed value of a parameter, if it is present.
    ///
    /// # Errors
    /// `invalid-parameter`, with this detail, where `parse` has no value.
    pub(crate) fn optional<'q, T>(
        &'q self,
        name: &str,
        detail: &str,
        parse: impl FnOnce(&'q str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        match self.text(name)? {
            None => Ok(None),
            Some(_) => self.required(name, detail, parse).map(Some),
        }
    }
}

fn invalid(name: &str, detail: String) -> Problem {
    Problem::invalid_parameter(detail, format!("/query/{name}"))
}

/// Parses the version in a path.
///
/// # Errors
/// `invalid-parameter`.
pub fn path_version(text: &str) -> Result<Version, Problem> {
    version(text).ok_or_else(|| Problem::invalid_parameter("A version is a number from 1 on.", "/path/id"))
}

fn version(text: &str) -> Option<Version> {
    digits(text).and_then(Version::new)
}

/// Parses a number of digits alone: the parser of Rust accepts a sign as well.
fn digits<N: FromStr>(text: &str) -> Option<N> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Parses the id in a path.
///
/// # Errors
/// `invalid-id`.
pub fn path_id<T: FromStr<Err = InvalidId>>(text: &str) -> Result<T, Problem> {
    parse_id(text).map_err(|problem| problem.at("/path/id"))
}

fn parse_id<T: FromStr<Err = InvalidId>>(text: &str) -> Result<T, Problem> {
    let id = text.parse();
    id.map_err(|error| Problem::new(ProblemCode::InvalidId, sentence(&error)))
}

/// The body of a batch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchGet {
    /// The terms, at most 100; the response has their order.
    #[schema(value_type = Vec<Id>, max_items = 100)]
    ids: Vec<Value>,
}

/// An id of a batch, or why what was requested is none.
pub type RequestedId = Result<TermId, Problem>;

/// Parses the ids of a body in order, with `invalid-id` in the place of each that is none.
///
/// # Errors
/// `invalid-body`, `too-many-ids`.
pub fn body_ids(body: &[u8]) -> Result<Vec<RequestedId>, Problem> {
    let batch: BatchGet = serde_json::from_slice(body).map_err(|_| {
        Problem::new(
            ProblemCode::InvalidBody,
            "The body is a JSON object such as {\"ids\":[1,2,3]}.",
        )
        .at("/body")
    })?;
    if batch.ids.len() > MAX_IDS {
        return Err(too_many().at("/body/ids"));
    }
    let ids = batch.ids.iter().enumerate();
    let ids = ids.map(|(position, id)| {
        let id = id.as_u64().or_else(|| whole(id.as_f64()?)).and_then(TermId::new);
        id.ok_or_else(|| {
            let detail = "A term id is a whole number from 0 to 9007199254740991.";
            Problem::new(ProblemCode::InvalidId, detail).at(format!("/body/ids/{position}"))
        })
    });
    Ok(ids.collect())
}

/// Converts a whole number that has a fraction of zeros: in JSON Schema `3.0` is an integer.
pub(crate) fn whole(number: f64) -> Option<u64> {
    let is_id = number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a whole number in range"
    )]
    let id = number as u64;
    is_id.then_some(id)
}

fn too_many() -> Problem {
    Problem::new(ProblemCode::TooManyIds, "A request has at most 100 ids.")
}

/// Formats an error of a library as a sentence: such errors begin in lower case and end without a full stop.
pub(crate) fn sentence(error: &impl ToString) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests;
