"""How good a head would be with fewer labels: fitted on shares of problems, measured on those a fold left out.

Layer and strengths stay as chosen with all labels. A share with too few steps of either kind is left out. The precision
of the metrics is given by their covariance over problems (the placements of E. R. DeLong et al., Biometrics 44, 1988,
summed over clusters as in N. A. Obuchowski, Biometrics 53, 1997), so that differences between points of the curve,
which are measured on the same steps, can be assessed as well. It includes which problems a share happened to draw.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from worker.prm import metrics
from worker.prm.errors import StoppedError
from worker.prm.options import Stop
from worker.prm.step_set import LEAST, StepSet

SHARES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
DRAWS = 3  # of problems for each share
FOLDS = 5
MANY = 50_000  # steps; from this many, each share is drawn once: a fit then takes seconds

# The log odds [measured] from a head that was fitted on some steps, given two masks [n]: fitted on, measured.
Refit = Callable[[Tensor, Tensor], Tensor]


class Placed(NamedTuple):
    """AUC over pairs of steps of one fold, and how much each problem moves it [problems]; these add up to 0."""

    auc: float
    moves: Tensor


class Measured(NamedTuple):
    """Points {labels, auc, baseline} from few labels to many, how each problem moves each of them, the shares with the
    variance of their AUCs between draws, what was fitted on (masks [n] by draw and fold), the fold [n] of each step,
    and how often each share was drawn.
    """

    points: list[dict[str, Any]]
    moves: list[Tensor]
    drawn: list[tuple[float, float | None]]
    fitted: list[list[list[Tensor]]]
    fold_of: Tensor
    draws: int


def learning_curve(steps: StepSet, refit: Refit, seed: int, stop: Stop = lambda: False) -> dict[str, Any] | None:
    """Return points {labels, auc, baseline}, from few labels to all that a fold leaves, with the covariance of the AUCs
    and the number of problems they are measured on. None if even all labels are too few. Raises StoppedError.

    `labels` counts people's, a mean over folds and draws. `baseline`, of the first draw, sees only places and lengths.
    """
    found = measure_points(steps, refit, seed, stop)
    if found is None:
        return None
    return {
        "problems": len(steps.problems[steps.counted].unique()),
        "steps": int(steps.counted.sum()),
        "labels": labels_in(steps, steps.counted),
        "points": found.points,
        "covariance": (covariance(found.moves) + torch.diag(of_draws(found))).tolist(),
    }


def measure_points(steps: StepSet, refit: Refit, seed: int, stop: Stop) -> Measured | None:
    """Measure the points; see learning_curve."""
    people = steps.problems[steps.counted]
    problems = people.unique()
    if len(problems) < 2:
        return None
    fold_of = _folds(steps, problems)
    seen = metrics.position_and_length(steps.places, steps.lengths)
    binary = (steps.labels > 0).long()

    def plain(fitted: Tensor, measured: Tensor) -> Tensor:
        return metrics.fit(seen[fitted], binary[fitted], 2, 1.0, steps.weights_of(fitted)).odds(seen[measured])

    points, moves, drawn, kept = [], [], [], []
    for share in SHARES:
        tries = []
        for fitted in _subsets(steps, fold_of, share, seed):
            if stop():
                raise StoppedError("Stopped while measuring the learning curve; the states are kept.")
            if can_be_fitted(steps, fitted):
                tries.append((fitted, place(steps, fold_of, crossed(steps, fold_of, fitted, refit))))
        placed = [one for _fitted, one in tries if one is not None]
        if len(placed) < draws_of(steps, share):
            continue
        beside = place(steps, fold_of, crossed(steps, fold_of, tries[0][0], plain))
        aucs = torch.tensor([one.auc for one in placed], dtype=torch.float64)
        labels = [labels_in(steps, one) for fitted, _placed in tries for one in fitted]
        points.append(
            {"labels": sum(labels) / len(labels), "auc": float(aucs.mean()), "baseline": beside and beside.auc}
        )
        moves.append(torch.stack([one.moves for one in placed]).mean(0))
        drawn.append((share, float(aucs.var()) if len(aucs) > 1 else None))
        kept.append([fitted for fitted, _placed in tries])
    return Measured(points, moves, drawn, kept, fold_of, draws_of(steps, 0)) if points else None


def _folds(steps: StepSet, measured: Tensor) -> Tensor:
    """Return the fold [n] of each step: measured problems are spread evenly over the folds, and so are the others."""
    others = steps.problems[~torch.isin(steps.problems, measured)].unique()
    place = torch.searchsorted(measured, steps.problems)
    if len(others):
        own = torch.isin(steps.problems, measured)
        place = torch.where(own, place, torch.searchsorted(others, steps.problems))
    return place % min(FOLDS, len(measured))


def folds_of(steps: StepSet) -> int:
    """Return the number of parts of the problems that are left out in turn."""
    return min(FOLDS, len(steps.problems[steps.counted].unique()))


def can_be_fitted(steps: StepSet, fitted: list[Tensor]) -> bool:
    """Return whether each fold has enough of people's steps of both kinds to fit a head on."""
    return all(min(steps.counts(one & steps.counted)) >= LEAST for one in fitted)


