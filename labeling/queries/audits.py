"""Audits of sources: the random samples drawn for one, their results, and whether its marks may be accepted in bulk."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet

from labeling.configs import TraceFilter
from labeling.errors import NotFound
from labeling.grading import GRADER_VERSION
from labeling.models import Acceptance, AcceptedMark, Label, Project, Round, Score, StepScorer, Task, Trace, User
from labeling.queries.disagreements import marked_by
from labeling.queries.first_errors import first_error_sql
from labeling.queries.held_labels import held_traces
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.rounds import fitting_traces, usable_traces
from labeling.queries.source_calibration import Compared, compared
from labeling.queries.sql_slots import fill
from labeling.statistics.intervals import Estimate, share_of_clusters

Json = dict[str, Any]
GROWN = 1.25  # times the traces a sample was drawn from; beyond this, traces added since are no small part
OVER = (Round.Status.CLOSED,)

# What an acceptance takes: marked, usable traces of the train split without gold, audit task, label or accepted mark.
TO_ACCEPT = """
    SELECT trace.id, {said} AS verdict
    FROM labeling_score AS score JOIN labeling_trace AS trace ON trace.id = score.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE score.scorer_id = %(scorer)s AND trace.project_id = %(project)s AND problem.split = 'train'
        AND trace.id = ANY(%(fitting)s) AND trace.replaced_by_id IS NULL AND ({said}) IS NOT NULL
        AND ({said}) < cardinality(trace.steps)
        AND NOT EXISTS (SELECT FROM labeling_gold AS gold WHERE gold.trace_id = trace.id)
        AND NOT EXISTS (SELECT FROM labeling_task AS task JOIN labeling_round AS round ON round.id = task.round_id
            WHERE task.trace_id = trace.id AND (round.config ->> 'source' = 'audit' OR EXISTS (
                SELECT FROM labeling_label AS label WHERE label.task_id = task.id
                AND label.status IN ('submitted', 'open', 'prefetched', 'ruling'))))
        AND NOT EXISTS (SELECT FROM labeling_acceptedmark AS mark JOIN labeling_acceptance AS acceptance
            ON acceptance.id = mark.acceptance_id
            WHERE mark.trace_id = trace.id AND acceptance.withdrawn_at IS NULL)
"""


class Standing(NamedTuple):
    """Whether a source's marks may be accepted, by which sample and bar. `refusal` says why not; empty if they may."""

    audit: Round | None
    bar: float | None
    agreement: Estimate
    refusal: str


def audits_of(project: Project, scorer: StepScorer) -> list[Round]:
    """Return the random samples drawn for this scorer, newest first."""
    rounds = Round.objects.filter(
        project=project, config__source="audit", config__by_machine__scorer__id=scorer.pk, opened_at__isnull=False
    )
    return list(rounds.order_by("-number"))


def audit_state(project: Project, scorer: StepScorer, reader: User) -> Json:
    """Return the samples, how much of each is labeled, why they must be drawn again, and whether they clear a bar."""
    rounds = audits_of(project, scorer)
    stands = standing(project, scorer, reader)
    counts = _labeled(rounds)
    return {
        "rounds": [
            {
                "id": one.pk,
                "number": one.number,
                "status": one.status,
                "drawn": one.task_count,
                "labeled": counts.get(one.pk, 0),
                "pool": one.plain_config.machine.pool,
                "bar": one.plain_config.machine.bar,
            }
            for one in rounds
        ],
        "again": why_again(project, scorer, rounds),
        "bar": stands.bar,
        "agreement": asdict(stands.agreement),
        "refusal": stands.refusal,
        "acceptable": None if stands.refusal else len(traces_to_accept(project, scorer, TraceFilter())),
    }


def why_again(project: Project, scorer: StepScorer, rounds: Sequence[Round]) -> list[str]:
    """Return the reasons why the sample does not represent the source as it is now; empty if it does."""
    if not rounds:
        return [
            "No random sample was drawn for this source. Samples of other sources do not count for it, not even those "
            "of the same model with another prompt."
        ]
    by, found = rounds[0].plain_config.machine, []
    if by.scorer.fingerprint != scorer.fingerprint:
        found.append("Its model, prompt or settings have changed since the sample was drawn.")
    if by.grader != GRADER_VERSION and _rests_on_rollouts(scorer):
        found.append(
            f"Rollouts were graded by {by.grader} when the sample was drawn; now they are graded by {GRADER_VERSION}."
        )
    now = marked_by(usable_traces(project, rounds[0].plain_config.filter), scorer.pk).count()
    if now > GROWN * by.pool:
        found.append(
            f"The sample was drawn from {by.pool:,} marked traces. Now there are {now:,}, and new ones may differ."
        )
    return found


def _rests_on_rollouts(scorer: StepScorer) -> bool:
    """Return whether its marks come from graded rollouts, directly or as a consensus that includes such a source."""
    kind = StepScorer.Kind
    if scorer.kind == kind.CONSENSUS:
        return StepScorer.objects.filter(pk__in=scorer.spec["sources"], kind=kind.ROLLOUTS).exists()
    return bool(scorer.kind == kind.ROLLOUTS)


