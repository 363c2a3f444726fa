"""An agent's run as a PRM reads it: a text for each rated unit, with what was seen since the unit before it. Pure.

Whether a unit is right depends on what tools gave and people said before it, which is rated nowhere. So a unit's text
begins with that, each thing folded to OBSERVED characters. Training and scoring both ask here: a PRM that learned on
such texts is given such texts, and one that learned on units alone is given units alone (`observed` of its record).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Json = Mapping[str, Any]
OBSERVED = 600  # characters of one thing that was seen: its first two thirds and its last
HEAD = 2 / 3
ACTORS = {"user": "user", "system": "system", "agent": "agent, earlier"}


class ReadUnit(NamedTuple):
    """A unit's text, of which the first `seen` characters are context: what comes after them is rated."""

    text: str
    seen: int


def units_read(problem: str, typed: Sequence[Json], units: Sequence[str], observed: int = OBSERVED) -> list[ReadUnit]:
    """Each of these units (the run's first ones) as it is read. What follows the last one is read by nobody; the task,
    which is the problem's text, is not told twice, nor are runs of a program that were looked at afterwards.
    """
    seen: list[list[str]] = [[] for _ in range(len(units) + 1)]
    for step in typed:
        after = step.get("after")
        if after is None or after >= len(units) or "executed" in step:
            continue
        text = told(step)
        if text.strip() and not (after < 0 and _same(text, problem)):
            seen[after + 1].append(f"[{_whose(step)}]\n{folded(text, observed)}\n")
    found = []
    for unit, context in zip(units, seen, strict=False):
        before = "".join([*context, "[agent]\n"]) if context else ""
        found.append(ReadUnit(before + unit, len(before)))
    return found


def folded(text: str, most: int) -> str:
    """A text of at most `most` characters and a line that says how many are left out, where it is longer."""
    if len(text) <= most:
        return text
    head = int(most * HEAD)
    return f"{text[:head]}\n[… {len(text) - most:,} characters …]\n{text[len(text) - (most - head) :]}"


def told(step: Json) -> str:
    """What a step says as one text, its table row by row."""
    table = step.get("table")
    rows = [table["columns"], *table["rows"]] if table else []
    return "\n".join([text for text in (step.get("text", ""),) if text] + [" | ".join(row) for row in rows])


def _whose(step: Json) -> str:
    if step["kind"] != "observation":
        return str(ACTORS.get(step["actor"], step["actor"]))
    named = f"result of {step['tool']}" if step.get("tool") else "result"
    return f"{named}, failed" if step.get("is_error") else named


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()
