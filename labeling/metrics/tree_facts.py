"""What is known of each branch of a problem's tree: answers and outcomes, scores, labels, rollouts, and the first
disagreements. Pure.

People and sources of machine labels are counted separately. A step is *disputed* if people rate it differently, or if
they agree and a source does not: sources that only differ from each other dispute nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeVar

from labeling.grading.answer_key import answer_key
from labeling.metrics.trace_tree import Branch, TreeTrace, Voice
from labeling.protocol.interface import NO_ERROR
from labeling.statistics.intervals import Estimate, bounded, unknown, wilson

Item = TypeVar("Item")
Dispute = Literal["", "people", "people_and_sources"]


class Outcomes(NamedTuple):
    """How many traces are right, wrong, and not graded."""

    correct: int
    wrong: int
    ungraded: int

    @property
    def right_share(self) -> Estimate:
        """The share of right ones among the graded: samples of one problem, each its own trial."""
        graded = self.correct + self.wrong
        if graded == 0:
            return unknown(0)
        return bounded(self.correct / graded, wilson(self.correct, graded), graded, graded)


class Spread(NamedTuple):
    """Scores of steps: mean, lowest, and count."""

    mean: float
    least: float
    n: int


class PeopleSaid(NamedTuple):
    """People's ratings of a step, and how many of them see the first error there."""

    negative: int
    neutral: int
    positive: int
    first_errors: int


class SourceSaid(NamedTuple):
    """In how many traces a source says that the step is right, or wrong."""

    source: str
    right: int
    wrong: int


class RolloutsSaid(NamedTuple):
    """Rollouts from after the step: the right ones, and all graded ones."""

    source: str
    hits: int
    n: int


@dataclass(frozen=True)
class StepFacts:
    """What is known of a step of a branch; `first`: no step before it on the path from the root is disputed."""

    place: int
    text: str
    score: Spread | None
    people: PeopleSaid
    sources: Sequence[SourceSaid]
    rollouts: Sequence[RolloutsSaid]
    dispute: Dispute
    first: bool = False

    @property
    def is_marked(self) -> bool:
        """Whether a person rated it, or someone judges it wrong."""
        return any(self.people) or any(one.wrong for one in self.sources)


class Answer(NamedTuple):
    """An answer that traces end in, as the oldest of them writes it, and their ids."""

    answer: str | None
    outcomes: Outcomes
    traces: Sequence[int]


@dataclass(frozen=True)
class BranchFacts:
    """A branch with what is known of its steps, and the answers of the traces that end with it."""

    branch: Branch
    outcomes: Outcomes
    score: Spread | None
    steps: Sequence[StepFacts]
    answers: Sequence[Answer]
    disputed_before: bool = field(default=False)


def facts_of(branches: Iterable[Branch]) -> list[BranchFacts]:
    """Return what is known of each branch; `branches` as from `branches_of`, parents before children."""
    found: list[BranchFacts] = []
    for branch in branches:
        before = branch.parent is not None and _is_disputed(found[branch.parent])
        found.append(_facts(branch, before))
    return found


def first_dispute(facts: Iterable[BranchFacts]) -> tuple[int, int] | None:
    """Return the earliest disputed step, as (branch, place); of several at one place, the one shared by most traces."""
    firsts = [
        (step.place, -len(one.branch.traces), one.branch.number) for one in facts for step in one.steps if step.first
    ]
    if not firsts:
        return None
    place, _, number = min(firsts)
    return number, place


def outcomes_of(traces: Iterable[TreeTrace]) -> Outcomes:
    """Count right, wrong and ungraded ones."""
    counts = Counter(trace.outcome for trace in traces)
    return Outcomes(counts["correct"], counts["wrong"], counts["ungraded"])


