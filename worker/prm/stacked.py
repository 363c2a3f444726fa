"""A logistic head over several blocks of numbers, each block shrunk separately.

The wide blocks (states of several layers, means over steps) are first reduced to their principal components, computed
from the learned steps alone and without looking at a label. Then follows one logistic regression over all blocks, each
with its own strength: a step's 17 surprises are few and informative, its 2,304 states many and noisy. Everything is
linear, so the resulting head is one vector over the raw numbers. Heads fitted on resampled problems show how sure it is
of a step.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from worker.prm import metrics
from worker.prm.step_readings import BLOCKS, CHANGES, CHECKS, MEANS, PLACE, STATES, SURPRISE

COMPONENTS = 128
WIDE, NARROW = (STATES, MEANS), (SURPRISE, CHANGES)
PLACE_L2 = 1.0  # place and length are few values, and barely shrunk
SEED = 5  # of the random start of the components, and of the resampled problems
HEADS = 16  # fitted on resampled problems


class Strengths(NamedTuple):
    """L2 by group of blocks: components of wide ones, numbers of narrow ones, place, checks. Infinite leaves it out."""

    wide: float = 300.0
    narrow: float = 30.0
    place: float = PLACE_L2
    checks: float = 10.0


# The values tried for each group, one group after the other; the choices for earlier groups stay.
LINES: Mapping[str, tuple[float, ...]] = {
    "wide": (30.0, 100.0, 300.0, 1000.0, 3000.0, math.inf),
    "narrow": (3.0, 30.0, 300.0, math.inf),
    "checks": (1.0, 10.0, 100.0, math.inf),
}


class LinearHead(NamedTuple):
    """Weights [d] over the raw numbers of all blocks in order, and the bias: log odds that a step is right."""

    weight: Tensor
    bias: Tensor

    def odds(self, readings: Tensor) -> Tensor:
        """Return log odds [n] from readings [n, d]."""
        return readings @ self.weight + self.bias

    def bent(self, slope: float, shift: float) -> "LinearHead":
        """Return the head that gives slope * odds + shift."""
        return LinearHead(self.weight * slope, self.bias * slope + shift)


@dataclass(frozen=True)
class Design:
    """How raw numbers become the inputs of the regression: standardised, the wide blocks projected.

    mean, deviation [d]; components [d_wide, k], of the blocks in WIDE; groups [k + …]: places in Strengths.
    """

    mean: Tensor
    deviation: Tensor
    components: Tensor
    groups: Tensor

    @classmethod
    def of(cls, readings: Mapping[str, Tensor], learned: Tensor) -> "Design":
        """Compute the design from the learned steps (a mask [n])."""
        rows = joined(readings)[learned]
        mean, deviation = rows.mean(0), rows.std(0, correction=0).clamp_min(1e-6)
        width = sum(readings[name].shape[1] for name in WIDE)
        wide = ((rows - mean) / deviation)[:, :width]
        components = principal(wide)
        narrow = sum(readings[name].shape[1] for name in NARROW)
        widths = components.shape[1], narrow, readings[PLACE].shape[1], readings[CHECKS].shape[1]
        groups = torch.arange(len(widths)).repeat_interleave(torch.tensor(widths))
        return cls(mean, deviation, components, groups)

    def inputs(self, readings: Mapping[str, Tensor]) -> Tensor:
        """Return the inputs [n, k + …]."""
        rows = (joined(readings) - self.mean) / self.deviation
        width = len(self.components)
        return torch.cat([rows[:, :width] @ self.components, rows[:, width:]], 1)

    def scales(self, strengths: Strengths) -> Tensor:
        """Return the factors [k + …] for the inputs with which an L2 of 1 on all gives each group its own strength."""
        each = torch.tensor([value**-0.5 for value in strengths])
        return each[self.groups]

    def raw(self, head: metrics.Head, scales: Tensor) -> LinearHead:
        """Return the head over scaled inputs as one over raw numbers."""
        weight = (head.weight[1] - head.weight[0]) * scales
        wide = len(self.components.T)
        spread = torch.cat([self.components @ weight[:wide], weight[wide:]]) / self.deviation
        return LinearHead(spread, head.bias[1] - head.bias[0] - spread @ self.mean)


def joined(readings: Mapping[str, Tensor]) -> Tensor:
    """Return all blocks in order, [n, d]."""
    return torch.cat([readings[name] for name in BLOCKS], 1)


def principal(rows: Tensor) -> Tensor:
    """Return directions [d, k] of most variance of standardised rows [n, d] (Halko et al. 2011, arXiv 0909.4061)."""
    count = min(COMPONENTS, len(rows) - 1, rows.shape[1])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return torch.pca_lowrank(rows, q=max(count, 1), center=False, niter=2)[2]


class Tried(NamedTuple):
    """The strengths with the best AUC on steps that were not fitted on, and the log odds [n] they gave there."""

    strengths: Strengths
    odds: Tensor
    tried: list[dict[str, float | None]]


Folds = Sequence[tuple[Tensor, Tensor]]


def choose(
    design: Design,
    inputs: Tensor,
    labels: Tensor,
    weights: Tensor | None,
    folds: Folds,
    lines: Mapping[str, Sequence[float]] = LINES,
    start: Strengths = Strengths(),  # noqa: B008 (it cannot change)
    fitted: Callable[[], None] = lambda: None,
) -> Tried:
    """Choose strengths by pairs of masks (fitted on, measured on). A group in no line stays as `start` says. `fitted`
    is called after each head.
    """
    measured = torch.stack([one for _fitted, one in folds]).any(0)
    right = (labels[measured] > 0).float()
    tried: dict[Strengths, tuple[float, Tensor]] = {}

    def value_of(strengths: Strengths) -> float:
        if strengths not in tried:
            odds = crossed(design, inputs, labels, weights, folds, strengths, fitted)
            tried[strengths] = (metrics.auc(odds[measured], right) or 0.0, odds)
        return tried[strengths][0]

    best = start
    value_of(best)
    for name, values in lines.items():
        best = max((best, *(best._replace(**{name: value}) for value in values)), key=value_of)
    said = [{**finite(one), "validation_auc": value} for one, (value, _odds) in tried.items()]
    return Tried(best, tried[best][1], said)


def candidates(lines: Mapping[str, Sequence[float]], start: Strengths = Strengths()) -> int:  # noqa: B008 (as above)
    """Return how many strengths `choose` tries: `start`, and the values in each line that differ from it."""
    return 1 + sum(len(set(values) - {getattr(start, name)}) for name, values in lines.items())


def crossed(
    design: Design,
    inputs: Tensor,
    labels: Tensor,
    weights: Tensor | None,
    folds: Folds,
    strengths: Strengths,
    fitted: Callable[[], None] = lambda: None,
) -> Tensor:
    """Return log odds [n] of the measured steps by heads that were not fitted on them; 0 elsewhere."""
    odds, scaled = torch.zeros(len(labels)), inputs * design.scales(strengths)
    for learned, held in folds:
        each = None if weights is None else weights[learned]
        odds[held] = fit_scaled(scaled[learned], labels[learned], each).odds(scaled[held])
        fitted()
    return odds


def finite(strengths: Strengths) -> dict[str, float | None]:
    """Return strengths as JSON holds them; None: left out."""
    return {name: value if math.isfinite(value) else None for name, value in strengths._asdict().items()}


def fit_scaled(
    inputs: Tensor, labels: Tensor, each: Tensor | None = None, start: metrics.Head | None = None
) -> metrics.Head:
    """Fit logistic regression with an L2 of 1, with both classes weighing the same; inputs are used as they are. `each`
    [n] is how much every step counts; None: 1.
    """
    targets = (labels > 0).long()
    shares = metrics.class_shares(targets, 2, each)
    begin = torch.zeros(1, inputs.shape[1] + 1)
    shift = shares.log()[1] - shares.log()[0]
    if start is not None:
        begin = torch.cat([start.weight[1], start.bias[1:] - shift])[None]
    weights = (1 / (2 * shares))[targets]
    found = metrics.newton(inputs, targets, weights if each is None else weights * each, 1.0, begin)[0]
    return metrics.Head(
        torch.stack([torch.zeros_like(found[:-1]), found[:-1]]), torch.stack([torch.zeros(()), found[-1] + shift])
    )


def drawn_anew(
    inputs: Tensor,
    labels: Tensor,
    weights: Tensor | None,
    problems: Tensor,
    head: metrics.Head,
    fitted: Callable[[], None] = lambda: None,
) -> list[metrics.Head]:
    """Return HEADS heads like `head`, each fitted on as many problems, drawn with replacement (Efron 1979). A draw
    without steps of both kinds gives `head` itself.
    """
    generator = torch.Generator().manual_seed(SEED)
    known, number = problems.unique(return_inverse=True)
    found = []
    for _ in range(HEADS):
        drawn = torch.randint(len(known), (len(known),), generator=generator)
        times = torch.bincount(drawn, minlength=len(known))[number]
        rows = torch.arange(len(labels)).repeat_interleave(times)
        both = len((labels[rows] > 0).unique()) == 2
        each = None if weights is None else weights[rows]
        found.append(fit_scaled(inputs[rows], labels[rows], each, head) if both else head)
        fitted()
    return found


def platt(odds: Tensor, targets: Tensor) -> tuple[float, float]:
    """Return slope and shift that make odds [n] probabilities (Platt 1999), from steps that were not fitted on."""
    right, alike = (targets > 0.5).long(), torch.ones(len(odds))
    found = metrics.newton(odds[:, None], right, alike, 1e-3, torch.tensor([[1.0, 0.0]]))[0]
    return max(float(found[0]), 1e-3), float(found[1])
