"""Evaluation sets, evaluations of PRMs on them, and two evaluations side by side.

A set is frozen when it is created: its traces, the truth about them, their outcomes. Nothing learns from its problems.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

import orjson
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.jobs import Lease, keep, run_job, wake_worker
from labeling.actions.rounds import require_published
from labeling.errors import (
    InvalidFields,
    NotComparable,
    NothingToEvaluateOn,
    PrmGivesNoProbabilities,
    PrmLearnedFromSet,
    PrmNotReady,
    ProjectArchived,
)
from labeling.formats.exporting import ExportedLabel, path_ratings
from labeling.formats.training import majority
from labeling.models import Evaluation, EvaluationSet, Project, StepScorer, Trace, TrainingRun, User
from labeling.queries.evaluation_report import differences, evaluation_report
from labeling.queries.evaluations import MEASURED, Compared
from labeling.queries.planner import note_written
from labeling.queries.recorded_verdicts import AGREED

TASK = "worker.evaluate_prm"
Json = dict[str, Any]
Scoring = Callable[[StepScorer, QuerySet[Trace], Callable[[int], None]], None]

COPY_ITEMS = """
    COPY labeling_evaluationitem (evaluation_set_id, trace_id, problem_id, first_error, ratings, outcome) FROM STDIN
"""
RECORDED = f"""
    INSERT INTO labeling_evaluationitem (evaluation_set_id, trace_id, problem_id, first_error, ratings, outcome)
    SELECT %(set)s, trace.id, problem.id, agreed.first_error, agreed.ratings, trace.outcome
    FROM ({AGREED}) AS agreed JOIN labeling_trace AS trace ON trace.id = agreed.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE {MEASURED} AND (%(source)s::text IS NULL OR trace.source = %(source)s)
"""
# From now on, imported copies of these problems are refused in a train split.
BAR = """
    INSERT INTO labeling_heldouttext (project_id, name, text_hash)
    SELECT DISTINCT problem.project_id, %(name)s, problem.text_hash FROM labeling_evaluationitem AS item
    JOIN labeling_problem AS problem ON problem.id = item.problem_id
    WHERE item.evaluation_set_id = %(set)s AND problem.split = 'held_out' ON CONFLICT DO NOTHING
"""
FROZEN = """
    SELECT encode(trace.trace_hash, 'hex'), item.problem_id, item.first_error, item.ratings, item.outcome,
        trace.grader_version
    FROM labeling_evaluationitem AS item JOIN labeling_trace AS trace ON trace.id = item.trace_id
    WHERE item.evaluation_set_id = %s ORDER BY trace.trace_hash
"""


@transaction.atomic
def create_evaluation_set(
    project: Project, *, by: User | None, name: str, source: str, round_ids: Sequence[int] = (), recorded: str = ""
) -> EvaluationSet:
    """Freeze the human labels of some rounds, or what an import recorded, on problems that no run learns from.

    `recorded` limits the set to traces of one source; empty means all. Raises ProjectArchived, NothingToEvaluateOn,
    InvalidFields (name, round_ids).
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    made = EvaluationSet(project=project, created_by=by, name=name, source=source, grader_versions=[])
    made.traces = made.problems = made.erroneous = 0
    made.filter = {"recorded": recorded} if source == EvaluationSet.Source.RECORDED else {"round_ids": list(round_ids)}
    try:
        with transaction.atomic():
            made.save()
    except IntegrityError as taken:
        raise InvalidFields(
            fields={"name": ["This project already has a set with that name. Choose another name."]}
        ) from taken
    if source == EvaluationSet.Source.RECORDED:
        _add_recorded(made, recorded)
    else:
        _add_labels(made, round_ids)
    _freeze(made)
    if not made.traces:
        raise NothingToEvaluateOn(_why_nothing(source))
    audit_log.record("evaluation_set.create", actor=by, project=project, target=f"set {name}"[:120], traces=made.traces)
    return made


def _add_recorded(made: EvaluationSet, recorded: str) -> None:
    about = {"set": made.pk, "project": made.project_id, "source": recorded or None, "name": made.name}
    with connection.cursor() as cursor:
        cursor.execute(RECORDED, about)
        note_written(cursor, "labeling_evaluationitem", cursor.rowcount)
        cursor.execute(BAR, about)
        note_written(cursor, "labeling_heldouttext", cursor.rowcount)


def _add_labels(made: EvaluationSet, round_ids: Sequence[int]) -> None:
    """Add one item per trace: the newest ruling, else the majority's verdict. Traces with a tie are left out."""
    wanted = require_published(made.project, round_ids)
    if not wanted:
        raise InvalidFields(fields={"round_ids": ["Choose at least one round."]})
    # Read all rows first: they come over the same connection that COPY then occupies.
    rows = list(item_rows(made.pk, queries.evaluations.human_labels(made.project, wanted)))
    with connection.cursor() as cursor, cursor.copy(COPY_ITEMS) as copy:
        for row in rows:
            copy.write_row(row)
    with connection.cursor() as cursor:
        note_written(cursor, "labeling_evaluationitem", len(rows))


def item_rows(set_id: int, labels: Iterable[ExportedLabel]) -> Iterable[tuple[Any, ...]]:
    """Yield rows of EvaluationItem from labels sorted by trace."""
    for trace_id, group in groupby(labels, key=lambda label: label.trace.id):
        for label in majority(list(group)):
            yield set_id, trace_id, label.trace.problem.id, label.verdict, path_ratings(label), label.trace.outcome


