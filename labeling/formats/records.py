"""The records that every import format is parsed into: the same shape as the tables, but independent of them."""

from datetime import datetime
from typing import Any, NamedTuple

from labeling.formats.images import Picture

RESERVED_KEY = "problem_as_given"  # in a trace's metadata: how its row gave the problem, if differently


class ProblemRecord(NamedTuple):
    """A problem as one row gives it. Hashable, so that equal ones are recognised before their texts are hashed."""

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
    accepted_answers: tuple[str, ...] = ()  # right answers in addition to `answer`


class TraceRecord(NamedTuple):
    """One solution. `outcome` is correct, wrong or ungraded; `metadata` holds the row's keys that have no column."""

    steps: list[str]
    source: str = ""
    generator: str = ""
    final_answer: str | None = None
    outcome: str = "ungraded"
    recorded_first_error: int | None = None
    recorded_ratings: list[int | None] | None = None
    metadata: dict[str, Any] = {}  # never written to: rows without extras share it
    recorded_by: str = ""  # the labeler that the row names
    suggestions: list[tuple[int, str, str]] = []  # never written to: step, explanation | alternative, text
    splitter: str = ""  # the version of the rule that split a text into these steps; empty: the file itself has steps
    typed: list[dict[str, Any]] | None = None  # an agent's steps (labeling.formats.typed_steps), with units `steps`
    said: dict[str, Any] | None = None  # what the file says about turns of `typed`, before they are units
    recorded_marks: dict[str, Any] | None = None  # what the file says about a run as a whole (protocol.run_marks)
    pictures: tuple[Picture, ...] = ()  # those that its typed steps refer to


class StepLabelRecord(NamedTuple):
    """The rating of one completion. `text` None: the trace's own step. `source`: model or human, whoever wrote it.

    `position` is the place among the completions offered for the step; a human completion is separate, at 0.
    """

    step_index: int
    position: int
    text: str | None
    source: str
    rating: int | None
    flagged: bool | None
    chosen: bool


class LabelRecord(NamedTuple):
    """One labeler's finished work. `extra` holds what the other fields cannot express. Times are in ms.

    `quality_control`: according to the file, this was a check or a test of the labeler, not work. `recorded`: made from
    what a trace's row says about its steps; several such labels of one trace without a labeler's name count as several
    people's. `run_marks`: what it says about an agent's run as a whole. `told`: what a label exported by Stepmark said
    besides its ratings (labeling.formats.own_labels).
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
    """What a row says about each step of its trace: 1.0 right, 0.0 wrong, a share in between, None: nothing.

    Whoever imports the file decides whose marks they are: a named source's, or what the file recorded.
    """

    values: list[float | None]
    field: str  # the key of the row that holds them
    shares: bool = False  # probabilities or shares of completions, which cannot become ratings
    prover: str = ""  # the prover, if these are a prover's verdicts
    messages: tuple[str, ...] = ()  # the prover's message on each step; empty: none


class ParsedRow(NamedTuple):
    """The content of one row: always a problem, usually a trace, in some formats a label or a mark for each step.

    `alternative`: the row holds a text that `label`, the label of an earlier row, rated in place of a step.
    """

    problem: ProblemRecord
    trace: TraceRecord | None = None
    label: LabelRecord | None = None
    marks: MarksRecord | None = None
    alternative: StepLabelRecord | None = None
