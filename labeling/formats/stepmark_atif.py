"""Add the labels of a Stepmark export to ATIF trajectories: `python stepmark_atif.py EXPORT.jsonl TRAJECTORY.json ...`

Each trajectory file is rewritten with `extra.stepmark` at its steps and its root. Nothing else in it changes, and a
second run leaves the same bytes. Trajectories are identified by `trajectory_id`, otherwise by `session_id`, including
sub-agents' trajectories nested in others. Needs only Python.
"""

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]
MARK = "stepmark"


def labeled(path: str) -> dict[Any, Json]:
    """Return the rows of an export, by the ids of their trajectories."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode()
    found: dict[Any, Json] = {}
    rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    for row in rows:
        key = ids(row)
        if key in found:
            raise SystemExit(f"Two rows of {path} are about the trajectory {key}: export them separately.")
        found[key] = row
    return found


def ids(trajectory: Json) -> tuple[str, Any]:
    """Return a trajectory's id: its own or, for a root without one, its session's."""
    own = trajectory.get("trajectory_id")
    return ("trajectory_id", own) if own else ("session_id", trajectory.get("session_id"))


def put(trajectory: Json, rows: dict[Any, Json]) -> int:
    """Add its row's labels to a trajectory and to those inside it. Returns how many steps have a label now."""
    count = 0
    row = rows.get(ids(trajectory))
    if row is not None:
        given = {step["step_id"]: step for step in row["steps"]}
        known = {step["step_id"] for step in trajectory["steps"]}
        lost = sorted(one for one, step in given.items() if MARK in (step.get("extra") or {}) and one not in known)
        if lost:
            raise SystemExit(
                f"{ids(trajectory)}: the export has labels of steps {lost}, which this file does not have."
            )
        for step in trajectory["steps"]:
            count += mark(step, given.get(step["step_id"], {}))
        mark(trajectory, row)
    for inner in trajectory.get("subagent_trajectories") or []:
        count += put(inner, rows)
    return count


def mark(place: Json, given: Json) -> int:
    """Replace what an earlier export said there. Returns 1 if the export says something."""
    said = (given.get("extra") or {}).get(MARK)
    if said is None:
        return 0
    place["extra"] = {**(place.get("extra") or {}), MARK: said}
    return 1


def main(export: str, *files: str) -> None:
    """Label each file. A file is replaced only once the new one is complete."""
    rows = labeled(export)
    for name in files:
        path = Path(name)
        trajectory = json.loads(path.read_text(encoding="utf-8"))
        count = put(trajectory, rows)
        if count:
            new = path.with_name(path.name + ".new")
            new.write_text(json.dumps(trajectory, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
            os.replace(new, path)
        print(f"{name}: {count} steps with labels")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