def standing(project: Project, scorer: StepScorer, reader: User) -> Standing:
    """Return whether the scorer's agreement with people on its random sample clears the bar set for it.

    The agreement is the share of the sample's traces where both name the same first error, or both name none. With
    several samples drawn by different filters, only the traces that match all of them count. A trace that people
    labeled without a verdict (a bad problem, given up) counts as disagreement; otherwise, giving up where the source is
    wrong would raise it.
    """
    rounds = audits_of(project, scorer)
    named = [(bar, one) for one in rounds if (bar := one.plain_config.machine.bar) is not None]
    bar, audit = max(named, key=lambda one: one[0]) if named else (None, None)
    rows, labeled = compared(reader, project, scorer, "audit"), _labeled_traces(rounds)
    sample = {row.trace_id for row in rows} | {trace for trace, _ in labeled}
    fitting = set(_audited(project, rounds).filter(pk__in=sample).values_list("pk", flat=True))
    said = [row for row in rows if row.said is not None and row.trace_id in fitting]
    silent = fitting - {row.trace_id for row in rows} - set(held_traces(reader, project))
    agreement = agreement_of(said, [problem for trace, problem in labeled if trace in silent])
    again = why_again(project, scorer, rounds)
    return Standing(audit, bar, agreement, _refusal(rounds, bar, agreement, again))


def agreement_of(rows: Sequence[Compared], silent: Sequence[int] = ()) -> Estimate:
    """Return the share of traces where both name the same first error, clustered by problem. `silent` holds the problem
    of each additional trace on which people gave no verdict; these count as disagreement.
    """
    problems = [*(row.problem_id for row in rows), *silent]
    places = {problem: place for place, problem in enumerate(dict.fromkeys(problems))}
    of = np.array([places[problem] for problem in problems], dtype=int)
    same = np.array([*(row.said == row.people for row in rows), *(False for _ in silent)], dtype=float)
    counted = np.bincount(of, minlength=len(places)).astype(float)
    return share_of_clusters(np.bincount(of, same, len(places)).astype(float), counted, n=len(problems))


def _audited(project: Project, rounds: Sequence[Round]) -> QuerySet[Trace]:
    """Return the traces that all of these samples represent: those each round could draw, labeled since or not."""
    found = Trace.objects.filter(project=project)
    for one in rounds:
        asked = replace(one.plain_config.filter, unlabeled_only=False)
        found = found.filter(pk__in=fitting_traces(project, asked))
    return found


def _refusal(rounds: Sequence[Round], bar: float | None, agreement: Estimate, again: Sequence[str]) -> str:
    if again:
        return f"{again[0]} Draw a new sample first."
    if bar is None:
        return "No bar was set when the sample was drawn. A bar set now would be chosen with the result in view."
    if open_ones := [one for one in rounds if one.status not in OVER]:
        return (
            f"Round {open_ones[0].number} is not closed. The whole sample counts, not only the part labeled so far: "
            "have all of it labeled, then close the round."
        )
    missing = sum(one.task_count for one in rounds) - sum(_labeled(rounds).values())
    if missing:
        were = "was" if missing == 1 else "were"
        return f"{missing} of the sample's traces {were} never labeled. The labeled ones may be the easy ones."
    if agreement.low is None:
        traces = "1 trace" if agreement.n == 1 else f"{agreement.n} traces"
        return f"The sample is too small for an interval ({traces}). Draw a larger one."
    if agreement.low < bar:
        return (
            f"The agreement is {agreement.value:.1%} (95 % from {agreement.low:.1%}), and the bar is {bar:.1%}. The "
            "lower end of the interval must reach the bar."
        )
    return ""


def _labeled(rounds: Sequence[Round]) -> dict[int, int]:
    """Return how many tasks of each round have a label that counts. One query."""
    return dict(_labeled_tasks(rounds).order_by("round").values_list("round").annotate(Count("pk")))


def _labeled_traces(rounds: Sequence[Round]) -> list[tuple[int, int]]:
    """Return (trace, problem) of each task with a label that counts."""
    return list(_labeled_tasks(rounds).order_by("pk").values_list("trace", "trace__problem"))


def _labeled_tasks(rounds: Sequence[Round]) -> QuerySet[Task]:
    counts = Label.objects.filter(task=OuterRef("pk"), status=Label.Status.SUBMITTED, surplus=False)
    return Task.objects.filter(Exists(counts), round__in=rounds, kind=Task.Kind.WORK)


def traces_to_accept(project: Project, scorer: StepScorer, asked: TraceFilter) -> list[tuple[int, int]]:
    """Return (trace, verdict) for all an acceptance would take, by id: only traces that the samples represent."""
    usable = usable_traces(project, asked).filter(pk__in=_audited(project, audits_of(project, scorer)))
    fitting = list(usable.values_list("pk", flat=True))
    about: dict[str, Any] = {"scorer": scorer.pk, "project": project.pk, "fitting": fitting}
    with connection.cursor() as cursor:
        cursor.execute(fill(TO_ACCEPT, said=first_error_sql("score")) + " ORDER BY trace.id", about)
        return [(row[0], row[1]) for row in cursor.fetchall()]


def acceptances_of(project: Project) -> QuerySet[Acceptance]:
    """Return a project's acceptances, including withdrawn ones."""
    return Acceptance.objects.filter(project=project).select_related("scorer", "audit", "created_by", "withdrawn_by")


def get_visible_acceptance(user: User, acceptance_id: int, role: str = RESEARCHER) -> Acceptance:
    """Return an acceptance of a project in which this person is a researcher, or `role`. Raises NotFound."""
    related = ("project", "scorer", "audit", "created_by", "withdrawn_by")
    found = Acceptance.objects.select_related(*related).filter(pk=acceptance_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, role)
    return found


def marks_of(acceptance: Acceptance) -> QuerySet[AcceptedMark]:
    """Return the accepted marks with their traces, what the source says of each step (`said`) and by which `rule`."""
    found = AcceptedMark.objects.filter(acceptance=acceptance).select_related("trace__problem", "acceptance__scorer")
    scores = Score.objects.filter(scorer=acceptance.scorer_id, trace=OuterRef("trace"))
    found = found.annotate(said=scores.values("steps")[:1], rule=scores.values("evidence__rule")[:1])
    return found.defer("trace__typed_steps")
