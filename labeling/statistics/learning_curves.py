"""A learning curve with intervals, and what further labels would bring if it continues. Pure.

The points of a curve are measured on the same steps, so differences between them are more certain than the points
themselves: their covariance comes with them (worker.prm.learning_curve).

The gain of more labels is read off a line through the upper part of the curve: log odds of the AUC against the inverse
square root of the labels. This lies between curves that flatten soon and curves that keep rising (T. Viering and
M. Loog, IEEE PAMI 45, 2023). A few points cannot tell which this one is, so the interval reaches from the flattening
shape (the inverse of the labels) to the rising one (their logarithm), each with the noise of the points and their
distance from the line. Nothing is predicted beyond three times the existing labels.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from labeling.statistics.intervals import Estimate, Z, bounded, unknown

FEWEST_POINTS = 4  # in the upper part of a curve
UPPER = 4  # points that the line goes through: from a third of the labels up
TIMES = (1.5, 2.0, 3.0)  # multiples of the existing labels
WIDEST = 0.1  # width of a gain's interval; a wider one helps no decision
EDGE = 1e-3  # AUCs are kept this far from 0 and 1 before taking log odds
Json = dict[str, Any]
Shape = Callable[[float], float]  # a function of labels, over which log odds are linear
Silence = Literal["few_points", "few_problems", "wide"]


def _inverse_root(labels: float) -> float:
    return -1 / math.sqrt(labels)


def _inverse(labels: float) -> float:
    return -1 / labels


MIDDLE: Shape = _inverse_root
SHAPES: tuple[Shape, ...] = (_inverse, _inverse_root, math.log)


@dataclass(frozen=True)
class Gain:
    """What `more` labels would add to the AUC; `because`: why this cannot be said."""

    more: int
    gain: Estimate | None
    auc: float | None
    because: Silence | None = None


def told(curve: Mapping[str, Any]) -> Json:
    """Return a curve as a report stores it: points with intervals, and the gains of more labels."""
    return {
        "labels": curve["labels"],
        "problems": curve["problems"],
        "steps": curve["steps"],
        "points": [
            {"labels": round(labels), "auc": asdict(auc), "baseline": baseline}
            for labels, auc, baseline in points(curve)
        ],
        "gains": [
            {**asdict(one), "gain": one.gain and asdict(one.gain)}
            for one in (gain(curve, more) for more in offers(curve["labels"]))
        ],
    }


def points(curve: Mapping[str, Any]) -> list[tuple[float, Estimate, float]]:
    """Return labels, the AUC with its interval over problems (made on log odds, so it stays between 0 and 1), and the
    baseline's AUC, from few labels to many.
    """
    found = []
    for place, point in enumerate(curve["points"]):
        auc = of_auc(point["auc"], curve["covariance"][place][place], curve["steps"], curve["problems"])
        found.append((point["labels"], auc, point["baseline"]))
    return found


def of_auc(value: float | None, variance: float | None, n: int, problems: int) -> Estimate:
    """Return an AUC of n steps with its interval over problems, made on log odds, so it stays between 0 and 1."""
    if value is None:
        return unknown(n)
    if variance is None:
        return bounded(value, (None, None), n, problems)
    inside = min(max(value, EDGE), 1 - EDGE)
    odds, wide = math.log(inside / (1 - inside)), Z * math.sqrt(max(0.0, variance)) / (inside * (1 - inside))
    return bounded(value, (min(value, _auc(odds - wide)), max(value, _auc(odds + wide))), n, problems)


def offers(labels: int) -> list[int]:
    """Return round numbers of further labels: about half as many as exist, as many, and twice as many."""
    found = []
    for times in TIMES:
        more = labels * (times - 1)
        unit = 10 ** max(0, math.floor(math.log10(max(more, 1))) - 1)
        found.append(max(1, round(more / unit) * unit))
    return sorted(set(found))


def gain(curve: Mapping[str, Any], more: int) -> Gain:
    """Return what `more` labels beyond the existing ones would add to the AUC, read off the upper part of the curve."""
    upper = curve["points"][-UPPER:]
    if len(upper) < FEWEST_POINTS:
        return Gain(more, None, None, "few_points")
    value, _low, _high, auc = _read_off(curve, more, MIDDLE)
    lows, highs = zip(*(_read_off(curve, more, shape)[1:3] for shape in SHAPES), strict=True)
    found = bounded(value, (min(lows), max(highs)), curve["steps"], curve["problems"])
    if found.low is None or found.high is None:
        return Gain(more, None, None, "few_problems")
    if found.high - found.low > WIDEST:
        return Gain(more, None, None, "wide")
    return Gain(more, found, auc)


def _read_off(curve: Mapping[str, Any], more: int, shape: Shape) -> tuple[float, float, float, float]:
    """Return the gain, the ends of its interval and the resulting AUC, for one shape of curve."""
    upper = curve["points"][-UPPER:]
    aucs = np.clip(np.array([one["auc"] for one in upper]), EDGE, 1 - EDGE)
    at = np.array([shape(one["labels"]) for one in upper])
    slopes = 1 / (aucs * (1 - aucs))  # derivative of log odds by the AUC
    noise = np.array(curve["covariance"], dtype=np.float64)[-UPPER:, -UPPER:] * np.outer(slopes, slopes)
    odds = np.log(aucs / (1 - aucs))
    rows = np.stack([np.ones_like(at), at], 1)
    solve = np.linalg.pinv(rows)  # [2, points]: the line through the points
    line = solve @ odds
    misfit = float(((odds - rows @ line) ** 2).sum()) / (len(at) - 2)
    spread = solve @ (noise + misfit * np.eye(len(at))) @ solve.T
    now, then = (np.array([1.0, shape(labels)]) for labels in (curve["labels"], curve["labels"] + more))
    auc_now, auc_then = _auc(float(line @ now)), _auc(float(line @ then))
    bend = auc_then * (1 - auc_then) * then - auc_now * (1 - auc_now) * now
    wide = Z * math.sqrt(max(0.0, float(bend @ spread @ bend)))
    value = auc_then - auc_now
    return value, value - wide, value + wide, auc_then


def _auc(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
