"""Label audits: which labels a PRM or a source finds unlikely, and what is left to review, by whom.

A PRM does not judge labels it learned from, nor other labels of the same traces. For models trained elsewhere, these
are known only if the meta.json next to their weights names them. A source judges traces for which it says where the
first error is, or that there is none. Rollouts of a problem that is never solved, or split votes, say nothing.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, When
from django.utils import timezone

from labeling.errors import NotFound
from labeling.models import Label, LabelAudit, LabelAuditItem, Problem, Project, StepScorer, TrainingRun, User
from labeling.quality.surprisal import FLOOR
from labeling.queries.exports import unpacked_ids
from labeling.queries.first_errors import first_error_sql
from labeling.queries.labels import NOT_EXCLUDED
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.sql_slots import fill
from labeling.queries.step_scorers import knows_origin

# What may be looked at again: labelers' work that stands, has ratings of steps, and that nobody has settled or left
# out. `{says}`: whether the scorer judges the trace of a row `score`.
LABELS = f"""
    labels AS (
        SELECT label.id, task.trace_id, task.trace_id IN (SELECT trace_id FROM learned) AS learned,
            EXISTS (SELECT FROM labeling_score AS score WHERE score.scorer_id = %(scorer)s
                AND score.trace_id = task.trace_id AND score.score IS NOT NULL AND {{says}}) AS scored,
            EXISTS (SELECT FROM labeling_labelaudititem AS item JOIN labeling_labelaudit AS label_audit
            ON label_audit.id = item.label_audit_id
                WHERE item.label_id = label.id AND (label_audit.status = 'open'
                    OR (label_audit.status = 'finished' AND item.reviewed_at IS NOT NULL))) AS reviewed
        FROM labeling_label AS label
        JOIN labeling_task AS task ON task.id = label.task_id
        JOIN labeling_trace AS trace ON trace.id = task.trace_id
        JOIN labeling_problem AS problem ON problem.id = trace.problem_id
        WHERE label.project_id = %(project)s AND label.status = 'submitted' AND NOT label.surplus AND {NOT_EXCLUDED}
            AND label.finish_reason IN ('found_error', 'solution')
            AND (%(round)s::bigint IS NULL OR task.round_id = %(round)s)
            AND task.kind = 'work' AND task.withdrawn IS NULL AND task.settlement <> 'ruled'
            AND problem.status = 'active'
            AND NOT EXISTS (SELECT FROM labeling_gold AS gold WHERE gold.trace_id = trace.id AND gold.status = 'active')
    )
"""
LEARNED = """
    WITH learned AS MATERIALIZED (
        SELECT DISTINCT task.trace_id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
        WHERE label.id = ANY(%(learned)s::bigint[])
        UNION SELECT trace.id FROM labeling_learnedtext AS text JOIN labeling_trace AS trace
            ON trace.project_id = %(project)s AND trace.trace_hash = text.text_hash WHERE text.scorer_id = %(scorer)s
    ),
"""
COUNTS = f"""
    {LEARNED} {LABELS}
    SELECT count(*), count(*) FILTER (WHERE NOT scored), count(*) FILTER (WHERE scored AND learned),
        count(*) FILTER (WHERE scored AND NOT learned AND reviewed),
        count(*) FILTER (WHERE left_over) - count(DISTINCT trace_id) FILTER (WHERE left_over),
        count(DISTINCT trace_id) FILTER (WHERE left_over)
    FROM labels CROSS JOIN LATERAL (SELECT scored AND NOT learned AND NOT reviewed AS left_over) AS its
"""
PROGRESS = ("items", "reviewed", "void", "yours")
COUNTED = ("labels", "unscored", "learned", "reviewed", "same_trace", "candidates")
# The surprisal is that of labeling.quality.surprisal. The control is drawn first, from everything. No trace occurs
# twice: a reviewer of its second label would remember the first.
NATS = """
    -ln(greatest({floor}, CASE WHEN step.rating > 0 OR (step.rating = 0 AND {neutral}) THEN at.p ELSE 1 - at.p END))
