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
    use super::*;
    use crate::settings::{Endpoints, Jwt, SignIn, TaxonomySource};

    fn jwt(endpoints: Option<Endpoints>) -> PageSettings {
        let jwt = Jwt {
            issuer: "https://id.example/pool".to_owned(),
            client_id: "explorer".to_owned(),
            scope: "openid".to_owned(),
            claim: "tenants".to_owned(),
            endpoints,
        };
        PageSettings {
            source: TaxonomySource::Stack("taxonomy".to_owned()),
            sign_in: SignIn::Jwt(Box::new(jwt)),
        }
    }

    fn endpoints(token: &str) -> Endpoints {
        Endpoints {
            authorization: "https://login.example/authorize".to_owned(),
            token: token.to_owned(),
            end_session: None,
        }
    }

    fn pages() -> Pages {
        let source = TaxonomySource::File("jobs.json".to_owned());
        Pages::new(&PageSettings {
            source,
            sign_in: SignIn::None,
        })
        .unwrap()
    }

    fn header<'a>(answer: &'a PageResponse<'_>, name: &str) -> Option<&'a str> {
        let found = answer.headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    /// A path of an asset of a page, out of the page.
    fn asset(pages: &Pages, page: &str) -> String {
        let answer = pages.answer(page, None).unwrap();
        let text = std::str::from_utf8(answer.body).unwrap();
        let path = text.split('"').find(|text| text.ends_with("/main.js"));
        format!("/{}", path.unwrap())
    }

    #[test]
    fn a_page_is_asked_for_each_time_and_its_assets_once() {
        let pages = pages();
        for page in ["/explore", "/docs"] {
            let answer = pages.answer(page, None).unwrap();
            assert_eq!(
                (answer.status, header(&answer, "cache-control")),
                (200, Some("no-cache"))
            );
            assert_eq!(header(&answer, "content-type"), Some("text/html; charset=utf-8"));
            let path = asset(&pages, page);
            let answer = pages.answer(&path, None).unwrap();
            assert_eq!(answer.status, 200);
            assert_eq!(
                header(&answer, "cache-control"),
                Some("public, max-age=31536000, immutable")
            );
            assert_eq!(
                header(&answer, "content-type"),
                Some("text/javascript; charset=utf-8")
            );
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
    fn what_is_not_there_is_not_found_and_what_is_no_page_is_left_to_others() {
        let pages = pages();
        for path in [
            "/explore/",
            "/explore/assets/main.js",
            "/explore/assets/0123456789abcdef/main.js",
            "/explore/../v1",
            "/docs/config.json",
            "/docs/x",
        ] {
            let answer = pages.answer(path, None).unwrap();
            assert_eq!(
                (answer.status, header(&answer, "cache-control")),
                (404, Some("no-store")),
                "{path}"
            );
            assert!(header(&answer, "content-security-policy").is_some());
        }
        for path in [
            "",
            "/",
            "explore",
            "/v1/tenants",
            "/explorer",
            "/documents",
            "//explore",
        ] {
            assert_eq!(pages.answer(path, None), None, "{path}");
        }
    }

    #[test]
    fn every_answer_says_how_it_may_be_used() {
        let pages = pages();
        let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
        let assets = ["/explore", "/docs"].map(|page| asset(&pages, page));
        for path in [
            "/explore",
            "/explore/config.json",
            &assets[0],
            "/explore/x",
            "/docs",
            &assets[1],
        ] {
            let answer = pages.answer(path, None).unwrap();
            assert_eq!(header(&answer, "content-security-policy"), Some(policy), "{path}");
            assert_eq!(header(&answer, "x-content-type-options"), Some("nosniff"));
            assert_eq!(header(&answer, "referrer-policy"), Some("no-referrer"));
            assert_eq!(header(&answer, "cross-origin-opener-policy"), Some("same-origin"));
        }
    }

    #[test]
    fn settings_are_what_the_explorer_reads() {
        let config = |settings: &PageSettings| {
            let pages = Pages::new(settings).unwrap();
            let answer = pages.answer(CONFIG, Some("br")).unwrap();
            assert_eq!(header(&answer, "cache-control"), Some("no-store"));
            serde_json::from_slice::<serde_json::Value>(answer.body).unwrap()
        };
        let plan = PageSettings {
            source: TaxonomySource::Plan("v2.json".to_owned()),
            sign_in: SignIn::None,
        };
        let expect = serde_json::json!({
            "formatVersion": 1, "source": {"kind": "plan", "name": "v2.json"}, "auth": {"mode": "none"},
        });
        assert_eq!(config(&plan), expect);
        let signed = PageSettings {
            source: TaxonomySource::Stack("taxonomy".to_owned()),
            sign_in: SignIn::Signed,
        };
        assert_eq!(config(&signed)["auth"], serde_json::json!({"mode": "signed"}));
        let expect = serde_json::json!({
            "formatVersion": 1, "source": {"kind": "stack", "name": "taxonomy"},
            "auth": {
                "mode": "jwt", "issuer": "https://id.example/pool", "clientId": "explorer", "scope": "openid", "claim": "tenants",
                "endpoints": {"authorization": "https://login.example/authorize", "token": "https://login.example/token"},
            },
        });
        assert_eq!(
            config(&jwt(Some(endpoints("https://login.example/token")))),
            expect
        );
    }

    #[test]
    fn the_provider_may_be_asked_and_no_other_host() {
        let connect = |settings: &PageSettings| {
            let pages = Pages::new(settings).unwrap();
            let policies = ["/explore", "/docs"].map(|page| {
                header(&pages.answer(page, None).unwrap(), "content-security-policy")
                    .unwrap()
                    .to_owned()
            });
            policies.map(|policy| {
                policy
                    .split("; ")
                    .find(|part| part.starts_with("connect-src"))
                    .unwrap()
                    .to_owned()
            })
        };
        assert_eq!(
            connect(&jwt(None)),
            ["connect-src 'self' https://id.example", "connect-src 'self'"]
        );
        let elsewhere = jwt(Some(endpoints("https://login.example/token")));
        assert_eq!(
            connect(&elsewhere)[0],
            "connect-src 'self' https://id.example https://login.example"
        );
        let same = jwt(Some(endpoints("https://id.example/token")));
        assert_eq!(connect(&same)[0], "connect-src 'self' https://id.example");
        let unsafe_one = jwt(Some(endpoints("http://login.example/token")));
        assert_eq!(Pages::new(&unsafe_one).unwrap_err(), InvalidUrl);
    }
}
