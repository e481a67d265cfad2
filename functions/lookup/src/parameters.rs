//! What a request asks for, out of its query and body. Every refusal names the parameter to blame.

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::Value;
use taxonomy_keys::{Culture, TermId};
use utoipa::ToSchema;

use crate::problem::{Code, Problem};

/// The most ids that one request may ask for; one BatchGetItem takes as many.
pub const MAX_IDS: usize = 100;
/// The most items on a page, and how many there are where the request does not say.
pub const MAX_LIMIT: u16 = 100;
const DEFAULT_LIMIT: u16 = 50;

/// The parameters of a query, decoded. Those that no route knows are ignored.
#[derive(Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Decodes a query as it was sent: `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// `invalid-parameter` where an escape does not make UTF-8.
    pub fn parse(query: &str) -> Result<Self, Problem> {
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
        let invalid = || Problem::new(Code::InvalidParameter, "The query is not UTF-8.").at("/query");
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

    /// How many items a page has.
    ///
    /// # Errors
    /// `invalid-parameter` where it is no number from 1 to 100.
    pub fn limit(&self) -> Result<u16, Problem> {
        let Some(text) = self.only("limit", "/query/limit")? else {
            return Ok(DEFAULT_LIMIT);
        };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let limit = text
            .parse()
            .ok()
            .filter(|limit| digits && (1..=MAX_LIMIT).contains(limit));
        limit.ok_or_else(|| {
            Problem::new(Code::InvalidParameter, "limit is a number from 1 to 100.").at("/query/limit")
        })
    }

    /// Where the page begins, as the page before said it.
    ///
    /// # Errors
    /// `invalid-parameter` where there are several.
    pub fn cursor(&self) -> Result<Option<&str>, Problem> {
        self.only("cursor", "/query/cursor")
    }

    /// The ids asked for, in order.
    ///
    /// # Errors
    /// `invalid-parameter` without any, `too-many-ids`, `invalid-id` for the first that is none.
    pub fn ids(&self) -> Result<Vec<TermId>, Problem> {
        let text = self.only("ids", "/query/ids")?.filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| {
            Problem::new(Code::InvalidParameter, "ids is required, such as ids=1,2,3.").at("/query/ids")
        })?;
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
            (_, Some(_)) => {
                Err(Problem::new(Code::InvalidParameter, format!("{name} is there twice.")).at(pointer))
            }
            (value, None) => Ok(value),
        }
    }
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
    #[schema(value_type = Vec<u64>, max_items = 100)]
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
        let id = id.as_u64().and_then(TermId::new);
        id.ok_or_else(|| {
            let detail = "A term id is a whole number from 0 to 9007199254740991.";
            Problem::new(Code::InvalidId, detail).at(format!("/body/ids/{position}"))
        })
    })
    .collect()
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
mod tests {
    use super::*;

    fn parameters(query: &str) -> Parameters {
        Parameters::parse(query).unwrap()
    }

    fn blamed<T: std::fmt::Debug>(outcome: Result<T, Problem>) -> String {
        let problem = outcome.unwrap_err();
        let document = serde_json::to_value(problem.document()).unwrap();
        format!(
            "{} {}",
            problem.code().as_str(),
            document["pointer"].as_str().unwrap_or("-")
        )
    }

    #[test]
    fn a_query_is_decoded_once() {
        assert_eq!(parameters("cursor=a%2Bb+c&x").cursor().unwrap(), Some("a+b c"));
        assert_eq!(parameters("cursor=%2541").cursor().unwrap(), Some("%41"));
        assert_eq!(parameters("cursor").cursor().unwrap(), Some(""));
        assert_eq!(parameters("").cursor().unwrap(), None);
        assert_eq!(
            parameters("&&x=<>\"{}^`\\\u{1}&cursor=1=2&").cursor().unwrap(),
            Some("1=2")
        );
        assert_eq!(
            blamed(Parameters::parse("culture=%FF")),
            "invalid-parameter /query"
        );
    }

    #[test]
    fn a_culture_is_a_language_tag() {
        let culture = |query: &str| {
            parameters(query)
                .culture()
                .map(|tag| tag.map(|tag| tag.to_string()))
        };
        assert_eq!(culture("").unwrap(), None);
        assert_eq!(culture("culture=EN-gb").unwrap().as_deref(), Some("en-GB"));
        for query in ["culture=en_GB", "culture=", "culture=%3Cx%3E", "culture=<x>"] {
            assert_eq!(
                blamed(culture(query)),
                "invalid-culture /query/culture",
                "{query}"
            );
        }
        assert_eq!(
            blamed(culture("culture=en&culture=fr")),
            "invalid-parameter /query/culture"
        );
    }

