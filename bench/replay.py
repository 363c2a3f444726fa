"""Rounds of labeling replayed over traces that people have already judged, without waiting for anyone.

Every part that exists in the product is the product's own: the heads (worker/prm/fit_head.py,
worker/prm/fit_stacked.py), the choice of traces (labeling/selection/) and the metrics (labeling/metrics/). The
"labelers" answer with the recorded first error.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from labeling.metrics import traces as trace_metrics
from labeling.metrics.evaluation import rated_steps
from labeling.metrics.steps import Auc
from labeling.metrics.traces import EvaluatedTrace, best_threshold, sum_of, targets_of
from labeling.protocol.verdicts import NO_ERROR
from labeling.selection import CONVINCING_ONLY, WRONG, Candidate, Mix, Rules, Selection, select
from worker.prm import fit_stacked, stacked
from worker.prm.examples import part_of
from worker.prm.fit_head import fit_on, split_of
from worker.prm.metrics import fit, position_and_length
from worker.prm.states import TraceCache
from worker.prm.step_readings import BLOCKS
from worker.prm.step_set import StepSet

HELD_OUT = 1 / 4  # of the problems
STRENGTHS = (10.0, 100.0, 1000.0)  # of the regularisation; the product tries two more
Json = dict[str, Any]
Progress = Callable[[int, int], None]


class Recorded(NamedTuple):
    """A trace, what people found in it, and the cached tensors of its steps by name, [steps, …]: states of layers, or
    the blocks of a stacked head.
    """

    candidate: Candidate
    problem: str
    steps: list[str]
    first_error: int
    states: Mapping[str, Tensor]

    @property
    def targets(self) -> list[bool | None]:
        """The target of each step, as implied by the first error."""
        return targets_of(self.first_error, len(self.steps))

    @property
    def rated(self) -> int:
        """Number of steps that people judged: up to the first error."""
        return len(self.steps) if self.first_error == NO_ERROR else self.first_error + 1

    @property
    def lengths(self) -> Tensor:
        """Number of characters of each step, [steps]."""
        return torch.tensor([float(len(step)) for step in self.steps])


def read(file: Path, longest: int) -> tuple[list[Json], Counter[str]]:
    """Return rows with steps, an outcome and a first error, and the number of other or too long ones by reason."""
    kept, left_out = [], Counter[str]()
    for line in file.read_text(encoding="utf-8").strip().split("\n"):
        row = json.loads(line)
        if row["final_answer_correct"] is None or row["first_error"] is None:
            left_out["no outcome or no first error"] += 1
        elif not row["steps"] or not all(step.strip() for step in row["steps"]):
            left_out["an empty step"] += 1
        elif len(row["problem"]) + sum(map(len, row["steps"])) > longest:
            left_out[f"over {longest:,} characters in {file.stem}"] += 1
        else:
            kept.append(row)
    return kept, left_out


def with_states(
    rows: Sequence[Json], cache: TraceCache, progress: Progress = lambda _done, _all: None
) -> list[Recorded]:
    """Return these traces with their states, cached or computed; traces that the model cannot read are dropped."""
    by_problem: dict[str, list[Json]] = {}
    for row in rows:
        by_problem.setdefault(row["problem"], []).append(row)
    found: list[Recorded] = []
    for number, (problem, group) in enumerate(by_problem.items()):
        traces = [row["steps"] for row in group]
        for row, states in zip(group, cache.of_problem(problem, traces), strict=True):
            if states is not None:
                found.append(
                    Recorded(candidate_of(row, len(found), number), problem, row["steps"], row["first_error"], states)
                )
        progress(number + 1, len(by_problem))
    return found


def candidate_of(row: Json, number: int, problem: int) -> Candidate:
    """Return a row as the product's selection sees it."""
    text = "\n".join(row["steps"])
    key = hashlib.sha256(f"{row['problem']}\0{text}".encode()).digest()
    return Candidate(number, problem, "correct" if row["final_answer_correct"] else WRONG, None, key=key, text=text)


def apart(traces: Sequence[Recorded], seed: int) -> tuple[list[Recorded], list[Recorded]]:
    """Return the pool and the held-out traces; all traces of a problem are on the same side."""
    inside = [part_of(one.problem, seed) >= HELD_OUT for one in traces]
    pool = [one for one, here in zip(traces, inside, strict=True) if here]
    return pool, [one for one, here in zip(traces, inside, strict=True) if not here]


