//! Checks a response: with an ETag it must be that of a served version, byte for byte the same each time; without one, each of its parts must
//! be new enough.

use std::collections::{BTreeMap, HashMap};

use lookup::Response;
use taxonomy_tests::prelude::*;

use super::expected::{Entity, Query, Versions};

/// The greatest age of a response, in milliseconds.
const FRESH_MS: u64 = 2_000;

/// A request to a lookup process.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) tenant: &'static str,
    pub(crate) query: Query,
    pub(crate) culture: Option<&'static str>,
    pub(crate) if_none_match: Option<String>,
    /// The time at which the process received it, in milliseconds.
    pub(crate) began: u64,
    /// Whether a read of an index file failed meanwhile.
    pub(crate) is_file_unread: bool,
}

/// The number of responses of each kind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) responses: u64,
    /// Those with an ETag.
    pub(crate) tagged: u64,
    /// Those with status 304.
    pub(crate) not_modified: u64,
    /// Those that say that a file could not be read.
    pub(crate) unavailable: u64,
}

/// The tagged responses of all processes so far.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    tagged: HashMap<String, String>,
    pub(crate) counts: Counts,
}

impl Request {
    pub(crate) fn path(&self) -> String {
        let root = format!("/v1/tenants/{}", self.tenant);
        match &self.query {
            Query::Tenant => root,
            Query::Term(id) => format!("{root}/terms/{id}"),
            Query::Terms(_) => format!("{root}/terms"),
            Query::Category(id) => format!("{root}/categories/{id}"),
            Query::Categories(..) => format!("{root}/categories"),
        }
    }

    pub(crate) fn query(&self) -> String {
        let mut query = Vec::new();
        match &self.query {
            Query::Terms(ids) => {
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                query.push(format!("ids={}", ids.join(",")));
            }
            Query::Categories(limit, after) => {
                query.push(format!("limit={limit}"));
                query.extend(after.iter().map(|after| format!("cursor={}", after.cursor)));
            }
            _ => {}
        }
        query.extend(self.culture.map(|culture| format!("culture={culture}")));
        query.join("&")
    }
}

/// Returns the version and the changeset of an ETag such as `"7-0123456789abcdef-1"`.
pub(crate) fn version_of(etag: &str) -> Option<(u64, &str)> {
    let (version, rest) = etag.trim_matches('"').split_once('-')?;
    Some((version.parse().ok()?, rest.split_once('-')?.0))
}

impl Checker {
    pub(crate) fn check(
        &mut self,
        versions: &Versions,
        request: &Request,
        response: &Response,
    ) -> Result<(), String> {
        self.counts.responses += 1;
        let outcome = self.check_unnamed(versions, request, response);
        outcome.map_err(|violation| {
            format!(
                "{violation}: GET {}?{} at {} after version {}: {} {:?} {}",
                request.path(),
                request.query(),
                request.began,
                versions.served_at(request.began - FRESH_MS),
                response.status_code,
                response.headers.get("etag"),
                response.body
            )
        })
    }

    fn check_unnamed(
        &mut self,
        versions: &Versions,
        request: &Request,
        response: &Response,
    ) -> Result<(), String> {
        let least = versions.served_at(request.began - FRESH_MS);
        let etag = response.headers.get("etag").map(AsRef::as_ref);
        let tagged = etag
            .map(|etag| version_of(etag).ok_or("the ETag has another form"))
            .transpose()?;
        if let Some((version, changeset)) = tagged {
            let served = versions.served.get(&version);
            if served.is_none_or(|served| served.changeset != changeset) {
                return Err("the ETag is of a version that was never served".to_owned());
            }
            // A later page comes from the version of the first.
            let of_cursor = match &request.query {
                Query::Categories(_, after) => after.as_ref().map(|after| after.version),
                _ => None,
            };
            if version < least && of_cursor != Some(version) {
                return Err(format!("the ETag is of version {version}, which is too old"));
            }
        }
        match (response.status_code, tagged) {
            (304, Some(_)) => {
                self.counts.not_modified += 1;
                let is_same = request.if_none_match.as_deref() == etag;
                if is_same && response.body.is_empty() {
                    Ok(())
                } else {
                    Err("304 for another ETag".to_owned())
                }
            }
            (200, Some((version, _))) => {
                self.counts.tagged += 1;
                self.check_tagged(versions, request, response, version)
            }
            (200, None) if request.is_file_unread && matches!(request.query, Query::Terms(_)) => {
                self.counts.unavailable += 1;
                check_partial(versions, request, response, least)
            }
            (200, None) => Err("an answer without an ETag".to_owned()),
            (404, None) => {
                let exists = match &request.query {
                    Query::Term(id) => versions.has(least, &Entity::Term(*id)),
                    Query::Category(id) => versions.has(least, &Entity::Category(*id)),
                    _ => least > 0,
                };
                if exists {
                    Err("not found".to_owned())
                } else {
                    Ok(())
                }
            }
            (503, None) if request.is_file_unread => {
                self.counts.unavailable += 1;
                Ok(())
            }
            _ => Err("an error".to_owned()),
        }
    }

