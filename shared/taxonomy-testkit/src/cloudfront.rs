//! CloudFront inside the test process: a fake that records invalidations.

use std::sync::{Arc, Mutex, PoisonError};

use aws_smithy_runtime_api::client::http::SharedHttpClient;

use crate::iam::Access;
use crate::transport::{self, Call, Measure, Refusal, Reply, Subject, Transport};

/// An invalidation that CloudFront accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalidation {
    /// The distribution's id.
    pub distribution: String,
    /// The caller's reference. A second request with the same reference is the same invalidation.
    pub reference: String,
    /// The invalidated paths.
    pub paths: Vec<String>,
}

/// A CloudFront fake that accepts any distribution. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct CloudFrontFake {
    taken: Arc<Mutex<Vec<Invalidation>>>,
    transport: Transport,
}

impl CloudFrontFake {
    /// Creates a fake on a transport that other services share.
    pub fn on(transport: &Transport) -> Self {
        Self {
            taken: Arc::default(),
            transport: transport.clone(),
        }
    }

    /// Returns the HTTP client, for a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.transport.http_client(Service(Arc::clone(&self.taken)))
    }

    /// Returns every invalidation, each once, oldest first.
    pub fn invalidations(&self) -> Vec<Invalidation> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Debug)]
struct Service(Arc<Mutex<Vec<Invalidation>>>);

impl transport::Service for Service {
    fn name(&self) -> &'static str {
        "CloudFront"
    }

    fn subject(&self, call: &Call) -> Subject {
        let mut parts = call.path.trim_matches('/').split('/').skip(2);
        let (distribution, what) = (parts.next().unwrap_or_default(), parts.next());
        let operation = match (call.method.as_str(), what) {
            ("POST", Some("invalidation")) => "CreateInvalidation",
            _ => "Unknown",
        };
        Subject {
            operation: operation.to_owned(),
            target: distribution.to_owned(),
        }
    }

    fn apply(&self, call: &Call) -> Reply {
        let Subject { operation, target } = self.subject(call);
        if operation == "Unknown" {
            return error(404, "NoSuchResource");
        }
        let body = String::from_utf8_lossy(&call.body);
        let asked = Invalidation {
            distribution: target,
            reference: elements(&body, "CallerReference").join(""),
            paths: elements(&body, "Path"),
        };
        let is_valid = |path: &String| path.starts_with('/') && !path.contains('~');
        if asked.reference.is_empty() || !asked.paths.iter().all(is_valid) {
            return error(400, "InvalidArgument");
        }
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = taken
            .iter()
            .find(|known| (&known.distribution, &known.reference) == (&asked.distribution, &asked.reference));
        match same {
            Some(known) if known.paths != asked.paths => return error(400, "InvalidArgument"),
            Some(_) => {}
            None => taken.push(asked),
        }
        let answer = "<?xml version=\"1.0\"?><Invalidation xmlns=\"http://cloudfront.amazonaws.com/doc/2020-05-31/\"><Id>I1</Id><Status>InProgress</Status><CreateTime>2026-01-01T00:00:00Z</CreateTime></Invalidation>";
        Reply::new(201, "text/xml", answer.to_owned())
    }

    fn refuse(&self, _: &Call, refusal: Refusal) -> Reply {
        match refusal {
            Refusal::ServerError => error(500, "InternalError"),
            Refusal::Throttle => error(400, "Throttling"),
            Refusal::Invalid => error(400, "InvalidArgument"),
            Refusal::Conflict => error(400, "TooManyInvalidationsInProgress"),
        }
    }

    fn accesses(&self, call: &Call, _: Option<u16>) -> Vec<Access> {
        // `/2020-05-31/distribution/{id}/invalidation`
        let id = call.path.split('/').nth(3).unwrap_or_default();
        let resource = format!("arn:aws:cloudfront::123456789012:distribution/{id}");
        vec![Access::new("cloudfront:CreateInvalidation", resource)]
    }

    fn measure(&self, _: &Call, reply: &Reply) -> Measure {
        let body = String::from_utf8_lossy(&reply.body);
        Measure {
            error: elements(&body, "Code").into_iter().next(),
            items: usize::from(reply.is_success()),
            units: None,
        }
    }
}

/// Returns the texts of all elements with this name.
fn elements(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let found = xml.split(open.as_str()).skip(1);
    let texts = found.filter_map(|rest| rest.split_once(close.as_str()));
    texts.map(|(text, _)| text.to_owned()).collect()
}

fn error(status: u16, code: &str) -> Reply {
    let body = format!(
        "<ErrorResponse xmlns=\"http://cloudfront.amazonaws.com/doc/2020-05-31/\"><Error><Type>Sender</Type><Code>{code}</Code><Message>testkit</Message></Error><RequestId>TESTKIT</RequestId></ErrorResponse>"
    );
    Reply::new(status, "text/xml", body)
}
