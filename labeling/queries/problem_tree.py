"""A problem's traces as one tree, with all that is known about its branches, in a constant number of queries."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.expressions import RawSQL

from labeling.errors import InvalidFields, NotFound
from labeling.metrics.trace_tree import TreeTrace, Voice, branches_of
from labeling.metrics.tree_facts import Answer, BranchFacts, Outcomes, answers_of, facts_of, first_dispute, outcomes_of
from labeling.models import Label, Problem, RecordedVerdict, Score, StepLabel, StepScorer, Task, Trace, User
from labeling.queries.first_errors import first_error_sql
from labeling.queries.held_labels import refuse_holder_of_problem
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.traces import MARKING
from labeling.sources.marks import unlooked_at

MOST_TRACES = 1_000
FILE = "file"  # stands for imports among the sources, whose names are their ids
COLUMNS = ("id", "steps", "outcome", "final_answer", "recorded_first_error", "recorded_ratings")
Row = tuple[int, list[str], str, str | None, int | None, list[int | None] | None]


@dataclass(frozen=True)
class ProblemTree:
    """The tree of `shown` of the problem's `total` traces, with the scores of `scorer` (None if there are none).

    `first_dispute` is (branch, position of the step).
    """

    problem: Problem
    total: int
    shown: int
    scorer: StepScorer | None
    scorers: Sequence[StepScorer]
    sources: Sequence[StepScorer]
    outcomes: Outcomes
    answers: Sequence[Answer]
    branches: Sequence[BranchFacts]
    first_dispute: tuple[int, int] | None


def get_problem_tree(
    user: User, problem_id: int, *, scorer: int | None = None, named: Sequence[int] = (), most: int = MOST_TRACES
) -> ProblemTree:
    """Return the tree of a problem of a project in which this person is a researcher or above.

    If there are more than `most` traces, it shows that many drawn at random, always the same ones, with those `named`
    first. Raises NotFound, LabelHeld while the person labels a trace of it, and InvalidFields for a scorer that gave
    none of its traces a score.
    """
    problem = _visible_problem(user, problem_id)
    traces = _traces_of(problem)
    total = traces.count()
    rows: list[Row] = list(_drawn(traces, named)[:most].values_list(*COLUMNS))
    ids = [row[0] for row in rows]
    scorers = _scorers_of(ids)
    chosen = _chosen(scorers, scorer)
    sources, marks = _marks(ids)
    voices = _people(ids)
    for found in (_files(rows), marks.voices):
        for trace, said in found.items():
            voices.setdefault(trace, []).extend(said)
    scores = _scores(ids, chosen)
    known = [
        TreeTrace(pk, steps, outcome, answer, scores.get(pk, ()), voices.get(pk, ()), marks.rollouts.get(pk, {}))
        for pk, steps, outcome, answer, *_ in sorted(rows, key=lambda row: row[0])
    ]
    branches = facts_of(branches_of(known))
    return ProblemTree(
        problem,
        total,
        len(known),
        chosen,
        scorers,
        sources,
        outcomes_of(known),
        answers_of(known),
        branches,
        first_dispute(branches),
    )


def _visible_problem(user: User, problem_id: int) -> Problem:
    problem = Problem.objects.select_related("project").filter(pk=problem_id).first()
    if problem is None:
        raise NotFound
    get_project_by_id_as(user, problem.project_id, RESEARCHER)
    refuse_holder_of_problem(user, problem)
    return problem


def _traces_of(problem: Problem) -> QuerySet[Trace]:
    """The traces that a round could take: no paths chosen step by step, and none whose split was repaired."""
    return Trace.objects.filter(problem=problem, is_path=False, replaced_by=None, steps__len__gte=1)


def _drawn(traces: QuerySet[Trace], named: Sequence[int]) -> QuerySet[Trace]:
    """Order the traces by hash: as good as a random number, and it never changes."""
    if not named:
        return traces.order_by("trace_hash")
    first = Case(When(pk__in=named, then=Value(0)), default=Value(1), output_field=IntegerField())
    return traces.order_by(first, "trace_hash")


def _scorers_of(traces: Sequence[int]) -> list[StepScorer]:
    """Return the scorers that gave any of the traces step scores, newest first. Sources of marks are read apart."""
    scored = Score.objects.filter(trace__in=traces, steps__isnull=False).exclude(scorer__kind__in=MARKING)
    return list(StepScorer.objects.filter(pk__in=scored.values("scorer")).order_by("-pk"))


def _chosen(scorers: Sequence[StepScorer], asked: int | None) -> StepScorer | None:
    if asked is None:
        return scorers[0] if scorers else None
    for scorer in scorers:
        if scorer.pk == asked:
            return scorer
    raise InvalidFields(
        fields={"scorer": ["This scorer scored none of these traces. Choose one of `scorers`, or leave it out."]}
    )


def _scores(traces: Sequence[int], scorer: StepScorer | None) -> dict[int, list[float | None]]:
    rows = Score.objects.filter(scorer=scorer, trace__in=traces, steps__isnull=False).values_list("trace", "steps")
    return {trace: [step if _finite(step) else None for step in steps or ()] for trace, steps in rows}


def _finite(step: float | None) -> bool:
    return step is not None and math.isfinite(step)


def _people(traces: Sequence[int]) -> dict[int, list[Voice]]:
    """Return what the labels that count as human say: no gold, nothing surplus or left out, nothing changed after a
    machine's view was shown (as in `first_errors`). Two queries.
    """
    labels = Label.objects.filter(
        task__trace__in=traces,
        task__kind=Task.Kind.WORK,
        status__in=(Label.Status.SUBMITTED, Label.Status.RULING),
        surplus=False,
        excluded=False,
        edited_after_reveal=False,
    ).values_list("pk", "task__trace", "verdict")
    rows = list(labels.order_by("pk"))
    said: defaultdict[int, dict[int, int]] = defaultdict(dict)
    rated = StepLabel.objects.filter(label__in=[row[0] for row in rows], completion=None)
    for label, step, rating in rated.values_list("label", "step_index", "rating"):
        if rating is not None:
            said[label][step] = rating
    found: defaultdict[int, list[Voice]] = defaultdict(list)
    for pk, trace, verdict in rows:
        found[trace].append(Voice("", _listed(said[pk]), verdict))
    return dict(found)


def _listed(said: dict[int, int]) -> list[int | None]:
    return [said.get(step) for step in range(max(said, default=-1) + 1)]


def _files(rows: Iterable[Row]) -> dict[int, list[Voice]]:
    """Return what imports say: a trace's own verdict, and second opinions. One query."""
    found: defaultdict[int, list[Voice]] = defaultdict(list)
    for pk, _, _, _, first_error, ratings in rows:
        if first_error is not None or ratings is not None:
            found[pk].append(Voice(FILE, ratings or (), first_error))
    told = RecordedVerdict.objects.filter(trace__in=[row[0] for row in rows]).order_by("pk")
    for trace, first_error, ratings in told.values_list("trace", "first_error", "ratings"):
        found[trace].append(Voice(FILE, ratings or (), first_error))
    return dict(found)


