#!/usr/bin/env bash
# The steps of the pipeline of a stack; each can be run by hand. ENVIRONMENT is the name of a file in environments/.
#
#   stack.sh install              unpacks the release of release.env into ./release, if its checksum is right
#   stack.sh plan ENVIRONMENT     uploads template and code, makes a change set, and prints it as Markdown
#   stack.sh deploy ENVIRONMENT   executes it; CloudFormation goes back to the former state where it fails
#   stack.sh drop ENVIRONMENT     deletes it
set -euo pipefail
cd "$(dirname "$0")/.."

change_set="pipeline-${GITHUB_RUN_ID:-by-hand}"

load() {
  # shellcheck source=/dev/null
  . "environments/$1.env"
  : "${STACK:?}" "${AWS_REGION:?}" "${ARTIFACTS:?}" "${DEPLOYER:?}"
  export AWS_REGION
}

formation() {
  local request=$1
  shift
  aws cloudformation "$request" --stack-name "$STACK" "$@"
}

install_release() {
  # shellcheck source=/dev/null
  . ./release.env
  curl --fail --silent --show-error --location --output release.tar.gz "${ARCHIVE:?}"
  echo "${ARCHIVE_SHA256:?}  release.tar.gz" | sha256sum --check --quiet
  rm -rf release && mkdir release
  tar -xzf release.tar.gz --directory release --strip-components 1
  (cd release && sha256sum --check --quiet SHA256SUMS)
}

# A stack that only a change set began has no resource, and the next change set makes it as well.
kind() {
  local status
  status=$(formation describe-stacks --query 'Stacks[0].StackStatus' --output text 2>/dev/null || echo NONE)
  case $status in
    NONE | REVIEW_IN_PROGRESS) echo CREATE ;;
    *) echo UPDATE ;;
  esac
}

plan() {
  local parameters=environments/$1.json template
  template=taxonomy/cloudformation-$(sha256sum release/cloudformation.yaml | cut -c 1-12).yaml
  aws s3 cp release/functions "s3://$ARTIFACTS/taxonomy/" --recursive --only-show-errors
  aws s3 cp release/cloudformation.yaml "s3://$ARTIFACTS/$template" --only-show-errors
  # Every parameter that the file does not name has the release's default: what is in the repository is what is deployed.
  jq --arg bucket "$ARTIFACTS" '. + [{ParameterKey: "CodeBucket", ParameterValue: $bucket}]' "$parameters" > parameters.json
  formation create-change-set --change-set-name "$change_set" --change-set-type "$(kind)" --role-arn "$DEPLOYER" \
    --template-url "https://$ARTIFACTS.s3.$AWS_REGION.amazonaws.com/$template" --parameters file://parameters.json \
    --capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND > /dev/null
  formation wait change-set-create-complete --change-set-name "$change_set" 2> /dev/null || true
  formation describe-change-set --change-set-name "$change_set" > change-set.json
  show "$1"
}

# The answer of CloudFormation as Markdown. A name or a reason cannot end its cell or begin a tag.
show() {
  jq --raw-output --arg environment "$1" '
    def cell: tostring | gsub("[\r\n]+"; " ") | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub("(?<mark>[|`@\\[\\]])"; "\\\(.mark)");
    "### \($environment): \(.StackName | cell)\n",
    (if .Status == "FAILED" then "**\(.StatusReason // "failed" | cell)**"
     elif (.Changes | length) == 0 then "No change."
     else "| Action | Resource | Type | Replaced |\n|---|---|---|---|",
       (.Changes[].ResourceChange | "| \(.Action | cell) | \(.LogicalResourceId | cell) | \(.ResourceType | cell) | \(.Replacement // "" | cell) |")
     end)' change-set.json
}

deploy() {
  plan "$1"
  if jq --exit-status '.Status == "FAILED" and (.StatusReason | test("didn.t contain changes|No updates are to be performed"))' change-set.json > /dev/null; then
    formation delete-change-set --change-set-name "$change_set"
    echo "nothing changes"
    return
  fi
  jq --exit-status '.Status == "CREATE_COMPLETE"' change-set.json > /dev/null || { echo "error: the change set failed" >&2; exit 1; }
  local wait
  wait=stack-$(kind | tr '[:upper:]' '[:lower:]')-complete
  formation execute-change-set --change-set-name "$change_set"
  formation wait "$wait" || {
    # shellcheck disable=SC2016 # the quotes are those of JMESPath
    formation describe-stack-events --query 'StackEvents[?contains(ResourceStatus, `FAILED`)].[LogicalResourceId,ResourceStatusReason]' --output text >&2
    echo "error: CloudFormation went back to the former state" >&2
    exit 1
  }
}

case ${1:-} in
  install) install_release ;;
  plan | deploy) load "$2" && "$1" "$2" ;;
  show) show "$2" ;;
  drop) load "$2" && formation delete-change-set --change-set-name "$change_set" ;;
  *) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
esac
