"""`python3 -m rehearsal`: checks a deployment before it, changes nothing, and prints the order of the first one."""

import argparse
import sys
from pathlib import Path
from typing import Any

from local.commands import run
from local.console import say
from local.paths import ROOT
from local.problem import Problem

from . import account, checkov, offline
from .order import order
from .outcome import Outcome, summary
from .permissions import permissions
from .plan import Plan, read


def rehearse(options: argparse.Namespace) -> int:
    """Prints each outcome, the order and the summary. Returns 1 where a check failed."""
    folder: Path | None = options.release
    if options.template_url and not folder:
        raise Problem("--template-url is the place of a release's cloudformation.yaml: name the release by --release")
    template = (folder or ROOT) / ("cloudformation.yaml" if options.template_url else "template.yaml")
    code = folder / "functions" if folder else None
    plan = read(template, options.stack, options.region, dict(each.split("=", 1) for each in options.set), code)
    outcomes = [check(plan) for check in offline.CHECKS]
    outcomes += [permissions(plan), checkov.check(template)]
    outcomes += _of_account(plan, options)
    for outcome in outcomes:
        say("\n".join(outcome.lines()))
    if not options.offline:
        say(f"\n{order(plan)}\n")
    say(summary(outcomes))
    return 1 if any(outcome.faults for outcome in outcomes) else 0


def _of_account(plan: Plan, options: argparse.Namespace) -> list[Outcome]:
    if options.offline:
        return [Outcome(name, not_checked="an account is not asked with --offline") for name in account.NAMES]
    import boto3

    try:
        session = boto3.Session(region_name=options.region, profile_name=options.profile)
        plan.account = session.client("sts").get_caller_identity()["Account"]
    except Exception as error:  # noqa: BLE001 - no profile, no credentials, no network, credentials that have ended
        return [Outcome(name, not_checked=f"no account answers: {error}") for name in account.NAMES]
    clients: dict[str, Any] = {}

    def client(service: str) -> Any:
        return clients.setdefault(service, session.client(service))

    return account.checks(plan, client, options.template_url, options.role)


def _setting(text: str) -> str:
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text} is no Name=Value")
    return text


def main() -> int:
    """Returns the exit code: 0, or 1 where a check failed."""
    parser = argparse.ArgumentParser(prog="python3 -m rehearsal", description="Checks a deployment before it, and changes nothing.")
    parser.add_argument("--stack", default="taxonomy", help="the name of the stack")
    parser.add_argument("--region", default="eu-west-1", help="where it is deployed")
    parser.add_argument("--profile", help="the profile of the account")
    parser.add_argument("--set", action="append", default=[], type=_setting, metavar="NAME=VALUE", help="a parameter of the deployment, once for each")
    parser.add_argument("--role", default="", metavar="ARN", help="the role that CloudFormation deploys with [default: the caller]")
    parser.add_argument("--release", type=Path, help="the folder of an unpacked release, whose template and code are checked [default: the template of the checkout]")
    parser.add_argument("--template-url", default="", metavar="URL", help="its cloudformation.yaml in a bucket, for CloudFormation's own view; with --set CodeBucket=..")
    parser.add_argument("--offline", action="store_true", help="only what needs no account")
    options = parser.parse_args()

    return run(lambda: rehearse(options))


if __name__ == "__main__":
    sys.exit(main())