@dataclass(frozen=True)
class _Marks:
    voices: dict[int, list[Voice]]
    rollouts: dict[int, dict[str, list[tuple[int, int] | None]]]


def _marks(traces: Sequence[int]) -> tuple[list[StepScorer], _Marks]:
    """Return what sources of machine labels say, and the rollouts that some of them counted. Two queries."""
    imported = Q(scorer__kind=StepScorer.Kind.IMPORTED, evidence__has_key="first_error")
    says = RawSQL(first_error_sql("labeling_score"), [], output_field=IntegerField())
    marked = Score.objects.filter(Q(scorer__kind__in=MARKING) | imported, trace__in=traces).annotate(says=says)
    names = ("trace", "scorer", "says", "scorer__kind", "evidence__rule", "steps")
    counts = ("evidence__hits", "evidence__n", "evidence__own_answer")
    voices: defaultdict[int, list[Voice]] = defaultdict(list)
    rollouts: defaultdict[int, dict[str, list[tuple[int, int] | None]]] = defaultdict(dict)
    seen = set()
    rows = marked.order_by("trace", "scorer").values_list(*names, *counts)
    for trace, scorer, first_error, kind, rule, steps, hits, n, own_answer in rows:
        seen.add(scorer)
        voices[trace].append(Voice(str(scorer), (), first_error, unlooked_at(kind, rule, steps)))
        if n:
            rollouts[trace][str(scorer)] = _behind_steps(hits, n, own_answer=bool(own_answer))
    return list(StepScorer.objects.filter(pk__in=seen).order_by("pk")), _Marks(dict(voices), dict(rollouts))


def _behind_steps(hits: Any, n: Any, *, own_answer: bool) -> list[tuple[int, int] | None]:
    """Drop the count before the first step, and the last one if it is the trace's own answer, which is no rollout."""
    counted = [None if all_ is None else (right or 0, all_) for right, all_ in zip_longest(hits, n)]
    return counted[1:-1] if own_answer else counted[1:]
