"""Labeled traces as samples for each part of the split, and a trained model's metrics on them."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from worker.prm import metrics
from worker.prm.errors import SpecError
from worker.prm.examples import Example, part_name, part_of, read_examples
from worker.prm.families.step_classifier import StepLayout
from worker.prm.options import TrainOptions
from worker.prm.packing import Sample, sample_of

FEWEST = 2  # steps of either kind needed to learn and to validate
ENOUGH = 10  # steps of either kind needed for test metrics to be shown


class Data(NamedTuple):
    """Samples by part, and how many traces were left out, by reason."""

    parts: dict[str, list[Sample]]
    examples: list[Example]
    left_out: dict[str, int]

    @property
    def people_taught(self) -> list[Sample]:
        """The training samples that people marked; metrics are computed on these only."""
        return [sample for sample in self.parts["train"] if sample.example is None or sample.example.source is None]


class Known(NamedTuple):
    """For counted steps, each [n]: labels, places in their traces, lengths in characters, numbers of their problems."""

    labels: Tensor
    places: Tensor
    lengths: Tensor
    problems: Tensor

    @property
    def targets(self) -> Tensor:
        """[n] 1 = right."""
        return (self.labels > 0).float()

    def seen_by_baseline(self) -> Tensor:
        """Return what the baseline sees, [n, 4]."""
        return metrics.position_and_length(self.places, self.lengths)


class Measured(NamedTuple):
    """Logits [n, labels] of counted steps, and what is known of them."""

    logits: Tensor
    known: Known

    @property
    def odds(self) -> Tensor:
        """[n] log odds of right."""
        return metrics.log_odds(self.logits)

    @property
    def targets(self) -> Tensor:
        """[n] 1 = right."""
        return self.known.targets

    def metrics(self) -> dict[str, Any]:
        """See metrics.measure."""
        return metrics.measure(self.odds, self.targets, self.known.places, self.known.problems)

    def cooled(self, shift: Tensor, temperature: float) -> "Measured":
        """Return the same with the logits that the finished head gives."""
        return self._replace(logits=(self.logits + shift) / temperature)


def read_data(files: Sequence[Path], options: TrainOptions, layout: StepLayout, longest: int) -> Data:
    """Tokenize every trace. Raises SpecError if there is too little to learn from."""
    examples = list(read_examples(files, options.neutral, options.target))
    parts: dict[str, list[Sample]] = {"train": [], "validation": [], "test": []}
    left_out = Counter({"empty step": 0, "too long for the model": 0})
    for example in examples:
        if not all(step.strip() for step in example.steps[: example.rated[-1] + 1]):
            left_out["empty step"] += 1
            continue
        sample = sample_of(example, layout, options.target)
        if len(sample.ids) > longest:
            left_out["too long for the model"] += 1
            continue
        part = part_name(part_of(example.problem, options.seed))
        if example.source is not None and part != "train":
            left_out["marked by machines, of problems used for measuring"] += 1
            continue
        parts[part].append(sample)
    for part in ("train", "validation"):
        right, wrong = kinds(parts[part])
        if min(right, wrong) < FEWEST:
            raise SpecError(
                f"The {part} problems have {right} right and {wrong} wrong steps; {FEWEST} of each are needed. "
                "Label more traces, or try another --seed or the method head, which needs fewer."
            )
    return Data(parts, examples, dict(left_out))


def known(samples: Sequence[Sample]) -> Known:
    """Return what is known about all counted steps, trace by trace."""
    numbers: dict[str, int] = {}
    return Known(
        torch.tensor([one.labels[at] for one in samples for at in one.counted]),
        torch.tensor([step for one in samples for step in one.steps]),
        torch.tensor([length for one in samples for length in one.lengths], dtype=torch.float32),
        torch.tensor([numbers.setdefault(one.problem, len(numbers)) for one in samples for _ in one.counted]),
    )


def kinds(samples: Sequence[Sample]) -> tuple[int, int]:
    """Return how many counted steps are right and wrong."""
    labels = [sample.labels[at] for sample in samples for at in sample.counted]
    return sum(label > 0 for label in labels), sum(label == 0 for label in labels)


def report(raw: dict[str, Measured], learned: Known, temperature: float) -> dict[str, Any]:
    """Return metrics of each part next to those of position and length alone, and calibration. `raw` is before the
    temperature; the baseline learns from the steps that were `learned`.
    """
    final = {part: one.cooled(torch.zeros(one.logits.shape[1]), temperature) for part, one in raw.items()}
    enough = min(int((raw["test"].targets == kind).sum()) for kind in (0, 1)) >= ENOUGH
    head = metrics.fit(learned.seen_by_baseline(), learned.targets.long(), 2, 1.0)
    baseline = {
        part: one._replace(logits=one.known.seen_by_baseline() @ head.weight.T + head.bias).metrics()
        for part, one in raw.items()
    }
    last = "test" if enough else "validation"
    return {
        "train": final["train"].metrics(),
        "validation": final["validation"].metrics(),
        "test": final["test"].metrics() if enough else None,
        "validation_position_and_length_only": baseline["validation"],
        "test_position_and_length_only": baseline["test"] if enough else None,
        "beats_baseline": metrics.beats(final[last].metrics(), baseline[last]),
        "threshold": metrics.best_threshold(final["validation"].odds, raw["validation"].targets),
        "calibration": {
            "temperature": temperature,
            "fitted_on": "validation",
            "measured_on": last,
            "before": metrics.calibration(raw[last].odds, raw[last].targets),
            "after": metrics.calibration(final[last].odds, raw[last].targets),
        },
    }


def running_sum(sizes: Sequence[int]) -> list[int]:
    """Return where each part begins."""
    return [0, *accumulate(sizes)][: len(sizes)]
