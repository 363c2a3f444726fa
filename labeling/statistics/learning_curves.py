"""What a learning curve says, with intervals, and what so many more labels would bring if it goes on. Pure.

The points of a curve are measured on the same steps, so differences between them are told better than the points
themselves: their covariance comes with them (worker.prm.learning_curve).

What more labels bring is read off a line through the upper part of the curve: log odds of the AUC against the inverse
square root of the labels, between curves that flatten soon and curves that go on (T. Viering and M. Loog, IEEE PAMI
45, 2023). Which of them this one is, its few points do not tell: the interval reaches from where it flattens soon (the
inverse of the labels) to where it goes on (their logarithm), with the noise of the points and how far they lie off the
line in both. Nothing is said beyond three times the labels there are.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from labeling.statistics.intervals import Estimate, Z, bounded, unknown

FEWEST_POINTS = 4  # of the upper part of a curve
UPPER = 4  # points that the line goes through: from a third of the labels on
TIMES = (1.5, 2.0, 3.0)  # the labels there are
WIDEST = 0.1  # of the interval of a gain; one that is wider helps nobody to decide
EDGE = 1e-3  # AUCs are this far from 0 and 1 where their log odds are taken
Json = dict[str, Any]
Shape = Callable[[float], float]  # of labels; log odds are a line over it
Silence = Literal["few_points", "few_problems", "wide"]


def _inverse_root(labels: float) -> float:
    return -1 / math.sqrt(labels)


def _inverse(labels: float) -> float:
    return -1 / labels


MIDDLE: Shape = _inverse_root
SHAPES: tuple[Shape, ...] = (_inverse, _inverse_root, math.log)


@dataclass(frozen=True)
class Gain:
    """What `more` labels would add to the AUC; `because`: why that cannot be said."""

    more: int
    gain: Estimate | None
    auc: float | None
    because: Silence | None = None


def told(curve: Mapping[str, Any]) -> Json:
    """A curve as a report keeps it: points with intervals, and the gains of more labels."""
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
    """Labels, the AUC with its interval over problems (made on log odds, so that it stays between 0 and 1), and the
    baseline's AUC, from few labels to many."""
    found = []
    for place, point in enumerate(curve["points"]):
        auc = of_auc(point["auc"], curve["covariance"][place][place], curve["steps"], curve["problems"])
        found.append((point["labels"], auc, point["baseline"]))
    return found


def of_auc(value: float | None, variance: float | None, n: int, problems: int) -> Estimate:
    """An AUC of n steps with its interval over problems, made on log odds, so that it stays between 0 and 1."""
    if value is None:
        return unknown(n)
    if variance is None:
        return bounded(value, (None, None), n, problems)
    inside = min(max(value, EDGE), 1 - EDGE)
    odds, wide = math.log(inside / (1 - inside)), Z * math.sqrt(max(0.0, variance)) / (inside * (1 - inside))
    return bounded(value, (min(value, _auc(odds - wide)), max(value, _auc(odds + wide))), n, problems)


def offers(labels: int) -> list[int]:
    """Round numbers of further labels: about half as many as there are, as many, and twice as many."""
    found = []
    for times in TIMES:
        more = labels * (times - 1)
        unit = 10 ** max(0, math.floor(math.log10(max(more, 1))) - 1)
        found.append(max(1, round(more / unit) * unit))
    return sorted(set(found))


def gain(curve: Mapping[str, Any], more: int) -> Gain:
    """What `more` labels beyond those there are would add to the AUC, read off the upper part of the curve."""
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
    """The gain, the ends of its interval, and the AUC it leads to, for one shape of curve."""
    upper = curve["points"][-UPPER:]
    aucs = np.clip(np.array([one["auc"] for one in upper]), EDGE, 1 - EDGE)
    at = np.array([shape(one["labels"]) for one in upper])
    slopes = 1 / (aucs * (1 - aucs))  # of log odds by the AUC
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
