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
MOST_MORE = 2  # times that a labeler may ask for more completions of a step
TROUBLES = {
    "slow": "The model is taking a while. Write the step yourself, release the task, or wait: completions appear here.",
    "down": "The model that writes completions does not answer. Write the step yourself, release the task, or wait:"
    " Stepmark asks it again.",
    "none": "There is no completion for this step. Write it yourself, or release the task.",
}
# The next steps after a prefix that the project knows: the steps of its own traces and what was offered beside them. In
# an order that says nothing.
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


# A problem's starting steps: a list of texts under this key of its file.
STARTING_STEPS = """CASE WHEN jsonb_typeof(problem.metadata -> 'starting_steps') = 'array'
    THEN problem.metadata -> 'starting_steps' ELSE '[]' END"""


@dataclass(frozen=True)
class Rated:
    """A completion as it is shown, with what was said of it."""

    offered: Offered
    said: RatingOrFlag

    @property
    def final(self) -> bool:
        """Whether choosing it ends the path."""
        return holds_answer(self.offered.text)


@dataclass(frozen=True)
class Path:
    """A label's path as the tables have it. `offer` is that of the prefix, where it was asked for."""

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
        """Of the label."""
        return self.task.round

    @property
    def trace(self) -> Trace:
        """What the path is to become; until then its starting steps."""
        return self.task.trace

    @property
    def given(self) -> list[str]:
        """The starting steps."""
        return given_of(self.trace)

    @property
    def texts(self) -> list[str]:
        """The steps of the path."""
        return [*self.given, *(step.text for step in self.steps)]

    @cached_property
    def key(self) -> bytes:
        """Of problem and path: what is sent with another one speaks of another path."""
        return prefix_key(self.trace, self.texts)

    @property
    def is_held(self) -> bool:
        """Whether its labeler holds the label."""
        return self.label.status in HELD

    @property
    def ended(self) -> str | None:
        """Why it takes no further step."""
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
        """Completions of the open step at most: as many as the round says, and as many again for each time the labeler
        asked for more."""
        return self.config.completions * (1 + (self.open.more if self.open else 0))

    @property
    def may_ask_more(self) -> bool:
        """Whether more can be asked for than a step of the round has: all that there is was shown."""
        again = self.open is not None and self.open.more < MOST_MORE
        there_are = self.config.generator is not None or len(self.texts_offered) == self.most
        return again and self.has_rest and self.is_complete and there_are

    @property
    def texts_offered(self) -> list[str]:
        """The completions that there are for this labeler; what others asked for beyond is not among them."""
        return self.offer.texts[: self.most] if self.offer else []

    @property
    def is_complete(self) -> bool:
        """Whether all completions of the open step are there."""
        return self.offer is not None and len(self.offer.done) >= self.most

    @property
    def visible(self) -> list[str]:
        """The completions of the open step that are shown."""
        return self.texts_offered if self.has_rest else self.texts_offered[:1]

    @property
    def rest_left(self) -> bool:
        """Whether other completions can be had than are shown, or are coming."""
        others = len(merged(self.texts_offered)) > len(merged(self.visible))
        return others or (not self.is_complete and self.trouble is None)

    @property
    def state(self) -> str:
        """As the page knows it: waiting, first, rest_waiting, all."""
        if not self.visible:
            return "all" if self.is_complete else "waiting"
        if self.has_rest:
            return "all" if self.is_complete else "rest_waiting"
        return "first" if self.rest_left else "all"

    @property
    def is_awaited(self) -> bool:
        """Whether the labeler waits for something that has not come."""
        return not self.is_complete and (not self.visible or self.has_rest)

    @property
    def trouble(self) -> str | None:
        """Why completions do not come: slow, down, none."""
        if self.is_complete:
            return None if self.offer and self.offer.texts else "none"
        if self.offer is None or not self.is_awaited:
            return None
        if self.offer.error:
            return "down"
        return "slow" if self.now - self.offer.asked_at > SLOW else None

    @property
    def look_again_ms(self) -> int | None:
        """When to look again; None where nothing more comes by itself."""
        if not self.is_awaited:
            return None
        return LATER_MS if self.trouble else SOON_MS

    @property
    def may_write(self) -> bool:
        """Whether the labeler may write the step, if nothing that is shown is great."""
        return not self.rest_left

    def rated(self, step: PathStep | None) -> list[Rated]:
        """What a step shows and what was said of it; of None, the open one that nothing was said of."""
        texts = self.visible if step is None or step.submitted_at is None else step.offer.texts[: step.shown]
        said = said_of(step)
        return [Rated(one, said.get(one.number, RatingOrFlag())) for one in merged(texts)]


def makes_path(label: Label) -> bool:
    """Whether its labeler makes the trace, step by step."""
    return protocol_named(label.task.round.protocol).makes_path


def path_of(label: Label) -> Path:
    """The path of a label. Raises NotAPath. Three queries."""
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
    """A path's starting steps."""
    return trace.steps[: trace.sampling.get(GIVEN, 0)]


def prefix_key(trace: Trace, texts: Sequence[str]) -> bytes:
    """The key of a path through the trace's problem so far."""
    return trace_key(bytes(trace.problem.text_hash), texts)


def said_of(step: PathStep | None) -> dict[int, RatingOrFlag]:
    """What was said of a step's completions, by number."""
    return {} if step is None else {number: RatingOrFlag(rating, flagged) for number, rating, flagged in step.said}


def great_of(step: PathStep) -> int:
    """How many of its completions were rated +1."""
    return sum(said.rating == 1 for said in said_of(step).values())


def recorded_texts(trace: Trace, prefix: Sequence[str], *, most: int, seed: int) -> list[str]:
    """The steps that the project's traces have after this prefix. One query."""
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
    """The steps that stand in the paths of these labels, in order, open ones too. One query."""
    found: dict[int, list[PathStep]] = {}
    steps = PathStep.objects.filter(label__in=list(labels), discarded_at=None).select_related("offer")
    for step in steps.order_by("label", "step"):
        found.setdefault(step.label_id, []).append(step)
    return found


def problems_for_paths(project: Project, config: PathConfig) -> QuerySet[Problem]:
    """The problems that such a round holds: what of the filter speaks of problems counts; with `sample_size`, that many
    of them drawn by the seed. Where rounds have gold, none of which a trace is gold: labelers may meet it as gold."""
    given = {name: value for name, value in config.filter.as_json().items() if name in ("subject", "level", "split")}
    problems = Problem.objects.filter(project=project, status=Problem.Status.ACTIVE, **given)
    if project.gold_per_round:
        problems = problems.filter(~has_gold())
    if config.sample_size is None:
        return problems.order_by("pk")
    shuffled = MD5(Concat(Value(f"{config.seed}:"), Cast("pk", TextField())))
    return problems.order_by(shuffled, "pk")[: config.sample_size]


def count_problems(project: Project, config: PathConfig) -> dict[str, int]:
    """How many problems such a round holds, how many are held out, how many begin with steps, and of how many next
    steps are recorded."""
    problems = Problem.objects.filter(pk__in=problems_for_paths(project, config).values("pk"))
    recorded = Exists(Trace.objects.filter(problem=OuterRef("pk"), is_path=False, replaced_by=None))
    return problems.aggregate(
        problems=Count("pk"),
        held_out=Count("pk", filter=Q(split=Problem.Split.HELD_OUT)),
        with_starting_steps=Count("pk", filter=Q(metadata__starting_steps__0__isnull=False)),
        with_recorded_steps=Count("pk", filter=recorded),
    )
