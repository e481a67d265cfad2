"""The unpacked release, its command line, and its templates."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stack import ROOT, Stack, stack

SAMPLE = ROOT / "samples" / "job-board-v1.json"
SECONDS = 300


def folder() -> Path:
    """Returns the folder of the unpacked archive."""
    return Path(os.environ["RELEASE"])


def code() -> dict[str, Path]:
    """Returns the zip file of each program."""
    return {path.name.split("-")[0]: path for path in sorted((folder() / "functions").glob("*.zip"))}


def taxonomy(stack_name: str, *arguments: str | Path) -> str:
    """Runs the release's command line over a stack, with an empty path."""
    running = stack()
    environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": running.region,
        "AWS_ENDPOINT_URL": running.endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
        "TAXONOMY_STACK": stack_name,
        "HOME": "/nonexistent",
    }
    words = [str(folder() / "bin" / "taxonomy"), *map(str, arguments)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise AssertionError(f"taxonomy {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def outputs(stack_name: str) -> dict[str, str]:
    """Returns the outputs of a stack."""
    described = stack().client("cloudformation").describe_stacks(StackName=stack_name)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}


def resources(stack_name: str) -> Mapping[str, str]:
    """Returns the physical id of each resource of a stack."""
    pages = stack().client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack_name)
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}


def template(path: Path) -> Any:
    """Returns a template without short forms, as the linter of CloudFormation reads it."""
    from cfnlint.decode import decode

    read, problems = decode(str(path))
    if problems:
        raise AssertionError(f"{path.name}: {problems}")
    return json.loads(json.dumps(read))


__all__ = ["ROOT", "SAMPLE", "Stack", "code", "folder", "outputs", "resources", "stack", "taxonomy", "template"]
