"""The templates of a release: that of the project, with the code of each function where a release has it."""

import re
from collections.abc import Mapping

from local.package import with_code
from local.problem import Problem

#: How `sam build` would build a function, which a release has done.
BUILD = re.compile(r"    Metadata:\n      BuildMethod: .*\n      BuildProperties: .*\n")
#: The source of all functions for `sam build`.
SOURCE = "    # One folder for all of them, so that they share one target folder and the SDK is compiled once.\n    CodeUri: .\n"
#: Where the groups of the parameters begin.
GROUPS = "    ParameterGroups:\n"
ARCHITECTURE = re.compile(r"  Architecture:\n    Type: String\n    Default: \w+\n    AllowedValues: \[.*\]\n")


def for_sam(template: str, code: Mapping[str, str], architecture: str) -> str:
    """The template for `sam deploy`, which uploads the code: `code` has the path of each program's zip, from the template's folder."""
    return _released(with_code(template, lambda _, program: code[program]), architecture)


def for_cloudformation(template: str, code: Mapping[str, str], architecture: str) -> str:
    """The template for CloudFormation, Terraform and the CDK: the code is in a bucket that a parameter names, under keys that parameters name."""

    def place(_: str, program: str) -> str:
        return f"{{ Bucket: !Ref CodeBucket, Key: !Ref {program.capitalize()}Key }}"

    lines = [
        "  CodeBucket:",
        "    Type: String",
        "    AllowedPattern: '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]'",
        "    ConstraintDescription: the name of a bucket",
        "    Description: A bucket in the region of the stack that holds the code of the functions.",
    ]
    for program, path in code.items():
        key = f"taxonomy/{path.rsplit('/', 1)[-1]}"
        lines += [f"  {program.capitalize()}Key:", "    Type: String", f"    Default: {key}"]
    parameters = "".join(f"{line}\n" for line in lines)
    names = ", ".join(["CodeBucket", *(f"{program.capitalize()}Key" for program in code)])
    group = f"{GROUPS}      - Label: {{ default: Code of the functions }}\n        Parameters: [{names}]\n"
    released = _once(GROUPS, group, _released(with_code(template, place), architecture))
    return _once("\nParameters:\n", f"\nParameters:\n{parameters}", released)


def _released(template: str, architecture: str) -> str:
    """Without what `sam build` reads, and for the one architecture that the release is of."""
    found = ARCHITECTURE.search(template)
    if found is None:
        raise Problem("template.yaml has no parameter Architecture that local/templates.py can read")
    one = f"  Architecture:\n    Type: String\n    Default: {architecture}\n    AllowedValues: [{architecture}]\n"
    return _once(SOURCE, "", BUILD.sub("", template.replace(found[0], one)))


def _once(old: str, new: str, template: str) -> str:
    if template.count(old) != 1:
        raise Problem(f"template.yaml holds {template.count(old)} times, not once: {old.strip()}")
    return template.replace(old, new)
