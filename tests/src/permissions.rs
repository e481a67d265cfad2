//! Checks that the template allows the requests of the tests: each by the role of a function or a policy of people.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

use taxonomy_testkit::Exchange;
use taxonomy_testkit::iam::{Access, Policy, Principal, Template};

/// The policies of the functions' roles and of people.
static POLICIES: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let template = Template::new(include_str!("../../template.yaml"));
    let roles = ROLES.map(|role| template.policy_of_role(role));
    let policies = ["UploaderPolicy", "OperatorPolicy"].map(|policy| template.policy(policy));
    roles.into_iter().chain(policies).collect()
});

/// Those of functions, and those that people assume.
const ROLES: [&str; 6] = [
    "ProjectorRole",
    "AggregatorRole",
    "CachesRole",
    "LookupRole",
    "ScanRole",
    "PurgeRole",
];

/// The accesses that were found to be allowed.
static ALLOWED: LazyLock<Mutex<HashSet<Access>>> = LazyLock::new(Mutex::default);

/// Checks each access of the exchanges once a process.
///
/// # Panics
/// Panics if no policy allows an access.
pub(crate) fn check(exchanges: &[Exchange]) {
    for access in exchanges.iter().flat_map(|exchange| &exchange.accesses) {
        let mut allowed = ALLOWED.lock().unwrap_or_else(PoisonError::into_inner);
        if !allowed.contains(access) {
            let allows = |policy: &Policy| policy.allows(Principal::tagged(None), access);
            assert!(
                POLICIES.iter().any(allows),
                "no policy of the template allows {access:?}"
            );
            allowed.insert(access.clone());
        }
    }
}
