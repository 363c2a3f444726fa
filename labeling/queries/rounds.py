"""Reads about rounds, and about the traces that a round would put on the queue."""

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum, TextField, Value
from django.db.models.functions import MD5, Cast, Concat

from labeling.configs import PlainConfig, TraceFilter
from labeling.errors import NotFound
from labeling.models import Label, Problem, Project, Round, StepScorer, Task, Trace, User
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR
from labeling.queries.disagreements import disagreements, marked_by
from labeling.queries.error_and_score_filters import narrowed_by
from labeling.queries.gold import is_gold
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.step_scorers import get_scorer

# Seeded shuffle: the first 64 bits of md5("seed:id"). The same on every machine and version.
ORDER_KEY = "('x' || substr(md5(%s || ':' || {id}::text), 1, 16))::bit(64)::bigint"


def get_visible_round(user: User, round_id: int) -> Round:
    """Return a round of a project in which this person is a researcher or admin."""
    found = Round.objects.select_related("project", "created_by", "scorer", "next_by").filter(pk=round_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def get_round_by_number(slug: str, number: int) -> Round:
    """Return a round for an operator at the command line. Raises NotFound naming it."""
    found = Round.objects.select_related("project").filter(project__slug=slug, number=number).first()
    if found is None:
        raise NotFound(f"{slug} has no round {number}.")
    return found


def open_rounds(project: Project) -> list[tuple[int, int]]:
    """Return the id and number of gold tasks of each round open for labeling, in the order they are served."""
    return list(
        Round.objects.filter(project=project, status=Round.Status.LABELING)
        .order_by("-priority", "number")
        .values_list("pk", "gold_count")
    )


def rounds_of(project: Project) -> QuerySet[Round]:
    """The project's rounds, newest first."""
    rounds = Round.objects.filter(project=project).exclude(status=Round.Status.SCREENING)
    return rounds.select_related("project", "created_by", "scorer", "next_by").order_by("-number")


def unfinished_rounds_of(scorer: StepScorer) -> list[Round]:
    """Return the rounds, in any project, that choose by this PRM and are neither closed nor cancelled."""
    over = (Round.Status.CLOSED, Round.Status.CANCELLED)
    rounds = Round.objects.filter(scorer=scorer).exclude(status__in=over)
    return list(rounds.select_related("project").order_by("project", "number"))


def next_number(project: Project) -> int:
    """Return the number after the project's highest. Hold the project's lock when you use it."""
    return max(project.rounds.aggregate(highest=Max("number"))["highest"] or 0, 0) + 1


def opened_by(project: Project, client_key: str) -> Round | None:
    """Return the round that this press of a button already created, if any."""
    return Round.objects.filter(project=project, config__client_key=client_key).first()


def count_up_to(traces: QuerySet[Trace], most: int) -> int:
    """Return the number of traces, counting no further than `most`."""
    return traces.order_by()[:most].count()


def round_counts(rounds: Iterable[Round]) -> dict[int, dict[str, int]]:
    """Return, per round id, slots still wanted and held, and labels submitted and surplus; no gold. Two queries."""
    ids = [round_.pk for round_ in rounds]
    counts = {pk: {"labels_wanted": 0, "submitted": 0, "open": 0, "surplus": 0} for pk in ids}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT round_id, sum(labels_wanted) FROM labeling_task"
            " WHERE round_id = ANY(%s) AND labels_wanted > 0 GROUP BY round_id",
            [ids],
        )
        for pk, wanted in cursor.fetchall():
            counts[pk]["labels_wanted"] = wanted
    labels = Label.objects.filter(task__round__in=ids, task__kind__in=Task.IN_FIGURES).values("task__round")
    for row in labels.annotate(
        submitted=Count("pk", filter=Q(status=Label.Status.SUBMITTED, surplus=False)),
        open=Count("pk", filter=Q(status__in=[Label.Status.OPEN, Label.Status.PREFETCHED], surplus=False)),
        surplus=Count("pk", filter=Q(status=Label.Status.SUBMITTED, surplus=True)),
    ):
        mine = counts[row["task__round"]]
        mine |= {name: row[name] for name in ("submitted", "open", "surplus")}
    return counts


def due_for_the_next() -> list[Round]:
    """Return the rounds that are labeled far enough for the next one to be prepared. Three queries."""
    waiting = Round.objects.filter(status=Round.Status.LABELING, next_at__isnull=False, next_round=None)
    waiting = waiting.filter(project__status=Project.Status.ACTIVE).select_related("project", "scorer", "next_by")
    counts = round_counts(rounds := list(waiting.order_by("pk")))
    return [one for one in rounds if percent_done(one, counts[one.pk]) >= (one.next_at or 0)]


def percent_done(round_: Round, counts: dict[str, int]) -> float:
    """Return the percentage labeled of what is wanted so far."""
    slots = slots_of(round_, counts)
    return 100 * counts["submitted"] / slots if slots else 0.0


OPEN = (Round.Status.LABELING, Round.Status.PAUSED)  # published and not closed, so labels are wanted


def slots_wanted(round_: Round, counts: dict[str, int]) -> int:
    """Return the labels it has and still wants; for a round that is unpublished or closed, the labels it has."""
    return slots_of(round_, counts) if round_.status in OPEN and round_.opened_at else counts["submitted"]


