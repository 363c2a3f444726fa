"""Training examples from labeled traces in a file: every rating in a row is learned."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worker.prm.errors import SpecError

# What a rating becomes; None: the step is not learned. With `keep3`, the labels are negative, neutral, positive.
NEUTRAL: dict[str, dict[int, int | None]] = {
    "positive": {-1: 0, 0: 1, 1: 1},
    "negative": {-1: 0, 0: 0, 1: 1},
    "drop": {-1: 0, 0: None, 1: 1},
    "keep3": {-1: 0, 0: 1, 1: 2},
}
STEPS, OUTCOME, PROGRESS = "steps", "outcome", "progress"
MOST_WEIGHT = 10.0
VALIDATION, TEST = 0.15, 0.15


class Example(NamedTuple):
    """One trace. `targets[k]` is the label of step k, None if unrated. Label 0 is wrong; 1, or 1 and 2, are right.

    `weight`: how much each of its targets counts in the loss; a person's counts 1. `source`: the machine that made
    them, None for people, who are the only ones measured on. `context`: for each step of an agent's run, how many
    characters at its beginning show what the agent saw before it. `round`: the number of the label's round, 0 if
    unknown; `by_chance`: whether the trace was drawn at random there.
    """

    problem: str
    steps: list[str]
    targets: list[int | None]
    generator: str | None = None
    weight: float = 1.0
    source: str | None = None
    context: tuple[int, ...] = ()
    round: int = 0
    by_chance: bool = False

    @property
    def rated(self) -> list[int]:
        """The steps that have a target."""
        return [step for step, target in enumerate(self.targets) if target is not None]


def label_names(neutral: str) -> list[str]:
    """Return the labels of a classifier, in the order that the family step_classifier reads."""
    return ["negative", "neutral", "positive"] if neutral == "keep3" else ["wrong", "correct"]


def read_examples(files: Sequence[Path], neutral: str = "positive", target: str = STEPS) -> Iterator[Example]:
    """Yield the rows of neutral files (docs/formats.md) that have a target, in order. SpecError names the line."""
    for file in files:
        with file.open("rb") as source:
            for number, raw in enumerate(source, start=1):
                if raw.strip():
                    row = parse(raw, file, number)
                    targets = outcome_of(row) if target == OUTCOME else targets_of(row, neutral)
                    if any(one is not None for one in targets):
                        weight, context = float(row.get("weight", 1.0)), tuple(row.get("context") or ())
                        drawn = (int(row.get("round") or 0), row.get("by_chance") is True)
                        about = (row.get("generator"), weight, row.get("source"), context, *drawn)
                        yield Example(row["problem"], row["steps"], targets, *about)


def parse(raw: bytes, file: Path, number: int) -> dict[str, Any]:
    """Return one row with a problem and steps. Raises SpecError."""
    try:
        row = json.loads(raw)
    except ValueError as error:
        raise SpecError(f"{file.name}, line {number}: not JSON ({error}).") from error
    steps = row.get("steps") if isinstance(row, dict) else None
    texts = isinstance(steps, list) and all(isinstance(step, str) for step in steps)
    if not texts or not isinstance(row.get("problem"), str):
        raise SpecError(f"{file.name}, line {number}: needs `problem` (text) and `steps` (a list of texts).")
    weight, source = row.get("weight", 1.0), row.get("source")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= MOST_WEIGHT:
        raise SpecError(
            f"{file.name}, line {number}: weight must be above 0 and at most {MOST_WEIGHT}; a person's weight is 1."
        )
    if source is not None and not isinstance(source, str):
        raise SpecError(
            f"{file.name}, line {number}: source must be the name of the machine that marked the trace, or be left out."
        )
    return dict(row)


def targets_of(row: dict[str, Any], neutral: str) -> list[int | None]:
    """Return targets by step, from its ratings, else from its first error, after which nothing is known.

    Which steps may be rated is up to the labeling protocol, which the file's writer has applied.
    """
    steps, ratings, first_error = len(row["steps"]), row.get("step_labels"), row.get("first_error")
    if ratings is None and first_error is not None:
        good = steps if first_error == -1 else first_error
        ratings = [1] * good + [-1] * (first_error != -1)
    targets = [NEUTRAL[neutral].get(rating) for rating in (ratings or [])[:steps]]
    return targets + [None] * (steps - len(targets))


def outcome_of(row: dict[str, Any]) -> list[int | None]:
    """Return, for an ORM, the trace's outcome for every step; None if it is unknown."""
    correct = row.get("final_answer_correct")
    return [None if correct is None else int(correct is True)] * len(row["steps"])


def part_of(problem: str, seed: int) -> float:
    """Return a problem's place in [0, 1), the same for all its traces: no problem is in two parts of a split."""
    digest = hashlib.sha256(f"{seed}:{problem}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def part_name(place: float) -> str:
    """Return train, validation or test."""
    if place < TEST:
        return "test"
    return "validation" if place < TEST + VALIDATION else "train"


def describe(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Return name, SHA-256 and rows of each file: what a checkpoint says about the data it was made from."""
    found = []
    for file in files:
        digest, rows = hashlib.sha256(), 0
        with file.open("rb") as source:
            for raw in source:
                digest.update(raw)
                rows += bool(raw.strip())
        found.append({"file": file.name, "sha256": digest.hexdigest(), "rows": rows})
    return found
