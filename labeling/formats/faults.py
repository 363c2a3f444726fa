"""What is wrong with a file, in terms its owner can act on: line, field, what was found, what to do."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

EXAMPLES_PER_KIND = 100
FOUND_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in one row. `line` counts from 1; `field` is a path (`steps[3]`), empty for the whole row."""

    kind: str
    line: int
    field: str
    found: str
    do: str


def shown(value: Any) -> str:
    """Return a short, printable form of what was found in a file."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\u0000")
    return text if len(text) <= FOUND_LENGTH else text[: FOUND_LENGTH - 1] + "…"


def no_row() -> Fault:
    """Return the fault of a file that is readable but empty: only a header, an empty list."""
    do = "Choose a file that contains rows: JSON lines, a JSON list, or a table with rows below its header."
    return Fault("empty_file", 1, "", "no row", do)


def json_type(value: Any) -> str:
    """Return JSON's name for the type of a decoded value, with an article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


@dataclass(slots=True)
class FaultLog:
    """A count of all faults with the first hundred of each kind, so that a file full of faults takes little memory."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[Fault]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many faults were found, shown or not."""
        return sum(self.counts.values())

    def add(self, faults: Iterable[Fault]) -> None:
        """Count faults, and keep them as examples while there is room."""
        for fault in faults:
            self.counts[fault.kind] = self.counts.get(fault.kind, 0) + 1
            kept = self.examples.setdefault(fault.kind, [])
            if len(kept) < EXAMPLES_PER_KIND:
                kept.append(fault)

    def as_json(self) -> dict[str, Any]:
        """Return `{total, kinds: [{kind, count, examples: [{line, field, found, do}]}]}`, the most frequent kind
        first."""
        kinds = [
            {"kind": kind, "count": count, "examples": [_without_kind(fault) for fault in self.examples[kind]]}
            for kind, count in sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        ]
        return {"total": self.total, "kinds": kinds}


def _without_kind(fault: Fault) -> dict[str, Any]:
    return {name: value for name, value in asdict(fault).items() if name != "kind"}
