"""What a round offers and asks for at a mistake, as stored in `Round.after_error`: frozen when the round is opened.
Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeling.configs.reading import Json, read_config, write_config
from labeling.protocol.error_kinds import OWN, SCHEMES, ErrorKind, ErrorScheme, own_scheme

MOST_AHEAD = 5
MOST_SUGGESTIONS = 6  # of each kind, at one step


@dataclass(frozen=True)
class ExplainingConfig:
    """What a generator is asked for at a step that may be wrong: explanations of the mistake and alternative next
    steps.

    `ahead`: for how many steps to ask before the task is opened, starting with those that the round's PRM scores
    lowest.
    """

    generator: str
    model: str
    prompt: str = "mistake/1"
    explanations: int = 2
    alternatives: int = 3
    ahead: int = 2
    temperature: float = 0.8
    top_p: float = 1.0
    max_tokens: int = 400
    seed: int = 0


@dataclass(frozen=True)
class OwnKind:
    """A kind of mistake in a project's own list."""

    code: str
    title: str
    about: str = ""


@dataclass(frozen=True)
class AfterErrorConfig:
    """`scheme`: a name of `error_kinds.SCHEMES`, `own`, or empty. `asked`: names of `after_error.ASKABLE`.

    `from_file`: suggestions that came with the traces are shown.
    """

    scheme: str = ""
    own_version: int = 0
    own_kinds: tuple[OwnKind, ...] = ()
    from_file: bool = False
    asked: tuple[str, ...] = ()
    explaining: ExplainingConfig | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "AfterErrorConfig":
        """Read the stored JSON. Raises ConfigFault."""
        return read_config(cls, value, "after_error")

    def as_json(self) -> Json:
        """Return every setting as a JSON object."""
        return write_config(self) | {"own_kinds": [write_config(kind) for kind in self.own_kinds]}

    @property
    def suggests(self) -> bool:
        """Whether labelers may get suggestions at a mistake."""
        return self.from_file or self.explaining is not None

    @property
    def error_scheme(self) -> ErrorScheme | None:
        """The list of kinds that labelers choose from."""
        if self.scheme == OWN:
            return own_scheme(self.own_version, (ErrorKind(one.code, one.title, one.about) for one in self.own_kinds))
        return SCHEMES.get(self.scheme)