def answers_of(traces: Iterable[TreeTrace]) -> list[Answer]:
    """Group the traces by equal answers (`answer_key`). Those graded right come first, because the list is read to find
    one right answer among many wrong ones; then the commonest first.
    """
    groups: dict[str | None, list[TreeTrace]] = {}
    for trace in traces:
        groups.setdefault(answer_key(trace.answer), []).append(trace)
    found = [
        Answer(None if key is None else group[0].answer, outcomes_of(group), [trace.id for trace in group])
        for key, group in groups.items()
    ]
    return sorted(found, key=lambda one: (one.outcomes.correct == 0, -len(one.traces), one.traces[0]))


def _facts(branch: Branch, disputed_before: bool) -> BranchFacts:
    steps = []
    disputed = disputed_before
    for place in range(branch.start, branch.end):
        step = _step(branch.traces, place)
        steps.append(replace(step, first=step.dispute != "" and not disputed))
        disputed = disputed or step.dispute != ""
    places = range(branch.start, branch.end)
    score = _spread(at(trace.scores, place) for trace in branch.traces for place in places)
    return BranchFacts(
        branch, outcomes_of(branch.traces), score, steps, answers_of(branch.ending), disputed_before=disputed_before
    )


def _is_disputed(facts: BranchFacts) -> bool:
    return facts.disputed_before or any(step.dispute for step in facts.steps)


def _step(traces: Sequence[TreeTrace], place: int) -> StepFacts:
    voices = [voice for trace in traces for voice in trace.voices]
    people = [voice for voice in voices if voice.is_person]
    ratings = Counter(rating for voice in people if (rating := at(voice.ratings, place)) is not None)
    firsts = sum(voice.first_error == place for voice in people)
    sources = _sources((voice for voice in voices if not voice.is_person), place)
    return StepFacts(
        place,
        traces[0].steps[place],
        _spread(at(trace.scores, place) for trace in traces),
        PeopleSaid(ratings[-1], ratings[0], ratings[1], firsts),
        sources,
        _rollouts(traces, place),
        dispute_of(set(ratings), sources),
    )


def dispute_of(ratings: set[int], sources: Sequence[SourceSaid]) -> Dispute:
    """Whether the people who gave these ratings differ, or agree with each other against a source."""
    if len(ratings) > 1:
        return "people"
    for rating in ratings:
        if any(one.right if rating < 0 else one.wrong for one in sources):
            return "people_and_sources"
    return ""


def _sources(voices: Iterable[Voice], place: int) -> list[SourceSaid]:
    said: Counter[tuple[str, bool]] = Counter()
    for voice in voices:
        right = holds_right(voice, place)
        if right is not None:
            said[voice.name, right] += 1
    return [SourceSaid(name, said[name, True], said[name, False]) for name in sorted({name for name, _ in said})]


def holds_right(voice: Voice, place: int) -> bool | None:
    """Whether the voice judges the step right: by its rating, else by its first error. None for steps after the first
    error and for steps it could not look at.
    """
    rating = at(voice.ratings, place)
    if rating is not None:
        return rating >= 0
    if voice.first_error is None or (place != voice.first_error and place in voice.unlooked_at):
        return None
    if voice.first_error == NO_ERROR or place < voice.first_error:
        return True
    return False if place == voice.first_error else None


def _rollouts(traces: Sequence[TreeTrace], place: int) -> list[RolloutsSaid]:
    hits: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    for trace in traces:
        for source, after in trace.rollouts.items():
            counted = at(after, place)
            if counted is not None and counted[1]:
                hits[source] += counted[0]
                trials[source] += counted[1]
    return [RolloutsSaid(source, hits[source], trials[source]) for source in sorted(trials)]


def _spread(scores: Iterator[float | None]) -> Spread | None:
    known = [score for score in scores if score is not None]
    return Spread(sum(known) / len(known), min(known), len(known)) if known else None


def at(items: Sequence[Item | None], place: int) -> Item | None:
    """Return the item at that place, or None if there is none."""
    return items[place] if place < len(items) else None
