"""Math-Shepherd's rows: each step ends in a tag, and the label has + or - in place of the tag."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.errors import LabelNotCarried
from labeling.formats.exporting import ExportedLabel, ExportedTrace
from labeling.formats.exports.containers import TEXT
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.rated_path import RatedPath, rated_paths
from labeling.formats.exports.switches import (
    AFTER_ERROR_MARKED,
    ALTERNATIVES,
    HUMAN_STEPS,
    NEUTRAL_AS_MARK,
    ONLY_HARD,
    WHOSE,
)

TAG = "ки"  # Cyrillic; readers split the text at every occurrence
Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [
        _row(label, _filled(label, path, switches["after_error"]))
        for label in labels
        for path in rated_paths(label, switches)
    ]


def _filled(label: ExportedLabel, path: RatedPath, after_error: str) -> RatedPath:
    """With `fill_negative`, the steps after the first error are added and marked wrong."""
    rest = label.trace.steps[len(path.steps) :]
    own = path.steps == label.trace.steps[: len(path.steps)]
    if after_error != "fill_negative" or not own or -1 not in path.ratings:
        return path
    return RatedPath([*path.steps, *rest], [*path.ratings, *[-1] * len(rest)], [*path.sources, *["filled"] * len(rest)])


def _row(label: ExportedLabel, path: RatedPath) -> Json:
    problem = label.trace.problem.text
    if any(TAG in text for text in (problem, *path.steps)):
        raise LabelNotCarried(
            f"The texts of label {label.id} contain {TAG}, where readers of Math-Shepherd's rows split the steps."
            " Export as RLHFlow conversations instead."
        )
    marks = ["+" if right else "-" for right in path.is_right]
    return {**tagged(label.trace, path.steps, marks), "step_sources": path.sources}


def tagged(trace: ExportedTrace, steps: Sequence[str], marks: Sequence[str]) -> Json:
    """The keys of a Math-Shepherd row: these steps of the trace's problem, with + or - for each."""
    problem = trace.problem.text
    return {
        "input": f"{problem} {_steps(steps, [TAG] * len(marks))}",
        "label": f"{problem} {_steps(steps, marks)}",
        "task": trace.source or "unknown",
    }


def _steps(steps: Sequence[str], endings: Sequence[str]) -> str:
    texts = zip(range(1, len(steps) + 1), steps, endings, strict=True)
    return "\n".join(f"Step {number}: {step} {ending}" for number, step, ending in texts)


FORMAT = ExportFormat(
    name="math_shepherd",
    title="Math-Shepherd",
    kind="steps",
    means="One text per trace whose steps end in ки, and the same text with + or - instead: what Math-Shepherd, OpenR"
    " and OpenRLHF up to 0.9.5 train on.",
    loses="Everything except the texts, right or wrong, and whether a person or an import said so. The key task"
    " holds the trace's source.",
    group="label",
    switches=(
        NEUTRAL_AS_MARK,
        ONLY_HARD,
        AFTER_ERROR_MARKED,
        ALTERNATIVES,
        HUMAN_STEPS,
        *WHOSE,
    ),
    columns={"input": TEXT, "label": TEXT, "task": TEXT, "step_sources": [TEXT]},
    rows=_rows,
)
