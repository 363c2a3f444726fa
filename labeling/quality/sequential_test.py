"""Whether a labeler's agreement with gold is good enough: for screening and afterwards. Pure.

Screening is that of PRM800K: 30 gold tasks, at least 75 % of them passed (23 pass, 22 do not).

After screening, every gold result is checked as it arrives. A fixed-size test that is checked again and again is wrong
far more often than its stated error rate. So the evidence is a sequential likelihood ratio (A. Wald, *Sequential Tests
of Statistical Hypotheses*, 1945) between three accuracies: `poor`, `bar` and `good`. By Ville's inequality a labeler at
the bar is *ever* paused in one run with probability at most `wrong_pause`, and ever cleared with at most `wrong_clear`,
however often it is checked. A decision also waits until the 95 % Wilson interval on the page is on that side of the
bar, so that no page shows a decision next to an interval that contradicts it.

Measured error rates of both kinds: docs/quality.md, written by bench/labeler_quality.py.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from labeling.statistics.intervals import Estimate, Floats, share, wilson

ScreeningState = Literal["going", "admitted", "retry", "rejected"]
Action = Literal["watch", "coach", "pause", "clear"]


@dataclass(frozen=True)
class Screening:
    """How labelers are screened: the number of gold tasks, the share to pass, and how often a failed attempt may be
    repeated.
    """

    tasks: int = 30
    share: float = 0.75
    retries: int = 1

    def __post_init__(self) -> None:
        if self.tasks < 1 or not 0 < self.share <= 1 or self.retries < 0:
            raise ValueError("tasks is at least 1, share in (0, 1], retries at least 0.")

    @property
    def needed(self) -> int:
        """Return the fewest passed tasks that admit a labeler: 23 of 30 at 75 %."""
        return math.ceil(self.tasks * self.share - 1e-9)  # 0.7 * 10 is 7.000000000000001


def screening_state(attempts: Sequence[Sequence[bool]], screening: Screening) -> ScreeningState:
    """Return a labeler's screening state. `attempts` are their attempts in order, each with one result per finished
    gold task (`protocol.verdicts.passes`; giving up is False).

    An attempt is judged only when all its tasks are done: stopping early would reveal which answer was wrong.
    Raises ValueError for more results or attempts than the screening has.
    """
    if any(len(results) > screening.tasks for results in attempts) or len(attempts) > 1 + screening.retries:
        raise ValueError("More results or attempts than this screening has.")
    for results in attempts:
        if len(results) < screening.tasks:
            return "going"
        if sum(results) >= screening.needed:
            return "admitted"
    if not attempts:
        return "going"
    return "retry" if len(attempts) <= screening.retries else "rejected"


@dataclass(frozen=True)
class QualityRules:
    """The three accuracies on gold between which the evidence is weighed, and how often each mistake may happen.

    `bar` is the accuracy at which screening admits. `wrong_pause` and `wrong_clear` are for a labeler at the bar,
    `wrong_coach` for a good one: the chance that it ever happens in one run, however long.
    """

    poor: float = 0.60
    bar: float = 0.75
    good: float = 0.90
    wrong_pause: float = 0.15
    wrong_coach: float = 0.10
    wrong_clear: float = 0.10

    def __post_init__(self) -> None:
        if not 0 < self.poor < self.bar < self.good < 1:
            raise ValueError("poor, bar and good are shares in this order, between 0 and 1.")
        if not all(0 < error < 1 for error in (self.wrong_pause, self.wrong_coach, self.wrong_clear)):
            raise ValueError("Error rates are between 0 and 1.")


@dataclass(frozen=True)
class LabelerQuality:
    """A labeler's agreement with gold in the present run (since they began, were cleared, or came back from a pause)
    and what to do now.
    """

    action: Action
    agreement: Estimate


def evaluate_labeler(results: Sequence[bool], rules: QualityRules) -> LabelerQuality:
    """Decide what to do after these gold results, oldest first, since the labeler began or came back from a pause.

    `clear` ends a run and the next result begins a new one, so that good work in the past does not hide a later
    decline. `pause` ends the evaluation: results after it (of labels that were open) do not undo it.
    """
    passed = seen = 0
    action: Action = "watch"
    for result in results:
        if action == "clear":
            passed = seen = 0
        passed, seen = passed + result, seen + 1
        action = action_for(passed, seen, rules)
        if action == "pause":
            break
    return LabelerQuality(action, share(passed, seen))


def action_for(passed: int, seen: int, rules: QualityRules) -> Action:
    """Return what `passed` of `seen` gold tasks in one run call for."""
    failed = seen - passed
    low, high = wilson(passed, seen)
    below_bar = log_ratio(passed, failed, rules.poor, rules.bar)
    above_bar = log_ratio(passed, failed, rules.good, rules.bar)
    if below_bar >= -math.log(rules.wrong_pause) and high < rules.bar:
        return "pause"
    if above_bar >= -math.log(rules.wrong_clear) and low > rules.bar:
        return "clear"
    # Coaching is cheap and comes early: it is enough to know that this is not a good labeler.
    if -above_bar >= -math.log(rules.wrong_coach) and high < rules.good:
        return "coach"
    return "watch"


def log_ratio(passed: int, failed: int, one: float, other: float) -> float:
    """Return the log of how much better accuracy `one` explains the results than `other`."""
    return passed * math.log(one / other) + failed * math.log((1 - one) / (1 - other))


def rolling_agreement(results: Sequence[bool], window: int = 40) -> Estimate:
    """Return the share of the last `window` gold tasks that were passed, with its Wilson 95 % interval. For display,
    not for decisions: over a moving window, chance eventually crosses every line.
    """
    recent = results[-window:] if window > 0 else []
    return share(sum(recent), len(recent))


@dataclass(frozen=True)
class Simulated:
    """Results of simulated labelers. Shares of all of them, after each of `looks` gold tasks: the first pause or clear
    ends a labeler; `coached` counts those coached by then, whatever followed.
    """

    looks: tuple[int, ...]
    paused: tuple[float, ...]
    cleared: tuple[float, ...]
    coached: tuple[float, ...]
    median_tasks_to_pause: float | None
    median_tasks_to_clear: float | None


def simulate(
    accuracy: float | Sequence[float],
    rules: QualityRules,
    *,
    looks: Sequence[int] = (20, 40, 60),
    labelers: int = 10_000,
    seed: int = 0,
) -> Simulated:
    """Simulate the rule on labelers who pass each gold task independently with `accuracy` (one for each task, or one
    for all), until they are paused or cleared or the last of `looks` is reached. A median is None if half never got
    there.
    """
    longest = max(looks)
    chance = np.broadcast_to(np.asarray(accuracy, dtype=np.float64), (longest,))
    passed = (np.random.default_rng(seed).random((labelers, longest)) < chance).cumsum(axis=1)
    actions = _actions_by_count(longest, rules)
    taken = actions[np.arange(1, longest + 1), passed]
    paused, cleared, coached = (_first(taken == name) for name in ("pause", "clear", "coach"))
    ended = np.minimum(paused, cleared)
    paused, cleared = np.where(paused == ended, paused, np.inf), np.where(cleared == ended, cleared, np.inf)
    coached = np.where(coached < ended, coached, np.inf)

    def by_look(when: Floats) -> tuple[float, ...]:
        return tuple(float((when <= look).mean()) for look in looks)

    return Simulated(
        looks=tuple(looks),
        paused=by_look(paused),
        cleared=by_look(cleared),
        coached=by_look(coached),
        median_tasks_to_pause=_finite_median(paused),
        median_tasks_to_clear=_finite_median(cleared),
    )


def _actions_by_count(longest: int, rules: QualityRules) -> npt.NDArray[np.str_]:
    """Compute once what each (seen, passed) calls for: the two counts are all that matters in a run."""
    table = np.full((longest + 1, longest + 1), "watch", dtype="<U5")
    for seen in range(1, longest + 1):
        for passed in range(seen + 1):
            table[seen, passed] = action_for(passed, seen, rules)
    return table


def _first(taken: npt.NDArray[np.bool_]) -> Floats:
    """Return after how many tasks each labeler first got an action; infinity if never."""
    return np.where(taken.any(axis=1), taken.argmax(axis=1) + 1.0, np.inf)


def _finite_median(when: Floats) -> float | None:
    # The upper of the two middle values: there is no middle between a number and never.
    middle = float(np.sort(when)[len(when) // 2])
    return None if math.isinf(middle) else middle
