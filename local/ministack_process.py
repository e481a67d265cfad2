"""The process of the emulator, extended by behaviour of AWS that it lacks.

Its servers send small answers at once: with Nagle's algorithm every invocation of a function waits for an acknowledgement that the other
side delays by 40 ms. Filters of subscriptions look into the objects of a list, as the `Records` of an S3 event are. A batch of a stream
whose function names failed records is delivered again. Resources that change no response of a stack are created without an effect: saved
queries, and the scaling of capacity."""

import socketserver
from collections.abc import Callable
from typing import Any

from ministack.app import main
from ministack.services import lambda_svc, sns
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS

#: Types of the template that the emulator does not know.
WITHOUT_EFFECT = ("AWS::Logs::QueryDefinition", "AWS::ApplicationAutoScaling::ScalableTarget", "AWS::ApplicationAutoScaling::ScalingPolicy")


def look_into(*bodies: Any) -> Callable[[str], tuple[bool, list[Any], bool]]:
    """Finds the values of a property, of any of the objects; `child` finds the objects below one."""
    objects = [body for body in bodies if isinstance(body, dict)]

    def below(name: str) -> list[Any]:
        found = [each[name] for each in objects if each.get(name) is not None]
        return [value for each in found for value in (each if isinstance(each, list) else [each])]

    def lookup(name: str) -> tuple[bool, list[Any], bool]:
        values = below(name)
        return bool(values), values, any(objects)

    lookup.child = lambda name: look_into(*below(name)) if any(isinstance(value, dict) for value in below(name)) else None  # type: ignore[attr-defined]
    return lookup


execute = lambda_svc._execute_function


def deliver_again(function: dict[str, Any], event: Any) -> dict[str, Any]:
    """Runs a function; of a stream's batch that fails in part the emulator would take the answer for a success."""
    ended: dict[str, Any] = execute(function, event)
    records, body = event.get("Records") if isinstance(event, dict) else None, ended.get("body")
    is_of_a_stream = bool(records) and records[0].get("eventSource") == "aws:dynamodb"
    return {**ended, "error": True} if is_of_a_stream and isinstance(body, dict) and body.get("batchItemFailures") else ended


def take(logical_id: str, _: dict[str, Any], stack_name: str) -> tuple[str, dict[str, Any]]:
    """Creates a resource without an effect. Returns its physical id and its attributes."""
    return f"{stack_name}-{logical_id}", {}


def keep(physical_id: str, *_: Any) -> tuple[str, dict[str, Any]]:
    """Updates one."""
    return physical_id, {}


for kind in WITHOUT_EFFECT:
    _RESOURCE_HANDLERS[kind] = {"create": take, "update": keep, "delete": lambda *_: None}
socketserver.StreamRequestHandler.disable_nagle_algorithm = True
sns._body_lookup = look_into
lambda_svc._execute_function = deliver_again
main()
