"""What was requested of a round, as stored in `Round.config`: which traces, how chosen, by which model, generated or
not.

A plain round puts traces on the queue; a staged one is prepared by workers; in a round of problems, labelers choose
paths. Rounds of imported labels and screening rounds have no config to read.
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
    """Which traces match. A condition that is None, empty or false does not apply and is not stored. `ids`: only these.

    `first_error` and the step range `error_min` to `error_max` (from 0) go by labels; scores are those of `scorer`.
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
        """Return only the conditions that apply."""
        written = write_config(self)
        # A bound of 0 is a condition, but it equals False.
        return {name: value for name, value in written.items() if value is not False and value not in (None, "", [])}


EVERYTHING = TraceFilter()


@dataclass(frozen=True)
class GenerateConfig:
    """What a round asks of a generator: `n` samples per problem. `prompt`: a built-in name or text with `{problem}`."""

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
        """Return every setting, as `Trace.sampling` stores them too."""
        return write_config(self)


@dataclass(frozen=True)
class ScorerRef:
    """The step scorer with which a round began. Scores are comparable only within one fingerprint."""

    id: int
    name: str
    fingerprint: str


@dataclass(frozen=True)
class GraderSettings:
    """How a round grades answers: the project's settings at the time its traces were frozen."""

    version: str
    answer_kind: str
    answer_tolerance: float


@dataclass(frozen=True)
class Inputs:
    """What a round reads once its traces exist: the traces up to the newest one, and how they are graded.

    A plain round needs only the newest trace.
    """

    last_trace_id: int
    problems: int | None = None
    grader: GraderSettings | None = None

    def as_json(self) -> Json:
        """Return what is known."""
        return {name: value for name, value in write_config(self).items() if value is not None}


@dataclass(frozen=True)
class ByMachine:
    """How traces are drawn by the marks of a machine: those of `scorer` and, in a round of disagreements, those it is
    compared with: of `other`, or of people if that is None.

    In an audit, `bar` is the agreement that was set before labeling began; `pool` is the number of traces it was drawn
    from and `grader` the grader version that marked them. `miss_costs`: how many false alarms one miss is worth.
    """

    scorer: ScorerRef
    other: ScorerRef | None = None
    control_share: float = 0.1
    miss_costs: float = 1.0
    bar: float | None = None
    pool: int = 0
    grader: str = ""


PlainSource = Literal["all", "filter", "sample", "audit", "disagreement"]
DRAWN = ("sample", "audit", "disagreement")  # sources from which a requested number of traces is drawn
LATER = ("inputs", "client_key", "by_machine")  # settings that are not stored while they are None


@dataclass(frozen=True)
class PlainConfig:
    """Traces that are put on the queue: all, those that match a filter, or a seeded random sample of them; or, from
    those that a machine marked, a random sample that is kept apart (audit) or its disagreements with others.

    `inputs` is present only if workers write the queue; `client_key` identifies the click on the button.
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
        """Return the config for a person's choice. The filter applies unless all traces were chosen, the size only to
        draws.
        """
        config = cls(source, filter if source != "all" else EVERYTHING, **asked)
        return config if source in DRAWN else replace(config, sample_size=None)

    @property
    def machine(self) -> ByMachine:
        """How traces are drawn by a machine's marks. Raises ConfigFault if they are not."""
        if self.by_machine is None:
            raise ConfigFault("config.by_machine: this round is not drawn by a machine's marks.")
        return self.by_machine

    @classmethod
    def from_json(cls, value: object) -> "PlainConfig":
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, value)

    def as_json(self) -> Json:
        """Return the config as `Round.config` stores it."""
        written = write_config(self)
        return {name: one for name, one in written.items() if one is not None or name not in LATER}


@dataclass(frozen=True)
class ShownMarks:
    """The machine marks that labelers of a round see, from the step scorer `source`: `after` they have submitted their
    label, or `beside` the steps while they rate (assisted). In an assisted round, `blind_share` of the tasks shows
    none.
    """

    source: int
    when: Literal["after", "beside"] = "after"
    blind_share: float = 0.5

    @classmethod
    def from_json(cls, value: object) -> "ShownMarks":
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, value)

    def as_json(self) -> Json:
        """Return the config as `Round.machine` stores it."""
        return {name: getattr(self, name) for name in ("source", "when", "blind_share")}


@dataclass(frozen=True)
class StagedConfig:
    """A round that workers prepare: how traces are chosen, and whether they are first generated and graded.

    The server fills in `prm` when the round begins, and `inputs` when its traces exist.
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
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, {name: one for name, one in value.items() if name != "source"})

    def as_json(self) -> Json:
        """Return the config as `Round.config` stores it."""
        return {"source": STAGED, **write_config(self)}

    def rules(self, seed: int) -> Rules:
        """Return the rules by which traces are chosen; the seed is the round's."""
        return Rules(**{name: getattr(self, name) for name in RULES}, seed=seed)

    def with_rules(self, rules: Rules) -> "StagedConfig":
        """Return the same config with other rules."""
        return replace(self, **{name: getattr(rules, name) for name in RULES})

    @property
    def generating(self) -> GenerateConfig:
        """What is asked of the generator. Raises ConfigFault if the round generates no traces."""
        if self.generate is None:
            raise ConfigFault("config.generate: this round generates no traces.")
        return self.generate

    @property
    def frozen(self) -> Inputs:
        """What the round reads. Raises ConfigFault before its traces exist."""
        if self.inputs is None:
            raise ConfigFault("config.inputs: the round's traces do not exist yet.")
        return self.inputs


@dataclass(frozen=True)
class NextStepConfig:
    """What a round asks of a generator for the next step of a path. `prompt`: a built-in name, or a text with
    `{problem}` and `{steps}`.
    """

    generator: str
    model: str
    prompt: str = "next_step"
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    seed: int = 0

    def as_json(self) -> Json:
        """Return every setting, as `Trace.sampling` stores them too."""
        return write_config(self)


@dataclass(frozen=True)
class PathConfig:
    """A round in which labelers choose paths through problems: `paths` labelers per problem. If their answers differ,
    more are asked, up to `paths_most`, until `paths_needed` agree (0: no more are asked). `generator` writes the
    completions; without one they are recorded: the next steps of the project's own traces that begin with the same
    steps.
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
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, {name: one for name, one in value.items() if name != "source"})

    def as_json(self) -> Json:
        """Return the config as `Round.config` stores it."""
        return {"source": PROBLEMS, **write_config(self)}

    @property
    def rules(self) -> PathRules:
        """The rules of every path of the round."""
        return PathRules(self.completions, self.neutral_may_be_chosen, self.step_cap)


RoundConfig = PlainConfig | StagedConfig | PathConfig


def read_round_config(value: Mapping[str, Any]) -> RoundConfig | None:
    """Read a round's config; None if it has none (imported labels, screening). Raises ConfigFault."""
    match value.get("source"):
        case "prm":
            return StagedConfig.from_json(value)
        case "problems":
            return PathConfig.from_json(value)
        case "import" | None:
            return None
        case _:
            return PlainConfig.from_json(value)
