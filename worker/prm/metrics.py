"""How good a classifier of steps is: AUC, also given position, calibration, and what position and length achieve.

`labeling/metrics` has the metrics that pages show, with intervals. These are the few that training itself chooses by
and writes into a checkpoint; they work on tensors, without the product.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

BINS = 10
# For Newton's method: most steps, the share of the loss below which a gain is ignored, the smallest part of a step.
MOST_STEPS, CLOSE, SMALLEST = 50, 1e-6, 1e-4
WIDEST = 20.0  # temperatures are searched between 1/20 and 20


class Head(NamedTuple):
    """Logits [n, labels] = states [n, h] @ weight [labels, h].T + bias [labels]."""

    weight: Tensor
    bias: Tensor

    def odds(self, states: Tensor) -> Tensor:
        """Return the log odds [n] that a step is right."""
        return log_odds(states @ self.weight.T + self.bias)

    def cooled(self, temperature: float) -> "Head":
        """Return the head with all logits divided by the temperature."""
        return Head(self.weight / temperature, self.bias / temperature)


def log_odds(logits: Tensor) -> Tensor:
    """Return the log odds [n] of right (all labels but the first together) against wrong, from logits [n, labels]."""
    return logits[:, 1:].logsumexp(-1) - logits[:, 0]


def fit(states: Tensor, labels: Tensor, count: int, l2: float, each: Tensor | None = None) -> Head:
    """Fit logistic regression on standardised states [n, h] with balanced classes. The head is for raw states.

    `labels` [n] are 0 … count - 1. With two of them, the first row is 0: only differences of logits matter. `each` [n]
    is how much every step counts; None: 1.
    """
    return fits(states, labels, count, [l2], each)[0]


def class_shares(labels: Tensor, count: int, each: Tensor | None = None) -> Tensor:
    """Return how often each label occurs [count], weighted by how much every step counts; never quite 0 or 1."""
    found = torch.bincount(labels, weights=each, minlength=count).float()
    return (found / found.sum()).clamp(1e-3, 1 - 1e-3)


def fits(
    states: Tensor, labels: Tensor, count: int, strengths: Sequence[float], each: Tensor | None = None
) -> list[Head]:
    """Fit the same for each strength of the regularisation, in order. Each starts where the next stronger one ended.

    Fewer steps than values in a state span a smaller space, which contains the best head of each strength: it is
    searched there and mapped back.
    """
    mean, deviation = states.mean(0), states.std(0, correction=0).clamp_min(1e-6)
    inputs, back = (states - mean) / deviation, None
    if len(inputs) < inputs.shape[1]:
        back = torch.linalg.qr(inputs.T).Q  # [h, n]
        inputs = inputs @ back
    shares = class_shares(labels, count, each)
    weights = (1 / (count * shares))[labels]
    weights = weights if each is None else weights * each
    found: dict[float, Tensor] = {}
    start = torch.zeros(1 if count == 2 else count, inputs.shape[1] + 1)
    for l2 in sorted(set(strengths), reverse=True):
        start = found[l2] = (newton if count == 2 else lbfgs)(inputs, labels, weights, l2, start)
    heads = []
    for l2 in strengths:
        weight = found[l2][:, :-1] if back is None else found[l2][:, :-1] @ back.T
        weight = torch.cat([torch.zeros(count - len(weight), states.shape[1]), weight / deviation])
        bias = torch.cat([torch.zeros(count - len(found[l2])), found[l2][:, -1]]) - weight @ mean
        # Balanced classes make even odds mean equally likely classes; shift back to how often each occurs.
        heads.append(Head(weight, bias + shares.log() - shares.log()[0]))
    return heads


def newton(inputs: Tensor, labels: Tensor, weights: Tensor, l2: float, start: Tensor) -> Tensor:
    """Return [1, d + 1] weights and bias of label 1 against 0: iteratively reweighted least squares by Cholesky, with
    steps halved until the loss falls (Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, §4.4.1).

    Inputs are [n, d]; weights [n] are the targets'; the bias is not regularised.
    """
    wide = torch.cat([inputs, torch.ones(len(inputs), 1)], 1)
    each, targets = weights, (labels > 0).float()
    ridge = torch.full((wide.shape[1],), 2 * l2)
    ridge[-1] = 1e-6 * float(each.sum())

    def loss_of(at: Tensor) -> float:
        odds = wide @ at
        misfit = each * binary_cross_entropy_with_logits(odds, targets, reduction="none")
        return float(misfit.sum() + (ridge * at.square()).sum() / 2)

    at = start[0]
    loss = loss_of(at)
    for _ in range(MOST_STEPS):
        said = (wide @ at).sigmoid()
        slope = wide.T @ (each * (said - targets)) + ridge * at
        bend = (wide * (each * said * (1 - said))[:, None]).T @ wide
        step = solved(bend + ridge.diag(), slope)
        gain = float(slope @ step) / 2  # what the loss would fall by if it were a parabola
        if gain <= CLOSE * loss:
            break
        size = 1.0
        while (lower := loss_of(at - size * step)) > loss - size * gain / 10 and size > SMALLEST:
            size /= 2
        if size <= SMALLEST:
            break
        at, loss = at - size * step, lower
    return at[None]


def solved(matrix: Tensor, right: Tensor) -> Tensor:
    """Return x of matrix @ x = right for a positive definite matrix, in double precision where single is not enough."""
    factor, failed = torch.linalg.cholesky_ex(matrix)
    if int(failed):
        factor = torch.linalg.cholesky(
            matrix.double() + 1e-6 * matrix.diagonal().mean().double() * torch.eye(len(right))
        )
    return torch.cholesky_solve(right[:, None].to(factor), factor)[:, 0].float()


def lbfgs(inputs: Tensor, labels: Tensor, weights: Tensor, l2: float, start: Tensor) -> Tensor:
    """Return [count, d + 1] weights and biases for more than two labels in the same way."""
    found = start.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([found], max_iter=200, line_search_fn="strong_wolfe", tolerance_change=1e-7)

    def loss() -> Tensor:
        optimiser.zero_grad()
        logits = inputs @ found[:, :-1].T + found[:, -1]
        misfit = weights @ cross_entropy(logits, labels, reduction="none")
        value = (misfit + l2 * found[:, :-1].square().sum()) / len(inputs)
        value.backward()
        return value

    optimiser.step(loss)
    return found.detach()


def auc(values: Tensor, targets: Tensor) -> float | None:
    """Return the share of pairs (right step, wrong step) in the right order, ties half; None without both kinds."""
    good, wrong = values[targets > 0.5], values[targets <= 0.5]
    pairs = len(good) * len(wrong)
    return float(_right_pairs(good, wrong) / pairs) if pairs else None


def auc_given_position(values: Tensor, targets: Tensor, places: Tensor) -> float | None:
    """Return AUC over pairs of steps at the same place of their traces: later steps are worse, and that is no skill."""
    right = pairs = 0.0
    for place in places.unique():
        here = places == place
        good, wrong = values[here & (targets > 0.5)], values[here & (targets <= 0.5)]
        right += _right_pairs(good, wrong)
        pairs += len(good) * len(wrong)
    return right / pairs if pairs else None


def variance_over_problems(
    values: Tensor, targets: Tensor, problems: Tensor, places: Tensor | None = None
) -> float | None:
    """Return the variance of `auc`, or with `places` of `auc_given_position`, from how much each problem moves it
    (placements over clusters: N. A. Obuchowski, Biometrics 53, 1997). None if no pair can be compared, or all steps are
    of one problem.
    """
    strata = torch.zeros_like(problems) if places is None else places
    right = torch.zeros(len(values), dtype=torch.float64)  # for each step, the pairs in the right order
    pairs = torch.zeros(len(values), dtype=torch.float64)
    for stratum in strata.unique():
        good, wrong = (strata == stratum) & (targets > 0.5), (strata == stratum) & (targets <= 0.5)
        for one, others, sign in ((good, wrong, 1.0), (wrong, good, -1.0)):
            ordered, at = (values[others] * sign).sort().values, values[one] * sign
            upto = torch.searchsorted(ordered, at, right=True)
            right[one] = (torch.searchsorted(ordered, at, right=False) + upto).double() / 2
            pairs[one] = float(others.sum())
    total = float(pairs.sum()) / 2  # each pair is counted from both ends
    known, number = problems.unique(return_inverse=True)
    if not total or len(known) < 2:
        return None
    moved = (right - float(right.sum()) / 2 / total * pairs) / total
    each = torch.zeros(len(known), dtype=torch.float64).index_add(0, number, moved)
    return float(each.square().sum()) * len(known) / (len(known) - 1)


def _right_pairs(good: Tensor, wrong: Tensor) -> float:
    """Return the number of pairs in the right order, by rank: n log n."""
    ordered = wrong.sort().values
    below = torch.searchsorted(ordered, good, right=False)
    upto = torch.searchsorted(ordered, good, right=True)
    return float((below + upto).double().sum() / 2)


def position_and_length(places: Tensor, lengths: Tensor) -> Tensor:
    """Return what the baseline sees of each step, [n, 4]. The number of steps is left out: a labeled trace ends at its
    first error, so it would give the answer away.
    """
    places = places.float()
    return torch.stack([places, places.square(), lengths, lengths.log1p()], 1)


def measure(odds: Tensor, targets: Tensor, places: Tensor, problems: Tensor) -> dict[str, Any]:
    """Return step AUC and AUC given the place, with the variance of each over problems, and n of both kinds."""
    return {
        "steps": len(targets),
        "problems": len(problems.unique()),
        "auc_variance": variance_over_problems(odds, targets, problems),
        "auc_given_position_variance": variance_over_problems(odds, targets, problems, places),
        "wrong": int((targets <= 0.5).sum()),
        "auc": auc(odds, targets),
        "auc_given_position": auc_given_position(odds, targets, places),
        "log_loss": loss_at(odds, targets, 1.0) if len(targets) else None,
    }


def beats(found: dict[str, Any] | None, baseline: dict[str, Any] | None) -> bool | None:
    """Return whether both AUCs are above the baseline's; None if one of them could not be measured."""
    won = []
    for name in ("auc", "auc_given_position"):
        one, limit = (found or {}).get(name), (baseline or {}).get(name)
        if one is None or limit is None:
            return None
        won.append(one > limit)
    return all(won)


