//! The answer to a request for a path of the pages.

use taxonomy_runtime::http::{Accepted, Coding};

use crate::files::File;
use crate::origin::InvalidUrl;
use crate::policy;
use crate::settings::PageSettings;

const CONFIG: &str = "/explore/config.json";
const NO_PAGE: &[u8] = b"There is no such page. The explorer is at /explore, the API page at /docs, without a slash at the end.\n";

/// The explorer and the API page under certain settings.
#[derive(Debug)]
pub struct Pages {
    config: Vec<u8>,
    explorer_policy: String,
    docs_policy: String,
}

/// An answer to `GET`; that to `HEAD` is the same without the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageResponse<'p> {
    /// 200 or 404.
    pub status: u16,
    /// Names in lower case, with their values.
    pub headers: Vec<(&'static str, &'p str)>,
    /// The body, in the coding that `content-encoding` names.
    pub body: &'p [u8],
}

impl Pages {
    /// The pages under these settings.
    ///
    /// # Errors
    /// [`InvalidUrl`] where a URL of the OpenID provider is none, or is not safe.
    pub fn new(settings: &PageSettings) -> Result<Self, InvalidUrl> {
        Ok(Self {
            config: settings.json().map_err(|_| InvalidUrl)?,
            explorer_policy: policy::policy(&settings.origins()?),
            docs_policy: policy::policy(&[]),
        })
    }

    /// The answer to a request for a path below the stage, by its `Accept-Encoding`; none where the path is not one of the pages.
    pub fn answer(&self, path: &str, accept_encoding: Option<&str>) -> Option<PageResponse<'_>> {
        let page = path.strip_prefix('/')?.split('/').next()?;
        let policy = match page {
            "explore" => &*self.explorer_policy,
            "docs" => &self.docs_policy,
            _ => return None,
        };
        let mut headers = vec![
            ("content-security-policy", policy),
            ("cross-origin-opener-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
        ];
        let file = File::at(path).map(|file| (file, coding(file, accept_encoding)));
        let (status, media_type, cache_control, body) = match file {
            _ if path == CONFIG => (200, "application/json", "no-store", &*self.config),
            Some((file, coding)) => (200, file.media_type, file.cache_control(), file.body(coding)),
            None => (404, "text/plain; charset=utf-8", "no-store", NO_PAGE),
        };
        headers.extend([("content-type", media_type), ("cache-control", cache_control)]);
        if let Some((_, coding)) = file {
            headers.push(("vary", "accept-encoding"));
            headers.extend(coding.name().map(|name| ("content-encoding", name)));
        }
        Some(PageResponse {
            status,
            headers,
            body,
        })
    }
}

