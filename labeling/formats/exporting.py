"""The source of rows for trainers and files: labels with their trace and problem, as read from the tables."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from labeling.formats.prm800k import EXTRA_KEY
from labeling.formats.records import StepLabelRecord

CORRECT = {"correct": True, "wrong": False, "ungraded": None}
Json = dict[str, Any]


class ExportedProblem(NamedTuple):
    """A problem's columns, under their names in the tables."""

    id: int
    external_id: str
    text: str
    answer: str | None
    reference_solution: str | None
    split: str
    subject: str
    level: str
    licence: str
    accepted_answers: list[str]


class ExportedTrace(NamedTuple):
    """A trace's columns and its problem."""

    id: int
    problem: ExportedProblem
    source: str
    generator: str
    steps: list[str]
    final_answer: str | None
    outcome: str
    grader_version: str
    metadata: Json
    typed_steps: list[Json] | None = None
    rollouts: Sequence[Json] = ()  # by source, if asked for: hits and n from the empty prefix onwards,
    # and how many were `wanted` for each prefix


class Drawn(NamedTuple):
    """The round of a label's task, and whether its trace was drawn at random."""

    round: int
    by_chance: bool


class ExportedLabel(NamedTuple):
    """A label with its step labels, ordered by step and position."""

    id: int
    trace: ExportedTrace
    labeler: str
    labeler_kind: str  # User.Kind: a person, or an import
    round_number: int
    protocol: str
    kind: str
    submitted_at: datetime
    finish_reason: str
    verdict: int | None
    finish_detail: Json
    noticed_at_step: int | None
    mistake: Json | None
    run_marks: Json | None
    total_ms: int | None
    active_ms: int
    guideline_version: int | None
    extra: Json
    step_labels: list[StepLabelRecord]
    remarks: Json = {}  # comments, reports, calculations, if any; never written to
    ruling: bool = False  # by a reviewer, and in force
    drawn: Drawn | None = None  # how its trace came into the round; only training asks for it

    def with_own_keys(self, nothing: Json) -> "ExportedLabel":
        """Return the label with these keys added to its trace's metadata where missing. `nothing`: null for each
        key."""
        return self._replace(trace=self.trace._replace(metadata=nothing | self.trace.metadata))


def path_ratings(label: ExportedLabel, human_steps: str = "include") -> list[int | None]:
    """Return one rating per step of the trace, None where there is none. A labeler's own step counts as +1 if
    included.
    """
    count = len(label.trace.steps)
    ratings: list[int | None] = [None] * count
    for step_index, _, text, _, rating, _, _ in label.step_labels:
        if text is None and step_index < count:
            ratings[step_index] = rating
    written = _written_steps(label)
    return with_written(ratings, written, human_steps) if written else ratings


def _written_steps(label: ExportedLabel) -> Sequence[int]:
    facts = label.extra.get(EXTRA_KEY)
    return facts.get("human_steps", ()) if facts else ()


def with_written(ratings: list[int | None], written: Iterable[int], human_steps: str) -> list[int | None]:
    """Return the ratings with a +1 at each unrated step that a labeler wrote, if `human_steps` includes those."""
    own = set(written) if human_steps == "include" else set()
    return [1 if rating is None and step in own else rating for step, rating in enumerate(ratings)]


def step_sources(label: ExportedLabel, labels: Sequence[int | None]) -> list[str | None]:
    """Return where each step's rating comes from: `person` or `imported`: that kind of labeler gave it; `written`: the
    labeler wrote the step, which counts as +1; `filled`: the switch after_error put it there. None: no rating.
    """
    kind, count = label.labeler_kind, len(labels)
    given = path_ratings(label, "exclude")[:count]
    given += [None] * (count - len(given))
    written = _written_steps(label)
    if not written:  # nearly every label; a neutral rating may stand for something else (the switch `neutral`)
        return [
            None if rating is None else kind if own in (rating, 0) else "filled"
            for rating, own in zip(labels, given, strict=True)
        ]

    def source(step: int, rating: int, own: int | None) -> str:
        if own in (rating, 0):
            return kind
        return "written" if rating == 1 and own is None and step in written else "filled"

    return [
        None if rating is None else source(step, rating, own)
        for step, (rating, own) in enumerate(zip(labels, given, strict=True))
    ]
