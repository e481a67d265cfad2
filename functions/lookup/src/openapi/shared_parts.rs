//! The parts of the description that many operations share, each defined once here and referred to by every operation that has it.
//!
//! An operation declares its own parts: the parameters of its path and query, its response, and 304 where it has a tag. The shared parts follow
//! from its path and its declaration. A shared part that an operation declares without a description is replaced by the reference.

use utoipa::Modify;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{
    ArrayBuilder, Components, KnownFormat, Object, ObjectBuilder, SchemaFormat, Type,
};
use utoipa::openapi::{Content, Ref, RefOr, Required, Response, ResponseBuilder};

use crate::openapi::{field_names, gateway, problems};
use crate::request::parameters::MAX_LIMIT;

/// A well-formed language tag (RFC 5646, section 2.1) but for the irregular ones of its list.
const CULTURE: &str = "^(([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WYZa-wyz](-[A-Za-z0-9]{2,8})+)*(-[xX](-[A-Za-z0-9]{1,8})+)?|[xX](-[A-Za-z0-9]{1,8})+)$";

pub(crate) struct SharedParts;

/// Adds `HEAD` beside each `GET`. It is applied after all other modifiers of operations.
pub(crate) struct HeadOperations;

impl Modify for SharedParts {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        define(document.components.get_or_insert_default());
        // The schemas of responses, which name the `fields`.
        let known = serde_json::to_value(&*document).unwrap_or_default();
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in [("get", &mut item.get), ("post", &mut item.post)] {
                let Some(operation) = operation else {
                    continue;
                };
                // An operation without authentication declares that itself, the others inherit the document's.
                let is_public = operation.security.is_some();
                let answers = gateway::ANSWERS.into_iter();
                for answer in answers.filter(|answer| !(is_public && answer.needs_authentication())) {
                    let responses = &mut operation.responses.responses;
                    responses.insert(answer.status.to_string(), reference("responses", answer.name));
                }
                match is_public {
                    true => add_headers(operation, "200", &["X-Request-Id"]),
                    false => {
                        complete(operation, path.contains("{tenant}"));
                        let fields = field_names::of_operation(&known, path, method);
                        operation
                            .parameters
                            .get_or_insert_default()
                            .push(choice(fields).into());
                    }
                }
            }
        }
    }
}

impl Modify for HeadOperations {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for item in document.paths.paths.values_mut() {
            item.head = item.get.clone().map(head);
        }
    }
}

fn head(mut operation: Operation) -> Operation {
    let id = operation.operation_id.unwrap_or_default();
    operation.operation_id = Some(format!("head{}", id.trim_start_matches("get")));
    operation.summary = operation
        .summary
        .map(|summary| format!("{summary}: the headers alone"));
    operation.description = Some("Status and headers of `GET`, without a body.".to_owned());
    for status in ["200", "202"] {
        if let Some(RefOr::T(found)) = operation.responses.responses.get_mut(status) {
            found.content.clear();
        }
    }
    operation
}

/// The component of `include` for lists.
const INCLUDE: &str = "Include";

/// The component of `include` for [`TERM`].
const INCLUDE_OF_TERM: &str = "IncludeOfTerm";
/// The component of the parameter `include` of a category.
const INCLUDE_OF_CATEGORY: &str = "IncludeOfCategory";

/// The operation that is no list, and has another `include`.
const TERM: &str = "getTerm";
/// The operation that answers a category.
const CATEGORY: &str = "getCategory";

/// The component of `include` for [`DIFFERENCES`].
const INCLUDE_OF_DIFFERENCES: &str = "IncludeOfDifferences";

/// The operations whose items are changes.
const DIFFERENCES: [&str; 4] = ["getVersionChanges", "getChanges", "getDiff", "getTermHistory"];

/// The operations that name their versions by the path or by parameters of their own.
const OF_NAMED_VERSIONS: [&str; 2] = ["getVersionChanges", "getDiff"];

