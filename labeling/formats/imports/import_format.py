"""What an import format is: a name, words for people, its marks in a row, and how a row is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.records import MarksRecord, ParsedRow

Json = dict[str, Any]
Parsed = tuple[ParsedRow | None, list[Fault]]
ParsedAll = tuple[list[ParsedRow], list[Fault]]
LOST = "traces_lost"  # the kind of fault where a row has solutions that its format leaves unread


@dataclass(frozen=True, kw_only=True)
class ImportFormat:
    """An entry of the registry; nothing outside its file knows its name.

    `sniff` counts the marks of the format that a row bears, 0 where it cannot be one: the format with the most of them
    has the file. `read` gets a row and its line, and gives its records or every fault in it; a format whose rows hold
    several traces has `read_all` instead. `marks_by` is the machine whose marks its rows hold, unless who imports the
    file says another name; empty: what rows say of steps is recorded as the file's own word.
    """

    name: str
    title: str
    means: str
    looks_like: str
    leaves: str = ""  # what of a row is not read, or not as it stood
    sniff: Callable[[Json], int]
    read: Callable[[Json, int], Parsed] | None = None
    read_all: Callable[[Json, int], ParsedAll] | None = None
    marks_by: str = ""
    shares_by: str = ""  # of rows that hold shares where others hold marks: two files, and two sources
    formal: bool = False  # its marks are verdicts of a prover: a source of the kind formal
    runs: bool = False  # of agents: typed steps, of which secrets are taken out before anything is stored
    always_held_out: bool = False  # a benchmark: measured on, never trained on, whatever a row says
    problem_field: str = "problem"  # where a row has the problem's text, for faults
    # A text that begins with a problem whose end the row does not show: known problems are looked for there.
    joined: Callable[[Json], str | None] | None = None
    loses: Callable[[Json], list[str]] = lambda row: []  # keys of a row that hold traces which `read` would not see

    def named_source(self, marks: MarksRecord | None) -> str:
        """The machine that these marks are of, where who imports them names none: the prover that the row names, else
        whom the format's rows are by."""
        if marks is not None and marks.prover:
            return marks.prover
        return self.shares_by if marks is not None and marks.shares and self.shares_by else self.marks_by

    def parse(self, row: Json, line: int, *, asked: bool = False) -> ParsedAll:
        """The records of a row in the split that the format allows, or none and every fault in it.

        `asked`: a person chose the format, and so knows what it leaves unread.
        """
        if not asked and (lost := self.loses(row)):
            return [], [_lost_traces(lost, row, line)]
        parsed, faults = self._read(row, line)
        if not self.always_held_out:
            return ([], faults) if faults else (parsed, [])
        if row.get("split") == "train":
            do = "Remove `split`: a benchmark's problem is never trained on."
            faults = [Fault("held_out_problem", line, "split", "train", do), *faults]
        if faults:
            return [], faults
        return [one._replace(problem=one.problem._replace(split="held_out")) for one in parsed], []

    def _read(self, row: Json, line: int) -> ParsedAll:
        if self.read_all is not None:
            return self.read_all(row, line)
        assert self.read is not None, "a format reads rows in one of the two ways"
        parsed, faults = self.read(row, line)
        return ([] if parsed is None else [parsed]), faults


def _lost_traces(keys: list[str], row: Json, line: int) -> Fault:
    do = (
        f"Write a row for each solution, with `problem` and `steps`. To keep {named(keys)} unread with the problem,"
        " choose the format Problems only."
    )
    return Fault(LOST, line, ", ".join(keys), shown(row[keys[0]]), do)


def named(keys: list[str]) -> str:
    """Keys in a sentence."""
    return ", ".join(f"`{key}`" for key in keys)
