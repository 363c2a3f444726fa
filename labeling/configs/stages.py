"""The stages through which workers carry a round, in their order. One row says everything about a stage: models, SQL,
messages, tasks, progress and the page derive from here.

A new stage is a row, with what is to be done of it (`todo`) and what does it (`work`). Where it brings a status of its
own, `Round.Status` gets a member and a migration with it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from labeling.configs.rounds import PlainConfig, RoundConfig, StagedConfig


class Asked(NamedTuple):
    """What decides which stages a round goes through: what was asked of it, whether answers can be graded, and whether
    workers score its traces.
    """

    config: RoundConfig | None
    gradable: bool
    scored: bool


@dataclass(frozen=True, kw_only=True)
class Stage:
    """`name`: of at most 10 characters. `status`: the round's while workers are at it. `wanted`: if a round has it.

    `todo` makes the query of what is to be done by problem (labeling.queries.stage_todos) and `chunk` is about how much
    of it makes a chunk: problems where `unit` is samples, else traces. Without `chunk` it is one stroke, in one chunk,
    and while that runs the page says `doing`. `work` does a chunk, and is given the grading processes if it `grades`.
    Both are names, since what they name stands on higher floors.
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
    plain: bool = False  # of a plain round; the others are of staged ones

    def doing_now(self, total: int) -> str:
        """What to say while it runs; `total` is what was planned for it, 0 before that."""
        return self.doing.format(total=total) if total or self.todo is None else "Planning the work…"

    @property
    def whole(self) -> bool:
        """Whether it is done in one stroke."""
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
    means="The PRM reads each trace and says for each step how likely it is correct.",
    status="scoring",
    wanted=lambda asked: isinstance(asked.config, StagedConfig) and asked.scored,
    todo="labeling.queries.stage_todos.to_score",
    chunk=256,  # what a killed worker costs at most
    work="worker.scoring_chunks.score_chunk",
    queue="gpu",
)
SELECTING = Stage(
    name="selecting",
    title="Select",
    means="The rules choose which traces go to labelers.",
    status=SCORING.status,  # it takes seconds and is the end of scoring
    wanted=lambda asked: isinstance(asked.config, StagedConfig),
    work="worker.round_work.select",
    doing="Choosing…",
)
QUEUEING = Stage(
    name="queueing",
    title="Queue",
    means="Each trace becomes a task. Labelers are served once all are there.",
    status="preparing",
    wanted=lambda asked: isinstance(asked.config, PlainConfig) and asked.config.inputs is not None,
    todo="labeling.queries.stage_todos.to_queue",
    work="labeling.actions.round_queueing.queue_chunk",
    doing="Writing {total:,} tasks…",
    plain=True,
)
STAGES: dict[str, Stage] = {stage.name: stage for stage in (GENERATING, GRADING, SCORING, SELECTING, QUEUEING)}


def statuses(stages: Iterable[Stage]) -> tuple[str, ...]:
    """The statuses of a round at these stages, each once, in their order."""
    return tuple(dict.fromkeys(stage.status for stage in stages))


# Workers have the round. At most one staged round of a project at a time: a constraint of the table says so too.
WORKING = statuses(sorted(STAGES.values(), key=lambda stage: not stage.plain))
ONE_A_PROJECT = statuses(stage for stage in STAGES.values() if not stage.plain)


def statuses_on(queue: str) -> tuple[str, ...]:
    """The statuses in which a round waits for workers of this queue; what two stages share is the first one's."""
    first = {stage.status: stage for stage in reversed(STAGES.values())}
    return tuple(status for status, stage in first.items() if stage.queue == queue)


def stages_wanted(asked: Asked) -> list[Stage]:
    """The stages of a round of which this was asked, in their order; none where it was on the queue at once."""
    return [stage for stage in STAGES.values() if stage.wanted(asked)]


def stages_shown(wanted: Iterable[Stage]) -> list[Stage]:
    """The stages that people see of such a round: of a staged one all, asked for or not."""
    plain = any(stage.plain for stage in wanted)
    return [stage for stage in STAGES.values() if stage.plain == plain]