    #[test]
    fn a_limit_is_from_1_to_100() {
        assert_eq!(parameters("").limit().unwrap(), 50);
        assert_eq!(parameters("limit=1").limit().unwrap(), 1);
        assert_eq!(parameters("limit=100").limit().unwrap(), 100);
        for query in [
            "limit=0",
            "limit=101",
            "limit=",
            "limit=%2B5",
            "limit=-1",
            "limit=many",
            "limit=1e1",
            "limit=99999",
        ] {
            assert_eq!(
                blamed(parameters(query).limit()),
                "invalid-parameter /query/limit",
                "{query}"
            );
        }
    }

    #[test]
    fn ids_keep_their_order_and_their_duplicates() {
        let ids = parameters("ids=3,1,3").ids().unwrap();
        assert_eq!(ids.iter().map(|id| id.get()).collect::<Vec<_>>(), [3, 1, 3]);
        assert_eq!(parameters("ids=3%2C1").ids().unwrap().len(), 2);
    }

    #[test]
    fn ids_that_cannot_be_are_blamed_by_their_place() {
        let hundred = vec!["1"; 100].join(",");
        assert_eq!(parameters(&format!("ids={hundred}")).ids().unwrap().len(), 100);
        for (query, expect) in [
            ("", "invalid-parameter /query/ids"),
            ("ids=", "invalid-parameter /query/ids"),
            ("ids=1&ids=2", "invalid-parameter /query/ids"),
            ("ids=1,,2", "invalid-id /query/ids/1"),
            ("ids=1,x", "invalid-id /query/ids/1"),
            ("ids=01", "invalid-id /query/ids/0"),
            ("ids=1,2,-3", "invalid-id /query/ids/2"),
            ("ids=9007199254740992", "invalid-id /query/ids/0"),
            (&format!("ids={hundred},1"), "too-many-ids /query/ids"),
        ] {
            assert_eq!(blamed(parameters(query).ids()), expect, "{query}");
        }
    }

    #[test]
    fn a_body_holds_ids_and_nothing_else() {
        assert_eq!(body_ids(br#"{"ids":[2,0,9007199254740991]}"#).unwrap().len(), 3);
        assert_eq!(body_ids(br#"{"ids":[]}"#).unwrap(), []);
        let many = format!(r#"{{"ids":{:?}}}"#, vec![1; 101]);
        for (body, expect) in [
            ("", "invalid-body /body"),
            ("{", "invalid-body /body"),
            ("[]", "invalid-body /body"),
            ("{}", "invalid-body /body"),
            (r#"{"ids":"113"}"#, "invalid-body /body"),
            (r#"{"ids":null}"#, "invalid-body /body"),
            (r#"{"ids":[1]} x"#, "invalid-body /body"),
            (r#"{"ids":[1],"ids":[2]}"#, "invalid-body /body"),
            (r#"{"ids":[1],"culture":"fr-FR"}"#, "invalid-body /body"),
            (r#"{"ids":[1,2,3,"4"]}"#, "invalid-id /body/ids/3"),
            (r#"{"ids":[-1]}"#, "invalid-id /body/ids/0"),
            (r#"{"ids":[1.5]}"#, "invalid-id /body/ids/0"),
            (r#"{"ids":[null]}"#, "invalid-id /body/ids/0"),
            (r#"{"ids":[9007199254740992]}"#, "invalid-id /body/ids/0"),
            (&many, "too-many-ids /body/ids"),
        ] {
            assert_eq!(blamed(body_ids(body.as_bytes())), expect, "{body}");
        }
    }

    #[test]
    fn the_id_of_a_path_is_a_number() {
        assert_eq!(path_id::<TermId>("7").unwrap().get(), 7);
        for text in [
            "",
            "07",
            "+7",
            "-1",
            "1.5",
            "rust",
            "9007199254740992",
            "%37",
            "7 ",
            "..",
        ] {
            assert_eq!(blamed(path_id::<TermId>(text)), "invalid-id /path/id", "{text}");
        }
    }
}