"""
# P(step correct) from rows `score` and `step`, by kind of scorer: the number itself, or CHANCE_OF so many trials.
# Searches sample after some steps only; the rest follows from the first error. Verifiers only say what is false.
NUMBER = "score.steps[step.step_index + 1]::double precision"
CHANCE_OF = f"({NUMBER} * {{trials}} + 0.5) / ({{trials}} + 1)"
ONE_TRIAL = fill(CHANCE_OF, trials="1")
HITS = fill(CHANCE_OF, trials="(score.evidence -> 'n' ->> (step.step_index + 1))::double precision")
FIRST = "(score.evidence ->> 'first_error')::int"
BY_FIRST = f"CASE WHEN {FIRST} = -1 OR step.step_index < {FIRST} THEN 0.75 WHEN step.step_index = {FIRST} THEN 0.25 END"
KINDS = StepScorer.Kind
CHANCES = {
    KINDS.PRM: NUMBER,
    KINDS.JUDGE: NUMBER,  # its votes, plus half a vote on each side
    KINDS.ROLLOUTS: f"coalesce({HITS}, {BY_FIRST})",
    KINDS.IMPORTED: f"CASE WHEN score.evidence ->> 'kind' = 'hard' THEN {ONE_TRIAL} ELSE {NUMBER} END",
    KINDS.CONSENSUS: ONE_TRIAL,
    KINDS.VERIFIER: f"CASE WHEN {NUMBER} = 0 THEN {ONE_TRIAL} END",
    KINDS.FORMAL: ONE_TRIAL,
}
SPEAKS = """
    ({said}) IS NOT NULL AND EXISTS (SELECT FROM labeling_steplabel AS step WHERE step.label_id = label.id
        AND step.completion_id IS NULL AND step.rating IS NOT NULL AND ({chance}) IS NOT NULL)
"""
CHOSEN = f"""
    {LEARNED} {LABELS},
    pool AS (
        SELECT labels.id, labels.trace_id, worst.nats, worst.step_index,
            md5(%(seed)s || ':draw:' || labels.id) AS draw, md5(%(seed)s || ':position:' || labels.id) AS position
        FROM labels
        JOIN labeling_score AS score ON score.scorer_id = %(scorer)s AND score.trace_id = labels.trace_id
        CROSS JOIN LATERAL (
            SELECT step.step_index, {fill(NATS, floor="%(floor)s", neutral="%(neutral)s")} AS nats
            FROM labeling_steplabel AS step
            CROSS JOIN LATERAL (SELECT {{chance}}) AS at (p)
            WHERE step.label_id = labels.id AND step.completion_id IS NULL AND step.rating IS NOT NULL
                AND at.p IS NOT NULL
            ORDER BY nats DESC, step.step_index LIMIT 1
        ) AS worst
        WHERE labels.scored AND NOT labels.learned AND NOT labels.reviewed
    ), control AS (
        SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY trace_id ORDER BY draw) AS nth FROM pool) AS drawn
        WHERE nth = 1 ORDER BY draw LIMIT %(control)s
    ), model AS (
        SELECT * FROM (
            SELECT *, row_number() OVER (PARTITION BY trace_id ORDER BY nats DESC, draw) AS nth FROM pool
            WHERE trace_id NOT IN (SELECT trace_id FROM control)
        ) AS ranked
        WHERE nth = 1 ORDER BY nats DESC, draw LIMIT %(model)s
    )
    SELECT id, 'control', nats, step_index, position FROM control
    UNION ALL SELECT id, 'model', nats, step_index, position FROM model ORDER BY position
"""
# The item's label has not changed since the label audit was created.
STANDS = Q(
    label__status=Label.Status.SUBMITTED,
    label__submitted_at__lte=F("label_audit__created_at"),
    label__task__withdrawn=None,
    label__task__trace__problem__status=Problem.Status.ACTIVE,
)


class Chosen(NamedTuple):
    """A label for a label audit: its arm, its surprisal in nats, and the step that causes it."""

    label_id: int
    arm: str
    surprisal: float
    step: int


def count_labels(project: Project, scorer: StepScorer, round_id: int | None = None) -> dict[str, int]:
    """Count the `candidates` of an audit by this scorer, and why the other `labels` are none. One query."""
    [row] = _rows(fill(COUNTS, says=_says(scorer)), _asked(project, scorer, round_id))
    return dict(zip(COUNTED, row, strict=True))


def choose_labels(
    project: Project, scorer: StepScorer, *, round_id: int | None, model: int, control: int, seed: int
) -> list[Chosen]:
    """Return `control` labels at random and the `model` most surprising of the rest, one per trace, in review order.

    One query, whatever the number of labels.
    """
    about = {"model": model, "control": control, "seed": str(seed), "floor": FLOOR}
    neutral = scorer.spec.get("neutral", "positive") != "negative"
    slots = {"says": _says(scorer), "chance": CHANCES[KINDS(scorer.kind)]}
    rows = _rows(fill(CHOSEN, **slots), {**_asked(project, scorer, round_id), **about, "neutral": neutral})
    return [Chosen(*row[:4]) for row in rows]


def _says(scorer: StepScorer) -> str:
    """Return SQL for whether the scorer judges a label's trace by a row `score`. A PRM does if it gave numbers."""
    if scorer.kind == KINDS.PRM:
        return "TRUE"
    return fill(SPEAKS, said=first_error_sql("score"), chance=CHANCES[KINDS(scorer.kind)])


