"""Labeled traces for tests of training: the words of a step tell whether it is wrong."""

import json
from pathlib import Path
from random import Random
from typing import Any

GOOD, WRONG = ("So 48+24 = 72.", "A: 72", "x = 12 apples."), ("So 48+24 = 73?", "A: ten", "x = + - apples.")


def rows(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """Return three traces a problem, with ratings of -1, 0 and 1 and an outcome that the last step decides."""
    chance = Random(seed)
    found = []
    for number in range(count):
        steps, ratings = [], []
        for _ in range(chance.randint(2, 6)):
            wrong = chance.random() < 0.25
            steps.append(chance.choice(WRONG if wrong else GOOD))
            ratings.append(-1 if wrong else chance.choice([1, 1, 0]))
        problem = f"Natalia sold {number // 3} clips in May?"
        outcome = ratings[-1] != -1
        found.append(
            {
                "problem": problem,
                "steps": steps,
                "step_labels": ratings,
                "final_answer_correct": outcome,
                "generator": "a policy",
            }
        )
    return found


def up_to_error(ratings: list[int]) -> list[int | None]:
    """Return the ratings without any after the first -1."""
    end = ratings.index(-1) + 1 if -1 in ratings else len(ratings)
    return [*ratings[:end], *[None] * (len(ratings) - end)]


def write(file: Path, count: int, seed: int = 7) -> Path:
    """Write them as a file in the neutral format, with the ratings that people give: up to the first error."""
    written = [{**row, "step_labels": up_to_error(row["step_labels"])} for row in rows(count, seed)]
    file.write_text("".join(json.dumps(row) + "\n" for row in written))
    return file
