//! The responses that API Gateway sends without calling the function: their shape, and their place in the description.
//!
//! Texts: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting.html>

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

/// A response of API Gateway itself, as `application/json`: it has no code, and its text may change.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayMessage {
    /// The reason.
    #[schema(example = "Forbidden")]
    message: String,
}

/// A response of API Gateway that every operation may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The name of the response in the description.
    pub name: &'static str,
    /// The reason, for the description.
    pub reason: &'static str,
    /// Whether the function uses this status too, with a problem.
    pub is_shared: bool,
    /// Whether only routes with authentication have it.
    pub needs_authentication: bool,
}

/// All of them (docs/problems.md, "Answers of API Gateway").
pub const ANSWERS: [GatewayAnswer; 6] = [
    GatewayAnswer {
        status: 401,
        name: "Unauthorized",
        reason: "No token, or none that is valid",
        is_shared: true,
        needs_authentication: true,
    },
    GatewayAnswer {
        status: 403,
        name: "Forbidden",
        reason: "No signature, none that is valid, or no policy that allows this method and path",
        is_shared: false,
        needs_authentication: true,
    },
    GatewayAnswer {
        status: 404,
        name: "NotFound",
        reason: "No such thing, or no route with this method and path",
        is_shared: true,
        needs_authentication: false,
    },
    GatewayAnswer {
        status: 429,
        name: "TooManyRequests",
        reason: "More requests than the stage takes",
        is_shared: false,
        needs_authentication: false,
    },
    GatewayAnswer {
        status: 500,
        name: "InternalServerError",
        reason: "A mistake of the service, or the function did not answer",
        is_shared: true,
        needs_authentication: false,
    },
    GatewayAnswer {
        status: 503,
        name: "ServiceUnavailable",
        reason: "Temporarily unavailable: the table, the function, or a free process of it",
        is_shared: true,
        needs_authentication: false,
    },
];

impl GatewayAnswer {
    /// Returns the response with its content, which the description has once.
    pub(crate) fn response(self) -> Response {
        let content = |schema: &str| Content::new(Some(Ref::from_schema_name(schema)));
        let response = ResponseBuilder::new()
            .description(self.reason)
            .content("application/json", content("GatewayMessage"));
        let response = match self.is_shared {
            true => response.content("application/problem+json", content("Problem")),
            false => response,
        };
        response.build()
    }

    /// Returns the reference to it for an operation.
    pub(crate) fn reference(self) -> RefOr<Response> {
        RefOr::Ref(Ref::new(format!("#/components/responses/{}", self.name)))
    }
}
