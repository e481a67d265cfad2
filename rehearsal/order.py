"""The order of the first deployment."""

import re

from local.paths import ROOT

from .plan import Plan

PAGE = ROOT / "docs" / "deploying" / "first.md"


def order(plan: Plan) -> str:
    """The steps of the page, with the names of the deployment."""
    names = {"STACK": plan.name, "REGION": plan.region, "ACCOUNT": plan.account}
    steps = PAGE.read_text()[PAGE.read_text().index("\n1. ") :].replace("**", "").strip()
    return re.sub(r"\b(STACK|REGION|ACCOUNT)\b", lambda found: names[found[1]], f"Order of the first deployment. Stop where a step fails.\n\n{steps}")
