"""What an export format is: a name, words for people, switches, and the rows of a group of labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, NamedTuple

import orjson

from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import Columns

Json = dict[str, Any]
# Labels of a chunk, at least; part of what makes gzip bytes equal: never changed without ROW_VERSION (actions.exports).
CHUNK = 1_000
CHUNK_OF_ROLLOUTS = 250  # a label's rows repeat its steps, each with what was counted
Group = Literal["label", "trace", "problem"]
Silence = Literal["no_verdict", "no_run", "other"]  # why a label gave no row; other: what the format leaves out
Kind = Literal["labels", "steps", "traces", "pairs", "words", "home"]


class KindWords(NamedTuple):
    """What formats of a kind have in common, for people who look for one."""

    title: str
    means: str


KINDS: dict[Kind, KindWords] = {
    "labels": KindWords("Labels, row by row", "every rating of each, to keep, share or read back"),
    "steps": KindWords("Steps, right or wrong", "what trainers of PRMs read"),
    "traces": KindWords("Whole traces", "to measure on, and for outcome rewards"),
    "pairs": KindWords("Pairs", "the better and the worse one, for preference training"),
    "words": KindWords("Words", "what people wrote, for models that explain"),
    "home": KindWords("Runs, back to their recorders", "people's labels where the traces of agents came from"),
}


class Choice(NamedTuple):
    """A value that a switch can have, and what it means: the words that follow the switch's title."""

    value: str
    means: str


@dataclass(frozen=True)
class Switch:
    """What can be done in more than one way. The first choice is what is done unless somebody asks for another.

    A switch with one choice is fixed: the format knows the question and has one answer, which the manifest records.
    """

    name: str
    title: str
    choices: tuple[Choice, ...]
    on_form: bool = True  # else only the API and the command line ask for it
    fixed_because: str = ""  # of a switch with one choice; without it the format's own reason

    @property
    def default(self) -> str:
        """The value that nobody had to ask for."""
        return self.choices[0].value

    @property
    def values(self) -> list[str]:
        """Every value it can have, the default first."""
        return [choice.value for choice in self.choices]

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to choose."""
        return len(self.choices) == 1

    def only(self, *values: str, because: str = "") -> "Switch":
        """The same switch with these choices alone; with one it is fixed, for a reason."""
        return replace(self, choices=tuple(map(self._choice, values)), fixed_because=because)

    def with_default(self, value: str) -> "Switch":
        """The same choices with another one first."""
        chosen = self._choice(value)
        return replace(self, choices=(chosen, *(choice for choice in self.choices if choice != chosen)))

    def _choice(self, value: str) -> Choice:
        return next(choice for choice in self.choices if choice.value == value)


class Companion(NamedTuple):
    """A file that belongs beside an export's own: `write(format's name, name of the export's file)` gives its bytes."""

    name: str
    means: str
    write: Callable[[str, str], bytes]


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """An entry of the registry; nothing outside its file knows its name.

    `rows` gets the labels of one group, in order of trace and id, and every switch with its value. Raises
    LabelNotCarried where the format has no way to say what a label says. A group of one `label` comes in order of id, a
    `trace` or `problem` with all its labels that are exported. `columns`: the keys of its rows and what each holds.

    `told` gets the rows of a group as well, and gives the ids of the labels that stand in them. A format whose rows
    hold every label of their group has none, nor has one that is made of rollouts: a label brings its trace's rows.
    """

    name: str
    title: str
    kind: Kind
    means: str
    loses: str
    group: Group
    switches: tuple[Switch, ...]
    columns: Columns
    rows: Callable[[Sequence[ExportedLabel], Mapping[str, str]], list[Json]]
    told: Callable[[Sequence[Json], Sequence[ExportedLabel], Mapping[str, str]], set[int]] | None = None
    remarks: bool = False  # its rows have a place for comments and reports, which are read only then
    rollouts: bool = False  # its rows are made of what rollouts counted, which is read only then
    even: bool = False  # every row has every key, and the first rows show the type of each (queries.export_columns)
    fixed_because: str = "This format leaves no choice here."
    companions: tuple[Companion, ...] = ()

    @property
    def chunk(self) -> int:
        """Labels that are written at a time, at least."""
        return CHUNK_OF_ROLLOUTS if self.rollouts else CHUNK

    def switch(self, name: str) -> Switch | None:
        """The switch of this name, where the format knows one."""
        return next((switch for switch in self.switches if switch.name == name), None)

    def companion(self, name: str) -> Companion | None:
        """The file of this name that belongs beside its exports, where there is one."""
        return next((companion for companion in self.companions if companion.name == name), None)


KEYS: dict[Group, Callable[[ExportedLabel], int]] = {
    "label": lambda label: label.id,
    "trace": lambda label: label.trace.id,
    "problem": lambda label: label.trace.problem.id,
}


def rows_of(
    format: ExportFormat, labels: Sequence[ExportedLabel], switches: Mapping[str, str], silent: list[ExportedLabel]
) -> Iterator[bytes]:
    """The lines of labels that come group by group, without their newlines. Labels that stand in none are added to
    `silent`."""
    for _, group in groupby(labels, key=KEYS[format.group]):
        members = list(group)
        rows = format.rows(members, switches)
        if not rows:
            silent += members
        elif format.told:
            told = format.told(rows, members, switches)
            silent += [label for label in members if label.id not in told]
        yield from map(orjson.dumps, rows)


def why_silent(format: ExportFormat, label: ExportedLabel) -> Silence:
    """What is known of a label that gave no row."""
    if format.kind == "home" and label.trace.typed_steps is None:
        return "no_run"
    return "no_verdict" if label.verdict is None else "other"