def slots_of(round_: Round, counts: dict[str, int]) -> int:
    """Return how many labels the round is for. With adaptive overlap, that is what was asked for so far, if more."""
    asked = counts["submitted"] + counts["open"] + counts["labels_wanted"]
    return max(round_.task_count * round_.overlap, asked if round_.adapts else 0)


def traces_to_queue(project: Project, config: PlainConfig) -> QuerySet[Trace]:
    """The traces a round of this config would hold.

    These are the project's usable traces that are not gold and fit the filter, up to the newest of `inputs`.
    `sample_size` draws that many of them by the seed. An audit takes only those whose first error its source names. The
    same seed draws the same traces from the same pool.
    """
    traces = _usable(project, config.filter).filter(~is_gold(), replaced_by=None)
    traces = traces if config.inputs is None else traces.filter(pk__lte=config.inputs.last_trace_id)
    if config.source == "disagreement":
        return Trace.objects.filter(pk__in=[one.id for one in disagreements(traces, project, config)])
    if config.source == "audit":
        traces = marked_by(traces, config.machine.scorer.id)
    if config.sample_size is not None:
        shuffled = MD5(Concat(Value(f"{config.seed}:"), Cast("pk", TextField())))
        chosen = traces.order_by(shuffled, "pk").values("pk")[: config.sample_size]
        traces = Trace.objects.filter(pk__in=chosen)
    return traces


def traces_of_plain_round(round_: Round) -> QuerySet[Trace]:
    """The traces that a plain round prepared by workers puts on the queue: `traces_to_queue` up to its last one."""
    return traces_to_queue(round_.project, round_.plain_config)


def round_pool(project: Project, *, filter: TraceFilter, last_trace_id: int | None = None) -> QuerySet[Trace]:
    """The traces that a staged round scores: the fitting traces of train problems, up to the last trace it froze.

    Gold is scored like any other trace, as labelers may ask for scores; it is never chosen.
    """
    traces = _usable(project, filter).filter(problem__split=Problem.Split.TRAIN)
    return traces if last_trace_id is None else traces.filter(pk__lte=last_trace_id)


def protocol_for(traces: QuerySet[Trace]) -> str:
    """Return the protocol by default: `every_step` if all traces are runs of agents, else `first_error`."""
    plain = Trace.objects.filter(pk__in=traces.values("pk"), typed_steps__isnull=True)
    return FIRST_ERROR.name if plain.exists() else EVERY_STEP.name


def problems_to_sample(project: Project, *, filter: TraceFilter) -> QuerySet[Problem]:
    """The problems that a staged round generates traces for. Only the filter's conditions on problems count."""
    given = {name: value for name, value in filter.as_json().items() if name in ("subject", "level")}
    problems = Problem.objects.filter(project=project, status=Problem.Status.ACTIVE, split=Problem.Split.TRAIN)
    return problems.filter(**given)


def preview(project: Project, config: PlainConfig) -> dict[str, Any]:
    """Return how many traces, problems and held-out traces `traces_to_queue` gives, and three sample traces."""
    traces = traces_to_queue(project, config)
    kinds = "problem", "problem__split"
    by_problem = traces.order_by().values(*kinds).annotate(each=Count("pk")).values(*kinds, "each")
    held_out = Sum("each", filter=Q(problem__split=Problem.Split.HELD_OUT), default=0)
    counts = by_problem.aggregate(traces=Sum("each", default=0), problems=Count("problem"), held_out=held_out)
    return {**counts, "sample": list(traces.select_related("problem").defer("typed_steps").order_by("pk")[:3])}


def usable_traces(project: Project, filter: TraceFilter) -> QuerySet[Trace]:
    """The fitting traces of any split, which sources of machine labels may look at."""
    return _usable(project, filter)


def fitting_traces(project: Project, filter: TraceFilter) -> QuerySet[Trace]:
    """All fitting traces, whatever the status of their problems."""
    return _fitting(project, Trace.objects.filter(project=project), filter)


def _usable(project: Project, asked: TraceFilter) -> QuerySet[Trace]:
    """The fitting traces of problems nobody found bad. Paths chosen by labelers are left out: they are labels, too."""
    traces = Trace.objects.filter(project=project, problem__status=Problem.Status.ACTIVE, is_path=False)
    return _fitting(project, traces, asked)


def _fitting(project: Project, traces: QuerySet[Trace], asked: TraceFilter) -> QuerySet[Trace]:
    columns = {
        "outcome": "outcome",
        "generator": "generator",
        "source": "source",
        "subject": "problem__subject",
        "level": "problem__level",
        "split": "problem__split",
        "steps_min": "steps__len__gte",
        "steps_max": "steps__len__lte",
        "ids": "pk__in",
    }
    given = {columns[name]: value for name, value in asked.as_json().items() if name in columns}
    said = narrowed_by(asked.as_json(), project, get_scorer(project, asked.scorer))
    traces = traces.filter(*said, **given)
    if asked.unlabeled_only:
        finished = Label.objects.filter(task__trace=OuterRef("pk"), status=Label.Status.SUBMITTED)
        waiting = Task.objects.filter(trace=OuterRef("pk"), labels_wanted__gt=0, round__status=Round.Status.LABELING)
        traces = traces.filter(~Exists(finished), ~Exists(waiting))
    return traces
