"""Reads about gold: which items a round gets, which a labeler gets, and how labelers fare with each item."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce, Greatest

from labeling.errors import NotFound
from labeling.models import Gold, GoldResult, Label, Membership, Project, Round, Task, Trace, User
from labeling.quality.gold_diagnostics import Answer, signs_of
from labeling.queries.haste import STEPS_OF
from labeling.queries.held_labels import is_held_by, refuse_holder
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.sql_slots import fill
from labeling.statistics.intervals import share

# The condition for a result to count: its label is still submitted, and the gold was not retired.
COUNTED = Q(label__status=Label.Status.SUBMITTED, gold__status=Gold.Status.ACTIVE)

STEPS_OF_LABEL = fill(STEPS_OF, label="labeling_label")


def active_gold(project: Project) -> QuerySet[Gold]:
    """Return the gold that may be served: active, and not of a trace that another version has replaced."""
    return Gold.objects.filter(project=project, status=Gold.Status.ACTIVE, trace__replaced_by=None)


def is_gold() -> Exists:
    """Return, for a query of traces, whether the trace is gold now and so not available as work."""
    return Exists(Gold.objects.filter(trace=OuterRef("pk"), status=Gold.Status.ACTIVE))


def gold_for_round(project: Project, wanted: int) -> list[Gold]:
    """Return the gold for a new round: items served in the fewest rounds first, then those not served for longest."""
    served = Q(trace__tasks__kind__in=[Task.Kind.GOLD, Task.Kind.SCREENING])
    found = active_gold(project).annotate(
        rounds=Count("trace__tasks", filter=served, distinct=True) + Count("paths__task__round", distinct=True),
        last=Greatest(
            Coalesce(Max("trace__tasks__round_id", filter=served), 0), Coalesce(Max("paths__task__round_id"), 0)
        ),
    )
    return list(
        found.select_related("trace__problem").defer("trace__typed_steps").order_by("rounds", "last", "pk")[:wanted]
    )


def tasks_for(labeler: User, round_: Round) -> list[int]:
    """Return the round's gold tasks for this labeler, by id: all except those off the queue, and those whose trace the
    labeler had before, in any task.

    A trace that appears a second time, with its ratings carried over, would reveal that it is gold. So would a problem
    whose path the labeler chose before.
    """
    chosen = Q(problem=OuterRef("gold_path__gold__trace__problem"), task__trace__is_path=True)
    of_gold = Q(task__trace=OuterRef("gold_path__gold__trace"))
    known = Label.objects.filter(Q(task__trace=OuterRef("trace")) | of_gold | chosen, labeler=labeler)
    return list(_gold_tasks(round_).filter(~Exists(known)).order_by("pk").values_list("pk", flat=True))


def labelers_of(project: Project) -> int:
    """Return how many people share a round's work: the active annotators who are not paused."""
    return _labelers(project).count()


def _labelers(project: Project) -> QuerySet[Membership, int]:
    members = Membership.objects.filter(project=project, is_active=True, role=Membership.Role.ANNOTATOR)
    return members.filter(paused_at=None).values_list("user", flat=True)


def get_visible_gold(user: User, gold_id: int, role: str = RESEARCHER) -> Gold:
    """Return a gold item of a project in which this person is a researcher (or `role`) or above.

    Raises NotFound, and LabelHeld while the person is labeling its trace.
    """
    items = Gold.objects.select_related("project", "trace__problem", "created_by").defer("trace__typed_steps")
    found = items.filter(pk=gold_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, role)
    refuse_holder(user, found.trace)
    return found


def gold_id_of(trace: Trace) -> int | None:
    """Return the id of the gold item that a trace is, or was before it was retired."""
    return Gold.objects.filter(trace=trace).values_list("pk", flat=True).first()


def browse_gold(project: Project, user: User, asked: dict[str, Any]) -> QuerySet[Gold]:
    """Return a project's gold, narrowed by `status`, without traces the person is labeling."""
    found = Gold.objects.filter(project=project).select_related("trace__problem", "created_by")
    found = found.defer("trace__typed_steps")
    found = found.exclude(is_held_by(user, trace="trace"))
    return found.filter(status=asked["status"]) if asked.get("status") else found


def with_answers(items: Iterable[Gold]) -> list[Gold]:
    """Return the items, each with `tally` (n, passed, interval, count of each verdict, signs of trouble, objections)
    and `is_run`. Three queries.
    """
    found = list(items)
    runs = Trace.objects.filter(pk__in=[gold.trace_id for gold in found], typed_steps__isnull=False)
    of_runs = set(runs.values_list("pk", flat=True))
    answers: dict[int, list[Answer]] = {gold.pk: [] for gold in found}
    lost: dict[int, list[bool]] = {gold.pk: [] for gold in found}
    accepted = {gold.pk: gold.acceptable_decisive for gold in found}
    objections = _objections(found)
    rows = GoldResult.objects.filter(gold__in=found, label__status=Label.Status.SUBMITTED)
    rows = rows.annotate(rated=RawSQL(STEPS_OF_LABEL, ()), steps=F("label__task__trace__steps__len"))
    for item, verdict, decisive, passed, active_ms, rated, count in rows.order_by("at", "pk").values_list(
        "gold", "verdict", "decisive", "passed", "label__active_ms", "rated", "steps"
    ):
        if decisive is not None and accepted[item]:
            lost[item].append(decisive in accepted[item])
        answers[item].append(Answer(verdict, passed, active_ms / max(1, rated or count)))
    for gold in found:
        told = tally(gold.acceptable, answers[gold.pk])
        told["decisive"] = share(sum(lost[gold.pk]), len(lost[gold.pk]))
        gold.tally = told | {"objections": objections.get(gold.pk, [])}  # type: ignore[attr-defined]  # read by GoldOut
        gold.is_run = gold.trace_id in of_runs  # type: ignore[attr-defined]  # read by GoldOut
    return found


