"""What a label says about a run, as scores with ids: for each rated unit, and for the run as a whole. Pure.

An id depends only on label, unit and name. A second export of a label therefore has the same scores, and a revised
label changes the existing ones.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from labeling.formats.exporting import ExportedLabel, ExportedTrace, path_ratings
from labeling.formats.exports.neutral import kind_of_mistake
from labeling.formats.exports.switches import AFTER_ERROR, ALTERNATIVES, HUMAN_STEPS, NEUTRAL, WHOSE
from labeling.protocol.interface import NO_ERROR

Json = dict[str, Any]
OURS = UUID("6f1c0a3e-5d0b-5b0e-9d3c-0c8d2f6f7a11")
WORDS = {-1: "wrong", 0: "neutral", 1: "right"}
OUTCOMES = {"success": 1.0, "partial": 0.5, "failure": 0.0}
STEP, FIRST_ERROR, DECISIVE, RECOVERED, OUTCOME, SAFETY = (
    f"stepmark.{name}" for name in ("step", "first_error", "decisive_error", "recovered", "outcome", "safety")
)
SWITCHES = (
    NEUTRAL.only("keep3"),
    AFTER_ERROR.only("keep_unlabelled"),
    ALTERNATIVES.only("none"),
    HUMAN_STEPS.only("include"),
    *WHOSE,
)
FIXED = "What a label says about a run is exported unchanged."


class Score(NamedTuple):
    """One statement of a label. `unit` null: about the run as a whole."""

    id: str
    name: str
    unit: int | None
    value: float
    word: str
    explanation: str


def score_id(label: ExportedLabel, unit: int | None, name: str) -> str:
    """The id, which is the same for the same label, unit and name in every export."""
    return str(uuid5(OURS, f"{label.labeler} {label.id} {'' if unit is None else unit} {name}"))


def is_run(label: ExportedLabel) -> bool:
    """Whether the label is about an agent's run."""
    return label.trace.typed_steps is not None


def scores_of(label: ExportedLabel) -> list[Score]:
    """Everything that a label says about a run: first its units in order, then the run."""
    found = [*_of_units(label), *_of_run(label)]
    return [
        Score(score_id(label, unit, name), name, unit, value, word, text) for name, unit, value, word, text in found
    ]


Saying = tuple[str, int | None, float, str, str]


def _of_units(label: ExportedLabel) -> Iterator[Saying]:
    for unit, rating in enumerate(path_ratings(label)):
        if rating is not None:
            yield STEP, unit, float(rating), WORDS[rating], words_about(label, unit)
    marks = label.run_marks or {}
    for name, key in ((DECISIVE, "decisive_error"), (RECOVERED, "recovered_at")):
        if marks.get(key) is not None:
            yield name, marks[key], 1.0, name.removeprefix("stepmark.").replace("_", " "), ""


def _of_run(label: ExportedLabel) -> Iterator[Saying]:
    if label.verdict is not None:
        word = "no error" if label.verdict == NO_ERROR else f"step {label.verdict + 1}"
        yield FIRST_ERROR, None, float(label.verdict), word, ""
    marks = label.run_marks or {}
    if (outcome := marks.get("outcome")) in OUTCOMES:
        yield OUTCOME, None, OUTCOMES[outcome], outcome, marks.get("comment") or ""
    if safety := marks.get("safety"):
        clause = marks.get("clause") or ""
        yield SAFETY, None, float(safety != "none"), safety, f"Against {clause}" if clause else ""


def words_about(label: ExportedLabel, unit: int) -> str:
    """What was written about a unit: for the first error its kind, clause and explanation, then comments."""
    mistake = (label.mistake or {}) if unit == label.verdict else {}
    about = kind_of_mistake(mistake)
    said = label.remarks.get("comments", ())
    comments = [comment["text"] for comment in said if comment["step"] == unit]
    parts = [mistake.get("kind"), about["clause"], mistake.get("explanation"), *comments]
    return "\n".join(part for part in parts if part)


def refs_of(trace: ExportedTrace) -> list[Json]:
    """The place of each unit in the imported file: `source_ref` of its first step that has its own place."""
    found: list[Json] = [{} for _ in trace.steps]
    for step in trace.typed_steps or ():
        unit = step.get("unit")
        if unit is not None and not found[unit] and _stands_there(step):
            found[unit] = step["source_ref"]
    return found


def _stands_there(step: Mapping[str, Any]) -> bool:
    """Whether a step has its own place. A message without a span of its own that a chat only repeats does not."""
    ref = step.get("source_ref") or {}
    return bool(ref) and not ("span_id" in ref and str(step.get("turn", "")).startswith(f"{ref['span_id']}/0"))


def recorder_of(trace: ExportedTrace) -> str:
    """The format from which a run was read; empty if its steps do not say."""
    refs = (step.get("source_ref") or {} for step in trace.typed_steps or ())
    return next((str(ref["format"]) for ref in refs if "format" in ref), "")
