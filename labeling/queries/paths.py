"""Reads about paths that are chosen step by step: how far a label's path has come, and what is open in it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import MD5, Cast, Concat
from django.utils import timezone

from labeling.configs import PathConfig
from labeling.errors import NotAPath
from labeling.formats.normalise import trace_key
from labeling.formats.prm800k import ANSWER_MARK
from labeling.generation.next_step import holds_answer
from labeling.models import Label, PathStep, Problem, Project, Round, StepOffer, Task, Trace
from labeling.protocol.path import Offered, RatingOrFlag, is_stuck, merged
from labeling.protocol.registry import protocol_named
from labeling.queries.gold_paths import has_gold
from labeling.queries.held_labels import HELD

GIVEN = "given"  # in a path's sampling: how many of its steps are starting steps
SLOW = timedelta(seconds=12)
SOON_MS, LATER_MS = 700, 3_000
MOST_MORE = 2  # times a labeler may ask for more completions of a step
TROUBLES = {
    "slow": "The model is taking a while. Write the step yourself, release the task, or wait: completions appear here.",
    "down": "The model that writes completions does not answer. Write the step yourself, release the task, or wait:"
    " Stepmark asks it again.",
    "none": "There is no completion for this step. Write it yourself, or release the task.",
}
# The known next steps after a prefix: from the project's own traces and their alternatives, in a meaningless order.
RECORDED = """
    SELECT whole.text FROM (
        SELECT trace.steps[%(at)s + 1] AS text,
            CASE WHEN cardinality(trace.steps) = %(at)s + 1 THEN trace.final_answer END AS answer
        FROM labeling_trace AS trace
        WHERE trace.problem_id = %(problem)s AND NOT trace.is_path AND trace.replaced_by_id IS NULL
            AND cardinality(trace.steps) > %(at)s AND trace.steps[1:%(at)s] = %(prefix)s::text[]
        UNION ALL
        SELECT other.text, NULL FROM labeling_completion AS other
        JOIN labeling_trace AS trace ON trace.id = other.trace_id
        WHERE trace.problem_id = %(problem)s AND NOT trace.is_path AND other.step_index = %(at)s
            AND trace.steps[1:%(at)s] = %(prefix)s::text[]
    ) AS found CROSS JOIN LATERAL (
        SELECT found.text || CASE WHEN found.answer IS NULL OR position('# Answer' IN found.text) > 0 THEN ''
            ELSE %(mark)s || found.answer END AS text) AS whole
    GROUP BY whole.text ORDER BY md5(%(seed)s || whole.text) LIMIT %(most)s
