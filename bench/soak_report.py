"""The section of docs/benchmarks.md about hours of people at work: whether the last third was like the first."""

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.markdown import met, table

HOW = """\
`make soak` (`python -m bench.soak --minutes 120`), not part of `make bench`: {people} people label over HTTP for
{minutes} minutes, {rate} labels per second in all, with every request that the page sends. Backup, export, prune and
doctor run in turn, one every few minutes. Memory is of all processes except Postgres; times are in milliseconds. None
of {labels:,} labels {refused}. Jobs: {jobs}."""
# What may grow from the first third to the last, and by which factor (each thread opens a connection when it needs
# one); the database and the logs may grow by a number of bytes per label.
MOST: dict[str, tuple[str, float]] = {
    "memory_mb": ("memory, MB", 1.15),
    "connections": ("connections", 1.25),
    "claim_p95": ("claim p95, ms", 1.25),
    "submit_p95": ("submit p95, ms", 1.25),
}
A_LABEL = {"database_mb": ("database, bytes per label", 10_000), "logs_mb": ("logs, bytes per label", 100)}
HEAD = ("over the run", "first third", "last third", "aim", "")


def verdicts(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return medians of the first and last third, and whether they are alike; the first minute is warm-up."""
    rows = rows[1:]
    third = max(1, len(rows) // 3)
    told: list[tuple[str, ...]] = []
    for name, (words, most) in MOST.items():
        first, last = (statistics.median(row[name] for row in part) for part in (rows[:third], rows[-third:]))
        told.append((words, f"{first:g}", f"{last:g}", f"<= {most:g} x", met(last <= first * most)))
    labels = rows[-1]["labels"] - rows[0]["labels"]
    for name, (words, limit) in A_LABEL.items():
        grown = (rows[-1][name] - rows[0][name]) * 2**20 / max(1, labels)
        told.append((words, "", f"{grown:.0f}", f"<= {limit}", met(grown <= limit)))
    return told


def failed(found: dict[str, Any]) -> list[str]:
    """Return the jobs that failed."""
    return [f"{job['job']}: {job['ended']}" for job in found["jobs"] if job["ended"] != "done"]


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim: nothing grew, was refused, or failed."""
    rows = verdicts(found["minutes"])
    bad = [row[0] for row in rows if row[-1] != met(True)]
    refused = sum(row["refused"] for row in found["minutes"])
    what = f"{len(found['minutes'])} minutes at {found['rate']} labels/s: what grew, labels refused, jobs failed"
    measured = f"{', '.join(bad) or 'nothing'}, {refused}, {len(failed(found))}"
    return [(what, "nothing, 0, 0", measured, met(not bad and not refused and not failed(found)))]


def body(found: dict[str, Any]) -> list[str]:
    """Return the first third compared with the last, and the jobs."""
    minutes = found["minutes"]
    refused = sum(row["refused"] for row in minutes)
    ended = Counter(f"{job['job']} {job['ended'].partition(':')[0]}" for job in found["jobs"])
    how = HOW.format(
        people=found["people"],
        rate=found["rate"],
        minutes=len(minutes),
        labels=minutes[-1]["labels"],
        refused="was refused" if not refused else f"was lost, {refused} requests were refused",
        jobs=", ".join(f"{name} {count}x" for name, count in sorted(ended.items())),
    )
    return [how, "", *table(HEAD, verdicts(minutes))]
