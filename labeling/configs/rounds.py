"""What was asked of a round, as `Round.config` holds it: which traces, how chosen, by which model, generated or not.

A plain round puts traces on the queue; a staged one is prepared by workers; in a round of problems, labelers choose
paths. A round of imported labels and a screening round were asked for nothing: they have no config to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from labeling.configs.reading import ConfigFault, Json, read_config, write_config
from labeling.generation.splitting import Splitter
from labeling.protocol.path import Rules as PathRules
from labeling.selection import CONVINCING_ONLY, Mix, Rules

PROBLEMS = "problems"  # config["source"] of a round whose labelers choose paths
STAGED = "prm"  # config["source"] of a round that workers prepare, whatever scores it
RULES = ("mode", "k", "ratio", "per_problem_cap", "budget", "control_share", "mix")


@dataclass(frozen=True)
class TraceFilter:
    """Which traces fit. What is None, empty or false is not asked for, and is not written. `ids`: those alone.

    `first_error` and the steps of `error_min` and `error_max` (from 0) are as labels say; scores are those of `scorer`.
    """

    outcome: str | None = None
    generator: str | None = None
    source: str | None = None
    subject: str | None = None
    level: str | None = None
    split: str | None = None
    steps_min: int | None = None
    steps_max: int | None = None
    unlabeled_only: bool = False
    first_error: str | None = None
    error_min: int | None = None
    error_max: int | None = None
    score_min: float | None = None
    score_max: float | None = None
    scorer: int | None = None
    ids: tuple[int, ...] = ()

    def as_json(self) -> Json:
        """What is asked for."""
        written = write_config(self)
        # A bound of 0 is one; it equals False.
        return {name: value for name, value in written.items() if value is not False and value not in (None, "", [])}


EVERYTHING = TraceFilter()


@dataclass(frozen=True)
class GenerateConfig:
    """What a round asks of a generator: `n` samples a problem. A prompt is a name of ours, or holds `{problem}`."""

    generator: str
    model: str
    prompt: str = "steps"
    temperature: float = 1.0
    top_p: float = 1.0
    n: int = 16
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()
    seed: int = 0
    splitter: Splitter = Splitter("blank_line")

    def as_json(self) -> Json:
        """Every setting, as `Trace.sampling` keeps them too."""
        return write_config(self)


@dataclass(frozen=True)
class ScorerRef:
    """The step scorer that a round began with. Scores compare only within one fingerprint."""

    id: int
    name: str
    fingerprint: str


@dataclass(frozen=True)
class GraderSettings:
    """How a round grades answers: the project's settings when its traces were frozen."""

    version: str
    answer_kind: str
    answer_tolerance: float


@dataclass(frozen=True)
class Inputs:
    """What a round reads from the moment when its traces were there: those up to the newest, and how they are graded.

    A plain round needs the newest trace alone.
    """

    last_trace_id: int
    problems: int | None = None
    grader: GraderSettings | None = None

    def as_json(self) -> Json:
        """What is known."""
        return {name: value for name, value in write_config(self).items() if value is not None}


@dataclass(frozen=True)
class ByMachine:
    """How traces are drawn by what a machine said of them: `scorer`, and in a round of disagreements against whom:
    `other`, or people where that is None.

    `bar`: of an audit, the agreement that was named before anybody labeled; `pool` and `grader`: how many traces it was
    drawn from, and by which grader's version they were marked. `miss_costs`: how many false alarms a miss is worth.
    """

    scorer: ScorerRef
    other: ScorerRef | None = None
    control_share: float = 0.1
    miss_costs: float = 1.0
    bar: float | None = None
    pool: int = 0
    grader: str = ""


PlainSource = Literal["all", "filter", "sample", "audit", "disagreement"]
DRAWN = ("sample", "audit", "disagreement")  # of these so many as were asked for
LATER = ("inputs", "client_key", "by_machine")  # settings that are not written where they say nothing


@dataclass(frozen=True)
class PlainConfig:
    """Traces that are put on the queue: all, those that fit a filter, or a seeded random sample of those; of what a
    machine marked, a random sample that is kept apart (audit), or what it and others disagree on.

    `inputs` stands only where workers put them there; `client_key` names the press of the button.
    """

    source: PlainSource = "all"
    filter: TraceFilter = EVERYTHING
    sample_size: int | None = None
    seed: int = 0
    inputs: Inputs | None = None
    client_key: str | None = None
    by_machine: ByMachine | None = None

    @classmethod
    def of(cls, source: PlainSource = "all", *, filter: TraceFilter = EVERYTHING, **asked: Any) -> "PlainConfig":
        """What a person's choice means: a filter counts unless all were asked for, and a size where some are drawn."""
        config = cls(source, filter if source != "all" else EVERYTHING, **asked)
        return config if source in DRAWN else replace(config, sample_size=None)

    @property
    def machine(self) -> ByMachine:
        """By what traces are drawn. Raises ConfigFault where it is not by a machine."""
        if self.by_machine is None:
            raise ConfigFault("config.by_machine: this round is drawn by nothing that a machine said.")
        return self.by_machine

    @classmethod
    def from_json(cls, value: object) -> "PlainConfig":
        """Raises ConfigFault."""
        return read_config(cls, value)

    def as_json(self) -> Json:
        """As `Round.config` holds it."""
        written = write_config(self)
        return {name: one for name, one in written.items() if one is not None or name not in LATER}


