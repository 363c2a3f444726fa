"""What an import format is: a name, words for people, its marks in a row, and how a row is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labeling.formats.faults import Fault, shown
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
    runs: bool = False  # of agents: typed steps, of which secrets are taken out before anything is stored
    always_held_out: bool = False  # a benchmark: measured on, never trained on, whatever a row says
    problem_field: str = "problem"  # where a row has the problem's text, for faults
    loses: Callable[[Json], list[str]] = lambda row: []  # keys of a row that hold traces which `read` would not see

    def parse(self, row: Json, line: int, *, asked: bool = False) -> Parsed:
        """The records of a row in the split that the format allows, or every fault in it.

        `asked`: a person chose the format, and so knows what it leaves unread.
        """
        if not asked and (lost := self.loses(row)):
            return None, [_lost_traces(lost, row, line)]
        parsed, faults = self.read(row, line)
        if not self.always_held_out:
            return parsed, faults
        if row.get("split") == "train":
            do = "Remove `split`: a benchmark's problem is never trained on."
            faults = [Fault("held_out_problem", line, "split", "train", do), *faults]
        if faults or parsed is None:
            return None, faults
        return parsed._replace(problem=parsed.problem._replace(split="held_out")), []


def _lost_traces(keys: list[str], row: Json, line: int) -> Fault:
    do = (
        f"Write a row for each solution, with `problem` and `steps`. To keep {named(keys)} beside the problem,"
        " unread, choose the format Problems only."
    )
    return Fault("traces_lost", line, ", ".join(keys), shown(row[keys[0]]), do)


def named(keys: list[str]) -> str:
    """Keys in a sentence."""
    return ", ".join(f"`{key}`" for key in keys)
