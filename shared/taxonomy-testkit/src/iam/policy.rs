//! Policies: statements and their conditions.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Access;
use super::wildcard::{equals_with, matches, matches_with};

/// The condition key of the tag that names a principal's tenant.
const TENANT_TAG: &str = "aws:PrincipalTag/taxonomy-tenant";

/// A policy of a principal or of a bucket.
#[derive(Debug, Clone)]
pub struct Policy {
    statements: Vec<Statement>,
}

/// The principal that sends a request.
#[derive(Debug, Clone, Copy)]
pub struct Principal<'a> {
    /// The ARN of the role or user.
    pub arn: &'a str,
    /// The value of its tag `taxonomy-tenant`; `None` without the tag.
    pub tenant: Option<&'a str>,
}

impl<'a> Principal<'a> {
    /// Returns a principal that is none of the stack's roles.
    #[must_use]
    pub fn tagged(tenant: Option<&'a str>) -> Self {
        Self {
            arn: "arn:aws:iam::123456789012:role/other",
            tenant,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Statement {
    #[serde(default)]
    sid: String,
    effect: Effect,
    /// `*`, or by `AWS` the ARNs of principals; null in the policies of principals.
    #[serde(default)]
    principal: Value,
    #[serde(default)]
    action: Value,
    #[serde(default)]
    resource: Value,
    /// By operator and condition key the values, one of which must match.
    #[serde(default)]
    condition: BTreeMap<String, BTreeMap<String, Value>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Effect {
    Allow,
    Deny,
}

impl Policy {
    /// Reads a policy document.
    ///
    /// # Panics
    /// Panics if the document contains an element that this module does not implement.
    #[must_use]
    pub fn new(document: &Value) -> Self {
        assert_eq!(
            document["Version"], "2012-10-17",
            "without it there are no variables"
        );
        let statements = serde_json::from_value(document["Statement"].clone());
        Self {
            statements: statements.unwrap_or_else(|error| panic!("{error}: {document}")),
        }
    }

    /// Returns the names of the statements.
    #[must_use]
    pub fn sids(&self) -> Vec<&str> {
        self.statements
            .iter()
            .map(|statement| statement.sid.as_str())
            .collect()
    }

    /// Returns the policy without one statement.
    #[must_use]
    pub fn without(&self, sid: &str) -> Self {
        let mut rest = self.clone();
        rest.statements.retain(|statement| statement.sid != sid);
        assert!(
            rest.statements.len() < self.statements.len(),
            "there is no statement {sid}"
        );
        rest
    }

    /// Returns the actions of the statements that allow.
    #[must_use]
    pub fn actions(&self) -> Vec<&str> {
        let allowing = self.statements.iter().filter(|statement| statement.allows());
        allowing.flat_map(|statement| texts(&statement.action)).collect()
    }

    /// Whether a policy of a principal allows an access: a statement that denies overrides one that allows.
    #[must_use]
    pub fn allows(&self, principal: Principal<'_>, access: &Access) -> bool {
        let applies = |statement: &&Statement| statement.applies(principal, access);
        let mut applying = self.statements.iter().filter(applies).peekable();
        applying.peek().is_some() && applying.all(Statement::allows)
    }

    /// Whether a policy of a resource denies an access to a principal.
    #[must_use]
    pub fn denies(&self, principal: Principal<'_>, access: &Access) -> bool {
        let mut denying = self.statements.iter().filter(|statement| !statement.allows());
        denying.any(|statement| statement.names(principal) && statement.applies(principal, access))
    }

    /// Returns the first access that the policy does not allow.
    #[must_use]
    pub fn refused<'a>(&self, principal: Principal<'_>, accesses: &'a [Access]) -> Option<&'a Access> {
        accesses.iter().find(|access| !self.allows(principal, access))
    }
}

impl Statement {
    fn allows(&self) -> bool {
        self.effect == Effect::Allow
    }

    fn names(&self, principal: Principal<'_>) -> bool {
        let named = self.principal.get("AWS").unwrap_or(&self.principal);
        let mut named = texts(named).into_iter();
        named.any(|named| named == "*" || named == principal.arn)
    }

    fn applies(&self, principal: Principal<'_>, access: &Access) -> bool {
        let value = |name: &str| variable(principal, access, name);
        // Actions are not case-sensitive.
        let action = access.action.to_ascii_lowercase();
        let is_meant = |named: &&str| matches(&named.to_ascii_lowercase(), &action);
        let is_there = |named: &&str| matches_with(named, &access.resource, &value);
        texts(&self.action).iter().any(is_meant)
            && texts(&self.resource).iter().any(is_there)
            && self.condition.iter().all(|(operator, keys)| {
                let mut keys = keys.iter();
                keys.all(|(key, values)| holds(operator, key, &texts(values), access, &value))
            })
    }
}

/// Returns the value of a policy variable; `None` if the request does not have the key.
fn variable(principal: Principal<'_>, access: &Access, name: &str) -> Option<String> {
    if name == TENANT_TAG {
        return principal.tenant.map(str::to_owned);
    }
    match access.context.get(name).map(Vec::as_slice) {
        None => None,
        Some([one]) => Some(one.clone()),
        Some(_) => panic!("{name} has several values and is no variable"),
    }
}

type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

type Matches = fn(&str, &str, Variables<'_>) -> bool;

/// Whether a condition is true: one of the values of the policy must match.
fn holds(operator: &str, key: &str, values: &[&str], access: &Access, variables: Variables<'_>) -> bool {
    let found = access.context.get(key);
    let any = |matches: Matches, found: &str| values.iter().any(|wanted| matches(wanted, found, variables));
    // For a key with one value. A key with several values needs a set operator; without one the policy does not mean what it seems to.
    let single = |matches: Matches| {
        found.map(|found| {
            let [one] = found.as_slice() else {
                panic!("{key} has several values under {operator}");
            };
            any(matches, one)
        })
    };
    let every = |matches: Matches| found.is_none_or(|found| found.iter().all(|one| any(matches, one)));
    match operator {
        "StringEquals" | "Bool" => single(equals_with).unwrap_or(false),
        "StringLike" => single(matches_with).unwrap_or(false),
        // True also for an absent key; of several values it must equal none.
        "StringNotEquals" => !single(equals_with).unwrap_or(false),
        "StringLikeIfExists" => single(matches_with).unwrap_or(true),
        // True also for a key without values and for an absent key.
        "ForAllValues:StringEquals" => every(equals_with),
        "ForAllValues:StringLike" => every(matches_with),
        "Null" => values.contains(&found.is_none_or(Vec::is_empty).to_string().as_str()),
        other => panic!("no policy used {other} before"),
    }
}

/// Returns the texts of a text or a list of texts.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Null => Vec::new(),
        other => panic!("a text or a list of texts, not {other}"),
    }
}
