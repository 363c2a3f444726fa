"""The state of a training run on disk: a run killed at any moment resumes as if nothing had happened.

`state.safetensors` holds the trained weights and both moments of Adam, and everything else in its header as JSON. It is
replaced as a whole. The best weights so far are in a separate file, named by their step and written before the state
that refers to it. The order of the data follows from seed and step, so it is not stored; nothing else is random.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.optim import Optimizer

from worker.prm.errors import SpecError
from worker.prm.whole_files import whole

FOLDER = "unfinished"
MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass
class Run:
    """`step` steps are done; packs now have `tokens` tokens; the best validation loss was after `best_step`, and
    `waited` validations since then were no better. `ended`: no more steps. `seen` tokens took `seconds`. `curve` and
    `notes` are for people.
    """

    fingerprint: str
    tokens: int
    step: int = 0
    best_step: int | None = None
    best_loss: float | None = None
    waited: int = 0
    ended: bool = False
    seen: int = 0
    seconds: float = 0.0
    curve: list[dict[str, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class TrainingState:
    """The folder `unfinished` in the future checkpoint's folder."""

    def __init__(self, out: Path) -> None:
        self.folder = out / FOLDER
        self.file = self.folder / "state.safetensors"

    def load(self, fingerprint: str, weights: Mapping[str, Tensor], optimiser: Optimizer) -> Run | None:
        """Restore weights and moments; None if nothing was begun. Raises SpecError if the folder holds another run."""
        if not self.file.exists():
            return None
        with safe_open(self.file, framework="pt") as opened:
            run = Run(**json.loads(opened.metadata()["run"]))
        if run.fingerprint != fingerprint:
            raise SpecError(
                f"{self.folder} holds an unfinished run with other data or options. Name another folder "
                "or remove this one."
            )
        tensors = load_file(self.file)
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(tensors[f"weight.{name}"])
                moments = {moment: tensors[f"{moment}.{name}"].to(weight.device) for moment in MOMENTS}
                optimiser.state[weight] = {"step": torch.tensor(float(run.step)), **moments}
        return run

    def save(self, run: Run, weights: Mapping[str, Tensor], optimiser: Optimizer) -> None:
        """Save the state after a step; earlier best weights are removed."""
        tensors = {f"weight.{name}": weight.detach() for name, weight in weights.items()}
        for name, weight in weights.items():
            tensors |= {f"{moment}.{name}": optimiser.state[weight][moment] for moment in MOMENTS}
        self.put(self.file, tensors, {"run": json.dumps(asdict(run))})
        for file in self.folder.glob("best-*.safetensors"):
            if file != self.best(run.best_step):
                file.unlink()

    def keep_best(self, step: int, weights: Mapping[str, Tensor]) -> None:
        """Save the weights after this step, before a state names them."""
        self.put(self.best(step), {name: weight.detach() for name, weight in weights.items()}, {})

    def load_best(self, run: Run, weights: Mapping[str, Tensor]) -> None:
        """Restore the best weights."""
        tensors = load_file(self.best(run.best_step))
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(tensors[name])

    def remove(self) -> None:
        """Remove the state once the checkpoint is written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def best(self, step: int | None) -> Path:
        """Return the file of the best weights."""
        return self.folder / f"best-{step}.safetensors"

    def put(self, file: Path, tensors: Mapping[str, Tensor], metadata: dict[str, Any]) -> None:
        """Write completely or not at all; the data is on disk before the file gets its name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        with whole(file, part):
            save_file({name: tensor.contiguous().cpu() for name, tensor in tensors.items()}, part, metadata)
            with part.open("rb") as written:
                os.fsync(written.fileno())