"""


# A problem's starting steps: a list of texts under this key in its metadata.
STARTING_STEPS = """CASE WHEN jsonb_typeof(problem.metadata -> 'starting_steps') = 'array'
    THEN problem.metadata -> 'starting_steps' ELSE '[]' END"""


@dataclass(frozen=True)
class Rated:
    """A completion as it is shown, with its rating or flag."""

    offered: Offered
    said: RatingOrFlag

    @property
    def final(self) -> bool:
        """Whether choosing it ends the path."""
        return holds_answer(self.offered.text)


@dataclass(frozen=True)
class Path:
    """A label's path as stored. `offer` is the offer for its prefix, if completions were requested for it."""

    label: Label
    task: Task
    config: PathConfig
    steps: list[PathStep]
    open: PathStep | None
    discarded: list[PathStep]
    offer: StepOffer | None
    now: datetime

    @property
    def round(self) -> Round:
        """The label's round."""
        return self.task.round

    @property
    def trace(self) -> Trace:
        """The trace that the path will become. Until then, it has only the starting steps."""
        return self.task.trace

    @property
    def given(self) -> list[str]:
        """The starting steps."""
        return given_of(self.trace)

    @property
    def texts(self) -> list[str]:
        """The starting steps and the steps chosen so far."""
        return [*self.given, *(step.text for step in self.steps)]

    @cached_property
    def key(self) -> bytes:
        """The key of problem and path. A request sent with a different key is about a different path."""
        return prefix_key(self.trace, self.texts)

    @property
    def is_held(self) -> bool:
        """Whether its labeler holds the label."""
        return self.label.status in HELD

    @property
    def ended(self) -> str | None:
        """Why the path takes no further step; None while it does."""
        if self.steps and holds_answer(self.steps[-1].text):
            return "final_answer"
        return "step_cap" if len(self.steps) >= self.config.step_cap else None

    @property
    def is_open(self) -> bool:
        """Whether a step is to be chosen now."""
        return self.is_held and self.ended is None

    @property
    def stuck(self) -> bool:
        """Whether giving up is offered."""
        return is_stuck([great_of(step) for step in self.steps])

    @property
    def has_rest(self) -> bool:
        """Whether the completions after the first are shown."""
        return self.open is not None and self.open.rest

    @property
    def most(self) -> int:
        """The most completions the open step can have: the round's number, and that again for each request for more."""
        return self.config.completions * (1 + (self.open.more if self.open else 0))

    @property
    def may_ask_more(self) -> bool:
        """Whether the labeler may ask for more completions than the round's number: all existing ones are shown."""
        again = self.open is not None and self.open.more < MOST_MORE
        there_are = self.config.generator is not None or len(self.texts_offered) == self.most
        return again and self.has_rest and self.is_complete and there_are

    @property
    def texts_offered(self) -> list[str]:
        """The completions available to this labeler, without extra ones that others asked for."""
        return self.offer.texts[: self.most] if self.offer else []

    @property
    def is_complete(self) -> bool:
        """Whether all completions of the open step have arrived."""
        return self.offer is not None and len(self.offer.done) >= self.most

    @property
    def visible(self) -> list[str]:
        """The completions of the open step that are shown."""
        return self.texts_offered if self.has_rest else self.texts_offered[:1]

    @property
    def rest_left(self) -> bool:
        """Whether there are completions that are not shown yet, or more are coming."""
        others = len(merged(self.texts_offered)) > len(merged(self.visible))
        return others or (not self.is_complete and self.trouble is None)

    @property
    def state(self) -> str:
        """The state the page knows it by: waiting, first, rest_waiting, all."""
        if not self.visible:
            return "all" if self.is_complete else "waiting"
        if self.has_rest:
            return "all" if self.is_complete else "rest_waiting"
        return "first" if self.rest_left else "all"

    @property
    def is_awaited(self) -> bool:
        """Whether the labeler is waiting for completions that have not arrived."""
        return not self.is_complete and (not self.visible or self.has_rest)

    @property
    def trouble(self) -> str | None:
        """Why no completions arrive: slow, down, none."""
        if self.is_complete:
            return None if self.offer and self.offer.texts else "none"
        if self.offer is None or not self.is_awaited:
            return None
        if self.offer.error:
            return "down"
        return "slow" if self.now - self.offer.asked_at > SLOW else None

    @property
    def look_again_ms(self) -> int | None:
        """When to look again, in milliseconds; None if nothing more arrives automatically."""
        if not self.is_awaited:
            return None
        return LATER_MS if self.trouble else SOON_MS

    @property
    def may_write(self) -> bool:
        """Whether the labeler may write the step, if no completion shown is great."""
        return not self.rest_left

    def rated(self, step: PathStep | None) -> list[Rated]:
        """Return the completions a step shows, with their ratings. None is the open step, before any rating."""
        texts = self.visible if step is None or step.submitted_at is None else step.offer.texts[: step.shown]
        said = said_of(step)
        return [Rated(one, said.get(one.number, RatingOrFlag())) for one in merged(texts)]


def makes_path(label: Label) -> bool:
    """Return whether its labeler makes the trace, step by step."""
    return protocol_named(label.task.round.protocol).makes_path


def slots_for(label: Label) -> list[int]:
    """Return the tasks in which a labeler who resumes this label may get a slot: its own first, then others.

    A labeler gets one path of a problem. If they left theirs and someone else took it, no claim gives them the free
    task of another, and if everyone else had a path too, it would wait forever.
    """
    if label.task.kind != Task.Kind.WORK or not makes_path(label):
        return [label.task_id]
    beside = Task.objects.filter(round=label.task.round_id, trace__problem=label.problem_id, kind=Task.Kind.WORK)
    had = Label.objects.filter(task__in=beside, labeler=label.labeler_id).exclude(pk=label.pk)
    others = beside.filter(labels_wanted__gt=0).exclude(pk=label.task_id).order_by("order_key", "pk")
    return [label.task_id, *([] if had.exists() else others.values_list("pk", flat=True))]