/// The shared parameters: the name of the component, the name of the parameter, its place and its description.
const PARAMETERS: [(&str, &str, ParameterIn, &str); 16] = [
    ("Tenant", "tenant", ParameterIn::Path, "The tenant"),
    (
        "Culture",
        "culture",
        ParameterIn::Query,
        "The culture of the response, such as `fr-FR`; the response states the culture that it has. Without it `Accept-Language` decides",
    ),
    (
        "Missing",
        "missing",
        ParameterIn::Query,
        "Only what has no name in exactly this culture",
    ),
    (
        "Version",
        "version",
        ParameterIn::Query,
        "The version of the response; by default the served one, or that of the page before",
    ),
    (
        "AsOf",
        "asOf",
        ParameterIn::Query,
        "Responds from the version that was the newest at this time (RFC 3339); not beside `version`",
    ),
    (
        "Limit",
        "limit",
        ParameterIn::Query,
        "The size of a page; 50 by default",
    ),
    (
        "Cursor",
        "cursor",
        ParameterIn::Query,
        "`nextCursor` of the page before, unchanged",
    ),
    (
        "Deprecated",
        "deprecated",
        ParameterIn::Query,
        "The terms or categories in the list: `include` deprecated ones (by default), `exclude` them, or `only` them.",
    ),
    (
        INCLUDE,
        "include",
        ParameterIn::Query,
        "`details`: each item has the members that its response by id has and the list leaves out",
    ),
    (
        INCLUDE_OF_TERM,
        "include",
        ParameterIn::Query,
        "`related`: the member `related` has what the term is related to within the tenant, in both directions, with names; `place`: the member `place` has its siblings, without those that `deprecated` leaves out, and how much is below it; or both, with a comma",
    ),
    (
        INCLUDE_OF_CATEGORY,
        "include",
        ParameterIn::Query,
        "`place`: the member `place` has its siblings, without those that `deprecated` leaves out, and how much is below it",
    ),
    (
        INCLUDE_OF_DIFFERENCES,
        "include",
        ParameterIn::Query,
        "`places`: terms have the names of what is above them; in a difference, changes that follow from one above name it, and totals are by category as well",
    ),
    (
        "Names",
        "names",
        ParameterIn::Query,
        "`all`: the member `names` has the names in every culture, those of the term or category itself",
    ),
    (
        "IfNoneMatch",
        "If-None-Match",
        ParameterIn::Header,
        "The ETags of responses that the client has",
    ),
    (
        "AcceptLanguage",
        "Accept-Language",
        ParameterIn::Header,
        "The languages of the response, without `culture`; the first ten count",
    ),
    (
        "TaxonomyDebug",
        "Taxonomy-Debug",
        ParameterIn::Header,
        "`1`: the response states the capacity that it consumed",
    ),
];

/// Returns every shared parameter by the name of its component.
fn parameters() -> Vec<(&'static str, Parameter)> {
    let parameters = PARAMETERS.iter();
    parameters
        .map(|(component, name, place, description)| {
            let parameter = parameter(name, place.clone(), description, schema_of(component));
            (*component, parameter)
        })
        .collect()
}

/// Returns the schema of a shared parameter.
fn schema_of(component: &str) -> ObjectBuilder {
    let number = |most: i64| {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        number.minimum(Some(1)).maximum(Some(most))
    };
    match component {
        "Tenant" => text()
            .pattern(Some("^[A-Za-z0-9._~-]{1,64}$"))
            .examples([serde_json::json!("job-board")]),
        "Culture" | "Missing" => culture(),
        "Version" => number(999_999_999_999),
        "AsOf" => text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))),
        "Limit" => number(MAX_LIMIT.into()),
        "Deprecated" => text().enum_values(Some(["include", "exclude", "only"])),
        INCLUDE => text().enum_values(Some(["details"])),
        INCLUDE_OF_DIFFERENCES => text().enum_values(Some(["places"])),
        INCLUDE_OF_TERM => text().enum_values(Some(["related", "place", "related,place"])),
        INCLUDE_OF_CATEGORY => text().enum_values(Some(["place"])),
        "Names" => text().enum_values(Some(["all"])),
        _ => text(),
    }
}

/// Returns the schema of a language tag.
pub(crate) fn culture() -> ObjectBuilder {
    text().pattern(Some(CULTURE)).max_length(Some(35))
}

/// Returns the parameter `fields` of an operation whose response has these fields.
fn choice(fields: Vec<String>) -> Parameter {
    let name = text().enum_values(Some(fields));
    ParameterBuilder::new()
        .name("fields")
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some("The members that the answer keeps, with commas between them: of each item of a list, of the term of each item of a batch. `id` stays in any case; members that are required otherwise may then be absent"))
        .style(Some(ParameterStyle::Form))
        .explode(Some(false))
        .schema(Some(ArrayBuilder::new().items(Object::from(name)).min_items(Some(1))))
        .build()
}

/// Every shared response header: its name, and its description.
const HEADERS: [(&str, &str); 7] = [
    ("ETag", "Present when the answer is exactly what the version has"),
    (
        "Taxonomy-Version",
        "The version that the answer is about; absent until the first one is served",
    ),
    (
        "Taxonomy-Debug",
        "Requests and read units that the answer consumed, and what caches had: a dictionary (RFC 9651), where the request has the header",
    ),
    ("X-Request-Id", "The request, as the logs name it"),
    ("Content-Language", "The cultures that the answer is in"),
    (
        "Link",
        "`rel=\"next\"`: the next page, by the same parameters; absent after the last one",
    ),
    (
        "Retry-After",
        "With 202 and 503: the seconds after which another try may succeed",
    ),
];

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn parameter(name: &str, place: ParameterIn, description: &str, schema: ObjectBuilder) -> Parameter {
    let required = match place {
        ParameterIn::Path => Required::True,
        _ => Required::False,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(description))
        .schema(Some(Object::from(schema)))
        .build()
}

