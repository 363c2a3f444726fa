"""What every import format is parsed into: the shape of the tables, without the tables."""

from datetime import datetime
from typing import Any, NamedTuple

from labeling.formats.images import Picture

RESERVED_KEY = "problem_as_given"  # in a trace's metadata: where its row told the problem differently


class ProblemRecord(NamedTuple):
    """A problem as one row gives it. Hashable: equal ones are recognised before hashing."""

    text: str
    external_id: str = ""
    answer: str | None = None
    reference_solution: str | None = None
    split: str = "train"
    subject: str = ""
    level: str = ""
    source: str = ""
    licence: str = ""
    metadata: str = "{}"  # JSON text
    accepted_answers: tuple[str, ...] = ()  # right beside `answer`


class TraceRecord(NamedTuple):
    """One solution. `outcome` is correct, wrong or ungraded; `metadata` holds the row's keys that no column has."""

    steps: list[str]
    source: str = ""
    generator: str = ""
    final_answer: str | None = None
    outcome: str = "ungraded"
    recorded_first_error: int | None = None
    recorded_ratings: list[int | None] | None = None
    metadata: dict[str, Any] = {}  # never written to: rows without extras share it
    recorded_by: str = ""  # whom the row names as the one who said so
    suggestions: list[tuple[int, str, str]] = []  # never written to: step, explanation | alternative, text
    splitter: str = ""  # the version of the rule by which a text was parted into these steps; empty: the file did it
    typed: list[dict[str, Any]] | None = None  # an agent's (labeling.formats.typed_steps), of which `steps` are units
    said: dict[str, Any] | None = None  # what the file says of turns of `typed`, before those are units
    recorded_marks: dict[str, Any] | None = None  # what the file says of a run as a whole (protocol.run_marks)
    pictures: tuple[Picture, ...] = ()  # that its typed steps name


class StepLabelRecord(NamedTuple):
    """The rating of one completion. `text` null = the trace's own step; `source` model | human: who wrote it.

    `position` is that among the completions offered for the step; a human completion stands beside them, at 0.
    """

    step_index: int
    position: int
    text: str | None
    source: str
    rating: int | None
    flagged: bool | None
    chosen: bool


class LabelRecord(NamedTuple):
    """One labeler's finished work. `extra` holds what the other fields cannot say; times in ms.

    `quality_control`: the file says that it was a check or a test of the labeler, and no work. `recorded`: made of what
    a trace's row says of its steps; several of one trace by somebody without a name of their own are several people's.
    `run_marks`: what it says of an agent's run as a whole. `told`: what a label of ours said beside its ratings
    (labeling.formats.own_labels).
    """

    labeler: str
    submitted_at: datetime | None
    finish_reason: str
    total_ms: int | None
    step_labels: list[StepLabelRecord]
    extra: dict[str, Any]
    quality_control: bool = False
    recorded: bool = False
    run_marks: dict[str, Any] | None = None
    told: dict[str, Any] | None = None


class MarksRecord(NamedTuple):
    """What a row says of each step of its trace: 1.0 right, 0.0 wrong, a share between them, None: nothing.

    Whose marks they are is decided by who imports the file: a named source's, or what the file recorded.
    """

    values: list[float | None]
    field: str  # where they stand in the row
    shares: bool = False  # probabilities or shares of completions: no rating can be made of them
    prover: str = ""  # whose verdicts they are, where a prover gave them
    messages: tuple[str, ...] = ()  # what the prover wrote of each step; empty: nothing


class ParsedRow(NamedTuple):
    """What one row holds: always a problem, mostly a trace, in some formats a label or a mark for each step.

    `alternative`: the row is that of a text which `label`, the one of a row before, rated in place of a step.
    """

    problem: ProblemRecord
    trace: TraceRecord | None = None
    label: LabelRecord | None = None
    marks: MarksRecord | None = None
    alternative: StepLabelRecord | None = None
