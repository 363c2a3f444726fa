"""The second head of `--target progress`: how much a step changes the chance of success, as rollouts measured it.

A process advantage verifier (arXiv 2410.08146) next to a PRM: ridge regression on the same states that the first head
reads. Its values are between -1 and 1, hold for the completer of the rollouts, and are never called correctness.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from worker.prm.errors import SpecError
from worker.prm.examples import parse
from worker.prm.families.step_classifier import PROGRESS
from worker.prm.metrics import position_and_length
from worker.prm.options import Counted, Progress, Stop, silent
from worker.prm.states import TraceCache

WEIGHT, BIAS = PROGRESS
STRENGTHS = (1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0)
FOLDS, RESAMPLES, FEWEST_STEPS, FEWEST_PROBLEMS = 5, 500, 20, 5


class Gained(NamedTuple):
    """A trace and what each step changed, from -1 to 1; None where rollouts are missing before or after it."""

    problem: str
    steps: list[str]
    progress: list[float | None]


class GainedSteps(NamedTuple):
    """n steps: states [n, h], what each changed [n], what the baseline sees [n, 4], numbers of their problems [n]."""

    states: Tensor
    gained: Tensor
    seen_by_baseline: Tensor
    problems: Tensor


class ProgressHead(NamedTuple):
    """weight [1, h] and bias [1] for raw states, and a report about them."""

    weight: Tensor
    bias: Tensor
    report: dict[str, Any]


def read_gained(files: Sequence[Path]) -> list[Gained]:
    """Return the rows that hold `progress`. Raises SpecError with the line."""
    found = []
    for file in files:
        for number, raw in enumerate(file.read_bytes().splitlines(), start=1):
            row = parse(raw, file, number) if b'"progress"' in raw else {}
            progress = row.get("progress")
            if progress is None:
                continue
            if not isinstance(progress, list) or not all(map(_is_gain, progress)):
                raise SpecError(f"{file.name}, line {number}: progress must hold numbers from -1 to 1, or null.")
            if len(progress) != len(row["steps"]):
                raise SpecError(f"{file.name}, line {number}: progress must hold one entry for each step.")
            found.append(Gained(row["problem"], row["steps"], progress))
    return found


def _is_gain(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (is_number and -1 <= value <= 1)


def fit_progress(
    cache: TraceCache,
    files: Sequence[Path],
    layer: int,
    progress: Progress = silent,
    stop: Stop = lambda: False,
) -> ProgressHead:
    """Fit on all rows of the files; metrics are of problems that a fold left out. Raises SpecError."""
    steps = _collect(cache, read_gained(files), str(layer), progress, stop)
    folds = _folds(steps.problems)
    tried = [(_out_of_fold(steps.states, steps.gained, folds, one), one) for one in STRENGTHS]
    said, strength = min(tried, key=lambda one: float((one[0] - steps.gained).square().mean()))
    plain = _out_of_fold(steps.seen_by_baseline, steps.gained, folds, 1.0)
    weight, bias = _ridge(steps.states, steps.gained, strength)
    return ProgressHead(weight[None], bias[None], _report(steps, said, plain, strength))


def _collect(cache: TraceCache, rows: Sequence[Gained], layer: str, progress: Progress, stop: Stop) -> GainedSteps:
    by_problem: dict[str, list[Gained]] = {}
    for row in rows:
        by_problem.setdefault(row.problem, []).append(row)
    states: list[Tensor] = []
    told: list[tuple[float, int, int, int]] = []
    looked_at = Counted(progress, "second_head", len(rows))
    for number, (problem, group) in enumerate(by_problem.items()):
        if stop():
            break
        for row, found in zip(group, cache.of_problem(problem, [one.steps for one in group]), strict=True):
            counted = [step for step, one in enumerate(row.progress) if one is not None]
            if found is None or not counted:
                continue
            states.append(found[layer][counted])
            told += [(row.progress[step] or 0.0, step, len(row.steps[step]), number) for step in counted]
        looked_at.add(len(group))
    problems = len({one[3] for one in told})
    if len(told) < FEWEST_STEPS or problems < FEWEST_PROBLEMS:
        raise SpecError(
            f"The rollouts measure the progress of {len(told)} steps of {problems} problems; at least {FEWEST_STEPS} "
            f"steps of {FEWEST_PROBLEMS} problems are needed. Let the source roll out from every prefix of more traces."
        )
    gained, places, lengths, numbers = zip(*told, strict=True)
    baseline = position_and_length(torch.tensor(places), torch.tensor(lengths, dtype=torch.float32))
    return GainedSteps(torch.cat(states).float(), torch.tensor(gained), baseline, torch.tensor(numbers))


def _folds(problems: Tensor) -> Tensor:
    """Return the fold that each step is left out of; a problem's steps stay together."""
    return problems.unique(return_inverse=True)[1] % FOLDS


