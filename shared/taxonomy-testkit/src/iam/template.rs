//! The policies of `template.yaml`, as CloudFormation deploys them: the names of the fixtures replace the short forms `!Ref`, `!GetAtt`
//! and `!Sub`.

use serde_json::{Map, Value};
use serde_yaml_ng::Value as Yaml;

use super::{API_ID, PLACE, Policy, STACK};
use crate::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET, TABLE};

/// The key of a stack that encrypts by a key of its account.
pub const OWN_KEY: &str = "arn:aws:kms:eu-west-1:123456789012:key/stack";

/// A template with its resources and the conditions that are true.
#[derive(Debug, Clone)]
pub struct Template {
    resources: Yaml,
    conditions: &'static [&'static str],
}

impl Template {
    /// Reads a template in YAML.
    ///
    /// # Panics
    /// Panics if the text is not YAML or not a template.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let template: Yaml = serde_yaml_ng::from_str(text).expect("a template is YAML");
        Self {
            resources: template["Resources"].clone(),
            conditions: &["OwnsSource", "HasCdn"],
        }
    }

    /// Returns the template as deployed by a stack that reads the bucket of another team. The bucket has the name of the fixtures' source
    /// bucket and is encrypted with a key of that team.
    #[must_use]
    pub fn with_existing_source(self) -> Self {
        Self {
            conditions: &["HasSourceKey"],
            ..self
        }
    }

    /// Returns the template as deployed by a stack with a key of its account, [`OWN_KEY`].
    #[must_use]
    pub fn with_own_key(self) -> Self {
        Self {
            conditions: &["OwnsSource", "HasCdn", "HasKey"],
            ..self
        }
    }

    /// Returns the document of a managed policy, or of a policy of a bucket.
    #[must_use]
    pub fn document(&self, resource: &str) -> Value {
        self.resolved(&self.resources[resource]["Properties"]["PolicyDocument"])
    }

    /// Returns a managed policy, or the policy of a bucket.
    #[must_use]
    pub fn policy(&self, resource: &str) -> Policy {
        Policy::new(&self.document(resource))
    }

    /// Returns the policy inside a role.
    ///
    /// # Panics
    /// Panics if the role does not have exactly one policy.
    #[must_use]
    pub fn policy_of_role(&self, role: &str) -> Policy {
        let policies = self.resolved(&self.resources[role]["Properties"]["Policies"]);
        let policies = policies.as_array().expect("a role has policies");
        assert_eq!(policies.len(), 1, "{role}");
        Policy::new(&policies[0]["PolicyDocument"])
    }

    /// Returns the actions that the policies inside a role name, whatever their resources and conditions are.
    #[must_use]
    pub fn actions_of_role(&self, role: &str) -> Vec<String> {
        let policies = self.resources[role]["Properties"]["Policies"].as_sequence();
        let statements = policies.into_iter().flatten().flat_map(|policy| {
            let statements = policy["PolicyDocument"]["Statement"].as_sequence();
            statements.into_iter().flatten().flat_map(alternatives)
        });
        let actions = statements.flat_map(|statement| match &statement["Action"] {
            Yaml::Sequence(actions) => actions.clone(),
            action => vec![action.clone()],
        });
        actions
            .filter_map(|action| action.as_str().map(str::to_owned))
            .collect()
    }

    /// Returns the document that defines which principals may assume a role.
    #[must_use]
    pub fn trust(&self, role: &str) -> Value {
        self.resolved(&self.resources[role]["Properties"]["AssumeRolePolicyDocument"])
    }

    /// Returns the names of the resources of a type.
    #[must_use]
    pub fn of_type(&self, kind: &str) -> Vec<String> {
        let resources = self.resources.as_mapping().into_iter().flatten();
        let of_kind = resources.filter(|(_, resource)| resource["Type"].as_str() == Some(kind));
        of_kind
            .filter_map(|(name, _)| name.as_str().map(str::to_owned))
            .collect()
    }

    /// Returns a value with its short forms replaced.
    fn resolved(&self, value: &Yaml) -> Value {
        match value {
            Yaml::Null => Value::Null,
            Yaml::Bool(flag) => Value::Bool(*flag),
            Yaml::Number(number) => Value::String(number.to_string()),
            Yaml::String(text) => Value::String(text.clone()),
            Yaml::Sequence(values) => {
                let values = values.iter().map(|value| self.resolved(value));
                // `!Ref AWS::NoValue` removes its element.
                Value::Array(values.filter(|value| !value.is_null()).collect())
            }
            Yaml::Mapping(members) => {
                let members = members.iter().map(|(name, value)| {
                    let name = name.as_str().expect("names are texts");
                    (name.to_owned(), self.resolved(value))
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
            Yaml::Tagged(tagged) if tagged.tag == "!If" => {
                let condition = tagged.value[0].as_str().expect("a condition");
                let holds = self.conditions.contains(&condition);
                self.resolved(&tagged.value[if holds { 1 } else { 2 }])
            }
            Yaml::Tagged(tagged) if tagged.tag == "!Select" => {
                let index = tagged.value[0]
                    .as_u64()
                    .and_then(|index| usize::try_from(index).ok());
                self.resolved(&tagged.value[1])[index.expect("an index")].clone()
            }
            Yaml::Tagged(tagged) if tagged.tag == "!Split" => {
                let separator = tagged.value[0].as_str().expect("a separator");
                let text = self.resolved(&tagged.value[1]);
                let parts = text.as_str().expect("a text").split(separator);
                parts.map(|part| Value::String(part.to_owned())).collect()
            }
            Yaml::Tagged(tagged) if tagged.tag == "!Sub" && tagged.value.is_sequence() => {
                let text = tagged.value[0].as_str().expect("a text");
                let variables = self.resolved(&tagged.value[1]);
                let value = |name: &str| {
                    variables[name]
                        .as_str()
                        .map_or_else(|| named(name), str::to_owned)
                };
                Value::String(substituted(text, value))
            }
            Yaml::Tagged(tagged) => {
                let text = tagged.value.as_str().expect("a short form with a text");
                match tagged.tag.to_string().as_str() {
                    "!Ref" if text == "AWS::NoValue" => Value::Null,
                    "!Ref" | "!GetAtt" => Value::String(named(text)),
                    "!Sub" => Value::String(substituted(text, named)),
                    other => panic!("no policy used {other} before"),
                }
            }
        }
    }
}

/// Returns a statement, or both branches of an `!If`.
fn alternatives(statement: &Yaml) -> Vec<&Yaml> {
    match statement {
        Yaml::Tagged(tagged) if tagged.tag == "!If" => vec![&tagged.value[1], &tagged.value[2]],
        statement => vec![statement],
    }
}

/// Returns the ARN of a role of the stack.
pub(super) fn role(name: &str) -> String {
    format!("arn:aws:iam::123456789012:role/{STACK}-{name}")
}

/// Replaces `${Name}` and `${Name.Attribute}` by their values; `${!Literal}` becomes `${Literal}`.
fn substituted(text: &str, value: impl Fn(&str) -> String) -> String {
    let (mut result, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, behind) = behind.split_once('}').expect("a variable ends");
        result.push_str(before);
        match name.strip_prefix('!') {
            Some(literal) => result.push_str(&format!("${{{literal}}}")),
            None => result.push_str(&value(name)),
        }
        rest = behind;
    }
    result + rest
}

/// Returns the value of a name in the fixtures.
fn named(name: &str) -> String {
    let queue = |name: &str| format!("arn:aws:sqs:{PLACE}:{name}");
    match name {
        "AWS::Partition" => "aws".to_owned(),
        "AWS::Region" => "eu-west-1".to_owned(),
        "AWS::AccountId" => "123456789012".to_owned(),
        "AWS::StackName" => STACK.to_owned(),
        "AWS::URLSuffix" => "amazonaws.com".to_owned(),
        "ExistingSourceBucket" => SOURCE_BUCKET.to_owned(),
        "KmsKeyArn" => OWN_KEY.to_owned(),
        "ExistingSourceKeyArn" => format!("arn:aws:kms:{PLACE}:key/uploads"),
        "CdnDistributionId" => "E2EXAMPLE".to_owned(),
        "HttpApi" => API_ID.to_owned(),
        "TableArnInUse.Value" => format!("arn:aws:dynamodb:{PLACE}:table/{TABLE}"),
        "SourceBucket.Arn" => format!("arn:aws:s3:::{SOURCE_BUCKET}"),
        "ChangesetsBucket.Arn" => format!("arn:aws:s3:::{CHANGESETS_BUCKET}"),
        "FailuresBucket.Arn" => "arn:aws:s3:::failures".to_owned(),
        "TableStreamInUse.Value" => format!("arn:aws:dynamodb:{PLACE}:table/{TABLE}/stream/2026"),
        "ProjectorLogs.Arn" => format!("arn:aws:logs:{PLACE}:log-group:projector"),
        "AggregatorLogs.Arn" => format!("arn:aws:logs:{PLACE}:log-group:aggregator"),
        "CachesLogs.Arn" => format!("arn:aws:logs:{PLACE}:log-group:caches"),
        "LookupLogs.Arn" => format!("arn:aws:logs:{PLACE}:log-group:lookup"),
        "EventsTopic" => format!("arn:aws:sns:{PLACE}:events"),
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
