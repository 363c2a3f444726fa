"""Reads about evaluation sets and evaluations: what can become one, what is in one, and where two PRMs disagree."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, QuerySet

from labeling.errors import InvalidFields, NotFound
from labeling.formats.exporting import ExportedLabel
from labeling.formats.training import FINISH
from labeling.models import Evaluation, EvaluationSet, Project, StepScorer, Trace, TrainingRun, User
from labeling.queries.exports import labels_to_write, unpacked_ids
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.recorded_verdicts import AGREED
from labeling.queries.sql_slots import fill
from labeling.queries.training_examples import CHUNK, IN_EVALUATION_SPLIT, LABELS

MOST_DISAGREEMENTS = 12
# Problems that no training run learns from: held out, or of the evaluation split.
MEASURED = (
    f"(problem.split = 'held_out' OR {fill(IN_EVALUATION_SPLIT, problem='problem')}) AND problem.status = 'active'"
)
# If a reviewer has ruled on a trace (a dispute, or a correction by a label audit), the newest ruling is the truth.
SAID = f"""
    SELECT label.id, trace.id AS trace_id, label.finish_reason,
        first_value(label.id) OVER (PARTITION BY trace.id ORDER BY label.status <> 'ruling', label.id DESC) AS newest,
        bool_or(label.status = 'ruling') OVER (PARTITION BY trace.id) AS ruled
    {fill(LABELS, stands="label.status IN ('submitted', 'ruling')")} AND {MEASURED}
        AND NOT label.edited_after_reveal AND NOT label.surplus
"""
HUMAN_LABELS = f"""
    SELECT id FROM ({SAID}) AS said WHERE finish_reason = ANY(%(finish)s) AND (NOT ruled OR id = newest)
    ORDER BY trace_id, id
"""
SOURCES = f"""
    SELECT trace.source, count(*), count(*) FILTER (WHERE agreed.first_error >= 0)
    FROM ({AGREED}) AS agreed JOIN labeling_trace AS trace ON trace.id = agreed.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id WHERE {MEASURED}
    GROUP BY trace.source ORDER BY trace.source
"""
# The set's own traces, plus graded traces of its problems for best-of-N: the first by hash, so always the same ones.
WANTED = """
    SELECT trace_id FROM labeling_evaluationitem WHERE evaluation_set_id = %(set)s
    UNION SELECT id FROM (
        SELECT trace.id, row_number() OVER (PARTITION BY trace.problem_id ORDER BY trace.trace_hash) AS place
        FROM labeling_trace AS trace
        WHERE trace.outcome <> 'ungraded' AND trace.problem_id IN (
            SELECT problem_id FROM labeling_evaluationitem WHERE evaluation_set_id = %(set)s)
    ) AS drawn WHERE place <= %(best_of)s
"""
ITEMS = """
    SELECT item.trace_id, item.problem_id, item.first_error, item.ratings, item.outcome, score.steps, score.score,
        score.reason, trace.generator, problem.subject, problem.level,
        ARRAY(SELECT length(step) FROM unnest(trace.steps) WITH ORDINALITY AS each (step, place) ORDER BY place)
    FROM labeling_evaluationitem AS item JOIN labeling_trace AS trace ON trace.id = item.trace_id
    JOIN labeling_problem AS problem ON problem.id = item.problem_id
    LEFT JOIN labeling_score AS score ON score.trace_id = item.trace_id AND score.scorer_id = %(scorer)s
    WHERE item.evaluation_set_id = %(set)s ORDER BY item.problem_id, item.trace_id
"""
CANDIDATES = f"""
    SELECT trace.problem_id, trace.outcome, trace.final_answer, score.steps, orm.steps
    FROM labeling_trace AS trace
    JOIN labeling_score AS score ON score.trace_id = trace.id AND score.scorer_id = %(scorer)s
    LEFT JOIN labeling_score AS orm ON orm.trace_id = trace.id AND orm.scorer_id = %(orm)s
    WHERE trace.id IN ({WANTED}) AND trace.outcome <> 'ungraded' AND score.steps IS NOT NULL
    ORDER BY trace.problem_id, trace.id
