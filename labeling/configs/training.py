"""What is requested of a training run and of a label audit."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from labeling.configs.reading import Json, read_config, write_config


@dataclass(frozen=True)
class TrainerOptions:
    """What the trainer is asked to change from its defaults for a PRM whose base is trained; stored in
    `TrainingRun.options`.

    `synthetic_errors`: how many errors it makes for each correct step, in each pass over the labels. `layers`: cut the
    base off after this many layers (0: not at all). `dtype`: the number format in which it is trained and stored ("":
    the best one for the worker's device).
    """

    synthetic_errors: int = 0
    layers: int = 0
    dtype: str = ""

    @classmethod
    def from_json(cls, value: object) -> "TrainerOptions":
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, value, "options")

    def as_json(self) -> Json:
        """Return only what differs from the defaults."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True)
class TrainingConfig:
    """A run over the labels of these rounds. `switches`: those of labeling.formats.training; missing ones keep their
    default.

    `method`: head, stacked, lora or full. `target`: steps, outcome or progress. `sources`: ids of machine label sources
    to learn along with people's labels, each with the weight of one of its steps relative to a person's.
    """

    round_ids: tuple[int, ...]
    base: str
    method: str = "head"
    target: str = "steps"
    name: str = ""
    switches: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[int, float] = field(default_factory=dict)
    options: TrainerOptions = TrainerOptions()
    seed: int = 0


@dataclass(frozen=True)
class LabelAuditConfig:
    """How many labels are reviewed, what share of them is drawn at random, and from which round (None: from all)."""

    labels: int
    control_share: float
    round: int | None = None

    @classmethod
    def from_json(cls, value: object) -> "LabelAuditConfig":
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, value, "asked")

    def as_json(self) -> Json:
        """Return the config as `LabelAudit.asked` stores it."""
        return write_config(self)