def best_temperature(odds: Tensor, targets: Tensor) -> float | None:
    """Return the divisor of log odds with the lowest log loss, by golden section over its logarithm (where the loss has
    one valley: Guo et al. 2017, arXiv 1706.04599). None without steps of both kinds.

    Targets are shrunk as by Platt (1999): a few steps that are separated perfectly are no reason to be certain.
    """
    if len(targets.unique()) < 2:
        return None
    right, wrong = targets.sum(), (1 - targets).sum()
    targets = torch.where(targets > 0.5, (right + 1) / (right + 2), 1 / (wrong + 2))
    golden = (math.sqrt(5) - 1) / 2
    low, high = -math.log(WIDEST), math.log(WIDEST)
    while high - low > 1e-5:
        one, two = high - golden * (high - low), low + golden * (high - low)
        if loss_at(odds, targets, math.exp(one)) <= loss_at(odds, targets, math.exp(two)):
            high = two
        else:
            low = one
    return math.exp((low + high) / 2)


def best_threshold(odds: Tensor, targets: Tensor) -> dict[str, Any] | None:
    """Return the P(right) below which a step is best called wrong: the one with the highest F1 of wrong steps, with
    that F1 and the one at 1/2. Ties go to the one nearest to 1/2. None without steps of both kinds.

    A PRM that learned from few wrong steps gives hardly any step less than 1/2; at that threshold, it finds nothing.
    """
    if len(targets.unique()) < 2:
        return None
    said, wrong = odds.double().sigmoid(), targets <= 0.5
    levels = said.unique()
    tried = torch.cat([torch.tensor([0.5], dtype=levels.dtype), (levels[1:] + levels[:-1]) / 2])
    ordered, ordered_wrong = said.sort().values, said[wrong].sort().values
    called, hits = torch.searchsorted(ordered, tried), torch.searchsorted(ordered_wrong, tried)
    found = 2 * hits / (called + wrong.sum())
    best = tried[found == found.max()]
    chosen = best[(best - 0.5).abs().argmin()]
    return {"value": float(chosen), "f1_negative": float(found.max()), "f1_negative_at_half": float(found[0])}