def knows_learned(scorer: StepScorer) -> bool | None:
    """Return whether it is known what the scorer learned from; None for a source that learns from no labels."""
    return knows_origin(scorer) if scorer.kind in (KINDS.PRM, KINDS.IMPORTED) else None


def label_audits_of(project: Project) -> QuerySet[LabelAudit]:
    """Return a project's label audits."""
    return LabelAudit.objects.filter(project=project).select_related("scorer", "created_by", "ended_by", "undone_by")


def get_visible_label_audit(user: User, label_audit_id: int) -> LabelAudit:
    """Return a label audit of a project in which this person is a researcher or admin. Raises NotFound."""
    rows = LabelAudit.objects.select_related("project", "scorer", "created_by", "ended_by", "undone_by")
    found = rows.filter(pk=label_audit_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def get_reviewable_item(user: User, item_id: int) -> LabelAuditItem:
    """Return an item this person may review, or did: they are a researcher or admin and never labeled its trace.

    Raises NotFound.
    """
    rows = LabelAuditItem.objects.exclude(knows_the_trace(user)).select_related(
        "label_audit__project", "label__task__round__project", "label__task__trace__problem"
    )
    found = rows.defer("label__task__trace__typed_steps").filter(pk=item_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.label_audit.project_id, RESEARCHER)
    return found


def knows_the_trace(person: User) -> Exists:
    """Return, for a query of items, whether this person labeled or settled the trace, and so is not blind to it."""
    return Exists(Label.objects.filter(labeler=person, task__trace=OuterRef("label__task__trace")))


def waiting_items(label_audit: LabelAudit, reviewer: User) -> QuerySet[LabelAuditItem]:
    """Return what this person could review now."""
    return LabelAuditItem.objects.filter(_waits(reviewer), label_audit=label_audit).exclude(knows_the_trace(reviewer))


def progress_of(label_audits: Sequence[LabelAudit], reviewer: User) -> dict[int, dict[str, int]]:
    """Return each audit's progress: `items`, `reviewed`, `void` (their labels changed since), `yours` to review now.

    One query.
    """
    is_open = Q(label_audit__status=LabelAudit.Status.OPEN)
    found = LabelAuditItem.objects.filter(label_audit__in=label_audits).annotate(
        knows=knows_the_trace(reviewer),
        stands=Case(When(STANDS, then=True), default=False),
        waits=Case(When(_waits(reviewer), then=True), default=False),
    )
    rows = found.values_list("label_audit").annotate(
        items=Count("pk"),
        reviewed=Count("pk", filter=Q(reviewed_at__isnull=False)),
        void=Count("pk", filter=is_open & Q(reviewed_at=None, stands=False)),
        yours=Count("pk", filter=is_open & Q(waits=True, knows=False)),
    )
    counted = {row[0]: row[1:] for row in rows.order_by()}
    return {
        label_audit.pk: dict(zip(PROGRESS, counted.get(label_audit.pk, (0, 0, 0, 0)), strict=True))
        for label_audit in label_audits
    }


def _waits(reviewer: User) -> Q:
    """Return the condition for items that are not reviewed, whose labels stand, and that nobody else has open."""
    free = Q(held_until=None) | Q(held_until__lt=timezone.now()) | Q(held_by=reviewer)
    return STANDS & free & Q(reviewed_at=None)


def _asked(project: Project, scorer: StepScorer, round_id: int | None) -> dict[str, Any]:
    packed = TrainingRun.objects.filter(prm=scorer).values_list("label_ids", flat=True).first()
    learned = "{" + ",".join(map(str, unpacked_ids(packed))) + "}"
    return {"project": project.pk, "scorer": scorer.pk, "round": round_id, "learned": learned}


def _rows(statement: str, asked: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return list(cursor.fetchall())
