"""What is known about a step without a model: the checks of labeling/sources/verifier.py as numbers.

They use only the trace and its problem. Agreement with other traces of the problem is not included: a score would then
depend on what else happens to be scored (docs/decisions/0038). Numbers are kept on disk by text and version.
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

VERSION = FIRST  # heads learned from this version; with a later one, they would have to be trained again
NUMBERS = (
    *("log of 1 + equations", "false equations", "any is false", "some, and all hold"),
    *("log of 1 + numbers", "log of 1 + new numbers", "log of 1 + numbers from nowhere", "any is from nowhere"),
)


def numbers_of(problem: str, steps: Sequence[str]) -> list[list[float]]:
    """Return the NUMBERS of each step. They do not depend on later steps."""
    return [_of_step(one) for one in check(problem, steps, version=VERSION)]


def _of_step(found: Checked) -> list[float]:
    strange = len(found.from_nowhere)
    return [
        *(math.log1p(found.equations), float(len(found.false)), float(bool(found.false))),
        float(found.equations > 0 and not found.false),
        *(math.log1p(found.numbers), math.log1p(found.new), math.log1p(strange), float(strange > 0)),
    ]


class KeptChecks:
    """The numbers [steps, len(NUMBERS)], from a folder or computed now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / f"checks-{VERSION.rpartition('/')[2]}-{len(NUMBERS)}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def of(self, problem: str, steps: Sequence[str]) -> Tensor:
        """Return the numbers of one trace."""
        name = hashlib.sha256(json.dumps([problem, *steps]).encode()).hexdigest()
        file = self.folder / f"{name}.json"
        if not file.exists():
            part = file.with_suffix(f".{os.getpid()}.part")
            with whole(file, part):
                part.write_text(json.dumps(numbers_of(problem, steps)))
        return torch.tensor(json.loads(file.read_text()), dtype=torch.float32)
