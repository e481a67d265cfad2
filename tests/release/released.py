"""The unpacked release, its command line, its templates, and its module for Terraform."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import program
from rehearsal.plan import read
from stack import FIRST, ROOT, stack
from tfparse import load_from_path

MODULE = ROOT / "docs" / "deploying" / "terraform" / "main.tf"


def folder() -> Path:
    """Returns the folder of the unpacked archive."""
    return Path(os.environ["RELEASE"])


def code() -> dict[str, Path]:
    """Returns the zip file of each program."""
    return {path.name.split("-")[0]: path for path in sorted((folder() / "functions").glob("*.zip"))}


def taxonomy(stack_name: str, *arguments: str | Path) -> str:
    """Runs the release's command line over a stack, without a path."""
    done = program.taxonomy(*arguments, TAXONOMY_STACK=stack_name, PATH=None)
    if done.code:
        raise AssertionError(f"taxonomy {' '.join(map(str, arguments))} ended with {done.code}: {done.out}{done.err}")
    return done.out


def outputs(stack_name: str) -> dict[str, str]:
    """Returns the outputs of a stack."""
    described = stack().client("cloudformation").describe_stacks(StackName=stack_name)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}


def resources(stack_name: str) -> Mapping[str, str]:
    """Returns the physical id of each resource of a stack."""
    pages = stack().client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack_name)
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}


def template(path: Path) -> Any:
    """Returns a template without short forms."""
    return read(path, "taxonomy", "eu-west-1", {}).template


def evaluated(**values: Any) -> dict[str, Any]:
    """Returns the blocks of the module for Terraform by their kinds, with these values of its variables, by an evaluator of its language."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copy2(MODULE, place)
        # JSON is a form of the values of Terraform's language.
        (Path(place) / "values.tfvars").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))
        found: dict[str, Any] = load_from_path(place, vars_paths=["values.tfvars"])
    return found


__all__ = ["FIRST", "ROOT", "code", "evaluated", "folder", "outputs", "resources", "stack", "taxonomy", "template"]
