//! The parameters of a request for suggestions.

use sha2::{Digest, Sha256};
use taxonomy_index::search::{Deprecated, Node, Query, QueryError};
use taxonomy_keys::Culture;

use crate::files::Branch;
use crate::request::parameters::Parameters;
use crate::response::problem::Problem;
use crate::routes::branch::branch;

/// The maximum number of items of a page: the bound of the search itself.
const MAX_LIMIT: u16 = 50;
const DEFAULT_LIMIT: u16 = 10;

/// A request for suggestions.
#[derive(Debug)]
pub(super) struct Wanted<'q> {
    pub(super) text: &'q str,
    pub(super) query: Query,
    /// The text as an id.
    pub(super) id: Option<u64>,
    pub(super) limit: usize,
    pub(super) counts_all: bool,
    pub(super) has_facets: bool,
    pub(super) has_all_cultures: bool,
    culture: Option<Culture>,
    pub(super) branch: Option<Branch>,
    pub(super) by_all_parents: bool,
    pub(super) node: Option<Node>,
    /// Levels below the branch, or below the categories.
    pub(super) depth: Option<u8>,
    pub(super) missing: Option<Culture>,
    pub(super) deprecated: Deprecated,
}

impl<'q> Wanted<'q> {
    pub(super) fn parse(query: &'q Parameters) -> Result<Self, Problem> {
        let text = query.required("q", "q is required, such as q=rust.", Some)?;
        let is = |name, value: &'static str| {
            let detail = format!("{name} is {value}.");
            let found = query.optional(name, &detail, |text| (text == value).then_some(true));
            Ok::<_, Problem>(found?.unwrap_or_default())
        };
        let wanted = Self {
            text,
            query: Query::parse(text).map_err(refused)?,
            id: id(text),
            limit: query.number("limit", MAX_LIMIT, DEFAULT_LIMIT)?.into(),
            counts_all: is("total", "exact")?,
            has_facets: is("counts", "facets")?,
            has_all_cultures: is("cultures", "all")?,
            culture: query.culture()?,
            branch: branch(query)?,
            by_all_parents: query.all_parents()?,
            node: query.optional("kind", "kind is category or term.", node)?,
            depth: depth(query)?,
            missing: query.optional("missing", "missing is a language tag.", |tag| tag.parse().ok())?,
            deprecated: query.deprecated()?,
        };
        if wanted.by_all_parents && !matches!(wanted.branch, Some(Branch::Below(_))) {
            return Err(Problem::invalid_parameter(
                "parents is beside below alone.",
                "/query/parents",
            ));
        }
        if wanted.by_all_parents && wanted.depth.is_some() {
            let detail =
                "depth and parents exclude each other: by several parents a term has several depths.";
            return Err(Problem::invalid_parameter(detail, "/query/depth"));
        }
        Ok(wanted)
    }

    /// Returns the name of the list of hits, for its cursors: all that the hits and their order depend on.
    pub(super) fn list(&self, accept_language: Option<&str>) -> String {
        let Self {
            text,
            culture,
            has_all_cultures,
            has_facets,
            branch,
            by_all_parents,
            node,
            depth,
            missing,
            deprecated,
            ..
        } = self;
        let languages = (culture, accept_language, has_all_cultures);
        let filters = (
            branch,
            by_all_parents,
            node,
            depth,
            missing,
            deprecated,
            has_facets,
        );
        let digest = Sha256::digest(format!("{text:?} {languages:?} {filters:?}"));
        let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        format!("suggest:{}", digits.collect::<String>())
    }
}

fn refused(error: QueryError) -> Problem {
    match error {
        QueryError::TooLong => Problem::invalid_parameter("q has at most 500 characters.", "/query/q"),
        QueryError::Limit => Problem::internal(error),
    }
}

/// Parses a text of digits alone.
fn id(text: &str) -> Option<u64> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn node(text: &str) -> Option<Node> {
    match text {
        "category" => Some(Node::Category),
        "term" => Some(Node::Term),
        _ => None,
    }
}

fn depth(query: &Parameters) -> Result<Option<u8>, Problem> {
    match query.text("depth")? {
        Some(_) => query.depth().map(Some),
        None => Ok(None),
    }
}
