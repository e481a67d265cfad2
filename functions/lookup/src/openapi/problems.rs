//! An example of each problem for the description, with its meaning and action as docs/problems.md has them, and those of API Gateway.

use serde_json::json;
use taxonomy_api::{Existed, VersionTime};
use taxonomy_keys::{TenantId, TermId, Version};
use utoipa::openapi::example::{Example, ExampleBuilder};
use utoipa::openapi::schema::Components;
use utoipa::openapi::{Ref, RefOr};

use crate::openapi::gateway;
use crate::request::parameters::{Parameters, body_ids, path_id};
use crate::response::problem::{Problem, ProblemCode};

/// The codes, with their meaning and action.
const DOCUMENT: &str = include_str!("../../../../docs/problems.md");

/// Adds the examples to the components, and to each response of theirs those of its status.
pub(crate) fn add(components: &mut Components) {
    for code in ProblemCode::ALL {
        components
            .examples
            .insert(code.as_str().to_owned(), example(code).into());
    }
    for (name, response) in &mut components.responses {
        let RefOr::T(response) = response else { continue };
        let gateway = gateway::ANSWERS.iter().find(|answer| answer.name == *name);
        for (media_type, content) in &mut response.content {
            let RefOr::T(content) = content else { continue };
            match (gateway, &**media_type) {
                (Some(answer), "application/json") => {
                    content.example = Some(json!({"message": answer.message}));
                }
                _ => {
                    let codes = ProblemCode::ALL.iter().filter(|code| is_of(**code, name));
                    let names = codes.map(|code| (code.as_str().to_owned(), reference(code.as_str())));
                    content.examples.extend(names);
                }
            }
        }
    }
}

/// Whether a response of the components may be of a code: of its status, or of a status without a response of its own.
fn is_of(code: ProblemCode, response: &str) -> bool {
    let own = gateway::ANSWERS
        .iter()
        .find(|answer| answer.status == code.status());
    match own {
        Some(answer) => answer.name == response,
        None => response == "ProblemOfRequest" && code.status() < 500,
    }
}

fn reference(name: &str) -> RefOr<Example> {
    RefOr::Ref(Ref::new(format!("#/components/examples/{name}")))
}

fn example(code: ProblemCode) -> Example {
    let problem = problem(code);
    let document = serde_json::to_value(problem.document()).unwrap_or_default();
    let title = document["title"].as_str().unwrap_or_default().to_owned();
    ExampleBuilder::new()
        .summary(title)
        .description(documented(code))
        .value(Some(document))
        .build()
}

/// Returns meaning and action of a code.
fn documented(code: ProblemCode) -> String {
    let row = format!("| `{}` | {} | ", code.as_str(), code.status());
    let found = DOCUMENT.lines().find_map(|line| line.strip_prefix(&*row));
    let cells = found.unwrap_or_default().trim_end_matches(" |");
    cells.replacen(" | ", " ", 1)
}

/// A request for each code, answered by what answers such a request where that takes no stack.
fn problem(code: ProblemCode) -> Problem {
    let of_id = |what: &str| {
        let at = |number, committed_at: &str| VersionTime {
            version: Version::new(number).unwrap_or(Version::FIRST),
            committed_at: committed_at.to_owned(),
        };
        let (from, until) = (at(1, "2026-01-01T00:00:00Z"), at(2, "2026-02-01T00:00:00Z"));
        let detail =
            format!("Version 3 has no {what} with this id; {from} added it, and {until} removed it.");
        Problem::new(code, detail).with_existed(Existed {
            from,
            until: Some(until),
        })
    };
    let refused = |problem: Option<Problem>| problem.unwrap_or_else(|| Problem::new(code, ""));
    match code {
        ProblemCode::TermNotFound => of_id("term"),
        ProblemCode::CategoryNotFound => of_id("category"),
        ProblemCode::VersionNotFound => Problem::version_not_found(),
        ProblemCode::ArchiveUnavailable => Problem::files_late(""),
        ProblemCode::DownloadFailed => Problem::download_failed(),
        ProblemCode::StatsNotFound => crate::routes::stats::not_counted(),
        ProblemCode::TenantNotFound => Problem::tenant_not_found(),
        ProblemCode::TenantDamaged => Problem::tenant_damaged(""),
        ProblemCode::RouteNotFound => Problem::route_not_found(),
        ProblemCode::MethodNotAllowed => Problem::method_not_allowed(&["GET", "HEAD"]),
        ProblemCode::InvalidId => refused(path_id::<TermId>("112a").err()),
        ProblemCode::InvalidTenant => {
            let error = "acme!".parse::<TenantId>().err();
            let detail = error.map(|error| format!("A {error}.")).unwrap_or_default();
            Problem::new(code, detail).at("/path/tenant")
        }
        ProblemCode::InvalidCulture => refused(
            Parameters::parse("culture=en_GB")
                .and_then(|query| query.culture())
                .err(),
        ),
        ProblemCode::InvalidParameter => refused(
            Parameters::parse("limit=1000")
                .and_then(|query| query.limit())
                .err(),
        ),
        ProblemCode::TooManyIds => {
            let ids = json!({"ids": vec![1; 101]}).to_string();
            refused(body_ids(ids.as_bytes()).err())
        }
        ProblemCode::AnswerTooLarge => Problem::answer_too_large(),
        ProblemCode::InvalidBody => refused(body_ids(b"[]").err()),
        ProblemCode::BodyTooLarge => Problem::new(code, "A body has at most 64 KiB.").at("/body"),
        ProblemCode::UriTooLong => refused(Parameters::parse(&"q".repeat(9000)).err()),
        ProblemCode::UnsupportedMediaType => Problem::unsupported_media_type(),
        ProblemCode::NotAuthenticated => crate::request::authorise::not_authenticated(),
        ProblemCode::UpstreamUnavailable => Problem::unavailable(""),
        ProblemCode::InternalError => Problem::internal(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_an_example_of_itself_with_its_meaning() {
        for code in ProblemCode::ALL {
            let document = serde_json::to_value(problem(code).document()).unwrap();
            assert_eq!(document["type"], format!("/problems/{}", code.as_str()));
            assert_eq!(document["status"], code.status(), "{code:?}");
            assert!(document["detail"].as_str().unwrap().len() > 10, "{document}");
            assert!(documented(code).len() > 40, "{code:?}: {}", documented(code));
        }
    }

    #[test]
    fn each_code_is_in_one_response() {
        let mut components = Components::new();
        crate::openapi::shared_parts::define(&mut components);
        let document = serde_json::to_value(components).unwrap();
        for code in ProblemCode::ALL {
            let responses = document["responses"].as_object().unwrap().values();
            let examples =
                responses.map(|response| &response["content"]["application/problem+json"]["examples"]);
            let found = examples.filter(|examples| !examples[code.as_str()].is_null());
            assert_eq!(found.count(), 1, "{code:?}");
        }
    }
}
