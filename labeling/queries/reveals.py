"""What machines say about a trace that its labelers may see, and for which labels there is anything to see."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Q

from labeling.configs import ShownMarks
from labeling.models import Label, Score, StepScorer
from labeling.queries.sources import verifier_words
from labeling.queries.traces import MARKING, scores_of


class Revealed(NamedTuple):
    """What is shown: a PRM's scores, recomputed results that do not hold (by step), and the round's source's marks."""

    scores: Sequence[Score]
    checks: list[list[str]]
    marks: Sequence[Score] = ()

    @property
    def says_something(self) -> bool:
        """Whether a machine said anything. A missing score, which has a reason, says nothing about the trace."""
        return any(score.steps for score in self.scores) or any(self.checks) or bool(self.marks)


class Allowed(NamedTuple):
    """What may be shown after submission: every PRM's `scores`, the results of checks, and the marks of this source."""

    scores: bool
    checks: bool
    source: int | None


def shows_any(label: Label) -> bool:
    """Return whether its project or its round shows labelers anything from machines."""
    return label.project.reveal_scores or bool(label.task.round.machine)


def is_assisted(label: Label) -> bool:
    """Return whether its labeler sees a machine's marks while rating."""
    return bool(label.task.assisted)


def after_submission(label: Label) -> Revealed:
    """Return the scores by the PRM of its round, or by all PRMs if the round has none; the checks; the marks."""
    trace, allowed = label.task.trace, _allowed(label)
    scores = list(scores_of(trace)) if allowed.scores else []
    of_round = [score for score in scores if score.scorer_id == label.task.round.scorer_id]
    checks = verifier_words(trace) or [] if allowed.checks else []
    return Revealed(of_round or scores, checks, _marks(label, allowed.source))


def beside_the_steps(label: Label) -> Revealed:
    """Return the marks that an assisted round shows while its labelers rate."""
    shown = label.task.round.shown_marks
    return Revealed([], [], _marks(label, shown.source if shown else None))


def with_something_to_see(labels: Iterable[Label]) -> set[int]:
    """Return the ids of the labels for which `after_submission` has something to show. At most two queries in all."""
    asked = [label for label in labels if _may_look(label)]
    scorers, checked = _seen_by(asked)
    return {label.pk for label in asked if _something(label, scorers[label.task.trace_id], checked)}


def _something(label: Label, scorers: dict[int, tuple[str, bool]], checked: set[int]) -> bool:
    allowed = _allowed(label)
    prms: dict[int | None, bool] = {scorer: scored for scorer, (kind, scored) in scorers.items() if kind not in MARKING}
    if allowed.scores and prms.get(label.task.round.scorer_id, any(prms.values())):
        return True
    return allowed.source in scorers or (allowed.checks and label.task.trace_id in checked)


def _may_look(label: Label) -> bool:
    return label.status == Label.Status.SUBMITTED and not label.task.round.keeps_quiet and shows_any(label)


def _allowed(label: Label) -> Allowed:
    shown: ShownMarks | None = label.task.round.shown_marks
    after = shown is not None and shown.when == "after"
    source = shown.source if shown is not None and (after or is_assisted(label)) else None
    return Allowed(label.project.reveal_scores, label.project.reveal_scores or after, source)


def _marks(label: Label, source: int | None) -> list[Score]:
    if source is None:
        return []
    return list(Score.objects.filter(trace=label.task.trace_id, scorer=source).select_related("scorer"))


def _seen_by(labels: Iterable[Label]) -> tuple[dict[int, dict[int, tuple[str, bool]]], set[int]]:
    """Return each trace's scorers, with their kind and whether they scored steps, and the traces in which the newest
    checks found something.
    """
    scorers: dict[int, dict[int, tuple[str, bool]]] = defaultdict(dict)
    traces = {label.task.trace_id for label in labels}
    rows = Score.objects.filter(trace__in=traces).annotate(scored=Q(steps__isnull=False))
    for trace, scorer, kind, scored in rows.values_list("trace_id", "scorer_id", "scorer__kind", "scored"):
        scorers[trace][scorer] = (kind, scored)
    verifier = StepScorer.Kind.VERIFIER
    checked = {trace for trace, by in scorers.items() if any(kind == verifier for kind, _ in by.values())}
    words: dict[int, list[list[str]]] = {}
    evidence = Score.objects.filter(trace__in=checked, scorer__kind=verifier).order_by("scorer_id")
    for trace, found in evidence.values_list("trace_id", "evidence"):
        words[trace] = (found or {}).get("words", [])
    return scorers, {trace for trace, said in words.items() if any(said)}
