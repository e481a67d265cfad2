//! The CloudFormation outputs of the stack: the names and addresses of its parts.

use std::collections::BTreeMap;
use std::path::Path;

use aws_sdk_cloudformation::Client;
use aws_smithy_types::error::metadata::ProvideErrorMetadata as _;
use serde::Deserialize;

use crate::failure::Failure;
use crate::file;

const CHECK: &str = "Check `--stack`, `--region` and `--profile`; `--help` names their defaults.";

/// The outputs by the names that `template.yaml` gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outputs {
    /// The stack or file that the outputs were read from, for messages.
    from: String,
    values: BTreeMap<String, String>,
}

/// An output in the JSON form of the AWS CLI and SAM.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StackOutput {
    output_key: String,
    output_value: String,
}

impl Outputs {
    /// Reads the outputs of a stack from CloudFormation.
    ///
    /// # Errors
    /// [`Failure::Aws`] when the request fails, [`Failure::Unable`] when there is no such stack.
    pub(crate) async fn of_stack(client: &Client, stack: &str) -> Result<Self, Failure> {
        let answer = client.describe_stacks().stack_name(stack).send().await;
        let answer = answer.map_err(|error| {
            let is_absent = |message: &str| message.contains("does not exist");
            match error.code() == Some("ValidationError") && error.message().is_some_and(is_absent) {
                true => Failure::unable(format!("there is no stack {stack}"), CHECK),
                false => Failure::aws("DescribeStacks", error),
            }
        })?;
        let outputs = answer.stacks().iter().flat_map(|stack| stack.outputs());
        let values = outputs
            .filter_map(|output| Some((output.output_key()?.to_owned(), output.output_value()?.to_owned())));
        Ok(Self {
            from: format!("the stack {stack}"),
            values: values.collect(),
        })
    }

    /// Reads a file in the form of `sam list stack-outputs --output json`.
    ///
    /// # Errors
    /// [`Failure::Read`] or [`Failure::Configuration`].
    pub(crate) fn of_file(path: &Path) -> Result<Self, Failure> {
        let outputs: Vec<StackOutput> =
            serde_json::from_str(&file::text(path)?).map_err(|cause| Failure::configuration(path, cause))?;
        let values = outputs
            .into_iter()
            .map(|output| (output.output_key, output.output_value));
        Ok(Self {
            from: path.display().to_string(),
            values: values.collect(),
        })
    }

    /// Returns the output `name`.
    ///
    /// # Errors
    /// [`Failure::Unable`] when the output is absent, as in a stack of an older version.
    pub(crate) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.optional(name)
            .ok_or_else(|| Failure::unable(format!("{} has no output {name}", self.from), CHECK))
    }

    /// Returns the output `name`, if it exists.
    pub(crate) fn optional(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }
}