def _freeze(made: EvaluationSet) -> None:
    """Count the set and hash the truth about its traces."""
    digest, problems, versions = hashlib.sha256(), set(), set()
    with connection.cursor() as cursor:
        cursor.execute(FROZEN, [made.pk])
        for trace_hash, problem, first_error, ratings, outcome, version in cursor:
            digest.update(orjson.dumps([trace_hash, first_error, ratings, outcome]) + b"\n")
            problems.add(problem)
            versions.add(version or "imported")
            made.traces += 1
            made.erroneous += first_error >= 0
    made.set_hash, made.problems, made.grader_versions = digest.hexdigest(), len(problems), sorted(versions)
    made.save()


@transaction.atomic
def create_evaluation(
    project: Project,
    *,
    by: User | None,
    scorer: StepScorer,
    evaluation_set: EvaluationSet,
    threshold: float = 0.5,
    best_of: int = 16,
    wake: bool = True,
) -> Evaluation:
    """Queue an evaluation. If the same one is already waiting or running, return that one.

    Raises ProjectArchived, PrmNotReady, PrmGivesNoProbabilities, PrmLearnedFromSet.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    if scorer.status != StepScorer.Status.READY:
        raise PrmNotReady(f"The PRM {scorer.name} is {scorer.get_status_display().lower()}.", status=scorer.status)
    if scorer.scale != "probability":
        raise PrmGivesNoProbabilities
    if learned := queries.evaluations.problems_learned_from(scorer, evaluation_set):
        raise PrmLearnedFromSet(
            f"{scorer.name} was trained on {learned:,} problems of this set, so its metrics would be too good. "
            "Evaluate it on a set made before its training.",
            problems=learned,
        )
    asked = {"scorer": scorer, "evaluation_set": evaluation_set, "threshold": threshold, "best_of": best_of}
    this_set = EvaluationSet.objects.filter(pk=evaluation_set.pk)
    list(this_set.select_for_update(no_key=True).values("pk"))  # simultaneous requests wait
    under_way = Evaluation.objects.filter(project=project, status__in=("queued", "running"), cancel_requested=False)
    if known := under_way.filter(**asked).order_by("pk").first():
        return known
    evaluation = Evaluation.objects.create(
        project=project,
        created_by=by,
        **asked,
        orm=queries.evaluations.newest_orm(project, but=scorer) if best_of else None,
    )
    about = {"prm": scorer.name, "set": evaluation_set.name}
    audit_log.record("evaluation.create", actor=by, project=project, target=f"evaluation {evaluation.pk}", **about)
    if wake:
        wake_worker(TASK, evaluation.pk)
    return evaluation


def evaluate_new_prm(run: TrainingRun, scorer: StepScorer) -> Evaluation | None:
    """Evaluate a new PRM on the project's newest set. Returns None if there is none or the PRM learned from it."""
    newest = queries.evaluations.sets_of(run.project).order_by("-pk").first()
    if newest is None or queries.evaluations.problems_learned_from(scorer, newest):
        return None
    return create_evaluation(run.project, by=run.created_by, scorer=scorer, evaluation_set=newest)


def run_evaluation(evaluation_id: int, score: Scoring) -> Evaluation | None:
    """Do an evaluation that is queued or whose worker died. Returns None if it is not free.

    `score` scores the traces that the PRM has not scored yet, and gets a function to report how many have a score. It
    raises ModelUnusable if the PRM cannot be used.
    """
    return run_job(Evaluation, evaluation_id, lambda evaluation, lease: _measure(evaluation, score, lease))


def _measure(evaluation: Evaluation, score: Scoring, lease: Lease) -> Json:
    traces = queries.evaluations.wanted_traces(evaluation)
    models = [evaluation.scorer, *([evaluation.orm] if evaluation.orm else [])]
    total = traces.count() * len(models)
    keep(evaluation, traces_total=total)

    for number, model in enumerate(models):
        before = number * traces.count()

        def progress(done: int, before: int = before) -> None:
            lease.progress = {"traces_done": before + done}
            lease.require()

        score(model, traces, progress)
    versions = {version or "imported" for version in traces.values_list("grader_version", flat=True).distinct()}
    return {
        "traces_done": total,
        "report": evaluation_report(evaluation),
        "set_hash": evaluation.evaluation_set.set_hash,
        "grader_versions": sorted(versions),
    }


def compare(left: Evaluation, right: Evaluation) -> Compared:
    """Compare two finished evaluations. Raises NotComparable if they did not measure the same thing."""
    for one in (left, right):
        if one.status != Evaluation.Status.SUCCEEDED:
            raise NotComparable(f"The evaluation of {one.scorer.name} is not finished. Wait for it, or choose another.")
    if left.set_hash != right.set_hash:
        raise NotComparable(
            f"{left.scorer.name} was measured on {left.evaluation_set.name}, {right.scorer.name} on "
            f"{right.evaluation_set.name}. Evaluate both on the same set."
        )
    if left.grader_versions != right.grader_versions:
        raise NotComparable(
            f"The outcomes were graded by {', '.join(left.grader_versions)} and by {', '.join(right.grader_versions)}. "
            "Evaluate both again, so that both use the same grader."
        )
    return Compared(left, right, differences(left, right), queries.evaluations.disagreements(left, right))


def _why_nothing(source: str) -> str:
    if source == EvaluationSet.Source.RECORDED:
        return (
            "No held-out problem has an imported trace with a recorded first error. Import some first, for example a "
            "ProcessBench file."
        )
    return (
        "No label of these rounds is on a problem of the evaluation split: the fifth of all problems chosen by the "
        "hash of their texts. Label more traces, or choose more rounds."
    )