@dataclass(frozen=True)
class ShownMarks:
    """What labelers of a round see of a machine: the marks of the step scorer `source`, `after` they have sent their
    label, or `beside` the steps while they rate (assisted). Of an assisted round a share of the tasks sees nothing."""

    source: int
    when: Literal["after", "beside"] = "after"
    blind_share: float = 0.5

    @classmethod
    def from_json(cls, value: object) -> "ShownMarks":
        """Raises ConfigFault."""
        return read_config(cls, value)

    def as_json(self) -> Json:
        """As `Round.machine` holds it."""
        return {name: getattr(self, name) for name in ("source", "when", "blind_share")}


@dataclass(frozen=True)
class StagedConfig:
    """A round that workers prepare: how it is chosen, and whether traces are generated and graded before.

    `prm` and `inputs` are the server's to fill in: when the round begins, and when its traces are there.
    """

    k: int
    filter: TraceFilter = EVERYTHING
    mode: Literal["per_problem", "global"] = "per_problem"
    ratio: float = 0.8
    per_problem_cap: int | None = None
    budget: int | None = None
    control_share: float = 0.1
    grade: bool = True
    rescore: int = 0
    generate: GenerateConfig | None = None
    prm: ScorerRef | None = None
    inputs: Inputs | None = None
    client_key: str | None = None
    mix: Mix = CONVINCING_ONLY

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "StagedConfig":
        """Raises ConfigFault."""
        return read_config(cls, {name: one for name, one in value.items() if name != "source"})

    def as_json(self) -> Json:
        """As `Round.config` holds it."""
        return {"source": STAGED, **write_config(self)}

    def rules(self, seed: int) -> Rules:
        """By which traces are chosen; the seed is the round's."""
        return Rules(**{name: getattr(self, name) for name in RULES}, seed=seed)

    def with_rules(self, rules: Rules) -> "StagedConfig":
        """The same, chosen otherwise."""
        return replace(self, **{name: getattr(rules, name) for name in RULES})

    @property
    def generating(self) -> GenerateConfig:
        """What is asked of the generator. Raises ConfigFault where none is asked."""
        if self.generate is None:
            raise ConfigFault("config.generate: this round generates no traces.")
        return self.generate

    @property
    def frozen(self) -> Inputs:
        """What the round reads. Raises ConfigFault before its traces are there."""
        if self.inputs is None:
            raise ConfigFault("config.inputs: the round's traces are not there yet.")
        return self.inputs


@dataclass(frozen=True)
class NextStepConfig:
    """What a round asks of a generator for the next step of a path. A prompt is a name of ours, or holds `{problem}`
    and `{steps}`."""

    generator: str
    model: str
    prompt: str = "next_step"
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    seed: int = 0

    def as_json(self) -> Json:
        """Every setting, as `Trace.sampling` keeps them too."""
        return write_config(self)


@dataclass(frozen=True)
class PathConfig:
    """A round whose labelers choose paths through problems, `paths` labelers each; where their answers differ, up to
    `paths_most` until `paths_needed` agree (0: nobody more is asked). Completions are asked of
    `generator`; where there is none they are recorded: the next steps of the project's own traces after the same steps.
    """

    filter: TraceFilter = EVERYTHING
    sample_size: int | None = None
    seed: int = 0
    paths: int = 1
    paths_needed: int = 0
    paths_most: int = 0
    completions: int = 7
    neutral_may_be_chosen: bool = False
    step_cap: int = 60
    generator: NextStepConfig | None = None
    client_key: str | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "PathConfig":
        """Raises ConfigFault."""
        return read_config(cls, {name: one for name, one in value.items() if name != "source"})

    def as_json(self) -> Json:
        """As `Round.config` holds it."""
        return {"source": PROBLEMS, **write_config(self)}

    @property
    def rules(self) -> PathRules:
        """What every path of the round obeys."""
        return PathRules(self.completions, self.neutral_may_be_chosen, self.step_cap)


RoundConfig = PlainConfig | StagedConfig | PathConfig


def read_round_config(value: Mapping[str, Any]) -> RoundConfig | None:
    """What was asked of a round; None where nothing was (imported labels, screening). Raises ConfigFault."""
    match value.get("source"):
        case "prm":
            return StagedConfig.from_json(value)
        case "problems":
            return PathConfig.from_json(value)
        case "import" | None:
            return None
        case _:
            return PlainConfig.from_json(value)