def first_errors(odds: Tensor, targets: Tensor, traces: Tensor, threshold: float) -> dict[str, float | int | None]:
    """Measure traces whose steps were rated up to their first error.

    Return the share in which the first step below the threshold is that error, or there is neither; and ProcessBench's
    F1, the harmonic mean of that share among traces with an error and among those without (arXiv 2412.06559). None:
    there is no such trace.
    """
    said, true = odds.double().sigmoid() < threshold, targets <= 0.5
    number = traces.unique(return_inverse=True)[1]
    first_said, first_true = (_first_of(marked, number) for marked in (said, true))
    found, wrong = first_said == first_true, first_true >= 0
    shares = [float(found[kind].float().mean()) if bool(kind.any()) else None for kind in (wrong, ~wrong)]
    both = [share for share in shares if share is not None]
    f1 = 2 * both[0] * both[1] / (sum(both) or 1.0) if len(both) == 2 else None
    about = {"traces": len(found), "with_error": int(wrong.sum())}
    shown = {"accuracy": float(found.float().mean()), "accuracy_with_error": shares[0], "accuracy_without": shares[1]}
    return {**about, **shown, "processbench_f1": f1}


def _first_of(marked: Tensor, traces: Tensor) -> Tensor:
    """Return, for each trace, the place of its first marked step among all steps [n]; -1 if there is none."""
    size, count = len(marked), int(traces.max()) + 1
    places = torch.where(marked, torch.arange(size), size)
    found = torch.full((count,), size).scatter_reduce(0, traces, places, "amin")
    return torch.where(found == size, -1, found)


