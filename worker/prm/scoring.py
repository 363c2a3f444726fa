"""From a problem and its traces to scores, or to a reason why a trace has none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from worker.prm.family import LOG_RATIO, Opinion, TokenFamily
from worker.prm.spec import LOG_OF_ZERO, aggregate
from worker.prm.text import LostPositionError, Rendered
from worker.prm.tree import Tree, build_tree

Steps = Sequence[str]


@dataclass(frozen=True)
class TraceScore:
    """What a PRM says about one trace: one number per step and one for the trace, or only a `reason`.

    scale "probability": `steps` are P(step correct), `score` is the log of their aggregate.
    scale "log_ratio": `steps` and `score` are real numbers that rank traces of this PRM only.

    `spread`: how unsure the PRM is of each of `steps`, if it says so. `progress`: from a second head, how much each
    step changes the chance of success.
    """

    scale: str
    steps: list[float] | None = None
    score: float | None = None
    reason: str | None = None
    spread: list[float] | None = None
    progress: list[float] | None = None


class Scorer(Protocol):
    """A PRM that is ready. Scores of two scorers are comparable only if their fingerprints are equal."""

    fingerprint: str

    def score(self, problem: str, traces: Sequence[Steps]) -> list[TraceScore]:
        """Return one score per trace, in order. Raises PrmError if the model as a whole cannot be used."""
        ...


def refuse(steps: Steps) -> str | None:
    """Return why a trace cannot be scored by any PRM; None if it can."""
    if not steps:
        return "the trace has no steps"
    empty = next((number for number, step in enumerate(steps) if not step.strip()), None)
    return None if empty is None else f"step {empty} is empty"


def is_number(value: float) -> bool:
    """Return whether a family's value is a number; minus infinity is the logarithm of a plain 0."""
    return not math.isnan(value) and value != math.inf


def score_of(values: list[float], scale: str, aggregation: str) -> TraceScore:
    """Return a family's values (see TokenFamily) as a score; if one is not a number, the trace stays unscored."""
    if not all(map(is_number, values)):
        return TraceScore(scale, reason="the model gave no number for some of its steps")
    if scale == LOG_RATIO:
        # The value after the last step is the sum of what the steps changed.
        total = math.fsum(values) if aggregation == "last" else min(values)
        return TraceScore(scale, values, math.fsum(values) / len(values) if aggregation == "mean" else total)
    logs = [max(value, LOG_OF_ZERO) for value in values]
    return TraceScore(scale, [math.exp(value) for value in values], aggregate(logs, aggregation))


class LocalScorer:
    """A family that runs here: all traces of a problem in one pass over their tree."""

    def __init__(self, family: TokenFamily, fingerprint: str) -> None:
        self.family, self.fingerprint = family, fingerprint
        self.tokens = 0  # computed so far; a shared beginning counts once

    def score(self, problem: str, traces: Sequence[Steps]) -> list[TraceScore]:
        """See Scorer. The order of traces, and what else is scored with one, changes nothing but rounding."""
        family = self.family
        scores: list[TraceScore | None] = [None] * len(traces)
        ready: list[tuple[int, Rendered]] = []
        for number, steps in enumerate(traces):
            rendered = self.render(problem, steps)
            if isinstance(rendered, str):
                scores[number] = TraceScore(family.scale, reason=rendered)
            else:
                ready.append((number, rendered))
        if ready:
            tree = build_tree([rendered.ids for _number, rendered in ready])
            self.tokens += len(tree)
            values = self.each_by_itself(tree, [rendered for _number, rendered in ready])
            for (number, _rendered), found in zip(ready, values, strict=True):
                score = score_of(found.values, family.scale, family.spec.aggregation)
                scores[number] = score if score.reason else replace(score, spread=found.spread, progress=found.progress)
        return [score for score in scores if score is not None]

    def each_by_itself(self, tree: Tree, rendered: list[Rendered]) -> list[Opinion]:
        """Return the opinion on each trace. NaN times a weight of 0 is NaN, so a broken trace breaks its neighbours in
        the tree: broken ones are computed again, each alone.
        """
        found = self.family.opinions(tree, rendered)
        if len(rendered) > 1:
            for number, one in enumerate(found):
                if not all(map(is_number, one.values)):
                    alone = build_tree([rendered[number].ids])
                    found[number] = self.family.opinions(alone, [rendered[number]])[0]
        return found

    def render(self, problem: str, steps: Steps) -> Rendered | str:
        """Return the trace's tokens up to the last one that is read, or why it is not scored. Nothing is ever cut."""
        if reason := refuse(steps):
            return reason
        try:
            rendered = self.family.render(problem, steps)
        except LostPositionError as error:
            return str(error)
        if len(rendered.ids) > self.family.longest:
            return f"the trace has {len(rendered.ids)} tokens; the model takes at most {self.family.longest}"
        return rendered._replace(ids=rendered.ids[: rendered.positions[-1] + 1])


def rescore_best(
    exact: Scorer, problem: str, traces: Sequence[Steps], rough: list[TraceScore], keep: int
) -> list[TraceScore]:
    """Score the `keep` best of a rough pass (bfloat16) again with an exact one (float32); keep the others.

    bfloat16 ranks well but is wrong by up to 0.1 in a single P: not good enough for "P is below 0.5" or for which trace
    is first.
    """
    order = sorted(
        (number for number, score in enumerate(rough) if score.score is not None),
        key=lambda number: (-(rough[number].score or 0.0), number),
    )[:keep]
    result = list(rough)
    for number, score in zip(order, exact.score(problem, [traces[number] for number in order]), strict=True):
        result[number] = score
    return result
