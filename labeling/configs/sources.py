"""What is requested of a source of machine labels, as stored in `StepScorer.spec`, and what it may cost. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from labeling.configs.reading import Json, read_config, write_config


@dataclass(frozen=True)
class SamplingConfig:
    """Which model is asked, and how. Prices are per million tokens, as given by the model's operator."""

    generator: str
    model: str
    prompt: str
    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 1024
    seed: int = 0
    stop: tuple[str, ...] = ()
    price_in: float = 0.0
    price_out: float = 0.0


@dataclass(frozen=True)
class RolloutsConfig:
    """Rollouts from prefixes: `n` from each prefix; `budget` is the most rollouts per trace (strategy `tree` only)."""

    completer: SamplingConfig
    strategy: Literal["everywhere", "bisect", "adaptive", "tree"] = "everywhere"
    n: int = 8
    threshold: float = 0.5
    budget: int = 100
    kind: Literal["rollouts"] = "rollouts"


@dataclass(frozen=True)
class JudgeConfig:
    """A judge with `votes` votes; each vote is repeated until two answers agree, at most `again` times."""

    judge: SamplingConfig
    votes: int = 1
    again: int = 0
    kind: Literal["judge"] = "judge"


@dataclass(frozen=True)
class ConsensusConfig:
    """A rule over other sources of the project, given by their ids."""

    sources: tuple[int, ...]
    rule: Literal["agree", "majority", "weakest"] = "agree"
    kind: Literal["consensus"] = "consensus"


@dataclass(frozen=True)
class VerifierConfig:
    """Checks of one version that need no model."""

    version: str
    kind: Literal["verifier"] = "verifier"


SourceConfig = RolloutsConfig | JudgeConfig | ConsensusConfig | VerifierConfig
KINDS: dict[str, type[SourceConfig]] = {
    "rollouts": RolloutsConfig,
    "judge": JudgeConfig,
    "consensus": ConsensusConfig,
    "verifier": VerifierConfig,
}


def read_source(kind: str, spec: Mapping[str, Any]) -> SourceConfig:
    """Read the stored config of a source. Raises ConfigFault, and KeyError for a kind that is not run here."""
    return read_config(KINDS[kind], dict(spec))


def write_source(config: SourceConfig) -> Json:
    """Return the config as `StepScorer.spec` stores it."""
    return write_config(config)


def sampling_of(config: SourceConfig) -> SamplingConfig | None:
    """Return the model that a source asks, or None if it asks none."""
    if isinstance(config, RolloutsConfig):
        return config.completer
    return config.judge if isinstance(config, JudgeConfig) else None


def cost_of(sampling: SamplingConfig | None, tokens_in: float, tokens_out: float) -> float:
    """Return the cost of these tokens."""
    if sampling is None:
        return 0.0
    return (tokens_in * sampling.price_in + tokens_out * sampling.price_out) / 1e6


class Spent(NamedTuple):
    """What was used. `estimated`: counted from the lengths of texts, because the server reports no token counts."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False

    def less(self, before: "Spent") -> "Spent":
        """Return what was used since `before`."""
        calls, tokens_in, tokens_out = (one - other for one, other in zip(self[:3], before[:3], strict=True))
        return Spent(calls, tokens_in, tokens_out, self.estimated)
