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
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;
    use crate::files::FILES;
    use crate::{PageSettings, SignIn, TaxonomySource};

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
        let event = json!({
            "rawPath": format!("/stage{path}"),
            "headers": {"accept-encoding": accept_encoding},
            "requestContext": {"routeKey": format!("{method} {path}"), "http": {"method": method}},
        });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn every_file_is_answered_in_every_coding_and_lambda_carries_it() {
        let server = server();
        let paths = FILES.iter().map(|file| file.path);
        for path in paths.chain(["/explore/config.json"]) {
            for accepted in ["", "gzip", "br"] {
                let get = server.respond(&event("GET", path, accepted));
                assert_eq!(get.status_code, 200, "{path}");
                let bytes = serde_json::to_vec(&get).unwrap().len();
                assert!(bytes <= PASSED_ON, "{path} {accepted}");
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
                let same = (head.status_code, head.headers);
                assert_eq!(same, (200, get.headers), "{path} {accepted}");
            }
        }
    }

    #[test]
    fn other_paths_and_other_methods_are_refused() {
        let server = server();
        for path in ["/explore/nothing", "/explore/../v1/health", "/v1/health", "/else"] {
            let answer = server.respond(&event("GET", path, "br"));
            let kept = &*answer.headers["cache-control"];
            assert_eq!((answer.status_code, kept), (404, "no-store"), "{path}");
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
            let answer = server.respond(&event(method, "/explore", ""));
            let allow = &*answer.headers["allow"];
            assert_eq!((answer.status_code, allow), (405, "GET, HEAD"), "{method}");
        }
    }
}
