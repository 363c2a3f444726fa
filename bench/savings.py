"""Curves of many seeds as means with bands, methods compared with random, and how many labels random needs.

A band is the 95 % bootstrap interval of the mean over seeds. Seeds are drawn jointly for all methods, because a seed
is one split and one first draw for all of them. It shows how certain the mean is over splits of this data, not
what other problems would give.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from labeling.statistics.intervals import percentiles, resampled_counts

Json = dict[str, Any]
Floats = npt.NDArray[np.float64]
FIGURES = ("auc", "auc_given_position", "first_error_accuracy", "processbench_f1")
RESAMPLES = 2000


def summary(runs: Sequence[dict[str, list[Json]]]) -> Json:
    """Return the curves and rounds of each method, and the gains of each method other than random. `runs` holds the
    points by method, one item per seed.
    """
    weights = np.concatenate(list(resampled_counts(len(runs), RESAMPLES, seed=0))) / len(runs)
    ways = list(runs[0])
    return {
        "curves": {name: curves([run[name] for run in runs], weights) for name in ways},
        "rounds": {name: rounds([run[name] for run in runs], weights) for name in ways},
        "against_random": {
            name: {figure: against(runs, name, figure, weights) for figure in FIGURES}
            for name in ways
            if name != "random"
        },
        "position_and_length_only": {
            figure: band(np.array([run["random"][-1]["position_and_length_only"][figure] for run in runs]), weights)
            for figure in FIGURES
        },
    }


def band(values: Floats, weights: Floats) -> Json:
    """Return the mean over seeds [seeds] and its interval; `weights` [resamples, seeds] add up to 1 per resample."""
    low, high = percentiles(weights @ values)
    return {"mean": float(values.mean()), "low": low, "high": high}


def curves(runs: Sequence[Sequence[Json]], weights: Floats) -> list[Json]:
    """Return a point for each budget."""
    return [
        {
            "labels": at[0]["labels"],
            "steps": float(np.mean([point["steps"] for point in at])),
            **{figure: band(np.array([point[figure] for point in at]), weights) for figure in FIGURES},
        }
        for at in zip(*runs, strict=True)
    ]


def rounds(runs: Sequence[Sequence[Json]], weights: Floats) -> list[Json]:
    """Return what the labels after each budget found: ratios of sums over seeds."""
    found = []
    for at in zip(*runs, strict=True):
        parts = [point["round"] for point in at if "round" in point]
        if not parts:
            continue
        sums = {name: np.array([part[name] for part in parts], dtype=np.float64) for name in parts[0]}
        found.append(
            {
                "after": at[0]["labels"],
                "yield": share(sums["found_in_wrong_answers"], sums["wrong_answers"], weights),
                "errors_per_label": share(sums["errors"], sums["labels"], weights),
                "misses_per_label": share(sums["misses"], sums["labels"], weights),
                "steps_per_label": share(sums["steps"], sums["labels"], weights),
            }
        )
    return found


def share(top: Floats, bottom: Floats, weights: Floats) -> Json:
    """Return a ratio of sums over seeds."""
    low, high = percentiles((weights @ top) / (weights @ bottom))
    return {"mean": float(top.sum() / bottom.sum()), "low": low, "high": high}


def against(runs: Sequence[dict[str, list[Json]]], name: str, figure: str, weights: Floats) -> Json:
    """Return, for this method, its gain over random at its last budget, the mean gain over all its budgets after the
    first, and how many times as many labels random needs for the same figure.
    """
    own, random = table(runs, name, figure), table(runs, "random", figure)
    budgets = [point["labels"] for point in runs[0]["random"]]
    last = own.shape[1] - 1
    gain = own - random[:, : own.shape[1]]
    once = np.full((1, len(runs)), 1 / len(runs))
    return {
        "labels": budgets[last],
        "gain": band(gain[:, last], weights),
        "mean_gain": band(gain[:, 1:].mean(axis=1), weights),
        "times_the_labels": times(own, random, budgets, last, once, weights),
    }


def table(runs: Sequence[dict[str, list[Json]]], name: str, figure: str) -> Floats:
    """Return a figure as an array [seeds, budgets]."""
    return np.array([[point[figure] for point in run[name]] for run in runs])


def times(own: Floats, random: Floats, budgets: Sequence[int], last: int, once: Floats, weights: Floats) -> Json:
    """Return the ratio with its interval. None means that random does not reach the figure with all its labels, so the
    ratio is above `at_most`.
    """
    ratio = labels_needed(once @ own[:, last], once @ random, budgets) / budgets[last]
    drawn = labels_needed(weights @ own[:, last], weights @ random, budgets) / budgets[last]
    low, high = np.quantile(drawn, [0.025, 0.975], method="nearest")  # infinities have no mean
    return {
        "ratio": finite(ratio[0]),
        "low": finite(low),
        "high": finite(high),
        "at_least": budgets[0] / budgets[last],
        "at_most": budgets[-1] / budgets[last],
    }


def learners_apart(head: Sequence[Floats], stacked: Sequence[Floats], budgets: Sequence[int]) -> list[Json]:
    """Compare two learners [seeds, budgets] on the same random labels. Return a row for each budget: means, the gain of
    the second, and how many times as many labels the first needs for the same.
    """
    less, more = np.array(head), np.array(stacked)
    weights = np.concatenate(list(resampled_counts(len(less), RESAMPLES, seed=0))) / len(less)
    once = np.full((1, len(less)), 1 / len(less))
    return [
        {
            "labels": labels,
            "head": float(less[:, at].mean()),
            "stacked": float(more[:, at].mean()),
            "gain": band(more[:, at] - less[:, at], weights),
            "times": times(more, less, budgets, at, once, weights),
        }
        for at, labels in enumerate(budgets)
    ]


def finite(value: float) -> float | None:
    """Return None for a value beyond the end of the curve."""
    return float(value) if np.isfinite(value) else None


def labels_needed(wanted: Floats, curves: Floats, budgets: Sequence[int]) -> Floats:
    """Return [n] the budget at which each curve [n, budgets], made non-decreasing, first reaches `wanted` [n]: linear
    between budgets, the first budget if it starts there, infinity if it never does.
    """
    risen = np.maximum.accumulate(curves, axis=1)
    found = []
    for target, curve in zip(wanted, risen, strict=True):
        at = int(np.searchsorted(curve, target))
        if at == 0:
            found.append(float(budgets[0]))
        elif at == len(curve):
            found.append(np.inf)
        else:
            part = (target - curve[at - 1]) / (curve[at] - curve[at - 1])
            found.append(budgets[at - 1] + part * (budgets[at] - budgets[at - 1]))
    return np.array(found)