def path_of(label: Label) -> Path:
    """Return the path of a label. Raises NotAPath. Three queries."""
    if not makes_path(label):
        raise NotAPath
    task = Task.objects.select_related("round", "trace__problem").get(pk=label.task_id)
    steps = list(PathStep.objects.filter(label=label).select_related("offer").order_by("step", "pk"))
    live = [step for step in steps if step.discarded_at is None]
    taken = [step for step in live if step.submitted_at is not None]
    discarded = sorted((step for step in steps if step.discarded_at), key=lambda step: (step.discarded_at, step.pk))
    path = Path(
        label,
        task,
        task.round.path_config,
        taken,
        next((step for step in live if step.submitted_at is None), None),
        discarded,
        None,
        timezone.now(),
    )
    offer = StepOffer.objects.filter(round=task.round, problem=task.trace.problem_id, prefix_key=path.key).first()
    return replace(path, offer=offer)


def given_of(trace: Trace) -> list[str]:
    """Return a path's starting steps."""
    return trace.steps[: trace.sampling.get(GIVEN, 0)]


def prefix_key(trace: Trace, texts: Sequence[str]) -> bytes:
    """Return the key of a path through the trace's problem so far."""
    return trace_key(bytes(trace.problem.text_hash), texts)


def said_of(step: PathStep | None) -> dict[int, RatingOrFlag]:
    """Return the ratings and flags of a step's completions, by number."""
    return {} if step is None else {number: RatingOrFlag(rating, flagged) for number, rating, flagged in step.said}


def great_of(step: PathStep) -> int:
    """Return how many of the step's completions were rated +1."""
    return sum(said.rating == 1 for said in said_of(step).values())


def recorded_texts(trace: Trace, prefix: Sequence[str], *, most: int, seed: int) -> list[str]:
    """Return the steps that the project's traces have after this prefix. One query."""
    about: dict[str, Any] = {
        "problem": trace.problem_id,
        "prefix": list(prefix),
        "at": len(prefix),
        "seed": f"{seed}:",
        "most": most,
    }
    about["mark"] = ANSWER_MARK
    with connection.cursor() as cursor:
        cursor.execute(RECORDED, about)
        return [text for (text,) in cursor.fetchall()]


def steps_of(labels: Iterable[int]) -> dict[int, list[PathStep]]:
    """Return the steps now in the paths of these labels, in order, open ones too. One query."""
    found: dict[int, list[PathStep]] = {}
    steps = PathStep.objects.filter(label__in=list(labels), discarded_at=None).select_related("offer")
    for step in steps.order_by("label", "step"):
        found.setdefault(step.label_id, []).append(step)
    return found


def problems_for_paths(project: Project, config: PathConfig) -> QuerySet[Problem]:
    """The problems that a round with this config holds. Only the filter's conditions on problems count; `sample_size`
    draws that many by the seed. If rounds have gold, problems with gold traces are left out: labelers may meet them as
    gold.
    """
    given = {name: value for name, value in config.filter.as_json().items() if name in ("subject", "level", "split")}
    problems = Problem.objects.filter(project=project, status=Problem.Status.ACTIVE, **given)
    if project.gold_per_round:
        problems = problems.filter(~has_gold())
    if config.sample_size is None:
        return problems.order_by("pk")
    shuffled = MD5(Concat(Value(f"{config.seed}:"), Cast("pk", TextField())))
    return problems.order_by(shuffled, "pk")[: config.sample_size]


def count_problems(project: Project, config: PathConfig) -> dict[str, int]:
    """Count the problems that such a round holds: all, held out, with starting steps, with recorded next steps."""
    problems = Problem.objects.filter(pk__in=problems_for_paths(project, config).values("pk"))
    recorded = Exists(Trace.objects.filter(problem=OuterRef("pk"), is_path=False, replaced_by=None))
    return problems.aggregate(
        problems=Count("pk"),
        held_out=Count("pk", filter=Q(split=Problem.Split.HELD_OUT)),
        with_starting_steps=Count("pk", filter=Q(metadata__starting_steps__0__isnull=False)),
        with_recorded_steps=Count("pk", filter=recorded),
    )
