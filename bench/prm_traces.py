"""Problems with many traces each, built from real GSM8K texts and samples, for measuring the speed of scoring.

There are four recorded solutions per problem, but 64 are needed. So each trace combines a real problem with about ten
steps drawn at random from all recorded solutions of all problems. The text is real, the order is not; a decoder costs
the same either way. What matters is how much traces share:

sampled   only the problem, as with independent samples that begin differently (real ones share a little more)
trees     each trace branches off an earlier one at a random step, as in tree search and step-wise resampling
apart     one trace per problem: nothing to share
"""

import json
import os
import random
from collections.abc import Iterable
from itertools import groupby, islice
from pathlib import Path

Problem = tuple[str, list[list[str]]]
FEWEST, MOST = 6, 13
# About 90 tokens, so that a problem is a bit more than a quarter of each trace.
CHARACTERS = range(330, 420)
# About 25 tokens; the recorded last lines ("A: 72") are left out.
LENGTHS = range(20, 65)


def data_folder() -> Path | None:
    """Return the folder of the shared traces, or None if it does not exist."""
    folder = Path(os.environ.get("STEPMARK_SHARED_DATA", "../shared/data"))
    return folder if (folder / "gsm8k_openai.jsonl").exists() else None


def recorded(folder: Path, name: str) -> list[Problem]:
    """Return problems with their recorded traces."""
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows.sort(key=lambda row: row["problem"])
    return [(problem, [row["steps"] for row in group]) for problem, group in groupby(rows, lambda row: row["problem"])]


class Composer:
    """Traces from real steps; the same seed gives the same traces."""

    def __init__(self, problems: list[Problem], seed: int) -> None:
        self.random = random.Random(seed)
        self.steps = sorted(
            {step for _problem, traces in problems for steps in traces for step in steps if len(step) in LENGTHS}
        )
        self.problems = [problem for problem, _traces in problems if len(problem) in CHARACTERS]

    def steps_of_one(self) -> list[str]:
        """Return a random trace."""
        return self.random.sample(self.steps, self.random.randint(FEWEST, MOST))

    def sampled(self, problems: int, traces: int) -> list[Problem]:
        """Return problems whose traces share only the problem."""
        return [(one, [self.steps_of_one() for _ in range(traces)]) for one in self.pick(problems)]

    def trees(self, problems: int, traces: int) -> list[Problem]:
        """Return problems whose traces form a tree."""
        return [(one, self.tree(traces)) for one in self.pick(problems)]

    def apart(self, problems: int) -> list[Problem]:
        """Return problems with one trace each."""
        return [(one, [self.steps_of_one()]) for one in self.pick(problems)]

    def pick(self, count: int) -> Iterable[str]:
        """Return different problems."""
        return islice(self.random.sample(self.problems, len(self.problems)), count)

    def tree(self, count: int) -> list[list[str]]:
        """Return traces that each keep the first steps of an earlier one."""
        found = [self.steps_of_one()]
        while len(found) < count:
            parent = self.random.choice(found)
            kept = self.random.randint(1, len(parent) - 1)
            found.append(
                parent[:kept] + self.random.sample(self.steps, max(1, self.random.randint(FEWEST, MOST) - kept))
            )
        return found
