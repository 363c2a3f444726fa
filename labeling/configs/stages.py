"""The stages through which workers carry a round, in order. One row defines everything about a stage: models, SQL,
messages, tasks, progress and the page derive from it.

A new stage is a row with its work list (`todo`) and the function that does it (`work`). If it brings a new status,
`Round.Status` needs a new member and a migration.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from labeling.configs.rounds import PlainConfig, RoundConfig, StagedConfig


class Asked(NamedTuple):
    """What decides which stages a round goes through: its config, whether answers can be graded, and whether workers
    score its traces.
    """

    config: RoundConfig | None
    gradable: bool
    scored: bool


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A stage. `name`: at most 10 characters. `status`: the round's status during it. `wanted`: whether a round has it.

    `todo` builds the query of remaining work per problem (labeling.queries.stage_todos), and `chunk` is roughly how
    much of it makes a chunk: problems if `unit` is samples, else traces. Without `chunk`, all work is done in one
    chunk, during which the page shows `doing`. `work` does a chunk; it is passed the grading processes if the stage
    `grades`. Both are dotted names, because this module may not import what they name.
    """

    name: str
    title: str
    means: str
    status: str
    work: str
    wanted: Callable[[Asked], bool]
    todo: str | None = None
    chunk: int | None = None
    unit: Literal["samples", "traces"] = "traces"
    queue: Literal["cpu", "gpu"] = "cpu"
    grades: bool = False
    doing: str = ""
    plain: bool = False  # for a plain round; the others are for staged ones

    def doing_now(self, total: int) -> str:
        """Return the text shown while it runs; `total` is the planned amount, 0 before it is planned."""
        return self.doing.format(total=total) if total or self.todo is None else "Planning the work…"

    @property
    def whole(self) -> bool:
        """Whether it is done in one chunk."""
        return self.chunk is None


GENERATING = Stage(
    name="generating",
    title="Generate",
    means="A model writes new traces, which are split into steps.",
    status="generating",
    wanted=lambda asked: isinstance(asked.config, StagedConfig) and asked.config.generate is not None,
    todo="labeling.queries.stage_todos.to_generate",
    chunk=16,
    unit="samples",
    work="worker.round_work.generate",
)
GRADING = Stage(
    name="grading",
    title="Grade",
    means="Final answers are compared with the true ones: right, wrong, or not gradable.",
    status="grading",
    wanted=lambda asked: isinstance(asked.config, StagedConfig) and asked.config.grade and asked.gradable,
    todo="labeling.queries.stage_todos.to_grade",
    chunk=2_000,
    work="labeling.actions.round_grading.grade_chunk",
    grades=True,
)
SCORING = Stage(
    name="scoring",
    title="Score",
    means="The PRM reads each trace and gives, for each step, the probability that it is correct.",
    status="scoring",
    wanted=lambda asked: isinstance(asked.config, StagedConfig) and asked.scored,
    todo="labeling.queries.stage_todos.to_score",
    chunk=256,  # the most that a killed worker loses
    work="worker.scoring_chunks.score_chunk",
    queue="gpu",
)
SELECTING = Stage(
    name="selecting",
    title="Select",
    means="The rules choose which traces go to labelers.",
    status=SCORING.status,  # selecting takes seconds and ends scoring
    wanted=lambda asked: isinstance(asked.config, StagedConfig),
    work="worker.round_work.select",
    doing="Choosing…",
)
QUEUEING = Stage(
    name="queueing",
    title="Queue",
    means="Each trace becomes a task. Labelers get tasks once all of them exist.",
    status="preparing",
    wanted=lambda asked: isinstance(asked.config, PlainConfig) and asked.config.inputs is not None,
    todo="labeling.queries.stage_todos.to_queue",
    work="labeling.actions.round_queueing.queue_chunk",
    doing="Writing {total:,} tasks…",
    plain=True,
)
STAGES: dict[str, Stage] = {stage.name: stage for stage in (GENERATING, GRADING, SCORING, SELECTING, QUEUEING)}


def statuses(stages: Iterable[Stage]) -> tuple[str, ...]:
    """Return the statuses of a round at these stages, each once, in order."""
    return tuple(dict.fromkeys(stage.status for stage in stages))


# Workers have the round. At most one staged round per project at a time, which a table constraint enforces too.
WORKING = statuses(sorted(STAGES.values(), key=lambda stage: not stage.plain))
ONE_A_PROJECT = statuses(stage for stage in STAGES.values() if not stage.plain)


def statuses_on(queue: str) -> tuple[str, ...]:
    """Return the statuses that wait for workers of this queue. Of two stages with one status, the first counts."""
    first = {stage.status: stage for stage in reversed(STAGES.values())}
    return tuple(status for status, stage in first.items() if stage.queue == queue)


def stages_wanted(asked: Asked) -> list[Stage]:
    """Return the stages of such a round, in order; none if its traces went straight to the queue."""
    return [stage for stage in STAGES.values() if stage.wanted(asked)]


def stages_shown(wanted: Iterable[Stage]) -> list[Stage]:
    """Return the stages that users see of such a round: for a staged round all of them, wanted or not."""
    plain = any(stage.plain for stage in wanted)
    return [stage for stage in STAGES.values() if stage.plain == plain]
