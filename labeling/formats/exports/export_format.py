"""The definition of an export format: its name, its texts, its switches, and how it turns labels into rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, NamedTuple

import orjson

from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import Columns

Json = dict[str, Any]
# At least this many labels per chunk. Gzip bytes depend on it: change ROW_VERSION (actions.exports) along with it.
CHUNK = 1_000
CHUNK_OF_ROLLOUTS = 250  # a label's rows repeat its steps, each with what was counted
Group = Literal["label", "trace", "problem"]
Silence = Literal["no_verdict", "no_run", "other"]  # why a label gave no row; other: the format leaves it out
Kind = Literal["labels", "steps", "traces", "pairs", "words", "home"]


class KindWords(NamedTuple):
    """The title and description of a kind of formats."""

    title: str
    means: str


KINDS: dict[Kind, KindWords] = {
    "labels": KindWords("Labels, row by row", "every rating of each label, to keep, share or import again"),
    "steps": KindWords("Steps, right or wrong", "what trainers of PRMs read"),
    "traces": KindWords("Whole traces", "for evaluation and outcome rewards"),
    "pairs": KindWords("Pairs", "a better and a worse one, for preference training"),
    "words": KindWords("Words", "what labelers wrote, for models that explain"),
    "home": KindWords(
        "Runs, back to their recorders", "labels of agents' runs, in the format of the tool that recorded them"
    ),
}


class Choice(NamedTuple):
    """A value of a switch, and what it means. The page shows the meaning after the switch's title."""

    value: str
    means: str


@dataclass(frozen=True)
class Switch:
    """An option of an export. The first choice is the default.

    A switch with only one choice is fixed: the format allows no other value, and the manifest records it.
    """

    name: str
    title: str
    choices: tuple[Choice, ...]
    on_form: bool = True  # if false, only the API and the command line offer it
    fixed_because: str = ""  # why a switch has only one choice; if empty, the format's own reason applies

    @property
    def default(self) -> str:
        """The value that is used unless another is asked for."""
        return self.choices[0].value

    @property
    def values(self) -> list[str]:
        """All possible values, the default first."""
        return [choice.value for choice in self.choices]

    @property
    def is_fixed(self) -> bool:
        """Whether the switch has only one choice."""
        return len(self.choices) == 1

    def only(self, *values: str, because: str = "") -> "Switch":
        """The same switch limited to these choices. With one choice it is fixed; `because` says why."""
        return replace(self, choices=tuple(map(self._choice, values)), fixed_because=because)

    def with_default(self, value: str) -> "Switch":
        """The same switch with this value as its default."""
        chosen = self._choice(value)
        return replace(self, choices=(chosen, *(choice for choice in self.choices if choice != chosen)))

    def _choice(self, value: str) -> Choice:
        return next(choice for choice in self.choices if choice.value == value)


class Companion(NamedTuple):
    """A file that belongs next to an export's own file. `write(format name, export file name)` returns its bytes."""

    name: str
    means: str
    write: Callable[[str, str], bytes]


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """An entry of the registry. Nothing outside the format's own file knows its name.

    `rows` gets the labels of one group, ordered by trace and id, and the value of every switch. It raises
    LabelNotCarried if the format cannot express a label. Groups of one `label` come in order of id; a `trace` or
    `problem` comes with all of its exported labels. `columns` lists the keys of the rows and their types.

    `told` also gets the rows of the group, and returns the ids of the labels that appear in them. A format does not
    need it if its rows contain every label of their group, or if it is made of rollouts, where a label brings the rows
    of its trace.
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
    remarks: bool = False  # whether rows have comments and reports; they are read only if so
    rollouts: bool = False  # whether rows are made of rollout counts; they are read only if so
    even: bool = False  # every row has every key, and the first rows show the type of each (queries.export_columns)
    fixed_because: str = "This format allows only one value here."
    companions: tuple[Companion, ...] = ()

    @property
    def chunk(self) -> int:
        """The minimum number of labels written at a time."""
        return CHUNK_OF_ROLLOUTS if self.rollouts else CHUNK

    def switch(self, name: str) -> Switch | None:
        """The switch with this name, or None."""
        return next((switch for switch in self.switches if switch.name == name), None)

    def companion(self, name: str) -> Companion | None:
        """The companion file with this name, or None."""
        return next((companion for companion in self.companions if companion.name == name), None)


KEYS: dict[Group, Callable[[ExportedLabel], int]] = {
    "label": lambda label: label.id,
    "trace": lambda label: label.trace.id,
    "problem": lambda label: label.trace.problem.id,
}


def rows_of(
    format: ExportFormat, labels: Sequence[ExportedLabel], switches: Mapping[str, str], silent: list[ExportedLabel]
) -> Iterator[bytes]:
    """The lines for these labels, without newlines. The labels must be sorted by group.

    Labels that appear in no line are added to `silent`.
    """
    for members in _groups(format.group, labels):
        rows = format.rows(members, switches)
        if not rows:
            silent += members
        elif format.told:
            told = format.told(rows, members, switches)
            silent += [label for label in members if label.id not in told]
        yield from map(orjson.dumps, rows)


def _groups(group: Group, labels: Sequence[ExportedLabel]) -> Iterator[list[ExportedLabel]]:
    if group == "label":  # one by one without looking for more
        return ([label] for label in labels)
    return (list(members) for _, members in groupby(labels, key=KEYS[group]))


def why_silent(format: ExportFormat, label: ExportedLabel) -> Silence:
    """Why a label gave no row, as far as is known."""
    if format.kind == "home" and label.trace.typed_steps is None:
        return "no_run"
    return "no_verdict" if label.verdict is None else "other"
