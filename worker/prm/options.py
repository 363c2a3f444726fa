"""The options of a training run."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from worker.prm.errors import SpecError
from worker.prm.examples import NEUTRAL, OUTCOME, PROGRESS, STEPS, label_names

HEAD, STACKED, LORA, FULL = "head", "stacked", "lora", "full"
METHODS = (HEAD, STACKED, LORA, FULL)
FROZEN = (HEAD, STACKED)  # the base is not trained
TARGETS = (STEPS, OUTCOME, PROGRESS)
CLASS_WEIGHTS = ("balanced", "none")
# Tokens of one pass; an optimiser step sums as many passes as its traces need.
CPU_TOKENS, CUDA_TOKENS = 2048, 16384
MOST_SYNTHETIC = 8
LEARNING_RATES = {LORA: 2e-4, FULL: 2e-5}

Progress = Callable[[dict[str, Any]], None]
Stop = Callable[[], bool]


def silent(_event: dict[str, Any]) -> None:
    """Ignore progress events."""


class Counted:
    """Reports how much of a stage is done; `total` 0 means unknown."""

    def __init__(self, progress: Progress, stage: str, total: int) -> None:
        """Report at once that the stage begins."""
        self.progress, self.stage, self.total, self.done = progress, stage, total, 0
        self.add(0)

    def add(self, more: int = 1) -> None:
        """Report that this many more are done."""
        self.done += more
        self.progress({"stage": self.stage, "done": self.done, "total": self.total})


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """`base` is a folder with a decoder as safetensors, whatever head is on it.

    target: `steps`, a PRM; `outcome`, an ORM; `progress`, a PRM with a second head for progress (fit_progress.py).

    method: `head` fits a head on states of the frozen base (cached in `cache`, layer chosen among `layers`); `stacked`
    fits one on several layers, means over steps and the base's own predictions; `lora` and `full` train the decoder
    too, cut off after `layers[0]` if it is given. `neutral`: see examples.NEUTRAL.

    `observed`: see PrmSpec; the rows already contain these texts.

    `lineage` goes into meta.json as it is (snapshot, rounds, switches, `roles`, `statements`). The fields after it are
    for lora and full: `batch` traces per step, packs of `tokens` tokens, `patience` validations without a better loss
    before it ends, `save_every` steps between the states that a killed run resumes from. `synthetic_errors`: how many
    wrong steps the trainer makes for each right one in each epoch (worker/prm/synthetic_errors.py). None: depends on
    the device.
    """

    base: Path
    method: str = HEAD
    target: str = STEPS
    neutral: str = "positive"
    separator: str = "\n"
    observed: int | None = None
    seed: int = 0
    layers: tuple[int, ...] = ()
    cache: Path = Path("var/states")
    lineage: Mapping[str, Any] = field(default_factory=dict)
    epochs: int = 3
    batch: int = 32
    tokens: int | None = None
    learning_rate: float | None = None
    head_learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warm_up: float = 0.05
    clip: float = 1.0
    class_weights: str = "balanced"
    synthetic_errors: int = 0
    patience: int = 2
    save_every: int = 100
    rank: int = 16
    alpha: int = 32
    dtype: str | None = None
    gradient_checkpointing: bool | None = None

    def check(self) -> None:
        """Raise SpecError for a value that is not allowed."""
        for name, allowed in (
            ("method", METHODS),
            ("target", TARGETS),
            ("neutral", tuple(NEUTRAL)),
            ("class_weights", CLASS_WEIGHTS),
            ("dtype", (None, "float32", "bfloat16")),
        ):
            if getattr(self, name) not in allowed:
                raise SpecError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(map(str, allowed))}.")
        for name in ("epochs", "batch", "patience", "save_every", "rank", "alpha"):
            if getattr(self, name) < 1:
                raise SpecError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if self.method not in FROZEN and len(self.layers) > 1:
            raise SpecError("lora and full take at most one of layers: the one after which the decoder is cut off.")
        if self.method == STACKED and self.layers:
            raise SpecError("stacked chooses its layers itself: leave layers out.")
        if self.method == STACKED and len(self.labels) > 2:
            raise SpecError(
                "stacked only tells right from wrong; neutral must count as positive or negative, or be dropped."
            )
        if self.target == PROGRESS and self.method != HEAD:
            raise SpecError("Only the method head can fit a second head on progress.")
        if not 0 <= self.synthetic_errors <= MOST_SYNTHETIC:
            raise SpecError(f"synthetic_errors is {self.synthetic_errors}; it must be from 0 to {MOST_SYNTHETIC}.")
        if self.synthetic_errors and (self.method in FROZEN or self.target == OUTCOME):
            raise SpecError(
                "synthetic_errors are for a PRM trained by lora or full; a frozen base learns nothing from them."
            )

    @property
    def labels(self) -> list[str]:
        """The names of the labels: outcomes are right or wrong, whatever a neutral step counts as."""
        return label_names("positive" if self.target == OUTCOME else self.neutral)

    @property
    def rate(self) -> float:
        """The learning rate of the decoder."""
        return self.learning_rate or LEARNING_RATES[self.method]

    def on(self, device: torch.device) -> tuple[int, torch.dtype, bool]:
        """Return tokens of a pack, number type and gradient checkpointing on that device."""
        cuda = device.type == "cuda"
        named = self.dtype or ("bfloat16" if cuda else "float32")
        checkpointing = cuda if self.gradient_checkpointing is None else self.gradient_checkpointing
        return self.tokens or (CUDA_TOKENS if cuda else CPU_TOKENS), getattr(torch, named), checkpointing

    def said(self) -> dict[str, Any]:
        """Return what meta.json keeps: everything that changes the result, and no path of this machine."""
        apart = ("base", "cache", "lineage", "save_every")
        said = {name: one for name, one in asdict(self).items() if name not in apart}
        return {**said, "layers": list(self.layers)}
