"""Compares what a PRM learned from labels that a round chose with labels of randomly drawn traces, measured on steps of
randomly drawn traces.

A head is fitted on random labels in growing shares (worker.prm.learning_curve). Others are fitted on the smallest
share, the *base*, together with the labels that one round chose. The curve shows how many random labels in their place
would have taught as much (labeling.statistics.choice_worth). The base is small because the curve is steep there, and
because its end is then far beyond. Only steps of traces drawn at random are measured: they represent the pool, and a
round's choice does not.
"""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from worker.prm.errors import StoppedError
from worker.prm.learning_curve import (
    SHARES,
    Measured,
    Placed,
    Refit,
    can_be_fitted,
    covariance,
    crossed,
    draws_of,
    folds_of,
    labels_in,
    learning_curve,
    measure_points,
    of_draws,
    place,
)
from worker.prm.options import Stop
from worker.prm.step_set import StepSet

MOST_ROUNDS = 10  # the newest; for each fold, each adds as many fits as a share has draws
LEFT = 4  # points of the curve that are enough


def curves(steps: StepSet, refit: Refit, seed: int, stop: Stop) -> dict[str, Any]:
    """Return `learning_curve` and `choice_worth` of one way of fitting, as meta.json stores them."""
    return {
        "learning_curve": learning_curve(steps, refit, seed, stop),
        "choice_worth": choice_worth(steps, refit, seed, stop),
    }


def refits(steps: StepSet) -> int:
    """Return the most heads that `curves` fits: fewer are fitted where a share has too few steps of either kind."""
    found = _of_curve(steps)
    if steps.rounds is not None and steps.by_chance is not None:
        pool = replace(steps, counted=steps.counted & steps.by_chance)
        chosen = steps.counted & ~steps.by_chance & (steps.rounds > 0)
        many = min(MOST_ROUNDS, len(steps.rounds[chosen].unique()))
        if many and bool(pool.counted.any()):
            found += _of_curve(pool) + many * draws_of(pool, SHARES[0]) * folds_of(pool)
    return found


def _of_curve(steps: StepSet) -> int:
    return folds_of(steps) * sum(draws_of(steps, share) for share in SHARES)


def choice_worth(steps: StepSet, refit: Refit, seed: int, stop: Stop = lambda: False) -> dict[str, Any] | None:
    """Return the curve of random labels and, per round that chose, newest first, its labels' AUC with the base.

    {problems, steps, labels, points: [{labels, auc, baseline}], rounds: [{round, labels, fitted, auc}], covariance}:
    `covariance` covers the points, the first of which is the base, and then the rounds. A round's `labels` are those it
    chose, and `fitted` is how many of them a fold leaves on average. None if no row says how its trace was chosen, no
    round chose, or there are too few random labels for a curve. Raises StoppedError.
    """
    if steps.rounds is None or steps.by_chance is None:
        return None
    random = steps.counted & steps.by_chance
    chosen = steps.counted & ~steps.by_chance & (steps.rounds > 0)
    rounds = steps.rounds[chosen].unique().flip(0)[:MOST_ROUNDS].tolist()
    if not rounds or not bool(random.any()):
        return None
    pool = replace(steps, counted=random)
    found = measure_points(pool, lambda fitted, measured: refit(fitted & random, measured), seed, stop)
    if found is None or len(found.points) < LEFT:
        return None
    told, moves = [], []
    for number in rounds:
        if stop():
            raise StoppedError("Stopped while measuring the benefit of choosing; the states are kept.")
        own = chosen & (steps.rounds == number)
        about = _about(replace(steps, counted=own), found, number)
        beside = _beside(pool, found, refit, random | own, own)
        if beside is not None:
            told.append({**about, "auc": sum(one.auc for one in beside) / len(beside)})
            moves.append(torch.stack([one.moves for one in beside]).mean(0))
    if not told:
        return None
    return {
        "problems": len(steps.problems[random].unique()),
        "steps": int(random.sum()),
        "labels": labels_in(pool, random),
        "points": found.points,
        "rounds": told,
        "covariance": _covariance(found, moves, told).tolist(),
    }


def _about(own: StepSet, found: Measured, number: int) -> dict[str, Any]:
    folds = found.fold_of.unique()
    fitted = sum(labels_in(own, found.fold_of != fold) for fold in folds) / len(folds)
    return {"round": number, "labels": labels_in(own, own.counted), "fitted": fitted}


def _beside(pool: StepSet, found: Measured, refit: Refit, allowed: Tensor, own: Tensor) -> list[Placed] | None:
    """For each draw of the base, place a head fitted on it and on what a fold leaves of the round's `own`, as measured
    on the pool.
    """
    placed = []
    for draw in found.fitted[0]:
        fitted = [
            allowed & (one | (own & (found.fold_of != fold)))
            for one, fold in zip(draw, found.fold_of.unique(), strict=True)
        ]
        if not can_be_fitted(pool, fitted):
            return None
        one = place(pool, found.fold_of, crossed(pool, found.fold_of, fitted, refit))
        if one is None:
            return None
        placed.append(one)
    return placed


def _covariance(found: Measured, moves: list[Tensor], told: list[dict[str, Any]]) -> Tensor:
    """Return the covariance [points + rounds] of the AUCs.

    How much a head depends on which random problems the base happened to draw shrinks when other labels join them, just
    as a mean over R labels counts for R / (R + C) in one over R + C: by that factor, in its variance and in what it
    shares with the base.
    """
    whole = covariance([*found.moves, *moves])
    draws = of_draws(found)
    count, random = len(found.points), found.points[0]["labels"]
    whole[:count, :count] += torch.diag(draws)
    for row, one in enumerate(told, start=count):
        shared = float(draws[0]) * random / (random + one["fitted"])
        whole[row, row] += shared
        whole[row, 0] += shared
        whole[0, row] += shared
    return whole
