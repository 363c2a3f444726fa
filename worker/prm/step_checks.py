"""What is known about a step without a model: the checks of labeling/sources/verifier.py as numbers.

Only what a trace and its problem say. How other traces of the problem agree is no part of it: a score would then change
with what else happens to be scored (docs/decisions/0038). Numbers are kept on disk by text and version.
"""

import hashlib
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from labeling.sources.verifier import FIRST, Checked, check
from worker.prm.whole_files import whole

VERSION = FIRST  # heads learned what these say; with those of a later version they would have to be trained again
NUMBERS = (
    *("log of 1 + equations", "false equations", "any is false", "some, and all hold"),
    *("log of 1 + numbers", "log of 1 + new numbers", "log of 1 + numbers from nowhere", "any is from nowhere"),
)


def numbers_of(problem: str, steps: Sequence[str]) -> list[list[float]]:
    """NUMBERS of each step. Those of a step do not change with what follows it."""
    return [_of_step(one) for one in check(problem, steps, version=VERSION)]


def _of_step(found: Checked) -> list[float]:
    strange = len(found.from_nowhere)
    return [
        *(math.log1p(found.equations), float(len(found.false)), float(bool(found.false))),
        float(found.equations > 0 and not found.false),
        *(math.log1p(found.numbers), math.log1p(found.new), math.log1p(strange), float(strange > 0)),
    ]


class KeptChecks:
    """They, [steps, len(NUMBERS)], from a folder or computed now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / f"checks-{VERSION.rpartition('/')[2]}-{len(NUMBERS)}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def of(self, problem: str, steps: Sequence[str]) -> Tensor:
        """Of one trace."""
        name = hashlib.sha256(json.dumps([problem, *steps]).encode()).hexdigest()
        file = self.folder / f"{name}.json"
        if not file.exists():
            part = file.with_suffix(f".{os.getpid()}.part")
            with whole(file, part):
                part.write_text(json.dumps(numbers_of(problem, steps)))
        return torch.tensor(json.loads(file.read_text()), dtype=torch.float32)
