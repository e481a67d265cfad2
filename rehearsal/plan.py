"""The deployment that is rehearsed: the template with the values of its parameters."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local.problem import Problem

Json = Any
PSEUDO = re.compile(r"\$\{(!?)([\w:./-]+)\}")


@dataclass
class Plan:
    """A template, the stack that is to be made of it, and where."""

    template: dict[str, Json]
    #: Bytes of the template's file.
    size: int
    name: str
    region: str
    #: The values that the deployment sets; all others are the template's.
    given: dict[str, str] = field(default_factory=dict)
    #: The folder of a release's zips.
    code: Path | None = None
    #: Twelve digits; a dummy without credentials.
    account: str = "123456789012"

    def value(self, parameter: str) -> str:
        """The value of a parameter."""
        default = self.template["Parameters"].get(parameter, {}).get("Default", "")
        return self.given.get(parameter, str(default))

    def holds(self, condition: Json) -> bool:
        """Whether a condition, by name or written out, is true."""
        if isinstance(condition, str):
            return self.holds(self.template["Conditions"][condition])
        ((function, parts),) = condition.items()
        if function == "Fn::Equals":
            return bool(self.resolved(parts[0]) == self.resolved(parts[1]))
        if function == "Condition":
            return self.holds(parts)
        if function == "Fn::Not":
            return not self.holds(parts[0])
        if function == "Fn::And":
            return all(self.holds(part) for part in parts)
        if function == "Fn::Or":
            return any(self.holds(part) for part in parts)
        raise Problem(f"no condition used {function} before")

    def resolved(self, node: Json) -> Json:
        """A part of the template with parameters and conditions in their place. A reference to a resource is its logical id."""
        if isinstance(node, list):
            parts = [self.resolved(part) for part in node]
            return [part for part in parts if part is not None]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            ((function, argument),) = node.items()
            if function == "Ref":
                return self._named(argument)
            if function == "Fn::If":
                return self.resolved(argument[1 if self.holds(argument[0]) else 2])
            if function == "Fn::GetAtt":
                return argument if isinstance(argument, str) else ".".join(argument)
            if function == "Fn::Sub":
                text, own = (argument, {}) if isinstance(argument, str) else argument
                return self._filled(text, {name: self.resolved(value) for name, value in own.items()})
            if function == "Fn::Split":
                return str(self.resolved(argument[1])).split(argument[0])
            if function == "Fn::Select":
                return self.resolved(argument[1])[int(argument[0])]
        members = {name: self.resolved(value) for name, value in node.items()}
        return {name: value for name, value in members.items() if value is not None}

    def resources(self, kind: str) -> dict[str, Json]:
        """The properties of the resources of a type that this deployment makes, by logical id."""
        found = {}
        for name, resource in self.template["Resources"].items():
            if resource["Type"] == kind and ("Condition" not in resource or self.holds(resource["Condition"])):
                found[name] = self.resolved(resource.get("Properties", {}))
        return found

    def types(self) -> set[str]:
        """Every type of the template, whatever the parameters are, as CloudFormation sees them after SAM's transform."""
        kinds = {resource["Type"] for resource in self.template["Resources"].values()}
        return {"AWS::Lambda::Function" if kind == "AWS::Serverless::Function" else kind for kind in kinds}

    def _named(self, name: str) -> Json:
        if name == "AWS::NoValue":
            return None
        pseudo = {
            "AWS::Region": self.region,
            "AWS::AccountId": self.account,
            "AWS::StackName": self.name,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
        }
        if name in pseudo:
            return pseudo[name]
        return self.value(name) if name in self.template["Parameters"] else name

    def _filled(self, text: str, own: dict[str, Json]) -> str:
        def put(found: re.Match[str]) -> str:
            literal, name = found.groups()
            if literal:
                return f"${{{name}}}"
            return str(own[name] if name in own else self._named(name) if "." not in name else name)

        return PSEUDO.sub(put, text)


def read(path: Path, name: str, region: str, given: dict[str, str], code: Path | None = None) -> Plan:
    """Reads a template with CloudFormation's short forms.

    Raises `Problem` where the file is no template."""
    from cfnlint.decode import decode

    template, problems = decode(str(path))
    if problems or template is None:
        raise Problem(f"{path} is no template: {problems}")
    return Plan(json.loads(json.dumps(template)), path.stat().st_size, name, region, given, code)
