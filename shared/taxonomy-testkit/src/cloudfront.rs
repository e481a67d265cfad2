//! CloudFront inside the test process: a fake that records invalidations.

use std::sync::Mutex;

use crate::iam::Access;
use crate::transport::{Call, Measure, Refusal, Reply, Service, Subject};
use crate::xml::{self, element, elements, error};
use crate::{Fake, lock};

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
pub type CloudFrontFake = Fake<Mutex<Vec<Invalidation>>>;

impl CloudFrontFake {
    /// Returns every invalidation, each once, oldest first.
    pub fn invalidations(&self) -> Vec<Invalidation> {
        lock(&self.state).clone()
    }
}

impl Service for Mutex<Vec<Invalidation>> {
    fn name(&self) -> &'static str {
        "CloudFront"
    }

    fn subject(&self, call: &Call) -> Subject {
        let (distribution, what) = parts(call);
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
            reference: element(&body, "CallerReference").unwrap_or_default(),
            paths: elements(&body, "Path"),
        };
        let is_valid = |path: &String| path.starts_with('/') && !path.contains('~');
        if asked.reference.is_empty() || !asked.paths.iter().all(is_valid) {
            return error(400, "InvalidArgument");
        }
        let mut taken = lock(self);
        let same = taken
            .iter()
            .find(|known| (&known.distribution, &known.reference) == (&asked.distribution, &asked.reference));
        match same {
            Some(known) if known.paths != asked.paths => return error(400, "InvalidArgument"),
            Some(_) => {}
            None => taken.push(asked),
        }
        let answer = "<Invalidation><Id>I1</Id><Status>InProgress</Status><CreateTime>2026-01-01T00:00:00Z</CreateTime></Invalidation>";
        xml::reply(201, answer.to_owned())
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
        let resource = format!("arn:aws:cloudfront::123456789012:distribution/{}", parts(call).0);
        vec![Access::new("cloudfront:CreateInvalidation", resource)]
    }

    fn measure(&self, _: &Call, reply: &Reply) -> Measure {
        xml::measure(reply)
    }
}

/// Returns the distribution and the rest of a path such as `/2020-05-31/distribution/{id}/invalidation`.
fn parts(call: &Call) -> (&str, Option<&str>) {
    let mut parts = call.path.trim_matches('/').split('/').skip(2);
    (parts.next().unwrap_or_default(), parts.next())
}
