//! The policies of `template.yaml`, as CloudFormation deploys them: the short forms `!Ref`, `!GetAtt` and `!Sub` are replaced by the
//! names that the fixtures have.

use serde_json::{Map, Value};
use serde_yaml_ng::Value as Yaml;

use super::{API_ID, PLACE, Policy, STACK};
use crate::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET, TABLE};

/// A template with its resources.
#[derive(Debug, Clone)]
pub struct Template {
    resources: Yaml,
}

impl Template {
    /// A template in YAML.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let template: Yaml = serde_yaml_ng::from_str(text).expect("a template is YAML");
        Self {
            resources: template["Resources"].clone(),
        }
    }

    /// The document of a managed policy, or of a policy of a bucket.
    #[must_use]
    pub fn document(&self, resource: &str) -> Value {
        resolved(&self.resources[resource]["Properties"]["PolicyDocument"])
    }

    /// A managed policy, or the policy of a bucket.
    #[must_use]
    pub fn policy(&self, resource: &str) -> Policy {
        Policy::new(&self.document(resource))
    }

    /// The policy inside a role.
    ///
    /// # Panics
    /// If the role has another number of policies than one.
    #[must_use]
    pub fn policy_of_role(&self, role: &str) -> Policy {
        let policies = resolved(&self.resources[role]["Properties"]["Policies"]);
        let policies = policies.as_array().expect("a role has policies");
        assert_eq!(policies.len(), 1, "{role}");
        Policy::new(&policies[0]["PolicyDocument"])
    }

    /// The actions that the policies inside a role name, whatever their resources are.
    #[must_use]
    pub fn actions_of_role(&self, role: &str) -> Vec<String> {
        let policies = self.resources[role]["Properties"]["Policies"].as_sequence();
        let statements = policies.into_iter().flatten().flat_map(|policy| {
            let statements = policy["PolicyDocument"]["Statement"].as_sequence();
            statements.into_iter().flatten()
        });
        let actions = statements.flat_map(|statement| match &statement["Action"] {
            Yaml::Sequence(actions) => actions.clone(),
            action => vec![action.clone()],
        });
        actions
            .filter_map(|action| action.as_str().map(str::to_owned))
            .collect()
    }

    /// The document that says who may assume a role.
    #[must_use]
    pub fn trust(&self, role: &str) -> Value {
        resolved(&self.resources[role]["Properties"]["AssumeRolePolicyDocument"])
    }

    /// The resources of a type, by name.
    #[must_use]
    pub fn of_type(&self, kind: &str) -> Vec<String> {
        let resources = self.resources.as_mapping().into_iter().flatten();
        let of_kind = resources.filter(|(_, resource)| resource["Type"].as_str() == Some(kind));
        of_kind
            .filter_map(|(name, _)| name.as_str().map(str::to_owned))
            .collect()
    }
}

/// The ARN of a role of the stack.
pub(super) fn role(name: &str) -> String {
    format!("arn:aws:iam::123456789012:role/{STACK}-{name}")
}

fn resolved(value: &Yaml) -> Value {
    match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(flag) => Value::Bool(*flag),
        Yaml::Number(number) => Value::String(number.to_string()),
        Yaml::String(text) => Value::String(text.clone()),
        Yaml::Sequence(values) => Value::Array(values.iter().map(resolved).collect()),
        Yaml::Mapping(members) => {
            let members = members.iter().map(|(name, value)| {
                let name = name.as_str().expect("names are texts");
                (name.to_owned(), resolved(value))
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        Yaml::Tagged(tagged) => {
            let text = tagged.value.as_str().expect("a short form with a text");
            Value::String(match tagged.tag.to_string().as_str() {
                "!Ref" | "!GetAtt" => named(text),
                "!Sub" => substituted(text),
                other => panic!("no policy used {other} before"),
            })
        }
    }
}

/// `${Name}` and `${Name.Attribute}` are values, `${!Literal}` stays as `${Literal}`.
fn substituted(text: &str) -> String {
    let (mut result, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, behind) = behind.split_once('}').expect("a variable ends");
        result.push_str(before);
        match name.strip_prefix('!') {
            Some(literal) => result.push_str(&format!("${{{literal}}}")),
            None => result.push_str(&named(name)),
        }
        rest = behind;
    }
    result + rest
}

/// The values of the fixtures.
fn named(name: &str) -> String {
    let queue = |name: &str| format!("arn:aws:sqs:{PLACE}:{name}");
    match name {
        "AWS::Partition" => "aws".to_owned(),
        "AWS::Region" => "eu-west-1".to_owned(),
        "AWS::AccountId" => "123456789012".to_owned(),
        "AWS::StackName" => STACK.to_owned(),
        "HttpApi" => API_ID.to_owned(),
        "Table.Arn" => format!("arn:aws:dynamodb:{PLACE}:table/{TABLE}"),
        "SourceBucket.Arn" => format!("arn:aws:s3:::{SOURCE_BUCKET}"),
        "ChangesetsBucket.Arn" => format!("arn:aws:s3:::{CHANGESETS_BUCKET}"),
        "FailuresBucket.Arn" => "arn:aws:s3:::failures".to_owned(),
        "RetryQueue.Arn" => queue("retry"),
        "AuditQueue.Arn" => queue("audits"),
        "DeferredQueue.Arn" => queue("deferred"),
        "DeadLetters.Arn" => queue("dead-letters"),
        "AuditDeadLetters.Arn" => queue("audits-dead-letters"),
        "DownloadQueue.Arn" => queue("downloads"),
        "DownloadDeadLetters.Arn" => queue("downloads-dead-letters"),
        "DeferredDeadLetters.Arn" => queue("deferred-dead-letters"),
        name => match name.strip_suffix(".Arn").filter(|role| role.ends_with("Role")) {
            Some(name) => role(name),
            None => panic!("no policy named {name} before"),
        },
    }
}
