"""Rows for PRMs that read a step at `<extra_0>` (Qwen2.5-Math-PRM), as ActivePRM trains them."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.errors import LabelNotCarried
from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.rated_path import RatedPath, rated_paths
from labeling.formats.exports.switches import AFTER_ERROR, ALTERNATIVES, HUMAN_STEPS, NEUTRAL_AS_MARK, WHOSE

MARKER = "<extra_0>"
Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [_row(label, path) for label in labels for path in rated_paths(label, switches)]


def _row(label: ExportedLabel, path: RatedPath) -> Json:
    question = label.trace.problem.text
    if any(MARKER in text for text in (question, *path.steps)):
        raise LabelNotCarried(f"The texts of label {label.id} hold {MARKER}, at which a PRM of this kind reads a step.")
    return {"question": question, "steps": path.steps, "hard_labels": [int(right) for right in path.is_right]}


FORMAT = ExportFormat(
    name="qwen",
    title="Qwen style",
    kind="steps",
    means="Question, steps and a 0 or 1 for each, for PRMs that read a step at <extra_0>: ActivePRM's rows.",
    loses="Everything but the texts and right or wrong. Trainers take double line breaks out of steps.",
    group="label",
    switches=(NEUTRAL_AS_MARK, AFTER_ERROR.only("truncate"), ALTERNATIVES, HUMAN_STEPS, *WHOSE),
    fixed_because="hard_labels has a number for every step, and steps after the first error have none.",
    rows=_rows,
)