def covariance(moves: list[Tensor]) -> Tensor:
    """Return the covariance [points, points] of the AUCs, over the problems that they are measured on."""
    each = torch.stack(moves)
    count = each.shape[1]
    return each @ each.T * (count / (count - 1))


def of_draws(measured: Measured) -> Tensor:
    """Return how much the AUCs [points] would vary with other problems to fit on.

    Draws of a share s of one pool vary by (1 - s) times what independent sets of problems would, and that falls as 1/s.
    So one constant, the mean over the shares, covers all of them, including the share that is drawn once.
    """
    found = [share * variance / (1 - share) for share, variance in measured.drawn if variance is not None]
    each = sum(found) / len(found) if found else 0.0
    return torch.tensor(
        [each / share * ((1 - share) / measured.draws + share) for share, _ in measured.drawn],
        dtype=torch.float64,
    )


def draws_of(steps: StepSet, share: float) -> int:
    """Return how often that share of the problems is drawn."""
    return 1 if share == 1 or len(steps.labels) > MANY else DRAWS


def _subsets(steps: StepSet, fold_of: Tensor, share: float, seed: int) -> list[list[Tensor]]:
    """Return, for each draw and fold, the steps [n] of a share of the other folds' problems. A larger share of a draw
    contains the smaller ones.
    """
    known, number = steps.problems.unique(return_inverse=True)
    found = []
    for draw in range(draws_of(steps, share)):
        order = torch.randperm(len(known), generator=torch.Generator().manual_seed(seed * 1000 + draw))
        place = order.argsort()[number]  # of each step's problem
        fitted = []
        for fold in fold_of.unique():
            others = fold_of != fold
            places = place[others].unique()
            if not len(places):
                continue
            last = places[max(0, round(share * len(places)) - 1)]
            fitted.append(others & (place <= last))
        found.append(fitted)
    return found


def crossed(steps: StepSet, fold_of: Tensor, fitted: list[Tensor], refit: Refit) -> Tensor:
    """Return the log odds [n] of the counted steps, each from the head of the fold that left them out; 0 elsewhere."""
    odds = torch.zeros(len(steps.labels))
    for fold, one in zip(fold_of.unique(), fitted, strict=True):
        measured = steps.counted & (fold_of == fold)
        if bool(measured.any()):
            odds[measured] = refit(one, measured)
    return odds


def place(steps: StepSet, fold_of: Tensor, odds: Tensor) -> Placed | None:
    """Return AUC over all pairs of a right and a wrong step of one fold: heads of different folds are not compared.
    None if there is no such pair.
    """
    right = torch.zeros(len(odds), dtype=torch.float64)  # for each step, the pairs in the right order
    pairs = torch.zeros(len(odds), dtype=torch.float64)
    for fold in fold_of.unique():
        here = steps.counted & (fold_of == fold)
        good, wrong = here & (steps.labels > 0), here & (steps.labels <= 0)
        for one, others, sign in ((good, wrong, 1.0), (wrong, good, -1.0)):
            ordered = (odds[others] * sign).sort().values
            at = odds[one] * sign
            below = torch.searchsorted(ordered, at, right=False) + torch.searchsorted(ordered, at, right=True)
            right[one] = below.double() / 2
            pairs[one] = float(others.sum())
    total = float(pairs.sum()) / 2  # each pair is counted from both ends
    if not total:
        return None
    auc = float(right.sum()) / 2 / total
    known, number = steps.problems[steps.counted].unique(return_inverse=True)
    moved = (right - auc * pairs)[steps.counted] / total
    return Placed(auc, torch.zeros(len(known), dtype=torch.float64).index_add(0, number, moved))


def labels_in(steps: StepSet, chosen: Tensor) -> int:
    """Return the number of traces among these steps that a person rated."""
    return len(steps.traces[chosen & steps.counted].unique())
