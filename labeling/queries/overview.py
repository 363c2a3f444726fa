"""How a project and its labelers are doing. Active time is summed as in `own_progress`, so that all see one number.

Screening answers count only for admission: they are not counted as labels, but their time is counted as worked.
"""

from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, Count, Max, Q, QuerySet, Sum
from django.db.models.expressions import RawSQL
from django.db.models.functions import TruncDate

from labeling.models import Label, Membership, Problem, Project, StepLabel, Task, Trace, User
from labeling.models.problems import HOLDS_A_FIGURE
from labeling.queries import rounds
from labeling.queries.haste import HASTY, MS, STEPS, STEPS_OF, project_floor_ms
from labeling.queries.own_progress import own_progress
from labeling.queries.sql_slots import fill

DONE = (Label.Status.SUBMITTED, Label.Status.SUPERSEDED)
COUNTED = Q(status=Label.Status.SUBMITTED) & ~Q(task__kind=Task.Kind.SCREENING)
DAYS_SHOWN = 60
OWN_STEPS = fill(STEPS_OF, label="labeling_label")

# How many of the submitted labels found the first error at each step.
FIRST_ERRORS = """
    SELECT label.verdict, count(*) FROM labeling_label label
    JOIN labeling_task task ON task.id = label.task_id AND task.kind IN ('work', 'imported_qc')
    WHERE label.project_id = %(project)s AND label.status = 'submitted' AND label.verdict >= 0
    GROUP BY label.verdict ORDER BY label.verdict
"""
# Counts everything a labeler is given to work on. If gold were left out, as in the figures of the work, the count would
# reveal which tasks are gold.
OWN_HASTY = f"""
    SELECT count(*) FILTER (WHERE {HASTY}), count(*) FILTER (WHERE {STEPS} > 0)
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    WHERE label.project_id = %(project)s AND label.labeler_id = %(labeler)s AND label.status = 'submitted'
        AND task.kind <> 'screening'
"""
MEDIAN_ACTIVE = f"""
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY {MS}) FROM labeling_label AS label
    WHERE project_id = %(project)s AND status = 'submitted' AND {MS} > 0
        AND labeler_id NOT IN (SELECT id FROM labeling_user WHERE kind = 'imported')
"""


def worked(project: Project) -> QuerySet[Label]:
    """The labels that count for active time: all finished ones, revisions included."""
    return Label.objects.filter(project=project, status__in=DONE)


def submitted(project: Project) -> QuerySet[Label]:
    """The submitted labels: those that count as labels done."""
    return Label.objects.filter(project=project, status=Label.Status.SUBMITTED)


def labeler_stats(labeler: User, project: Project) -> dict[str, Any]:
    """Return a labeler's own counts and active time, in total and today (UTC)."""
    own = worked(project).filter(labeler=labeler)
    totals = own.aggregate(
        submitted=Count("pk", filter=COUNTED),
        active_ms=Sum("active_ms", default=0),
    )
    floor = project_floor_ms(project)
    [(hasty, judged)] = _rows(OWN_HASTY, {"project": project.pk, "labeler": labeler.pk, "floor": floor})
    mix = rating_mix(StepLabel.objects.filter(label__in=own.filter(COUNTED)))
    return {
        **own_progress(labeler, project),
        **totals,
        "steps_rated": sum(mix.values()),
        "rating_counts": mix,
        "by_day": by_day(own),
        "hasty": hasty,
        "judged": judged,
        "floor_ms": floor,
    }


def rating_mix(step_labels: QuerySet[StepLabel]) -> dict[str, int]:
    """Return how often -1, 0 and +1 were given to the traces' own steps."""
    counts = (
        step_labels.filter(completion=None, rating__isnull=False)
        .values_list("rating")
        .annotate(n=Count("pk"))
        .order_by("rating")
    )
    return {"-1": 0, "0": 0, "1": 0} | {str(rating): n for rating, n in counts}


def by_day(labels: QuerySet[Label]) -> list[dict[str, Any]]:
    """Return labels and active milliseconds per day (UTC) for the last 60 days that have work in them."""
    days = (
        labels.annotate(day=TruncDate("submitted_at"))
        .values("day")
        .annotate(
            labels=Count("pk", filter=COUNTED),
            active_ms=Sum("active_ms", default=0),
        )
        .order_by("-day")[:DAYS_SHOWN]
    )
    return [dict(day) for day in reversed(list(days))]


def project_overview(project: Project) -> dict[str, Any]:
    """Return everything the overview page draws, in the shapes of the API schema."""
    own = list(rounds.rounds_of(project).filter(imported=False))
    counts = rounds.round_counts(own)
    labels = submitted(project).filter(task__kind__in=Task.IN_FIGURES)  # without gold, whose answers are known
    return {
        "progress": {
            "tasks": sum(round_.task_count for round_ in own),
            "slots": sum(rounds.slots_wanted(round_, counts[round_.pk]) for round_ in own),
            **{name: sum(counts[round_.pk][name] for round_ in own) for name in ("submitted", "open", "surplus")},
        },
        "label_mix": rating_mix(StepLabel.objects.filter(label__in=labels)),
        "finish_mix": dict(labels.values_list("finish_reason").annotate(n=Count("pk")).order_by("finish_reason")),
        "first_error_histogram": [{"step": step, "n": n} for step, n in _rows(FIRST_ERRORS, {"project": project.pk})],
        "by_day": by_day(worked(project).exclude(labeler__kind=User.Kind.IMPORTED)),
        "labelers": labelers(project),
        "outcomes": dict.fromkeys(Trace.Outcome.values, 0)
        | dict(
            Trace.objects.filter(project=project).values_list("outcome").annotate(n=Count("pk")).order_by("outcome")
        ),
        "rounds": own,
        "missing_figures": {
            "problems": Problem.objects.filter(HOLDS_A_FIGURE, project=project).count(),
            "labels": labels.filter(finish_reason="bad_problem", finish_detail__kind="missing_figure").count(),
        },
        "median_active_ms": _rows(MEDIAN_ACTIVE, {"project": project.pk})[0][0],
    }


def labelers(project: Project) -> list[dict[str, Any]]:
    """Return everyone who finished a label here, most labels first: people, also inactive, then imported labelers."""
    active = set(Membership.objects.filter(project=project, is_active=True).values_list("user", flat=True))
    rows = (
        worked(project)
        .values("labeler", "labeler__kind", "labeler__display_name", "labeler__username")
        .annotate(
            timed_labels=Count("pk", filter=COUNTED & (Q(active_ms__gt=0) | Q(earlier_ms__gt=0))),
            labels=Count("pk", filter=COUNTED),
            active_ms=Sum("active_ms", default=0),
            steps=Sum(RawSQL(OWN_STEPS, []), filter=COUNTED, default=0, output_field=BigIntegerField()),
            give_up=Count("pk", filter=COUNTED & Q(finish_reason=Label.FinishReason.GIVE_UP)),
            last_at=Max("submitted_at"),
        )
        .order_by("-labeler__kind", "-labels", "labeler")
    )
    return [
        {
            "id": row["labeler"],
            "kind": row["labeler__kind"],
            "display_name": row["labeler__display_name"] or row["labeler__username"],
            "is_active": row["labeler"] in active,
            "labels": row["labels"],
            "active_ms": row["active_ms"],
            "timed_labels": row["timed_labels"],
            "steps": row["steps"],
            "give_up": row["give_up"],
            "last_at": row["last_at"],
        }
        for row in rows
    ]


def _rows(sql: str, about: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, about)
        return cursor.fetchall()