"""
LEARNED_FROM = """
    WITH learned AS (
        SELECT trace.problem_id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
        JOIN labeling_trace AS trace ON trace.id = task.trace_id WHERE label.id = ANY(%(labels)s::bigint[])
        UNION SELECT problem.id FROM labeling_learnedtext AS text JOIN labeling_problem AS problem
            ON problem.project_id = %(project)s AND problem.text_hash = text.text_hash WHERE text.scorer_id = %(scorer)s
    )
    SELECT count(DISTINCT problem_id) FROM labeling_evaluationitem
    WHERE evaluation_set_id = %(set)s AND problem_id IN (SELECT problem_id FROM learned)
"""
# The distance of two PRMs on a trace is the largest one on any of its steps.
DISAGREEMENTS = """
    SELECT item.trace_id, item.first_error, item.outcome, one.steps, other.steps, problem.text, trace.steps,
        (SELECT max(abs(pair.a - pair.b)) FROM unnest(one.steps, other.steps) AS pair (a, b)) AS distance
    FROM labeling_evaluationitem AS item
    JOIN labeling_score AS one ON one.trace_id = item.trace_id AND one.scorer_id = %(one)s
    JOIN labeling_score AS other ON other.trace_id = item.trace_id AND other.scorer_id = %(other)s
    JOIN labeling_trace AS trace ON trace.id = item.trace_id
    JOIN labeling_problem AS problem ON problem.id = item.problem_id
    WHERE item.evaluation_set_id = %(set)s AND one.steps IS NOT NULL AND other.steps IS NOT NULL
    ORDER BY distance DESC, item.trace_id LIMIT %(limit)s
"""


class Item(NamedTuple):
    """A trace of a set with its ground truth, and a PRM's scores (`steps` is None if unscored, for `reason`)."""

    trace_id: int
    problem_id: int
    first_error: int
    ratings: list[int | None] | None
    outcome: str
    steps: list[float] | None
    score: float | None
    reason: str | None
    generator: str
    subject: str
    level: str
    characters: list[int]


class Candidate(NamedTuple):
    """A graded trace of a problem of the set, for best-of-N."""

    problem_id: int
    outcome: str
    final_answer: str | None
    steps: list[float]
    by_orm: list[float] | None


class Compared(NamedTuple):
    """Two evaluations of one set: how far apart each figure is, and the traces on which they are farthest apart."""

    left: Evaluation
    right: Evaluation
    differences: list[dict[str, Any]]
    disagreements: list[dict[str, Any]]


def sets_of(project: Project) -> QuerySet[EvaluationSet]:
    """Return a project's evaluation sets."""
    return EvaluationSet.objects.filter(project=project).select_related("created_by")


def get_set(project: Project, set_id: int) -> EvaluationSet:
    """Return a set of this project. Raises InvalidFields."""
    found = sets_of(project).filter(pk=set_id).first()
    if found is None:
        raise InvalidFields(fields={"evaluation_set": ["There is no such set. Choose one from this project's list."]})
    return found


def evaluations_of(
    project: Project, *, evaluation_set: int | None = None, prm: int | None = None
) -> QuerySet[Evaluation]:
    """Return a project's evaluations, optionally only those of one set or one PRM."""
    found = Evaluation.objects.filter(project=project)
    if evaluation_set:
        found = found.filter(evaluation_set=evaluation_set)
    if prm:
        found = found.filter(scorer=prm)
    return found.select_related("created_by", "scorer__training_run", "evaluation_set")


def baseline_not_beaten(project: Project) -> dict[int, list[str]]:
    """Return, by PRM, the sets on which position and length alone did as well in its newest evaluation. One query."""
    newest = Evaluation.objects.filter(project=project, status=Evaluation.Status.SUCCEEDED)
    newest = newest.order_by("scorer", "evaluation_set", "-pk").distinct("scorer", "evaluation_set")
    found: dict[int, list[str]] = {}
    told = newest.annotate(beats=F("report__beats_baseline")).values_list("scorer", "evaluation_set__name", "beats")
    for scorer, name, beats in told:
        if beats is False:  # null: too few rated steps to tell
            found.setdefault(scorer, []).append(name)
    return found