def step_set(labeled: Sequence[Recorded], names: Sequence[str]) -> StepSet:
    """Return what a head learns from these labels: the steps up to the first error, with the cached tensors of these
    names.
    """
    counts = [one.rated for one in labeled]
    steps = sum(counts)
    return StepSet(
        {name: torch.cat([one.states[name][: one.rated] for one in labeled]) for name in names},
        torch.tensor([int(target is True) for one in labeled for target in one.targets[: one.rated]]),
        torch.tensor([place for count in counts for place in range(count)]),
        torch.cat([one.lengths[: one.rated] for one in labeled]),
        torch.tensor([one.candidate.problem for one in labeled for _ in range(one.rated)]),
        torch.ones(steps, dtype=torch.bool),
        ["train"] * steps,
        torch.tensor([number for number, count in enumerate(counts) for _ in range(count)]),
    )


@dataclass(frozen=True)
class Selector:
    """A PRM fitted on some labels: log odds [steps] that each step of a trace is right, and the threshold of P below
    which a step is called wrong (the best on labels that the head had not seen when it judged them).
    """

    odds: Callable[[Recorded], Tensor]
    threshold: float

    def scores(self, trace: Recorded) -> list[float]:
        """Return P(step right) of every step."""
        return self.odds(trace).double().sigmoid().tolist()


# Fits a PRM by the product's fast path. Raises SpecError if there are too few labels.
Learner = Callable[[Sequence[Recorded]], Selector]


def one_layer(labeled: Sequence[Recorded]) -> Selector:
    """Fit the head on one layer, the best of those for which the traces have states."""
    steps = step_set(labeled, list(labeled[0].states))
    found = fit_on(steps, split_of(steps), strengths=STRENGTHS)
    name, head = str(found.choice.layer), found.head
    threshold = threshold_of(labeled, found.choice.odds / found.temperature)
    return Selector(lambda trace: head.odds(trace.states[name]), threshold)


def stacked_head(labeled: Sequence[Recorded]) -> Selector:
    """Fit a stacked head on all blocks of a ReadingCache, each with its own strength."""
    steps = step_set(labeled, BLOCKS)
    found = fit_stacked.fit_on(steps, split_of(steps))
    threshold = threshold_of(labeled, found.tried.odds)
    return Selector(lambda trace: found.head.odds(stacked.joined(trace.states)), threshold)


LEARNERS: Mapping[str, Learner] = {"head": one_layer, "stacked": stacked_head}


def threshold_of(labeled: Sequence[Recorded], odds: Tensor) -> float:
    """Return the best threshold for the calibrated odds [n] of the labels' steps by heads fitted on other problems."""
    said = odds.double().sigmoid().split([one.rated for one in labeled])
    return best_threshold(
        [
            EvaluatedTrace(
                one.problem, scores.tolist(), one.targets[: one.rated], one.first_error, one.candidate.outcome
            )
            for one, scores in zip(labeled, said, strict=True)
        ]
    )


def metrics_of(traces: Sequence[Recorded], scores: Sequence[Sequence[float]], threshold: float) -> Json:
    """Return step AUC, AUC given position, first-error accuracy and ProcessBench F1."""
    judged = [
        EvaluatedTrace(one.problem, said, one.targets, one.first_error, one.candidate.outcome)
        for one, said in zip(traces, scores, strict=True)
    ]
    steps, sums = rated_steps(judged), sum_of(judged, threshold)
    even = np.ones(len(steps.scores))
    return {
        "auc": Auc(steps.targets, steps.scores)(even),
        "auc_given_position": Auc(steps.targets, steps.scores, steps.positions)(even),
        "first_error_accuracy": float(trace_metrics.first_error_accuracy(sums)),
        "processbench_f1": float(trace_metrics.processbench_f1(sums)),
    }


def baseline_metrics(labeled: Sequence[Recorded], held_out: Sequence[Recorded]) -> Json:
    """Return the same metrics for a classifier fitted on these labels that sees position and length alone."""
    steps = step_set(labeled, ())
    head = fit(position_and_length(steps.places, steps.lengths), steps.labels, 2, 1.0)
    scores = [
        head.odds(position_and_length(torch.arange(len(one.steps)), one.lengths)).double().sigmoid().tolist()
        for one in held_out
    ]
    return metrics_of(held_out, scores, 0.5)


# The key by which a method ranks traces, computed from P(step right); the highest is labeled first.
Rank = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Way:
    """A selection method. `ratio` is the share of places for wrong answers, as in a round's rules; `mix` gives places
    to other methods of the product. With `rank` None, no PRM is asked, and places that the mix leaves are filled at
    random.
    """

    rank: Rank | None
    ratio: float = 0.0
    mix: Mix = CONVINCING_ONLY


