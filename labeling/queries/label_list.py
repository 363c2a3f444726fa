"""All labels that stand, narrowed by what is known of them, and what was done to them (`label_facets` counts them).

A filter is one condition here, whether it narrows a list, counts a facet or picks labels to change. The pieces of SQL
use the tables' own names, as Django's statements do. Traces the reader is labeling are left out everywhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from labeling.errors import NotFound
from labeling.models import (
    Label,
    LabelAudit,
    LabelAuditItem,
    LabelChange,
    LabelTag,
    LabelView,
    Project,
    ReviewDecision,
    StepScorer,
    Task,
    TrainingRun,
    User,
)
from labeling.quality.surprisal import FLOOR, SURPRISING
from labeling.queries.exports import unpacked_ids
from labeling.queries.haste import HASTY_OF, MS_OF, SECONDS_A_STEP, STEPS_OF, project_floor_ms
from labeling.queries.held_labels import is_held_by
from labeling.queries.label_audits import NATS
from labeling.queries.labels import VOTE
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.rounds import OPEN
from labeling.queries.sql_slots import fill
from labeling.queries.training import selector_of

Json = dict[str, Any]
ORDER = ("-submitted_at", "-id")
# Seconds per step: from, up to (not including).
PACES: dict[str, tuple[float, float | None]] = {
    "under_2": (0, 2),
    "2_to_5": (2, 5),
    "5_to_15": (5, 15),
    "15_to_60": (15, 60),
    "over_60": (60, None),
}
VERDICTS = ("error", "no_error", "bad_problem", "give_up")
AGREEMENTS = ("alone", "agrees", "differs")
REASONS = ("hasty", "disputed", "surprising")
FILTERS = (
    *("labeler", "round", "verdict", "step", "pace", "agreement", "source", "kind", "reviewed", "excluded", "tag"),
    *("why", "since", "until", "q"),
)
FACETS = ("labeler", "round", "verdict", "pace", "agreement", "source", "kind", "reviewed", "excluded")

STEPS = fill(STEPS_OF, label="labeling_label")
MS = fill(MS_OF, label="labeling_label")
# Imported labels have another tool's times, if any.
SECONDS = f"""
    CASE WHEN EXISTS (SELECT FROM labeling_round AS own WHERE own.id = labeling_task.round_id AND own.imported)
    THEN NULL ELSE {fill(SECONDS_A_STEP, ms=MS, steps=STEPS)} END
"""
PACE_OF = f"""
    CASE {" ".join(f"WHEN {{seconds}} < {most} THEN '{name}'" for name, (_, most) in PACES.items() if most is not None)}
    WHEN {{seconds}} IS NOT NULL THEN 'over_60' END
"""
PACE = f"(SELECT {fill(PACE_OF, seconds='its.seconds')} FROM (SELECT {SECONDS} AS seconds) AS its)"
PEERS = """
    FROM labeling_label AS other WHERE other.task_id = labeling_label.task_id AND other.id <> labeling_label.id
    AND other.status = 'submitted' AND NOT other.surplus
"""
DIFFERS = f"""
    EXISTS (SELECT {PEERS}
        AND {fill(VOTE, label="other")} IS DISTINCT FROM {fill(VOTE, label="labeling_label")})
"""
AGREEMENT = f"CASE WHEN {DIFFERS} THEN 'differs' WHEN EXISTS (SELECT {PEERS}) THEN 'agrees' ELSE 'alone' END"
# The least likely rating according to the project's selector; null on traces it learned from or has not scored.
SURPRISAL = """
    (SELECT {of} FROM labeling_score AS score JOIN labeling_steplabel AS step ON step.label_id = labeling_label.id
        CROSS JOIN LATERAL (SELECT score.steps[step.step_index + 1]::double precision) AS at (p)
        CROSS JOIN LATERAL (SELECT {nats}) AS its (nats)
    WHERE score.scorer_id = {scorer} AND score.trace_id = labeling_task.trace_id AND step.completion_id IS NULL
        AND step.rating IS NOT NULL AND at.p IS NOT NULL AND labeling_task.trace_id NOT IN (
            SELECT learned.trace_id FROM labeling_label AS learner
            JOIN labeling_task AS learned ON learned.id = learner.task_id WHERE learner.id = ANY('{{learned}}'))
    {order})
