"""Runs each function on its sample events by `sam local invoke`, under AWS's own runtime emulator, over the stack on this machine."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from local import stack
from local.command_line import taxonomy
from local.console import say
from local.paths import FUNCTIONS, ROOT, VENV, credentials, port
from local.problem import Problem
from local.shell import capture
from local.stack import Stack

from . import docker
from .expectations import EXPECTED
from .outcome import Outcome
from .tcp_proxy import relay

EVENTS = ROOT / "events"
SAMPLE = ROOT / "samples" / "job-board-v1.json"
TENANT = "job-board"
#: For one invocation, which takes some five: `sam` waits as long as the function may take, also for a container that ended.
SECONDS = 120
#: Of this machine's C library.
IMAGE = "taxonomy-local:latest"
#: In the samples, wherever the deployed bucket's name belongs.
SAMPLE_BUCKET = "taxonomy-source-123456789012-eu-west-1"


def prove(template: Path, *, is_released: bool) -> Outcome:
    """All samples of all functions of a template whose code is built: in the image of AWS's runtime if they are built for AWS, else in one
    of this machine's C library."""
    with stack.running() as here, docker.docker():
        if is_released:
            docker.ensure_runtime()
        else:
            docker.make_image(IMAGE, sorted(template.parent.glob("*/bootstrap")))
        taxonomy(here, "push", str(SAMPLE.relative_to(ROOT)), "--tenant", TENANT)
        invoke = ["--template-file", str(template), *([] if is_released else ["--invoke-image", IMAGE]), "--skip-pull-image"]
        passed = failed = 0
        host = docker.gateway()
        with relay(host, port()), tempfile.TemporaryDirectory() as folder:
            variables = Path(folder) / "variables.json"
            variables.write_text(json.dumps(_variables(here, host)))
            for sample in _samples():
                complaint = _judge(here, sample, [*invoke, "--env-vars", str(variables)], Path(folder))
                passed, failed = (passed, failed + 1) if complaint else (passed + 1, failed)
                say(f"{'FAILED' if complaint else 'ok':6} {sample.relative_to(EVENTS)}{f': {complaint}' if complaint else ''}")
    return Outcome(passed + failed, failed)


def _samples() -> list[Path]:
    found = sorted(EVENTS.glob("*/*.json"))
    unknown = {str(path.relative_to(EVENTS)) for path in found} ^ set(EXPECTED)
    if unknown:
        raise Problem(f"events/ and checks/expectations.py disagree about {', '.join(sorted(unknown))}")
    return found


def _variables(here: Stack, host: str) -> dict[str, dict[str, str]]:
    # `sam local` puts a resource's logical id where the template refers to it, so the real names are given here.
    everyone = {"AWS_ENDPOINT_URL": f"http://{host}:{port()}", "TABLE_NAME": here.outputs["TableName"]}
    changesets = {"CHANGESETS_BUCKET": here.outputs["ChangesetsBucketName"]}
    projector = {
        "SOURCE_BUCKET": here.outputs["SourceBucketName"],
        "RETRY_QUEUE_URL": here.outputs["RetryQueueUrl"],
        "AUDIT_QUEUE_URL": here.outputs["AuditQueueUrl"],
        "DOWNLOAD_QUEUE_URL": here.outputs["DownloadQueueUrl"],
        "DEAD_LETTERS_URL": here.outputs["DeadLettersUrl"],
        "AUDIT_DEAD_LETTERS_URL": here.outputs["AuditDeadLettersUrl"],
        "DOWNLOAD_DEAD_LETTERS_URL": here.outputs["DownloadDeadLettersUrl"],
    }
    aggregator = {
        "EVENTS_TOPIC_ARN": here.outputs["EventsTopicArn"],
        "EVENTS_SOURCE": f"/taxonomy/{here.region}/{here.stackName}",
        "DEFERRED_QUEUE_URL": here.outputs["DeferredQueueUrl"],
        "FAILURES_BUCKET": here.outputs["FailuresBucketName"],
    }
    return {
        "Projector": everyone | changesets | projector,
        "Aggregator": everyone | changesets | aggregator,
        "Lookup": everyone | changesets | {"DOWNLOAD_QUEUE_URL": here.outputs["DownloadQueueUrl"]},
    }


def _judge(here: Stack, sample: Path, options: Sequence[str], folder: Path) -> str | None:
    event = folder / "event.json"
    event.write_text(sample.read_text().replace(SAMPLE_BUCKET, here.outputs["SourceBucketName"]))
    function = FUNCTIONS[sample.parent.name]
    # The file is named, because `sam` looks for it beside the template.
    command: list[str | Path] = [VENV / "bin" / "sam", "local", "invoke", function, "--config-file", ROOT / "samconfig.toml", "--config-env", "local"]
    try:
        done = capture([*command, "--event", event, *options], credentials(), SECONDS)
    except Problem as problem:
        # Those after it would wait as long: a container that does not start is of the set-up, not of the sample.
        raise Problem(f"{sample.relative_to(EVENTS)}: {problem}") from problem
    # Its exit code is 0 for a function that failed, and its logs go elsewhere: only the payload tells.
    try:
        payload: Any = json.loads(done.stdout)
    except ValueError:
        return f"no payload; it said: {(done.stderr.strip().splitlines() or ['nothing'])[-1]}"
    return EXPECTED[str(sample.relative_to(EVENTS))](payload)
