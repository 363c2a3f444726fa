"""What an import format is: a name, words for people, its marks in a row, and how a row is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labeling.formats.faults import Fault
from labeling.formats.records import ParsedRow

Json = dict[str, Any]
Parsed = tuple[ParsedRow | None, list[Fault]]


@dataclass(frozen=True, kw_only=True)
class ImportFormat:
    """An entry of the registry; nothing outside its file knows its name.

    `sniff` counts the marks of the format that a row bears, 0 where it cannot be one: the format with the most of them
    has the file. `read` gets a row and its line, and gives its records or every fault in it.
    """

    name: str
    title: str
    means: str
    looks_like: str
    sniff: Callable[[Json], int]
    read: Callable[[Json, int], Parsed]
    always_held_out: bool = False  # a benchmark: measured on, never trained on, whatever a row says
    problem_field: str = "problem"  # where a row has the problem's text, for faults

    def parse(self, row: Json, line: int) -> Parsed:
        """The records of a row in the split that the format allows, or every fault in it."""
        parsed, faults = self.read(row, line)
        if not self.always_held_out:
            return parsed, faults
        if row.get("split") == "train":
            do = "Remove `split`: a benchmark's problem is never trained on."
            faults = [Fault("held_out_problem", line, "split", "train", do), *faults]
        if faults or parsed is None:
            return None, faults
        return parsed._replace(problem=parsed.problem._replace(split="held_out")), []
