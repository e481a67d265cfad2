//! Policies: statements and their conditions.

use std::collections::BTreeMap;

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

#[derive(Debug, Clone)]
struct Statement {
    sid: String,
    allows: bool,
    /// ARNs of principals, or `*`; empty in the policies of principals.
    principals: Vec<String>,
    actions: Vec<String>,
    resources: Vec<String>,
    conditions: Vec<Condition>,
}

/// A condition: an operator, the condition key and the values of the policy, one of which must match.
#[derive(Debug, Clone)]
struct Condition {
    operator: String,
    key: String,
    values: Vec<String>,
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
        let statements = document["Statement"].as_array().expect("a policy has statements");
        Self {
            statements: statements.iter().map(Statement::new).collect(),
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
        let allowing = self.statements.iter().filter(|statement| statement.allows);
        allowing
            .flat_map(|statement| &statement.actions)
            .map(String::as_str)
            .collect()
    }

    /// Whether a policy of a principal allows an access: a statement that denies overrides one that allows.
    #[must_use]
    pub fn allows(&self, principal: Principal<'_>, access: &Access) -> bool {
        let applies = |statement: &&Statement| statement.applies(principal, access);
        let mut applying = self.statements.iter().filter(applies).peekable();
        applying.peek().is_some() && applying.all(|statement| statement.allows)
    }

    /// Whether a policy of a resource denies an access to a principal.
    #[must_use]
    pub fn denies(&self, principal: Principal<'_>, access: &Access) -> bool {
        let names = |statement: &&Statement| {
            statement
                .principals
                .iter()
                .any(|named| named == "*" || named == principal.arn)
        };
        let denying = self.statements.iter().filter(|statement| !statement.allows);
        denying
            .filter(names)
            .any(|statement| statement.applies(principal, access))
    }

    /// Returns the first access that the policy does not allow.
    #[must_use]
    pub fn refused<'a>(&self, principal: Principal<'_>, accesses: &'a [Access]) -> Option<&'a Access> {
        accesses.iter().find(|access| !self.allows(principal, access))
    }
}

impl Statement {
    fn new(statement: &Value) -> Self {
        let members = statement.as_object().expect("a statement is an object");
        for name in members.keys() {
            let known = ["Sid", "Effect", "Principal", "Action", "Resource", "Condition"];
            assert!(known.contains(&name.as_str()), "{name}");
        }
        let conditions = members.get("Condition").and_then(Value::as_object);
        let conditions = conditions.into_iter().flatten().flat_map(|(operator, keys)| {
            let keys = keys.as_object().expect("a condition names keys");
            keys.iter().map(move |(key, values)| Condition {
                operator: operator.clone(),
                key: key.clone(),
                values: texts(values),
            })
        });
        let principals = match &statement["Principal"] {
            Value::Null => Vec::new(),
            Value::Object(named) => texts(named.get("AWS").unwrap_or(&Value::Null)),
            all => texts(all),
        };
        Self {
            sid: statement["Sid"].as_str().unwrap_or_default().to_owned(),
            allows: match statement["Effect"].as_str() {
                Some("Allow") => true,
                Some("Deny") => false,
                other => panic!("an effect {other:?}"),
            },
            principals,
            actions: texts(&statement["Action"]),
            resources: texts(&statement["Resource"]),
            conditions: conditions.collect(),
        }
    }

    fn applies(&self, principal: Principal<'_>, access: &Access) -> bool {
        let value = |name: &str| variable(principal, access, name);
        // Actions are not case-sensitive.
        let action = access.action.to_ascii_lowercase();
        let is_meant = |named: &String| matches(&named.to_ascii_lowercase(), &action);
        let is_there = |named: &String| matches_with(named, &access.resource, &value);
        self.actions.iter().any(is_meant)
            && self.resources.iter().any(is_there)
            && self
                .conditions
                .iter()
                .all(|condition| condition.holds(&access.context, &value))
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

impl Condition {
    fn holds(&self, context: &BTreeMap<String, Vec<String>>, value: &dyn Fn(&str) -> Option<String>) -> bool {
        let found = context.get(&self.key);
        let any =
            |matches: Matches, found: &String| self.values.iter().any(|wanted| matches(wanted, found, value));
        // For a key with one value. A key with several values needs a set operator; without one the policy does not mean what it seems to.
        let single = |matches: Matches| {
            found.map(|found| {
                let [one] = found.as_slice() else {
                    panic!("{} has several values under {}", self.key, self.operator);
                };
                any(matches, one)
            })
        };
        let every = |matches: Matches| found.is_none_or(|found| found.iter().all(|one| any(matches, one)));
        match self.operator.as_str() {
            "StringEquals" | "Bool" => single(equals_with).unwrap_or(false),
            "StringLike" => single(matches_with).unwrap_or(false),
            // True also for an absent key; of several values it must equal none.
            "StringNotEquals" => !single(equals_with).unwrap_or(false),
            "StringEqualsIfExists" => single(equals_with).unwrap_or(true),
            "StringLikeIfExists" => single(matches_with).unwrap_or(true),
            // True also for a key without values and for an absent key.
            "ForAllValues:StringEquals" => every(equals_with),
            "ForAllValues:StringLike" => every(matches_with),
            "Null" => {
                let is_absent = found.is_none_or(Vec::is_empty);
                self.values.iter().any(|wanted| *wanted == is_absent.to_string())
            }
            other => panic!("no policy used {other} before"),
        }
    }
}

type Matches = fn(&str, &str, &dyn Fn(&str) -> Option<String>) -> bool;

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Null => Vec::new(),
        other => panic!("a text or a list of texts, not {other}"),
    }
}
