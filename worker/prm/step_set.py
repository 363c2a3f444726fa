"""The rated steps that a head is fitted and measured on."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from worker.prm import metrics

LEAST = 2  # steps of either kind needed to fit anything


@dataclass(frozen=True)
class StepSet:
    """n rated steps.

    By name, what a cache holds about them [n, …] (states of a layer [n, h]); labels [n] (see Example), places in their
    traces [n], lengths in characters [n], numbers of their problems [n], whether metrics count them [n] (an ORM is read
    at the last step only), the part of the split each belongs to, numbers of their traces [n], and how much each counts
    when a head is fitted [n] (None: 1). Steps marked by a machine are fitted on, and never counted in metrics. `rounds`
    [n] are the rounds of the labels (0: unknown), `by_chance` [n] whether their traces were drawn at random; None if no
    row says.
    """

    states: dict[str, Tensor]
    labels: Tensor
    places: Tensor
    lengths: Tensor
    problems: Tensor
    counted: Tensor
    parts: list[str]
    traces: Tensor
    weights: Tensor | None = None
    rounds: Tensor | None = None
    by_chance: Tensor | None = None

    @property
    def targets(self) -> Tensor:
        """[n] 1 = right."""
        return (self.labels > 0).float()

    def weights_of(self, chosen: Tensor) -> Tensor | None:
        """Return the weights [m] of these steps (a mask [n])."""
        return None if self.weights is None else self.weights[chosen]

    def chosen(self, part: str) -> Tensor:
        """Return a mask [n] bool of the steps of one part."""
        return torch.tensor([one == part for one in self.parts])

    def counts(self, chosen: Tensor) -> tuple[int, int]:
        """Return how many of them are right and wrong."""
        right = int((self.labels[chosen] > 0).sum())
        return right, int(chosen.sum()) - right

    def measure(self, odds: Tensor, chosen: Tensor) -> dict[str, Any]:
        """Return the metrics of these steps."""
        return metrics.measure(odds[chosen], self.targets[chosen], self.places[chosen], self.problems[chosen])
