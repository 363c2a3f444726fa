"""Labeled rounds to learn from: imported PRM800K labels, whose words distinguish right and wrong steps."""

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from labeling.formats.normalise import problem_key
from labeling.models import Project, Round, Trace
from labeling.tests.imports.files import done, import_bytes, lines, prm800k_row

RIGHT = ("So 48+24 = 72.", "A: 72", "x = 12 apples.")
WRONG = ("So 48+24 = 73?", "A: ten", "x = + - apples.")


def is_in_evaluation_split(text: str) -> bool:
    """Return whether no run learns from the problem: the rule in plain Python."""
    return hashlib.sha256(problem_key(text)).digest()[0] < 51


def problem_texts(in_evaluation_split: bool) -> "itertools.filterfalse[str] | filter[str]":
    """Yield endless problems inside or outside the evaluation split."""
    texts = (f"Natalia sold {number} clips?" for number in itertools.count())
    return (
        filter(is_in_evaluation_split, texts)
        if in_evaluation_split
        else itertools.filterfalse(is_in_evaluation_split, texts)
    )


def labeled_row(problem: str, ratings: Sequence[int], labeler: str = "ada", number: int = 0) -> dict[str, Any]:
    """Make one label; a step's words give its rating. The same arguments, except `labeler`, give the same steps."""
    chance = Random(f"{problem} {number}")
    steps = [f"{chance.choice(WRONG if rating == -1 else RIGHT)} ({number})" for rating in ratings]
    labeled = [
        {"completions": [done(text, rating)], "human_completion": None, "chosen_completion": 0 if rating >= 0 else None}
        for text, rating in zip(steps, ratings, strict=True)
    ]
    row = prm800k_row(problem, labeler)
    row["question"] |= {"pre_generated_steps": steps, "pre_generated_answer": "72"}
    reason = "found_error" if ratings[-1] == -1 else "solution"
    return {**row, "label": {"steps": labeled, "total_time": 60_000, "finish_reason": reason}}


def some_ratings(chance: Random) -> list[int]:
    """Return ratings that a labeler might give: up to six steps, ending at the first error."""
    ratings: list[int] = []
    for _ in range(chance.randint(2, 6)):
        ratings.append(-1 if chance.random() < 0.25 else chance.choice([1, 1, 0]))
        if ratings[-1] == -1:
            break
    return ratings


def import_labels(project: Project, folder: Path, *rows: dict[str, Any]) -> Round:
    """Make the round that holds these labels."""
    job = import_bytes(project, lines(*rows), folder)
    assert job.status == "succeeded", job.report
    Trace.objects.filter(project=project, outcome="ungraded").update(outcome="wrong", grader_version="test")
    return Round.objects.filter(project=project).latest("pk")


def many_labels(project: Project, folder: Path, problems: int = 80, in_evaluation_split: int = 12) -> Round:
    """Make two labeled traces of each problem. Some problems are in the evaluation split."""
    chance = Random(7)
    texts = [
        *itertools.islice(problem_texts(False), problems),
        *itertools.islice(problem_texts(True), in_evaluation_split),
    ]
    rows = [labeled_row(text, some_ratings(chance), number=number) for text in texts for number in range(2)]
    return import_labels(project, folder, *rows)
