"""Traces with the position of their first error, as in ProcessBench: to measure a PRM or a judge on."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from labeling.formats.exporting import CORRECT, ExportedLabel, path_ratings
from labeling.formats.exports.containers import TEXT, WHOLE, YES_NO
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.neutral import first_error_of
from labeling.formats.exports.switches import (
    AFTER_ERROR,
    AGGREGATE,
    AIDED,
    ALTERNATIVES,
    GOLD,
    HASTY,
    HUMAN_STEPS,
    IMPORTED,
    MEASURED,
    NEUTRAL_AS_MARK,
    SURPLUS,
)

Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [_row(label, switches) for label in labels if label.verdict is not None]


def _row(label: ExportedLabel, switches: Mapping[str, str]) -> Json:
    trace, problem = label.trace, label.trace.problem
    return {
        "id": problem.external_id or f"problem-{sha256(problem.text.encode()).hexdigest()[:12]}",
        "generator": trace.generator or "unknown",
        "problem": problem.text,
        "steps": trace.steps,
        "final_answer_correct": CORRECT[trace.outcome],
        "label": first_error_of(label.verdict, path_ratings(label), switches["neutral"]),
        "label_source": label.labeler_kind,
    }


FORMAT = ExportFormat(
    name="processbench",
    title="ProcessBench",
    kind="traces",
    means="Traces with their first error, or -1 if they have none: to measure PRMs and judges on.",
    loses="Ratings of single steps; alternatives; which labeler rated; labels without a verdict.",
    group="label",
    switches=(
        NEUTRAL_AS_MARK,
        AFTER_ERROR.only("keep_unlabelled"),
        ALTERNATIVES.only("none"),
        HUMAN_STEPS.only("include"),
        GOLD,
        AGGREGATE.with_default("adjudicated"),
        SURPLUS,
        HASTY,
        AIDED,
        IMPORTED,
        MEASURED,
    ),
    fixed_because="A row has only the whole trace and one number.",
    columns={
        "id": TEXT,
        "generator": TEXT,
        "problem": TEXT,
        "steps": [TEXT],
        "final_answer_correct": YES_NO,
        "label": WHOLE,
        "label_source": TEXT,
    },
    rows=_rows,
    even=True,
)
