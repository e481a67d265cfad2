//! The responses that were sent before (docs/decisions/0010-caches.md). A response with an entity tag is kept as it was sent: the same request
//! under the same tag has the same bytes. So a request whose response is here costs no more than a 304, the tenant's head.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use taxonomy_keys::TenantId;
use taxonomy_runtime::http::Response;

use crate::cache::bounded::bounded;
use crate::response::etag::Tags;

/// The usual size of a response in bytes.
const USUAL_BYTES: u64 = 4_000;
/// The overhead of a response in bytes: the cache, the reference counts, the allocator, and the headers.
const OVERHEAD: usize = 800;
/// The largest body that is kept, in bytes. Larger ones are pages and trees, which are seldom requested twice from one process.
const MAX_BODY: usize = 64 * 1024;

/// Responses by everything that they depend on.
pub(crate) struct Prepared(Option<Cache<ResponseKey, Arc<Response>, ResponseWeight>>);

/// Everything that the response to a GET depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ResponseKey {
    /// The tags of the version, in the culture that `Accept-Language` chose.
    pub(crate) tags: Tags,
    /// The tenant, which the caller may read.
    pub(crate) tenant: TenantId,
    /// The path of the route.
    pub(crate) route: &'static str,
    /// The value of `{id}`.
    pub(crate) id: String,
    /// The query as it was sent.
    pub(crate) query: String,
    /// `Accept-Encoding`: a request without the header has another meaning than one with an empty one.
    pub(crate) accept_encoding: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct ResponseWeight;

impl Weighter<ResponseKey, Arc<Response>> for ResponseWeight {
    fn weight(&self, key: &ResponseKey, response: &Arc<Response>) -> u64 {
        let accept_encoding = key.accept_encoding.as_ref().map_or(0, String::len);
        let (tenant, tags) = (key.tenant.as_str().len(), key.tags.text().len());
        let texts = tenant + tags + key.id.len() + key.query.len() + accept_encoding;
        (OVERHEAD + size_of::<ResponseKey>() + texts + response.body.capacity()) as u64
    }
}

impl Prepared {
    /// Keeps at most `bytes` bytes of responses; none with 0.
    pub(crate) fn new(bytes: u64) -> Self {
        Self((bytes > 0).then(|| bounded(bytes, USUAL_BYTES, ResponseWeight)))
    }

    /// Returns the response that was sent to such a request.
    pub(crate) fn find(&self, request: &ResponseKey) -> Option<Arc<Response>> {
        self.0.as_ref()?.get(request)
    }

    /// Keeps a response as it is sent.
    pub(crate) fn keep(&self, request: ResponseKey, response: &Response) {
        if let Some(kept) = &self.0
            && response.status_code == 200
            && response.body.len() <= MAX_BODY
        {
            kept.insert(request, Arc::new(response.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: [&str; 4] = ["acme", "7", "culture=fr", "gzip"];

    fn parts(tags: &Tags, [tenant, id, query, codings]: [&str; 4]) -> ResponseKey {
        ResponseKey {
            tags: tags.clone(),
            tenant: tenant.parse().unwrap(),
            route: "/v1/tenants/{tenant}/terms/{id}",
            id: id.to_owned(),
            query: query.to_owned(),
            accept_encoding: Some(codings.to_owned()).filter(|codings| codings != "none"),
        }
    }

    fn is_kept(prepared: &Prepared, tags: &Tags, request: [&str; 4]) -> bool {
        prepared.find(&parts(tags, request)).is_some()
    }

    fn response(status_code: u16, body: &str) -> Response {
        Response {
            status_code,
            headers: [("etag", "\"1\"".into())].into(),
            body: body.to_owned(),
            is_base64_encoded: false,
        }
    }

    #[test]
    fn a_kept_response_is_found_by_the_same_request_alone() {
        let prepared = Prepared::new(1 << 20);
        let tags = Tags::new("1-0123456789abcdef", None);
        let sent = response(200, "{\"id\":7}");
        prepared.keep(parts(&tags, PARTS), &sent);
        assert_eq!(*prepared.find(&parts(&tags, PARTS)).unwrap(), sent);
        let french = "fr".parse().unwrap();
        let newer = Tags::new("2-0123456789abcdef", None);
        let in_french = Tags::new("1-0123456789abcdef", Some(&french));
        for (tags, other) in [
            (&tags, ["globex", "7", "culture=fr", "gzip"]),
            (&tags, ["acme", "77", "culture=fr", "gzip"]),
            (&tags, ["acme", "7c", "ulture=fr", "gzip"]),
            (&tags, ["acme", "7", "", "gzip"]),
            (&tags, ["acme", "7", "culture=fr", "br"]),
            (&tags, ["acme", "7", "culture=fr", ""]),
            (&tags, ["acme", "7", "culture=fr", "none"]),
            (&tags, ["acm", "e7", "culture=fr", "gzip"]),
            (&newer, PARTS),
            (&in_french, PARTS),
        ] {
            assert!(!is_kept(&prepared, tags, other), "{tags:?} {other:?}");
        }
    }

    #[test]
    fn what_is_no_whole_answer_and_a_large_body_are_not_kept() {
        let prepared = Prepared::new(1 << 20);
        let tags = Tags::new("1-0", None);
        let large = "x".repeat(MAX_BODY + 1);
        for response in [response(202, "{}"), response(200, &large)] {
            prepared.keep(parts(&tags, PARTS), &response);
            assert!(!is_kept(&prepared, &tags, PARTS));
        }
    }

    #[test]
    fn memory_is_bounded() {
        let prepared = Prepared::new(100_000);
        let tags = Tags::new("1-0", None);
        let ids: Vec<String> = (0..1_000).map(|id: u32| id.to_string()).collect();
        for id in &ids {
            let request = parts(&tags, ["acme", id, "", ""]);
            prepared.keep(request, &response(200, &"x".repeat(1_000)));
        }
        let kept = ids
            .iter()
            .filter(|id| is_kept(&prepared, &tags, ["acme", id, "", ""]));
        let kept = kept.count();
        // Each is its text and the overhead.
        assert!((20..=100_000 / (OVERHEAD + 1_000)).contains(&kept), "{kept}");
        let none = Prepared::new(0);
        none.keep(parts(&tags, PARTS), &response(200, "{}"));
        assert!(!is_kept(&none, &tags, PARTS));
    }
}
