"""Plays the scenarios of the named alarms, or all, the lost table and the losses; with RECORD=1 a whole day ends with its record and the picture of the dashboard."""

import json
import os
import sys

from . import dashboard, losses, lost_table, record
from .day import ROOT, SCENARIOS, Day, Played
from .groups import CANNOT, load

#: What is played beside the alarms, in this order: afterwards the metrics of the day have other dimensions.
OTHERS = {"losses": losses.play, "lost-table": lost_table.play}
DOCS = ROOT / "docs"


def main(names: list[str]) -> int:
    """Prints a line for each alarm. Returns 1 where one did not fire or was not mended."""
    load()
    unknown = set(names) - {each.alarm for each in SCENARIOS} - OTHERS.keys()
    if unknown:
        print(f"error: no scenario of {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    day, failed = Day(), 0
    played: list[Played] = []
    for scenario in SCENARIOS:
        if names and scenario.alarm not in names:
            continue
        try:
            seen = day.play(scenario)
        except Exception as error:  # noqa: BLE001 - a scenario that breaks is one that failed, and the others go on
            failed += 1
            print(f"{scenario.alarm}: FAILED: {type(error).__name__}: {error}", flush=True)
            continue
        played.append(seen)
        print(f"{scenario.alarm}: ALARM after {seen.seconds_to_alarm:.0f} s, OK {seen.seconds_to_ok:.0f} s later: {', '.join(seen.mend)}", flush=True)
    for alarm, reason in CANNOT.items():
        print(f"{alarm}: cannot fire here, because {reason}")
    # After the alarms, and the picture before it: a deployment with another table changes the dimensions of some.
    picture = _picture(day, played)
    steps: dict[str, list[tuple[str, float]]] = {}
    for name, play in OTHERS.items():
        if names and name not in names:
            continue
        try:
            steps[name] = play(day)
            print(f"{name}: {len(steps[name])} steps in {sum(seconds for _, seconds in steps[name]):.0f} s", flush=True)
        except Exception as error:  # noqa: BLE001 - as above
            failed += 1
            print(f"{name}: FAILED: {type(error).__name__}: {error}", flush=True)
    if not names and not failed and os.environ.get("RECORD"):
        (DOCS / "dashboard.svg").write_text(picture)
        record.write(DOCS / "game-day.md", played, steps, CANNOT)
    held = sum(map(len, steps.values()))
    print(f"game-day: {len(played)} alarms fired and mended, {held} steps held, {failed} failed, {len(CANNOT)} alarms cannot fire here")
    return 1 if failed else 0


def _picture(day: Day, played: list[Played]) -> str:
    """Draws the deployed dashboard with the values of the day."""
    body = day.running.client("cloudwatch").get_dashboard(DashboardName=f"{day.running.stack_name}-{day.running.region}")["DashboardBody"]
    fired = {day.resources[each.scenario.alarm] for each in played}
    names = {physical: (logical, physical in fired) for logical, physical in day.resources.items()}
    day.measured.refresh()
    return dashboard.draw(json.loads(body)["widgets"], day.measured, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
