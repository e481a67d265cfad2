//! A request from beginning to end, and its line in the log.

use taxonomy_runtime::http::Response;

use crate::Pages;
use crate::answer::{refused, with_body};
use crate::event::Event;

impl Pages {
    /// Responds to a request, whatever it is: 404 for another path than those of the pages, 405 for another method than `GET` and `HEAD`.
    pub fn respond(&self, event: &Event) -> Response {
        let answer = self.find(event);
        let (route, status, request_id) = (
            event.route().unwrap_or("-"),
            answer.status_code,
            event.request_context.request_id.as_deref(),
        );
        tracing::info!(route, status, request_id, "{route} {status}");
        answer
    }

    fn find(&self, event: &Event) -> Response {
        let method = &*event.request_context.http.method;
        if !["GET", "HEAD"].contains(&method) {
            let mut refused = refused(405, "There are GET and HEAD.");
            refused.headers.insert("allow", "GET, HEAD".into());
            return refused;
        }
        let path = event.path();
        match path.and_then(|path| self.answer(&path, event.accept_encoding())) {
            Some(page) if method == "HEAD" => with_body(&page).without_body(),
            Some(page) => with_body(&page),
            None => refused(404, "There is no such page."),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use crate::{PageSettings, SignIn, TaxonomySource};
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;

    /// The documented limit of an invocation's answer.
    const PASSED_ON: usize = 6_291_556;

    fn server() -> Pages {
        let settings = PageSettings {
            source: TaxonomySource::Stack("taxonomy".to_owned()),
            sign_in: SignIn::None,
        };
        Pages::new(&settings).unwrap()
    }

    fn event(method: &str, path: &str, accept_encoding: &str) -> Event {
        let mut parts = path.trim_start_matches('/').splitn(2, '/');
        let page = parts.next().unwrap();
        let (route, parameters) = match parts.next() {
            None => (format!("{method} /{page}"), json!({})),
            Some(rest) => (format!("{method} /{page}/{{proxy+}}"), json!({"proxy": rest})),
        };
        let event = json!({
            "version": "2.0",
            "routeKey": route,
            "rawPath": format!("/stage{path}"),
            "headers": {"accept-encoding": accept_encoding},
            "pathParameters": parameters,
            "requestContext": {"routeKey": route, "requestId": "r", "http": {"method": method}},
        });
        serde_json::from_value(event).unwrap()
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
            .collect()
    }

    /// Every path that the pages have.
    fn paths() -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pages");
        let mut paths = vec!["/explore/config.json".to_owned()];
        let folder = root.join("explore/assets");
        for page in ["/explore", "/docs"] {
            let text = server().respond(&event("GET", page, "")).body;
            let (_, rest) = text.split_once("explore/assets/").unwrap();
            let digest = rest.split('/').next().unwrap();
            paths.push(page.to_owned());
            paths.extend(files(&folder).into_iter().map(|file| {
                let name = file.strip_prefix(&folder).unwrap().to_str().unwrap();
                format!("/explore/assets/{digest}/{name}")
            }));
        }
        paths
    }

    #[test]
    fn every_file_is_answered_in_every_coding_and_lambda_carries_it() {
        let (server, paths) = (server(), paths());
        assert!(paths.len() > 40, "{paths:?}");
        for path in &paths {
            for accepted in ["", "gzip", "br"] {
                let get = server.respond(&event("GET", path, accepted));
                assert_eq!(get.status_code, 200, "{path}");
                assert!(
                    serde_json::to_vec(&get).unwrap().len() <= PASSED_ON,
                    "{path} {accepted}"
                );
                let body = match get.is_base64_encoded {
                    true => STANDARD.decode(&get.body).unwrap(),
                    false => get.body.clone().into_bytes(),
                };
                let expect = server.answer(path, Some(accepted)).unwrap();
                assert!(body == expect.body, "{path} {accepted}");

                let mut head = server.respond(&event("HEAD", path, accepted));
                let length = head.headers.remove("content-length").unwrap();
                assert_eq!(length, body.len().to_string(), "{path} {accepted}");
                assert_eq!((&*head.body, head.is_base64_encoded), ("", false));
                assert_eq!(
                    (head.status_code, head.headers),
                    (200, get.headers),
                    "{path} {accepted}"
                );
            }
        }
    }

    #[test]
    fn other_paths_and_other_methods_are_refused() {
        let server = server();
        for path in [
            "/explore/nothing",
            "/docs/config.json",
            "/explore/../v1/health",
            "/v1/health",
            "/else",
        ] {
            let answer = server.respond(&event("GET", path, "br"));
            assert_eq!(
                (answer.status_code, &*answer.headers["cache-control"]),
                (404, "no-store"),
                "{path}"
            );
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
            let answer = server.respond(&event(method, "/explore", ""));
            assert_eq!(
                (answer.status_code, &*answer.headers["allow"]),
                (405, "GET, HEAD"),
                "{method}"
            );
        }
    }

    #[test]
    fn the_sample_events_are_requests_for_pages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events/pages");
        let samples = files(&folder);
        assert!(!samples.is_empty());
        for sample in samples {
            let event = serde_json::from_slice(&std::fs::read(&sample).unwrap()).unwrap();
            let expect = if sample.ends_with("unknown.json") {
                404
            } else {
                200
            };
            assert_eq!(
                server().respond(&event).status_code,
                expect,
                "{}",
                sample.display()
            );
        }
    }
}