"""


class Facts(NamedTuple):
    """What is computed of one label for a row of the list. `surprisal` is in nats, at `step`."""

    seconds: float | None
    hasty: bool
    agreement: str
    surprisal: float | None
    step: int | None
    reviewed: bool


class LabelList:
    """The labels of a project that stand, as this reader may see them. Reads the floor and the selector once."""

    def __init__(self, project: Project, reader: User) -> None:
        self.project, self.reader = project, reader
        self.floor = project_floor_ms(project)
        self.scorer = _speaking_selector(project)
        self._learned = _learned_by(self.scorer)

    def labels(self, asked: Mapping[str, Any]) -> QuerySet[Label]:
        """Return the labels that match every filter in `asked`, each with what a row shows of its task."""
        related = ("labeler", "task__round", "task__trace__problem")
        found = self.standing().select_related(*related).defer("task__trace__typed_steps")
        found = found.prefetch_related("step_labels", "tags")
        for condition in self._conditions(asked).values():
            found = found.filter(condition)
        return found

    def ids(self, asked: Mapping[str, Any], most: int) -> list[int]:
        """Return the ids of the newest `most` labels that match."""
        return list(self.labels(asked).order_by(*ORDER).values_list("pk", flat=True)[:most])

    def among(self, ids: Iterable[int]) -> list[int]:
        """Return which of these ids are labels of this list."""
        return list(self.standing().filter(pk__in=list(ids)).values_list("pk", flat=True))

    def facts(self, ids: Sequence[int]) -> dict[int, Facts]:
        """Return the facts of these labels by id. One query."""
        found = (
            self.standing()
            .filter(pk__in=list(ids))
            .annotate(
                its_seconds=_sql(SECONDS),
                its_hasty=_sql(self._hasty()),
                its_agreement=_sql(AGREEMENT),
                its_surprisal=_sql(self._surprisal("its.nats", "ORDER BY its.nats DESC, step.step_index LIMIT 1")),
                its_step=_sql(self._surprisal("step.step_index", "ORDER BY its.nats DESC, step.step_index LIMIT 1")),
                its_reviewed=ExpressionWrapper(reviewed(), output_field=BooleanField()),
            )
        )
        columns = [f"its_{name}" for name in Facts._fields]
        return {pk: Facts(*rest) for pk, *rest in found.values_list("pk", *columns)}

    def standing(self) -> QuerySet[Label]:
        """Return all labels of the list."""
        standing = Label.objects.filter(project=self.project, status=Label.Status.SUBMITTED)
        # Filtering on the round makes Django join the task under its own name, which the pieces of SQL use.
        return standing.filter(task__round__isnull=False).exclude(is_held_by(self.reader, trace="task__trace"))

    def _hasty(self) -> str:
        return fill(HASTY_OF, label="labeling_label", task="labeling_task", floor=int(self.floor))

    def _surprisal(self, of: str, order: str) -> str:
        if self.scorer is None:
            return "NULL"
        neutral = self.scorer.spec.get("neutral", "positive") != "negative"
        nats = fill(NATS, floor=FLOOR, neutral=str(neutral).upper())
        return fill(SURPRISAL, of=of, nats=nats, scorer=self.scorer.pk, learned=self._learned, order=order)

    def surprising(self) -> str:
        """Return SQL for whether the selector gives a rating no more than one chance in twenty."""
        return f"coalesce({self._surprisal('max(its.nats)', '')} >= {SURPRISING}, FALSE)"

    def _conditions(self, asked: Mapping[str, Any]) -> dict[str, Q]:
        return {name: self.condition(name, value) for name, value in given_of(asked).items()}

    def condition(self, name: str, value: Any) -> Q:
        """Return a filter's condition; one branch per filter."""
        match name:
            case "labeler":
                return Q(labeler=value)
            case "round":
                return Q(task__round=value)
            case "verdict":
                return _says(value)
            case "step":
                return Q(verdict=value)
            case "pace":
                return _equals(PACE, value)
            case "agreement":
                return _equals(AGREEMENT, value)
            case "source":
                imported = Q(labeler__kind=User.Kind.IMPORTED)
                return imported if value == "imported" else ~imported
            case "kind":
                return Q(task__kind=value)
            case "reviewed":
                return reviewed() if value == "yes" else ~reviewed()
            case "excluded":
                return Q(excluded=value == "yes")
            case "tag":
                return Q(Exists(LabelTag.objects.filter(label=OuterRef("pk"), tag=value)))
            case "why":
                return self._why(value)
            case "since":
                return Q(submitted_at__gte=value)
            case "until":
                return Q(submitted_at__lt=value)
        return _holds_text(value)

    def _why(self, value: str) -> Q:
        reasons = {"hasty": self._hasty(), "disputed": DIFFERS, "surprising": self.surprising()}
        wanted = list(reasons.values()) if value == "any" else [reasons[value]]
        # Labels of a screening are no data: nobody needs to look at them.
        return Q(truth(" OR ".join(f"({one})" for one in wanted))) & ~Q(task__kind=Task.Kind.SCREENING)