def _objections(items: Sequence[Gold]) -> dict[int, list[dict[str, Any]]]:
    said: dict[int, list[dict[str, Any]]] = {}
    rows = (
        GoldResult.objects.filter(gold__in=items).exclude(objection="").select_related("labeler").order_by("at", "pk")
    )
    for row in rows:
        one = {
            "labeler": row.labeler.display_name or row.labeler.username,
            "verdict": row.verdict,
            "text": row.objection,
        }
        said.setdefault(row.gold_id, []).append(one)
    return said


def tally(acceptable: Sequence[int], answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the results of a gold item so far."""
    rate = share(sum(answer.passed for answer in answers), len(answers))
    verdicts = Counter(answer.verdict for answer in answers)
    return {
        "n": rate.n,
        "passed": sum(answer.passed for answer in answers),
        "rate": rate.value,
        "low": rate.low,
        "high": rate.high,
        "verdicts": [
            {"verdict": verdict, "n": n, "accepted": verdict in acceptable} for verdict, n in verdicts.most_common()
        ],
        "signs": signs_of(acceptable, answers),
    }


def gold_counts(project: Project) -> dict[str, int | None]:
    """Count the project's gold, what no labeler has met, and what is left for the labeler who has had the most of it.

    `least_left` is None if nobody labels. `short` counts the labelers for whom too little gold is left for a round.
    """
    left = unspent_gold(project)
    met = Exists(GoldResult.objects.filter(gold=OuterRef("pk")))
    counts = (
        Gold.objects.filter(project=project)
        .annotate(met=met)
        .aggregate(
            active=Count("pk", filter=Q(status=Gold.Status.ACTIVE)),
            retired=Count("pk", filter=Q(status=Gold.Status.RETIRED)),
            fresh=Count("pk", filter=Q(status=Gold.Status.ACTIVE, met=False)),
        )
    )
    return {
        **counts,
        "least_left": left[0] if left else None,
        "labelers": len(left),
        "short": sum(one < project.gold_per_round for one in left),
    }


def unspent_gold(project: Project) -> list[int]:
    """Return, for each labeler who shares the work, how many active gold items they never had in any task; ascending.

    Gold that a labeler had, in the screening or in a round, is never given to them again. Four queries.
    """
    had = Label.objects.filter(project=project, task__trace__gold__status=Gold.Status.ACTIVE)
    met = set(had.values_list("labeler", "task__trace__gold"))
    of_problem = dict(active_gold(project).exclude(paths=None).values_list("trace__problem", "pk"))
    chosen = Label.objects.filter(project=project, problem__in=of_problem, task__trace__is_path=True)
    met |= {(person, of_problem[problem]) for person, problem in chosen.values_list("labeler", "problem")}
    spent = Counter(person for person, _ in met)
    active = active_gold(project).count()
    return sorted(active - spent[person] for person in _labelers(project))


def gold_to_come(round_: Round) -> list[int]:
    """Return, for each labeler who shares the work, how much of the round's gold is new to them; ascending.

    New gold is what `tasks_for` gives: the labeler had neither its trace nor, if a path follows it, a path through its
    problem. At most five queries.
    """
    golden = _gold_tasks(round_)
    of_trace = dict(golden.values_list(Coalesce("gold_path__gold__trace", "trace"), "pk"))
    of_problem = dict(golden.exclude(gold_path=None).values_list("gold_path__gold__trace__problem", "pk"))
    before = Label.objects.filter(project=round_.project_id).exclude(task__round=round_)
    met = {
        (person, of_trace[trace])
        for person, trace in before.filter(task__trace__in=of_trace).values_list("labeler", "task__trace")
    }
    if of_problem:
        chosen = before.filter(problem__in=of_problem, task__trace__is_path=True)
        met |= {(person, of_problem[problem]) for person, problem in chosen.values_list("labeler", "problem")}
    spent = Counter(person for person, _ in met)
    return sorted(round_.gold_count - spent[person] for person in _labelers(round_.project))


def _gold_tasks(round_: Round) -> QuerySet[Task]:
    """Return the gold tasks a round serves. A path that a labeler chose along gold has a task of its own, which is
    served to nobody.
    """
    served = Task.objects.filter(round=round_, kind=Task.Kind.GOLD, withdrawn=None)
    return served.exclude(trace__is_path=True, gold_path=None)


def results_of(labeler: User, project: Project) -> QuerySet[GoldResult]:
    """Return a labeler's results on hidden gold that count, oldest first."""
    own = GoldResult.objects.filter(COUNTED, project=project, labeler=labeler, kind=Task.Kind.GOLD)
    return own.order_by("at", "pk")
