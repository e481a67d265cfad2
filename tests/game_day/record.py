"""Writes docs/game-day.md, the record of a game day."""

from pathlib import Path

from .day import Played

HEAD = """# Game day

Written by `RECORD=1 make prove NAMES=runbook`, which starts a stack on this machine, breaks it once for each alarm of the template, waits for the alarm, carries out its line of the [runbook](runbook.md), waits for the end of the alarm, and looks whether the tenant's answers and counts are right again. [The dashboard of this day](dashboard.svg) shows its values.

**How alarms are evaluated.** The emulator keeps alarms and evaluates none as CloudWatch does. `tests/game_day/alarms.py` evaluates the deployed ones: metric, dimensions, statistic, threshold, comparison, datapoints, missing data.

**Time is compressed, thresholds are not.** A second of the day stands for the seconds of the column "x": of periods, and of the metrics that are times of waiting (`IteratorAge`, `DeferredAge`, `BehindAge`, the age of messages). A period is at least 2 s. Retries that take minutes are sent by the scenario; where a scenario changes a limit of the stack for that, its fault says so. Not compressed is the time-out of a queue: a message whose invocation was ended comes back after 960 s, so the oldest message of the retry queue may only grow older until the day ends.

**Where the values come from.** Metrics of the service: the lines of the functions' logs. Errors, throttles, and ages of stream batches: the invocations. Messages and their age: the queues, once a second. Answers and latency: the requests of the HTTP API. The emulator has no throttled table, no memory that ends, no bucket as on-failure destination, no policy that denies and no batch of a stream that fails in part; `tests/game_day/ministack_game_day.py` adds them as AWS documents them, and measures what it does. So the functions, their messages and the commands are real here; AWS's own part is not.

**Deployments.** The emulator's CloudFormation passes on neither reserved concurrency nor a table's maximums: where a mend deploys one of those, the day sends the request that CloudFormation would send."""


def write(file: Path, played: list[Played], others: dict[str, list[tuple[str, float]]], cannot: dict[str, str]) -> None:
    """Writes the record of a day."""
    rows = [
        f"| `{each.scenario.alarm}` | {each.scenario.fault} | {each.scenario.factor:,.0f} | {each.seconds_to_alarm:.0f} | {_commands(each.mend)} | {each.seconds_to_ok:.0f} |"
        for each in played
    ]
    table = "\n".join(["| Alarm | Fault | x | s to ALARM | Mend | s to OK |", "|---|---|---|---|---|---|", *rows])
    reasons = "\n".join(f"- `{alarm}`: {reason}" for alarm, reason in cannot.items()) or "None: each alarm of the template fired."
    losses = "## Losses\n\nOne loss of each row of [the table of losses](losses.md), in one tenant, one after the other."
    lost = (
        "## The lost table\n\nThe emulator restores what the source holds at that moment, whatever time is named: here the restore is requested before "
        "the loss. On AWS it is requested after it, with a time before it."
    )
    parts = [HEAD, f"## Alarms\n\n{table}", f"{losses}\n\n{_steps(others['losses'])}", f"{lost}\n\n{_steps(others['lost-table'])}"]
    file.write_text("\n\n".join([*parts, f"## Cannot fire here\n\n{reasons}\n"]))


def _steps(steps: list[tuple[str, float]]) -> str:
    return "\n".join(["| Step | s |", "|---|---|", *(f"| {step} | {seconds:.0f} |" for step, seconds in steps)])


def _commands(mend: tuple[str, ...]) -> str:
    return ", ".join(f"`{command}`" for command in mend)