def get_visible_evaluation(user: User, evaluation_id: int) -> Evaluation:
    """Return an evaluation of a project in which this person is a researcher or admin. Raises NotFound."""
    rows = Evaluation.objects.select_related("project", "created_by", "scorer__training_run", "evaluation_set")
    found = rows.filter(pk=evaluation_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def get_two(project: Project, *, left: int, right: int) -> tuple[Evaluation, Evaluation]:
    """Return two evaluations of this project. Raises NotFound."""
    found = evaluations_of(project).in_bulk([left, right])
    if left not in found or right not in found:
        raise NotFound
    return found[left], found[right]


def recorded_sources(project: Project) -> list[dict[str, Any]]:
    """Count traces with a recorded first error on problems no run learns from, as `{source, traces, erroneous}`."""
    return [
        {"source": row[0], "traces": row[1], "erroneous": row[2]} for row in _rows(SOURCES, {"project": project.pk})
    ]


def human_labels(project: Project, round_ids: Sequence[int]) -> Iterator[ExportedLabel]:
    """Yield the labels of these rounds on problems no run learns from, trace by trace. A trace with rulings yields only
    the newest one, or nothing if that ruling says the problem is bad.
    """
    asked = {"project": project.pk, "rounds": list(round_ids), "finish": list(FINISH)}
    ids = [row[0] for row in _rows(HUMAN_LABELS, asked)]
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        labels = {label.id: label for label in labels_to_write(project, chunk, False)}
        yield from (labels[pk] for pk in chunk)


def wanted_traces(evaluation: Evaluation) -> QuerySet[Trace]:
    """Return the traces an evaluation needs scores for."""
    wanted = [row[0] for row in _rows(WANTED, _about(evaluation))]
    return Trace.objects.filter(pk__in=wanted)


def items_of(evaluation: Evaluation) -> list[Item]:
    """Return the set's traces with the PRM's scores, by problem. One query."""
    return [Item(*row) for row in _rows(ITEMS, _about(evaluation))]


def candidates_of(evaluation: Evaluation) -> list[Candidate]:
    """Return the graded and scored traces of the set's problems, by problem. One query."""
    return [Candidate(*row) for row in _rows(CANDIDATES, _about(evaluation))] if evaluation.best_of else []


def problems_learned_from(scorer: StepScorer, evaluation_set: EvaluationSet) -> int:
    """Return how many of the set's problems the PRM was trained on, here or according to its meta.json. If neither is
    known, return 0 (see `step_scorers.knows_origin`).
    """
    packed = TrainingRun.objects.filter(prm=scorer).values_list("label_ids", flat=True).first()
    asked = {"set": evaluation_set.pk, "project": evaluation_set.project_id, "scorer": scorer.pk}
    [(count,)] = _rows(LEARNED_FROM, {**asked, "labels": list(unpacked_ids(packed))})
    return int(count)


def newest_orm(project: Project, *, but: StepScorer) -> StepScorer | None:
    """Return the newest usable outcome model trained in the project, other than `but`; None if there is none."""
    usable = StepScorer.objects.filter(project=project, training_run__target="outcome", status=StepScorer.Status.READY)
    return usable.exclude(pk=but.pk).order_by("-pk").first()


def disagreements(one: Evaluation, other: Evaluation) -> list[dict[str, Any]]:
    """Return the traces of a set on which two PRMs are farthest apart, farthest first. One query."""
    about = {"set": one.evaluation_set_id, "one": one.scorer_id, "other": other.scorer_id, "limit": MOST_DISAGREEMENTS}
    names = ("trace_id", "first_error", "outcome", "left_scores", "right_scores", "problem", "steps", "distance")
    return [dict(zip(names, row, strict=True)) for row in _rows(DISAGREEMENTS, about)]


def _about(evaluation: Evaluation) -> dict[str, Any]:
    about = {"set": evaluation.evaluation_set_id, "best_of": evaluation.best_of}
    return {**about, "scorer": evaluation.scorer_id, "orm": evaluation.orm_id}


def _rows(statement: str, asked: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return list(cursor.fetchall())