/// The best coding that the request accepts.
fn coding(file: &File, accept_encoding: Option<&str>) -> Coding {
    let bytes = file.body(Coding::Identity).len();
    Accepted::from_header(accept_encoding)
        .order(bytes)
        .next()
        .unwrap_or(Coding::Identity)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::files::FILES;
    use crate::settings::{Endpoints, Jwt, SignIn, TaxonomySource};

    fn settings(source: TaxonomySource, sign_in: SignIn) -> PageSettings {
        PageSettings { source, sign_in }
    }

    fn stack() -> TaxonomySource {
        TaxonomySource::Stack("taxonomy".to_owned())
    }

    /// The settings with a provider, and the endpoint of its tokens where it is not the issuer's.
    fn jwt(token: Option<&str>) -> PageSettings {
        let endpoints = token.map(|token| Endpoints {
            authorization: "https://login.example/authorize".to_owned(),
            token: token.to_owned(),
            end_session: None,
        });
        let jwt = Jwt {
            issuer: "https://id.example/pool".to_owned(),
            client_id: "explorer".to_owned(),
            scope: "openid".to_owned(),
            claim: "tenants".to_owned(),
            endpoints,
        };
        settings(stack(), SignIn::Jwt(Box::new(jwt)))
    }

    fn pages() -> Pages {
        let file = TaxonomySource::File("jobs.json".to_owned());
        Pages::new(&settings(file, SignIn::None)).unwrap()
    }

    fn header<'a>(answer: &'a PageResponse<'_>, name: &str) -> Option<&'a str> {
        let found = answer.headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    /// A page is asked for each time, its assets once, and nothing else is kept.
    #[test]
    fn every_answer_says_how_it_may_be_used_and_kept() {
        let pages = pages();
        let immutable = "public, max-age=31536000, immutable";
        let files = FILES
            .iter()
            .map(|file| (file.path, 200, if file.is_asset { immutable } else { "no-cache" }));
        let missing = [
            "/explore/",
            "/explore/assets/main.js",
            "/explore/assets/0123456789abcdef/main.js",
            "/explore/../v1",
            "/docs/config.json",
            "/docs/x",
        ];
        let missing = missing.map(|path| (path, 404, "no-store"));
        for (path, status, kept) in files.chain(missing).chain([(CONFIG, 200, "no-store")]) {
            let answer = pages.answer(path, None).unwrap();
            let found = (answer.status, header(&answer, "cache-control"));
            assert_eq!(found, (status, Some(kept)), "{path}");
            for (name, value) in [
                ("content-security-policy", POLICY),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-opener-policy", "same-origin"),
            ] {
                assert_eq!(header(&answer, name), Some(value), "{path}");
            }
        }
        let scripts = FILES.iter().filter(|file| file.path.ends_with(".js"));
        let scripts = scripts.map(|file| (file.path, "text/javascript; charset=utf-8"));
        let pages_and_config = [
            ("/explore", "text/html"),
            ("/docs", "text/html"),
            (CONFIG, "application/json"),
        ];
        for (path, expect) in scripts.chain(pages_and_config) {
            let answer = pages.answer(path, None).unwrap();
            let found = header(&answer, "content-type").unwrap();
            assert!(found.starts_with(expect), "{path}: {found}");
        }
        let others = [
            "",
            "/",
            "explore",
            "/v1/tenants",
            "/explorer",
            "/documents",
            "//explore",
        ];
        for path in others {
            assert_eq!(pages.answer(path, None), None, "{path}");
        }
    }

    #[test]
    fn a_file_is_in_the_best_coding_that_is_accepted() {
        let pages = pages();
        for (accepted, coding) in [
            (Some("gzip, deflate, br, zstd"), Some("br")),
            (Some("gzip"), Some("gzip")),
            (Some(""), None),
            (None, None),
        ] {
            let answer = pages.answer("/explore", accepted).unwrap();
            assert_eq!(header(&answer, "content-encoding"), coding);
            assert_eq!(header(&answer, "vary"), Some("accept-encoding"));
            assert_eq!(answer.body.starts_with(b"<!doctype html>"), coding.is_none());
        }
    }

    #[test]
    fn settings_are_what_the_explorer_reads() {
        let plan = TaxonomySource::Plan("v2.json".to_owned());
        let endpoints = json!({"authorization": "https://login.example/authorize", "token": "https://login.example/token"});
        let provider = json!({
            "mode": "jwt", "issuer": "https://id.example/pool", "clientId": "explorer", "scope": "openid", "claim": "tenants",
            "endpoints": endpoints,
        });
        let (none, signed) = (json!({"mode": "none"}), json!({"mode": "signed"}));
        let by_provider = jwt(Some("https://login.example/token"));
        for (settings, kind, name, auth) in [
            (settings(plan, SignIn::None), "plan", "v2.json", none),
            (settings(stack(), SignIn::Signed), "stack", "taxonomy", signed),
            (by_provider, "stack", "taxonomy", provider),
        ] {
            let pages = Pages::new(&settings).unwrap();
            let config = pages.answer(CONFIG, Some("br")).unwrap();
            let config: Value = serde_json::from_slice(config.body).unwrap();
            let source = json!({"kind": kind, "name": name});
            let expect = json!({"formatVersion": 1, "source": source, "auth": auth});
            assert_eq!(config, expect);
        }
    }

    #[test]
    fn the_provider_may_be_asked_and_no_other_host() {
        for (token, connect) in [
            (None, "'self' https://id.example"),
            (
                Some("https://login.example/token"),
                "'self' https://id.example https://login.example",
            ),
            (Some("https://id.example/token"), "'self' https://id.example"),
        ] {
            let pages = Pages::new(&jwt(token)).unwrap();
            let with = POLICY.replace("connect-src 'self'", &format!("connect-src {connect}"));
            for (page, policy) in [("/explore", &*with), ("/docs", POLICY)] {
                let answer = pages.answer(page, None).unwrap();
                assert_eq!(header(&answer, "content-security-policy"), Some(policy));
            }
        }
        let exposed = Pages::new(&jwt(Some("http://login.example/token")));
        assert_eq!(exposed.unwrap_err(), InvalidUrl);
    }
}