def _out_of_fold(inputs: Tensor, gained: Tensor, folds: Tensor, strength: float) -> Tensor:
    said = torch.zeros_like(gained)
    for fold in folds.unique():
        here = folds == fold
        weight, bias = _ridge(inputs[~here], gained[~here], strength)
        said[here] = inputs[here] @ weight + bias
    return said


def _ridge(inputs: Tensor, gained: Tensor, strength: float) -> tuple[Tensor, Tensor]:
    """Return weight [h] and bias for raw inputs, regularised on inputs of mean 0 and deviation 1."""
    mean, deviation = inputs.mean(0), inputs.std(0).clamp_min(1e-6)
    scaled = ((inputs - mean) / deviation).double()
    centre = gained.double().mean()
    if scaled.shape[1] <= len(scaled):
        gram = scaled.T @ scaled + strength * torch.eye(scaled.shape[1], dtype=torch.float64)
        found = torch.linalg.solve(gram, scaled.T @ (gained.double() - centre))
    else:  # fewer steps than values in a state: the same by the smaller matrix
        gram = scaled @ scaled.T + strength * torch.eye(len(scaled), dtype=torch.float64)
        found = scaled.T @ torch.linalg.solve(gram, gained.double() - centre)
    weight = (found / deviation.double()).float()
    return weight, (centre.float() - mean @ weight)


def _report(steps: GainedSteps, said: Tensor, plain: Tensor, strength: float) -> dict[str, Any]:
    truth, problems = steps.gained.numpy(), steps.problems.numpy()
    low, high = _interval(said.numpy(), truth, problems)
    return {
        "steps": len(truth),
        "problems": int(len(np.unique(problems))),
        "l2": strength,
        "correlation": _correlation(said.numpy(), truth),
        "low": low,
        "high": high,
        "rmse": float((said - steps.gained).square().mean().sqrt()),
        "rmse_of_the_mean": float(steps.gained.std(correction=0)),
        "correlation_position_and_length_only": _correlation(plain.numpy(), truth),
        "measured_on": "folds over problems, which the regularisation was chosen on, too",
    }


def _correlation(one: Any, other: Any) -> float | None:
    if len(one) < 2 or np.std(one) < 1e-9 or np.std(other) < 1e-9:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _interval(said: Any, truth: Any, problems: Any) -> tuple[float | None, float | None]:
    """Return the 95 % interval of the correlation, by resampling problems."""
    chance = np.random.default_rng(0)
    places = [np.flatnonzero(problems == one) for one in np.unique(problems)]
    drawn = []
    for _ in range(RESAMPLES):
        rows = np.concatenate([places[one] for one in chance.integers(len(places), size=len(places))])
        if (value := _correlation(said[rows], truth[rows])) is not None:
            drawn.append(value)
    if len(drawn) < 0.95 * RESAMPLES:
        return None, None
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def words(report: dict[str, Any]) -> str:
    """Return a sentence for the log and the model card."""
    value, low, high = report["correlation"], report["low"], report["high"]
    if value is None:
        return "The second head gives every step the same progress, so its quality cannot be measured."
    interval = f" (95 %: {low:.2f} to {high:.2f})" if low is not None else ""
    plain = report["correlation_position_and_length_only"]
    beside = "" if plain is None else f"; position and length alone {plain:.2f}"
    return (
        f"The second head's progress correlates {value:.2f}{interval} with what rollouts measured, over "
        f"{report['steps']:,} steps of {report['problems']:,} problems that a fold left out{beside}."
    )