def get_label_change(user: User, change_id: int) -> LabelChange:
    """Return a change of labels in a project in which this person is a researcher or admin. Raises NotFound."""
    found = LabelChange.objects.select_related("project").filter(pk=change_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def label_changes_of(project: Project) -> QuerySet[LabelChange]:
    """Return the changes of labels in the project."""
    return LabelChange.objects.filter(project=project).select_related("by", "undone_by")


def label_views_of(project: Project, person: User) -> QuerySet[LabelView]:
    """Return a person's own views."""
    return LabelView.objects.filter(project=project, person=person).order_by("pk")


def get_own_label_view(person: User, view_id: int) -> LabelView:
    """Return one of a person's own views. Raises NotFound."""
    found = LabelView.objects.select_related("project").filter(pk=view_id, person=person).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(person, found.project_id, RESEARCHER)
    return found


def relabelable(ids: Sequence[int]) -> dict[int, list[int]]:
    """Return those of the labels whose task can be given to one more labeler, by task, in the order in which tasks are
    locked. Such a task is unsettled ordinary work of an open round in which whole traces are rated. One query.
    """
    found = Label.objects.filter(
        pk__in=list(ids),
        task__kind=Task.Kind.WORK,
        task__withdrawn=None,
        task__settlement="",
        task__round__imported=False,
        task__round__status__in=OPEN,
    ).exclude(task__round__protocol="choose_step")
    tasks: dict[int, list[int]] = defaultdict(list)
    for task, label in found.order_by("task_id", "pk").values_list("task_id", "pk"):
        tasks[task].append(label)
    return dict(tasks)


def _speaking_selector(project: Project) -> StepScorer | None:
    """Return the project's selector if it gives probabilities, else None."""
    promotion = selector_of(project)
    scorer = promotion.scorer if promotion else None
    return scorer if scorer is not None and scorer.scale == "probability" else None


def _learned_by(scorer: StepScorer | None) -> str:
    if scorer is None:
        return ""
    packed = TrainingRun.objects.filter(prm=scorer).values_list("label_ids", flat=True).first()
    return ",".join(map(str, unpacked_ids(packed)))


def _sql(statement: str) -> RawSQL:
    return RawSQL(statement, [])


def truth(statement: str) -> RawSQL:
    return RawSQL(statement, [], output_field=BooleanField())


def _equals(statement: str, value: str) -> Q:
    return Q(RawSQL(f"({statement}) = %s", [value], output_field=BooleanField()))


def _says(verdict: str) -> Q:
    if verdict == "no_error":
        return Q(finish_reason=Label.FinishReason.SOLUTION)
    if verdict == "error":
        return Q(finish_reason=Label.FinishReason.FOUND_ERROR)
    return Q(finish_reason=verdict)


def reviewed() -> Q:
    """Return the condition for labels settled by a reviewer, decided about, or read again in a label audit that is
    finished and was not undone since.
    """
    again = LabelAuditItem.objects.filter(
        label=OuterRef("pk"), reviewed_at__isnull=False, label_audit__status=LabelAudit.Status.FINISHED
    )
    decided = ReviewDecision.objects.filter(task=OuterRef("task_id"))
    return Q(task__settlement=Task.Settlement.RULED) | Q(Exists(decided)) | Q(Exists(again))


def _holds_text(text: str) -> Q:
    """Return the condition for text in the problem or a step, ignoring case; `_` and `%` are taken literally."""
    pattern = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    in_steps = RawSQL(
        "array_to_string(labeling_trace.steps, E'\\n') ILIKE %s", [f"%{pattern}%"], output_field=BooleanField()
    )
    return Q(task__trace__isnull=False) & (Q(in_steps) | Q(task__trace__problem__text__icontains=text))


def given_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: asked[name] for name in FILTERS if asked.get(name) not in (None, "")}
