"""Puts the stack up, says where it is, takes it down."""

import json
from dataclasses import asdict, dataclass

from . import aws, emulator
from .build import build
from .paths import FUNCTIONS, REGION, STACK_NAME, STATE, VENV, credentials, endpoint
from .problem import Problem
from .say import say, step
from .shell import run_quietly
from .tools import ensure_python_tools

FILE = STATE / "stack.json"


@dataclass(frozen=True)
class Stack:
    """Where the parts of the deployed stack are; the field names are those of `.local/stack.json`."""

    endpoint: str
    #: Every HTTP request goes here with the header `Host: {apiHost}`, which is how the emulator tells one API from another.
    apiUrl: str
    apiHost: str
    sourceBucket: str
    changesetsBucket: str
    table: str
    topicArn: str
    retryQueueUrl: str
    eventsTopicArn: str
    functions: dict[str, str]
    stackName: str
    region: str


def up() -> Stack:
    """Emulator, build, deployment; each is quick when there is nothing to do."""
    ensure_python_tools()
    emulator.start()
    build()
    with step("Deploying template.yaml by sam deploy"):
        run_quietly([VENV / "bin" / "sam", "deploy", "--config-env", "local"], "sam deploy", credentials())
    stack = _describe()
    FILE.write_text(json.dumps(asdict(stack), indent=2) + "\n")
    say(f"The stack is up. Try: curl -H 'Host: {stack.apiHost}' {stack.apiUrl}/v1/health")
    return stack


def down() -> None:
    """Everything the stack held goes with the emulator."""
    say("Stopped the emulator; nothing is left of the stack" if emulator.stop() else "The stack was not up")


def is_up() -> bool:
    """Whether `load` would succeed."""
    return emulator.running() and FILE.exists()


def load() -> Stack:
    """The stack that `up` left running."""
    if not is_up():
        raise Problem("the stack is not up: run `make up` first")
    return Stack(**json.loads(FILE.read_text()))


def _describe() -> Stack:
    outputs = aws.stack_outputs(STACK_NAME)
    return Stack(
        endpoint=endpoint(),
        apiUrl=endpoint(),
        apiHost=outputs["ApiUrl"].split("://", 1)[1],
        sourceBucket=outputs["SourceBucketName"],
        changesetsBucket=outputs["ChangesetsBucketName"],
        table=outputs["TableName"],
        topicArn=outputs["TopicArn"],
        retryQueueUrl=outputs["RetryQueueUrl"],
        eventsTopicArn=outputs["EventsTopicArn"],
        functions={name: outputs[f"{name.capitalize()}Name"] for name in FUNCTIONS},
        stackName=STACK_NAME,
        region=REGION,
    )
