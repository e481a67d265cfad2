#!/usr/bin/env bash
# The steps of the pipeline of a stack; each can be run by hand. ENVIRONMENT is the name of a file in environments/.
#
#   stack.sh install              unpacks the release of release.env into ./release, if its checksum is right
#   stack.sh plan ENVIRONMENT     uploads the template, makes a change set, and prints it as Markdown
#   stack.sh deploy ENVIRONMENT   uploads the code as well, and executes the change set
#   stack.sh drop ENVIRONMENT     deletes the change set of `plan`
set -euo pipefail
cd "$(dirname "$0")/.."

name="pipeline-${GITHUB_RUN_ID:-by-hand}-${GITHUB_RUN_ATTEMPT:-1}"

load() {
  # shellcheck source=/dev/null
  . "environments/$1.env"
  : "${STACK:?}" "${AWS_REGION:?}" "${ARTIFACTS:?}" "${DEPLOYER:?}"
  export AWS_REGION
}

formation() {
  aws cloudformation "$@" --stack-name "$STACK"
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

status() {
  local answer
  if answer=$(formation describe-stacks --query 'Stacks[0].StackStatus' --output text 2>&1); then
    echo "$answer"
  elif [[ $answer == *"does not exist"* ]]; then
    echo NONE
  else
    echo "$answer" >&2
    return 1
  fi
}

# Uploads the template under a prefix, makes a change set and waits for it. Sets its kind, and its id: another change set can take its name.
prepare() {
  local prefix=$2 before template
  before=$(status)
  case $before in
    # A stack that only a change set began has no resource, and the next change set makes it as well.
    NONE | REVIEW_IN_PROGRESS) kind=CREATE ;;
    ROLLBACK_COMPLETE)
      echo "error: the first deployment of $STACK failed; delete what it left: aws cloudformation delete-stack --stack-name $STACK" >&2
      return 1
      ;;
    *) kind=UPDATE ;;
  esac
  template=$prefix/cloudformation-$(sha256sum release/cloudformation.yaml | cut -c 1-12).yaml
  aws s3 cp release/cloudformation.yaml "s3://$ARTIFACTS/$template" --only-show-errors
  # Every parameter that the file does not name has the release's default: what is in the repository is what is deployed.
  jq --arg bucket "$ARTIFACTS" '. + [{ParameterKey: "CodeBucket", ParameterValue: $bucket}]' "environments/$1.json" > parameters.json
  # One of the same name is left where a run by hand was cut off.
  formation delete-change-set --change-set-name "$name" 2> /dev/null || true
  change=$(formation create-change-set --change-set-name "$name" --change-set-type "$kind" --role-arn "$DEPLOYER" \
    --template-url "https://$ARTIFACTS.s3.$AWS_REGION.amazonaws.com/$template" --parameters file://parameters.json \
    --capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND --query Id --output text)
  formation wait change-set-create-complete --change-set-name "$change" 2> /dev/null || true
  formation describe-change-set --change-set-name "$change" > change-set.json
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
  # The zips are named by their bytes, so that those of the release before stay for the way back.
  aws s3 cp release/functions "s3://$ARTIFACTS/taxonomy/" --recursive --only-show-errors
  prepare "$1" taxonomy
  if jq --exit-status '.Status == "FAILED" and (.StatusReason | test("didn.t contain changes|No updates are to be performed"))' change-set.json > /dev/null; then
    formation delete-change-set --change-set-name "$change"
    echo "nothing changes"
    return
  fi
  jq --exit-status '.Status == "CREATE_COMPLETE"' change-set.json > /dev/null || { echo "error: the change set failed" >&2; exit 1; }
  # All events of the deployment have it.
  local token
  token=$name-$(date +%s)
  formation execute-change-set --change-set-name "$change" --client-request-token "$token"
  formation wait "stack-${kind,,}-complete" || {
    formation describe-stack-events --output text --query \
      "StackEvents[?ClientRequestToken=='$token' && contains(ResourceStatus, 'FAILED')].[LogicalResourceId,ResourceStatusReason]" >&2
    echo "error: the stack $STACK is $(status)" >&2
    exit 1
  }
}

case ${1:-} in
  install) install_release ;;
  plan) load "$2" && prepare "$2" plan ;;
  deploy) load "$2" && deploy "$2" ;;
  show) show "$2" ;;
  drop) load "$2" && formation delete-change-set --change-set-name "$name" ;;
  *) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
esac