def log_product(scores: Sequence[float]) -> float:
    """Return the product's trace score: how convincing the trace is."""
    return sum(math.log(max(score, 1e-12)) for score in scores)


def log_mean(scores: Sequence[float]) -> float:
    """Return the trace score per step, so that short traces are not favoured."""
    return log_product(scores) / len(scores)


def doubt_about_trace(scores: Sequence[float]) -> float:
    """Return a value that is highest where P(every step right) is 1/2 (uncertainty sampling: Lewis and Gale, 1994)."""
    return -abs(math.exp(log_product(scores)) - 0.5)


def doubt_about_steps(scores: Sequence[float]) -> float:
    """Return the mean entropy of single steps' verdicts in nats (Settles and Craven, 2008: "token entropy")."""
    return sum(-p * math.log(p) - (1 - p) * math.log1p(-p) for p in np.clip(scores, 1e-12, 1 - 1e-12)) / len(scores)


WAYS: Mapping[str, Way] = {
    "random": Way(None),
    "convincing_wrong": Way(log_product, 0.8),
    "unsure_trace": Way(doubt_about_trace),
    "unsure_steps": Way(doubt_about_steps),
    "typical": Way(None, mix=Mix(typical=1.0)),
}


def chosen(
    pool: Sequence[Recorded],
    labeled: Sequence[Recorded],
    way: Way,
    prm: Selector | None,
    many: int,
    seed: int,
) -> list[Recorded]:
    """Choose the next round with the product's selection over the whole pool. Raises RuntimeError if it finds too few
    traces, because budgets would then differ.
    """
    rank = way.rank
    candidates = [
        one.candidate._replace(score=None if rank is None or prm is None else rank(prm.scores(one))) for one in pool
    ]
    rules = Rules(mode="global", k=many, seed=seed, ratio=way.ratio, mix=way.mix)
    found: Selection = select(candidates, rules, excluded=frozenset(one.candidate.key for one in labeled))
    if len(found.chosen) != many:
        raise RuntimeError(f"The pool holds {len(found.chosen)} traces that fit, not {many}: {found.dropped}")
    by_id = {one.candidate.id: one for one in pool}
    return [by_id[choice.id] for choice in found.chosen]


def round_figures(new: Sequence[Recorded], prm: Selector) -> Json:
    """Return the results of a round's labels. Yield as in PROTOCOL §2: the share of wrong-answer traces in which people
    found an error. Misses are first errors where the PRM said P > 0.5.
    """
    wrong = [one for one in new if one.candidate.outcome == WRONG]
    errors = [one for one in new if one.first_error != NO_ERROR]
    return {
        "labels": len(new),
        "wrong_answers": len(wrong),
        "found_in_wrong_answers": sum(one.first_error != NO_ERROR for one in wrong),
        "errors": len(errors),
        "misses": sum(prm.scores(one)[one.first_error] > 0.5 for one in errors),
        "steps": sum(one.rated for one in new),
    }


def first_labels(traces: Sequence[Recorded], many: int, seed: int) -> list[Recorded]:
    """Draw the first labels at random from the pool; every method starts with them."""
    return chosen(apart(traces, seed)[0], [], WAYS["random"], None, many, seed)


def replay(
    traces: Sequence[Recorded],
    way: Way,
    budgets: Sequence[int],
    learner: Learner,
    seed: int,
    first: Selector,
) -> list[Json]:
    """Return a point for each budget: held-out metrics of the PRM fitted on that many labels, and figures of the round
    that brought the next ones. `first` is the PRM fitted on the first labels.
    """
    pool, held_out = apart(traces, seed)
    labeled = first_labels(traces, budgets[0], seed)
    points: list[Json] = []
    for number, budget in enumerate(budgets):
        prm = learner(labeled) if number else first
        scores = [prm.scores(one) for one in held_out]
        point = {"labels": budget, "steps": sum(one.rated for one in labeled)}
        points.append(point | metrics_of(held_out, scores, prm.threshold))
        if budget != budgets[-1]:
            more = budgets[number + 1] - budget
            new = chosen(pool, labeled, way, prm, more, seed * 1000 + number)
            points[-1]["round"] = round_figures(new, prm)
            labeled = labeled + new
    points[-1]["position_and_length_only"] = baseline_metrics(labeled, held_out)
    return points