fn header(description: &str) -> Header {
    HeaderBuilder::new()
        .schema(Some(Object::from(text())))
        .description(Some(description))
        .build()
}

fn reference<T>(kind: &str, name: &str) -> RefOr<T> {
    RefOr::Ref(Ref::new(format!("#/components/{kind}/{name}")))
}

pub(crate) fn define(components: &mut Components) {
    for (name, parameter) in parameters() {
        components.parameters.insert(name.to_owned(), parameter.into());
    }
    for (name, description) in HEADERS {
        components
            .headers
            .insert(name.to_owned(), RefOr::T(header(description)));
    }
    let problem = |description: &str, headers: &[&str]| {
        let schema = Content::new(Some(Ref::from_schema_name("Problem")));
        let response = ResponseBuilder::new().description(description);
        with_headers(
            response.content("application/problem+json", schema).build(),
            headers,
        )
    };
    let unchanged = ResponseBuilder::new().description("As the caller has it").build();
    let headers = ["ETag", "Taxonomy-Version", "Taxonomy-Debug", "X-Request-Id"];
    let responses = [
        ("NotModified", with_headers(unchanged, &headers)),
        (
            "ProblemOfRequest",
            problem("A problem of the request", &["X-Request-Id", "Taxonomy-Debug"]),
        ),
        (
            "ProblemOfService",
            problem(
                "A problem of the service",
                &["X-Request-Id", "Taxonomy-Debug", "Retry-After"],
            ),
        ),
    ];
    for answer in gateway::ANSWERS {
        components
            .responses
            .insert(answer.name.to_owned(), answer.response().into());
    }
    for (name, response) in responses {
        components.responses.insert(name.to_owned(), RefOr::T(response));
    }
    problems::add(components);
}

fn with_headers(mut response: Response, names: &[&str]) -> Response {
    let headers = names
        .iter()
        .map(|name| ((*name).to_owned(), reference("headers", name)));
    response.headers.extend(headers);
    response
}

/// Adds the shared parts to an operation about a tenant, or about all that the caller may read.
fn complete(operation: &mut Operation, of_tenant: bool) {
    let declared = operation.parameters.take().unwrap_or_default();
    let is_bare = |own: &Parameter| own.description.is_none();
    let has = |name: &str| {
        let mut declared = declared.iter();
        declared.any(|parameter| matches!(parameter, RefOr::T(own) if own.name == name && is_bare(own)))
    };
    let is_paged = has("cursor");
    let has_tag = operation.responses.responses.contains_key("304");
    let id = operation.operation_id.as_deref().unwrap_or_default();
    let is_shared = |component: &str, name: &str| match name {
        "tenant" => of_tenant,
        "Taxonomy-Debug" => true,
        "If-None-Match" => has_tag,
        "Accept-Language" => has("culture"),
        "version" | "asOf" => has(name) || has("culture") && !OF_NAMED_VERSIONS.contains(&id),
        "include" => has(name) && component == include_of(id),
        name => has(name),
    };
    let shared: Vec<_> = parameters()
        .into_iter()
        .filter(|(component, parameter)| is_shared(component, &parameter.name))
        .collect();
    let names: Vec<&str> = shared.iter().map(|(_, parameter)| &*parameter.name).collect();
    let own = declared
        .iter()
        .filter(|parameter| !matches!(parameter, RefOr::T(own) if names.contains(&&*own.name)));
    let references = shared.iter().map(|(name, _)| reference("parameters", name));
    operation.parameters = Some(references.chain(own.cloned()).collect());

    for status in ["200", "202"] {
        add_headers(operation, status, &["Taxonomy-Debug", "X-Request-Id"]);
    }
    add_headers(operation, "202", &["Taxonomy-Version", "Retry-After"]);
    if of_tenant {
        add_headers(operation, "200", &["Taxonomy-Version", "Content-Language"]);
    }
    if is_paged {
        add_headers(operation, "200", &["Link"]);
    }
    if has_tag {
        add_headers(operation, "200", &["ETag"]);
        respond(operation, "304", "NotModified");
    }
    respond(operation, "4XX", "ProblemOfRequest");
    respond(operation, "5XX", "ProblemOfService");
}

/// The component of `include` for an operation.
fn include_of(id: &str) -> &'static str {
    match id {
        TERM => INCLUDE_OF_TERM,
        CATEGORY => INCLUDE_OF_CATEGORY,
        id if DIFFERENCES.contains(&id) => INCLUDE_OF_DIFFERENCES,
        _ => INCLUDE,
    }
}

fn add_headers(operation: &mut Operation, status: &str, names: &[&str]) {
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) {
        *response = with_headers(response.clone(), names);
    }
}

fn respond(operation: &mut Operation, status: &str, name: &str) {
    let responses = &mut operation.responses.responses;
    responses.insert(status.to_owned(), reference("responses", name));
}
