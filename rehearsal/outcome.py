"""What a check found."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Outcome:
    """One check: passed where it has neither faults nor a reason why it was not made."""

    name: str
    #: What was looked at, in words.
    seen: str = ""
    #: What would fail on AWS, a sentence each.
    faults: list[str] = field(default_factory=list)
    #: Why it could not be checked.
    not_checked: str = ""

    def lines(self) -> list[str]:
        """The lines that a person reads."""
        if self.faults:
            return [f"FAILED       {self.name}", *(f"             - {fault}" for fault in self.faults)]
        if self.not_checked:
            return [f"not checked  {self.name}: {self.not_checked}"]
        return [f"ok           {self.name}: {self.seen}"]


def summary(outcomes: list[Outcome]) -> str:
    """The last line: a check that was not made is counted, and never looks like one that passed."""
    failed = sum(bool(each.faults) for each in outcomes)
    unmade = sum(bool(each.not_checked) and not each.faults for each in outcomes)
    return f"rehearsal: {len(outcomes) - failed - unmade} passed, {failed} failed, {unmade} not checked"
