"""The definition of an import format: a name, texts for people, its marks in a row, and how a row is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.records import MarksRecord, ParsedRow

Json = dict[str, Any]
Parsed = tuple[ParsedRow | None, list[Fault]]
ParsedAll = tuple[list[ParsedRow], list[Fault]]
LOST = "traces_lost"  # the kind of fault for rows with solutions that the format would leave unread


@dataclass(frozen=True, kw_only=True)
class ImportFormat:
    """An entry of the registry. Nothing outside the format's own file knows its name.

    `sniff` counts the marks of the format in a row, 0 if the row cannot be of the format; the format with the most
    marks gets the file. `read` gets a row and its line, and returns its records or every fault in it. A format whose
    rows hold several traces has `read_all` instead. `marks_by` is the machine whose marks the rows hold, unless the
    importer names another; empty: what rows say about steps is recorded as the file's own statement.
    """

    name: str
    title: str
    means: str
    looks_like: str
    leaves: str = ""  # what of a row is not read, or is changed
    sniff: Callable[[Json], int]
    read: Callable[[Json, int], Parsed] | None = None
    read_all: Callable[[Json, int], ParsedAll] | None = None
    marks_by: str = ""
    shares_by: str = ""  # for rows with shares instead of marks: two kinds of file, and two sources
    formal: bool = False  # its marks are a prover's verdicts: a source of the kind formal
    runs: bool = False  # of agents: typed steps, from which secrets are removed before anything is stored
    always_held_out: bool = False  # a benchmark: for evaluation, never for training, whatever a row says
    problem_field: str = "problem"  # the key with the problem's text, for faults
    # A text that begins with a problem, in a row that does not show its end: known problems are looked up there.
    joined: Callable[[Json], str | None] | None = None
    loses: Callable[[Json], list[str]] = lambda row: []  # keys of a row with traces that `read` would miss

    def named_source(self, marks: MarksRecord | None) -> str:
        """Return the machine behind these marks if the importer names none: the prover named in the row, else the
        author of the format's rows.
        """
        if marks is not None and marks.prover:
            return marks.prover
        return self.shares_by if marks is not None and marks.shares and self.shares_by else self.marks_by

    def parse(self, row: Json, line: int, *, asked: bool = False) -> ParsedAll:
        """Return the records of a row in the split that the format allows, or none and every fault in it.

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
    """Return keys for use in a sentence."""
    return ", ".join(f"`{key}`" for key in keys)