    /// Checks that responses with one URL and ETag have the same bytes, and that these are those of the version.
    fn check_tagged(
        &mut self,
        versions: &Versions,
        request: &Request,
        response: &Response,
        version: u64,
    ) -> Result<(), String> {
        let url = format!(
            "{}?{} {}",
            request.path(),
            request.query(),
            response.headers["etag"]
        );
        let headers: BTreeMap<_, _> = response.headers.iter().collect();
        let bytes = format!("{headers:?} {}", response.body);
        let before = self.tagged.entry(url).or_insert_with(|| bytes.clone());
        if *before != bytes {
            return Err(format!("one ETag has two responses, the other is {before}"));
        }
        let mut found = body(response);
        let fields = found.as_object_mut().unwrap();
        match &request.query {
            Query::Tenant => drop(fields.remove("committedAt")),
            Query::Categories(..) => drop(fields.remove("nextCursor")),
            Query::Terms(_) => {
                for item in fields["items"].as_array_mut().unwrap() {
                    item.as_object_mut().unwrap().remove("problem");
                }
            }
            _ => {}
        }
        let expected = versions.response(version, &request.query, request.culture);
        if expected.as_ref() == Some(&found) {
            Ok(())
        } else {
            Err(format!("version {version} has {}", expected.unwrap_or_default()))
        }
    }
}

/// Checks a batch of which some terms are unavailable, because a file was not read: no cache may keep it, and the others are those of its version.
fn check_partial(
    versions: &Versions,
    request: &Request,
    response: &Response,
    least: u64,
) -> Result<(), String> {
    let header = |name| response.headers.get(name).map(AsRef::as_ref);
    if header("cache-control") != Some("no-store") {
        return Err("a cache may keep a batch that lacks terms".to_owned());
    }
    let version = header("taxonomy-version").and_then(|version: &str| version.parse().ok());
    let version = version.filter(|version| *version >= least && versions.served.contains_key(version));
    let version = version.ok_or("a batch of a version that is too old, or was never served")?;
    let expected = versions.response(version, &request.query, request.culture);
    let expected = expected.ok_or("a batch of no version")?;
    let found = body(response);
    let pairs = found["items"].as_array().unwrap().iter();
    let pairs = pairs.zip(expected["items"].as_array().unwrap());
    let (mut unread, mut there, mut missing) = (0, 0, 0);
    for (found, expected) in pairs {
        match (found["status"].as_u64(), found["problem"]["type"].as_str()) {
            (Some(503), Some("/problems/archive-unavailable")) => unread += 1,
            (Some(200), None) if found == expected => there += 1,
            // That the version has no such term may be kept from an answer before.
            (Some(404), Some("/problems/term-not-found")) if expected["status"] == 404 => missing += 1,
            _ => return Err(format!("version {version} has {expected}")),
        }
    }
    let all = unread + there + missing;
    match unread > 0 && there > 0 && found["items"].as_array().map(Vec::len) == Some(all) {
        true => Ok(()),
        false => Err("a batch without an ETag that has all its terms, or none".to_owned()),
    }
}

fn body(response: &Response) -> Value {
    serde_json::from_str(&response.body).unwrap()
}
