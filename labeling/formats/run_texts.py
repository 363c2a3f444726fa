"""An agent's run as a PRM reads it: a text for each rated unit, with what was seen since the previous unit. Pure.

Whether a unit is right depends on earlier tool results and people's messages, which are not rated. So a unit's text
begins with those, each folded to OBSERVED characters. Training and scoring both use this module: a PRM that learned on
such texts is given such texts, and one that learned on units alone is given units alone (`observed` of its record).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Json = Mapping[str, Any]
OBSERVED = 600  # characters of one thing that was seen: two thirds from its start, one third from its end
HEAD = 2 / 3
ACTORS = {"user": "user", "system": "system", "agent": "agent, earlier"}


class ReadUnit(NamedTuple):
    """A unit's text. Its first `seen` characters are context; what comes after them is rated."""

    text: str
    seen: int


def units_read(problem: str, typed: Sequence[Json], units: Sequence[str], observed: int = OBSERVED) -> list[ReadUnit]:
    """Return each of these units (the run's first ones) as it is read, without what follows the last one. The task is
    left out, as it is the problem's text, and so are recorded runs of a program, which were only looked at later.
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
    """Return the text, shortened to `most` characters and a line that says how many are left out if it is longer."""
    if len(text) <= most:
        return text
    head = int(most * HEAD)
    return f"{text[:head]}\n[… {len(text) - most:,} characters …]\n{text[len(text) - (most - head) :]}"


def told(step: Json) -> str:
    """Return a step's content as one text, with its table row by row."""
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
