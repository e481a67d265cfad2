"""The order of the first deployment: what only AWS can show, in the order in which a failure costs least."""

import re
from dataclasses import dataclass

from .plan import Plan


@dataclass(frozen=True)
class Step:
    """One thing that is done and looked at."""

    what: str
    #: The command; STACK, REGION and ACCOUNT are filled in.
    do: str
    see: str
    otherwise: str


STEPS = (
    Step(
        "Deploy as the principal that will always deploy",
        "in an unpacked release: sam deploy --template-file template.yaml --stack-name STACK --region REGION --capabilities CAPABILITY_IAM --s3-bucket ARTIFACTS --s3-prefix taxonomy --role-arn arn:aws:iam::ACCOUNT:role/DEPLOYER --parameter-overrides AuthMode=iam AlarmTopicArn=TOPIC CorsAllowOrigins=ORIGIN",
        "CREATE_COMPLETE, and a message of each alarm that it is OK. The policy of docs/deploying/policies/deployer.json is enough",
        "read the first CREATE_FAILED of `aws cloudformation describe-stack-events`: an action that is denied goes into the policy, `iam:CreateServiceLinkedRole` by the statement DomainRole of deployer-options.json; `concurrent modification` of the API: delete the stack and deploy again",
    ),
    Step(
        "Upload a file and read a term",
        "taxonomy push first.json --tenant trial --stack STACK && taxonomy get 101 --tenant trial --stack STACK",
        "`version 1 is served`, and the term with its ancestors",
        "`aws logs tail /aws/lambda/STACK-projector`: a right that is missing is named there",
    ),
    Step(
        "Request a download that was never made",
        "curl --aws-sigv4 aws:amz:REGION:execute-api --user KEY:SECRET -H 'x-amz-security-token: TOKEN' API_URL/v1/tenants/trial/versions/1/download?format=csv, again after some seconds",
        "202, then 200 with the `url` of the file: S3 tells the lookup of a missing object by 404",
        "503 on every request: S3 compares another s3:prefix than the statement TellMissingObjects of LookupRole names; remove its condition until it is known which",
    ),
    Step(
        "Verify as the operator of one tenant",
        "taxonomy verify trial --stack STACK --profile TENANT_OPERATOR",
        "0 differences",
        "AccessDenied on a request to the table: compare dynamodb:LeadingKeys of TenantOperatorPolicy with the message of CloudTrail",
    ),
    Step(
        "Send a batch that another signer than ours has signed",
        "curl --aws-sigv4 aws:amz:REGION:execute-api --user KEY:SECRET -H 'x-amz-security-token: TOKEN' -H 'content-type: application/json' -d '{\"ids\":[101]}' API_URL/v1/tenants/trial/terms:batchGet",
        "200. Where it is 403, a second try with `terms%3AbatchGet` in the path is 200",
        "say so to consumers (docs/http-api.md): their signer must encode the colon",
    ),
    Step(
        "Send a preflight of a browser",
        "curl -i -X OPTIONS -H 'origin: ORIGIN' -H 'access-control-request-method: GET' API_URL/v1/tenants/trial",
        "204 with access-control-allow-origin",
        "a route matches OPTIONS; no route of this template does",
    ),
    Step(
        "Read who called",
        "aws logs tail /aws/vendedlogs/STACK-http --since 10m",
        "a line with `caller` (or `subject`, with a JWT) and `sourceIp` for each request above",
        "a `-` in place of the caller: the variable has another name for this kind of authorization",
    ),
    Step(
        "Upload under a foreign key",
        "aws s3 cp first.json s3://SOURCE_BUCKET/taxonomies/trial.json --sse aws:kms --sse-kms-key-id OTHER_KEY",
        "AccessDenied with an explicit deny in a resource-based policy",
        "the condition key of the statement NoForeignKeys has another form: compare CloudTrail; the projector would refuse the object on each try",
    ),
    Step(
        "Set a cap on the table's throughput, and lift it",
        "step 1 with TableMaxWriteUnits=500 as well, then with 0; aws dynamodb describe-table --table-name TABLE --query 'Table.[OnDemandThroughput,GlobalSecondaryIndexes[0].OnDemandThroughput]'",
        "500 after the first deployment, -1 or nothing after the second",
        "still 500: lift it by the command of docs/operations.md, \"A cap on the table's throughput\", which holds in either case",
    ),
    Step(
        "Purge, as one who has the tag and as one who has not",
        "taxonomy tenant purge trial --stack STACK",
        "AccessDenied on sts:AssumeRole without the tag taxonomy-purge=allowed, and a purge with it",
        "the session has no principal tags: tag the role itself, not the user behind it; a role of a permission set takes no tags, so assume one that does",
    ),
    Step(
        "Let an alarm fire and end",
        "aws cloudwatch set-alarm-state --alarm-name NAME --state-value ALARM --state-reason trial",
        "a message of the alarm, and one of its end some minutes later",
        "the topic's policy does not let CloudWatch publish, or its key does not",
    ),
    Step(
        "Compare the average of 5xx with the errors",
        "aws cloudwatch get-metric-statistics --namespace AWS/ApiGateway --metric-name 5xx --dimensions Name=ApiId,Value=API --statistics Average Sum SampleCount --period 300 --start-time .. --end-time ..",
        "SampleCount equals the requests: then the alarm is on a rate. Where it equals the errors, the alarm fires on each",
        "either is safe; write into docs/runbook.md which one it is",
    ),
    Step(
        "Deploy the same name in a second region",
        "step 1 with --region OTHER_REGION, a bucket there, and a deployer whose policy names that region",
        "CREATE_COMPLETE, and two dashboards",
        "a name that all regions share has no region in it: the event names the resource",
    ),
    Step(
        "Give a key to the stack, which has none",
        "step 1 with KmsKeyArn=.. as well; aws sqs get-queue-attributes --queue-url RETRY_QUEUE --attribute-names KmsMasterKeyId SqsManagedSseEnabled; then step 2 with another file",
        "UPDATE_COMPLETE, KmsMasterKeyId alone, and the next version is served",
        "a queue is refused two kinds of encryption: set SqsManagedSseEnabled to false with the key. The upload is not seen, or no dead letter arrives: take aws:SourceAccount out of the statement Services of docs/deploying/guide.md, \"A key of your own\", which S3 or SNS does not send",
    ),
    Step(
        "Upload by each way to name an encryption, under that key",
        "aws s3 cp first.json s3://SOURCE_BUCKET/taxonomies/trial.json, without --sse; with --sse aws:kms --sse-kms-key-id KEY_ARN; with the id alone; with --sse AES256; with --sse aws:kms alone",
        "three uploads, and AccessDenied for the last two",
        "the id is refused: name the ARN. No --sse is refused: S3 shows its default to the policy in part; take the statement NoOtherEncryption out",
    ),
    Step(
        "Deploy a stack with KmsKeyArn, AccessLogsBucket, PermissionsBoundaryArn and DomainName, upload and read",
        "make rehearse ARGS='--set KmsKeyArn=.. --set DomainName=..', then step 1 with the same and another name",
        "CREATE_COMPLETE; the first two steps pass, also by the domain; objects appear in the bucket of the access logs",
        "the key's policy lacks a service of docs/deploying/guide.md, \"A key of your own\", or the deployer an option: the event or the log names it",
    ),
    Step(
        "Deploy the archive of the other architecture",
        "step 1 with that archive, another name and Architecture=arm64 or x86_64, then step 2",
        "the same as there",
        "`Runtime.ExitError` or `exec format error` in the log: the archive holds programs of another architecture than its name says",
    ),
    Step(
        "Deploy a stack over the bucket and the topic of another team, in another account where there is one",
        "docs/deploying/README.md, \"A bucket and a topic of another team\", and step 1 with ExistingSourceBucket=.. ExistingSourceTopicArn=.. as well; then step 2",
        "CREATE_COMPLETE, and `version 1 is served`",
        "AccessDenied on the subscription: the event names the right that the topic's policy lacks. Nothing is served: the bucket's policy or its key lacks the projector",
    ),
    Step(
        "Read as a consumer of another account",
        "docs/deploying/guide.md, \"Consumers of other accounts\", then `taxonomy get 101 --tenant trial --api-url API_URL --auth iam --profile CONSUMER`",
        "the term; another tenant is 403",
        "the message of sts:AssumeRole names the role or the condition that refuses it",
    ),
    Step(
        "Deploy with a second tier, provisioned capacity and tokens",
        "step 1 with CacheUrl=.. CachePasswordSecret=.. CacheSubnetIds=.. CacheSecurityGroupIds=.., TableCapacity=provisioned and AuthMode=jwt JwtIssuer=.. JwtAudience=.., then step 2 with a token",
        "CREATE_COMPLETE; the log of the lookup names no error of the cache; a request without a token is 401",
        "the secret's text is resolved when the stack is deployed: its name has a version or a key of its JSON that is not there",
    ),
    Step(
        "Deploy by the pipeline of samples/stack, and try it from another branch",
        "a pull request, its merge, and the workflow by hand on another branch whose file has no `if`",
        "the comment, a deployment, and `Not authorized to perform sts:AssumeRoleWithWebIdentity` from the branch",
        "refused on main as well: STS of this partition does not know the claim `ref`; take it out of the trust, and rely on the deployment branches of the environment",
    ),
    Step(
        "Delete the trial stack",
        "docs/deploying/guide.md, \"Removal\"",
        "DELETE_COMPLETE, with table and buckets kept",
        "a resource that is not deleted is named by the events; its right is missing in deployer.json",
    ),
)


def order(plan: Plan) -> str:
    """The steps as a text."""
    lines = ["Order for Monday: the first deployment, a step after the other. Stop where one fails.", ""]
    for number, step in enumerate(STEPS, 1):
        parts = (f"{number:2}. {step.what}", f"      do    {step.do}", f"      see   {step.see}", f"      else  {step.otherwise}")
        lines += [_filled(part, plan) for part in parts]
    return "\n".join(lines)


def _filled(text: str, plan: Plan) -> str:
    names = {"STACK": plan.name, "REGION": plan.region, "ACCOUNT": plan.account}
    return re.sub(r"\b(STACK|REGION|ACCOUNT)\b", lambda found: names[found[1]], text)