def best_first_error_threshold(odds: Tensor, targets: Tensor, traces: Tensor) -> float | None:
    """Return the P with the highest ProcessBench F1, among a hundred quantiles of the predictions; None if there is no
    F1. Ties go to the one nearest to 1/2.
    """
    if not len(odds):
        return None
    tried = odds.double().sigmoid().quantile(torch.linspace(0, 1, 101, dtype=torch.float64)).unique().tolist()
    values = [(first_errors(odds, targets, traces, one)["processbench_f1"], one) for one in [0.5, *tried]]
    known = [(value, -abs(one - 0.5), one) for value, one in values if value is not None]
    return max(known)[2] if known else None


def loss_at(odds: Tensor, targets: Tensor, temperature: float) -> float:
    """Return the mean log loss in nats."""
    return float(binary_cross_entropy_with_logits(odds.double() / temperature, targets.double()))


def calibration(odds: Tensor, targets: Tensor) -> dict[str, Any]:
    """Return expected calibration error (bins of equal width, Guo et al.), Brier score, and the reliability bins.

    A bin has the mean P(right) of its steps and the share that people found right; empty bins are left out.
    """
    said, true = odds.double().sigmoid(), targets.double()
    place = (said * BINS).long().clamp_max(BINS - 1)
    bins = []
    for number in place.unique().tolist():
        here = place == number
        bins.append(
            {
                "low": number / BINS,
                "high": (number + 1) / BINS,
                "steps": int(here.sum()),
                "said": float(said[here].mean()),
                "right": float(true[here].mean()),
            }
        )
    error = sum(one["steps"] * abs(one["said"] - one["right"]) for one in bins) / max(len(true), 1)
    return {"ece": error, "brier": float((said - true).square().mean()), "bins": bins}
