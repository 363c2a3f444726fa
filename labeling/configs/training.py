"""What is asked of a training run and of a label audit."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from labeling.configs.reading import Json, read_config, write_config


@dataclass(frozen=True)
class TrainerOptions:
    """What is asked of the trainer beyond its own ways, for a PRM whose base learns; as `TrainingRun.options` keeps it.

    `synthetic_errors`: how many it makes itself beside each right step, in each pass over the labels. The base is cut
    off after so many `layers` (0: not at all). `dtype`: the numbers it is trained and kept in ("": as the worker's
    device does best).
    """

    synthetic_errors: int = 0
    layers: int = 0
    dtype: str = ""

    @classmethod
    def from_json(cls, value: object) -> "TrainerOptions":
        """Raises ConfigFault."""
        return read_config(cls, value, "options")

    def as_json(self) -> Json:
        """What is asked for; nothing where nothing is."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True)
class TrainingConfig:
    """A run over the labels that these rounds hold. `switches` are those of labeling.formats.training; others stand.

    `method`: head, stacked, lora or full. `target`: steps, outcome or progress. `sources`: of machine labels that are
    learned beside people's, by id, each with what one of its steps weighs against a person's.
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
    """How many labels are looked at again, which share of them at random, and of which round (None: of all)."""

    labels: int
    control_share: float
    round: int | None = None

    @classmethod
    def from_json(cls, value: object) -> "LabelAuditConfig":
        """Raises ConfigFault."""
        return read_config(cls, value, "asked")

    def as_json(self) -> Json:
        """As `LabelAudit.asked` holds it."""
        return write_config(self)
