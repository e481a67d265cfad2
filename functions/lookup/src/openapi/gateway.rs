//! The responses that API Gateway sends without calling the function: their shape, and their place in the description.
//!
//! Texts: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting.html>

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{Content, Ref, Response, ResponseBuilder};

use crate::response::problem::ProblemCode;

/// A response of API Gateway itself, as `application/json`: it has no code, and its text may change.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayMessage {
    /// The reason.
    message: String,
}

/// A response of API Gateway that every operation may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The name of the response in the description.
    pub name: &'static str,
    /// Its text today.
    pub message: &'static str,
    /// The reason, for the description.
    pub reason: &'static str,
}

/// All of them (docs/problems.md, "Answers of API Gateway").
pub const ANSWERS: [GatewayAnswer; 6] = [
    answer(
        401,
        "Unauthorized",
        "Unauthorized",
        "No token, or none that is valid",
    ),
    answer(
        403,
        "Forbidden",
        "Forbidden",
        "No signature, none that is valid, or no policy that allows this method and path",
    ),
    answer(
        404,
        "NotFound",
        "Not Found",
        "No such thing, or no route with this method and path",
    ),
    answer(
        429,
        "TooManyRequests",
        "Too Many Requests",
        "More requests than the stage takes",
    ),
    answer(
        500,
        "InternalServerError",
        "Internal Server Error",
        "A mistake of the service, or the function did not answer",
    ),
    answer(
        503,
        "ServiceUnavailable",
        "Service Unavailable",
        "Temporarily unavailable: the table, the function, or a free process of it",
    ),
];

const fn answer(
    status: u16,
    name: &'static str,
    message: &'static str,
    reason: &'static str,
) -> GatewayAnswer {
    GatewayAnswer {
        status,
        name,
        message,
        reason,
    }
}

impl GatewayAnswer {
    /// Returns whether only routes with authentication have it.
    pub(crate) fn needs_authentication(self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// Returns whether the function uses this status too, with a problem.
    fn is_shared(self) -> bool {
        ProblemCode::ALL.iter().any(|code| code.status() == self.status)
    }

    /// Returns the response with its content, which the description has once.
    pub(crate) fn response(self) -> Response {
        let content = |schema: &str| Content::new(Some(Ref::from_schema_name(schema)));
        let response = ResponseBuilder::new()
            .description(self.reason)
            .content("application/json", content("GatewayMessage"));
        let response = match self.is_shared() {
            true => response.content("application/problem+json", content("Problem")),
            false => response,
        };
        response.build()
    }
}
