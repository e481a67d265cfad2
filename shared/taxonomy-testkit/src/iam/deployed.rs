//! Checks that the policies of `template.yaml` allow the requests of tests: functions for [`Exchanges::checked_by`](crate::Exchanges::checked_by).

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use super::{Access, Policy, Principal, Template};
use crate::{Exchange, lock};

/// The actor of the requests that prepare a test of the lookup.
pub const PREPARING: &str = "preparing";

/// The role of the lookup.
const LOOKUP: &str = "LookupRole";

/// The roles of functions, and those that people assume.
const ROLES: [&str; 6] = [
    "ProjectorRole",
    "AggregatorRole",
    "CachesRole",
    LOOKUP,
    "ScanRole",
    "PurgeRole",
];

/// The policies of people.
const PEOPLE: [&str; 2] = ["UploaderPolicy", "OperatorPolicy"];

/// The template. Read when it runs, so that a change of it compiles nothing.
static TEMPLATE: LazyLock<Template> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../template.yaml");
    Template::new(&std::fs::read_to_string(path).expect("the template is beside the crates"))
});

static OF_ANYONE: LazyLock<Judge> = LazyLock::new(|| {
    let roles = ROLES.map(|role| TEMPLATE.policy_of_role(role));
    let people = PEOPLE.map(|policy| TEMPLATE.policy(policy));
    Judge::new("any policy", roles.into_iter().chain(people).collect())
});

static OF_LOOKUP: LazyLock<Judge> =
    LazyLock::new(|| Judge::new(LOOKUP, vec![TEMPLATE.policy_of_role(LOOKUP)]));

/// Checks that the role of a function or a policy of people allows each access.
///
/// # Panics
/// Panics if no policy allows an access.
pub fn check(exchanges: &[Exchange]) {
    exchanges.iter().for_each(|exchange| OF_ANYONE.check(exchange));
}

/// Checks that the role of the lookup allows each access, except those of [`PREPARING`], which any policy may allow.
///
/// # Panics
/// Panics if an access is not allowed.
pub fn check_lookup(exchanges: &[Exchange]) {
    for exchange in exchanges {
        match exchange.actor.as_deref() {
            Some(PREPARING) => OF_ANYONE.check(exchange),
            _ => OF_LOOKUP.check(exchange),
        }
    }
}

/// Policies, and the accesses that one of them was found to allow: each is judged once a process.
struct Judge {
    name: &'static str,
    policies: Vec<Policy>,
    allowed: Mutex<HashSet<Access>>,
}

impl Judge {
    fn new(name: &'static str, policies: Vec<Policy>) -> Self {
        Self {
            name,
            policies,
            allowed: Mutex::default(),
        }
    }

    fn check(&self, exchange: &Exchange) {
        let mut allowed = lock(&self.allowed);
        for access in &exchange.accesses {
            if !allowed.contains(access) {
                let allows = |policy: &Policy| policy.allows(Principal::tagged(None), access);
                assert!(
                    self.policies.iter().any(allows),
                    "{access:?} is not allowed by {} of the template",
                    self.name
                );
                allowed.insert(access.clone());
            }
        }
    }
}
