"""Labels of Inspect's samples as score edits, as inspect_ai's `edit_score` takes them, with provenance.

Based on its source (src/inspect_ai/log/_score.py, _edit.py, scorer/_metric.py: ScoreEdit, ProvenanceData). An edit's
id is part of its provenance, so that the companion recognises an edit that a log already contains.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labeling.formats import stepmark_inspect
from labeling.formats.exporting import ExportedLabel, path_ratings
from labeling.formats.exports.containers import TEXT, WHOLE, Columns
from labeling.formats.exports.export_format import Companion, ExportFormat
from labeling.formats.exports.home.said import FIXED, SWITCHES, recorder_of, refs_of, score_id, words_about

Json = dict[str, Any]
SCORE = "stepmark"


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [_row(label) for label in labels if recorder_of(label.trace) == "inspect"]


def _row(label: ExportedLabel) -> Json:
    about = label.trace.metadata.get("inspect") or {}
    marks = label.run_marks or {}
    names = ("outcome", "safety", "decisive_error", "recovered_at")
    return {
        "eval_id": about.get("eval_id"),
        "task": about.get("task"),
        "sample_id": str(about.get("sample_id")),
        "epoch": about.get("epoch"),
        "sample_uuid": about.get("uuid"),
        "score": SCORE,
        "value": {"first_error": label.verdict, **{name: marks.get(name) or None for name in names}}
        | {name: marks.get(name) for name in ("decisive_error", "recovered_at")},
        "explanation": _explanation(label),
        "steps": _steps(label),
        "provenance": {
            "id": score_id(label, None, SCORE),
            "author": label.labeler,
            "timestamp": label.submitted_at.isoformat(),
            "reason": label.finish_reason,
            "guideline_version": label.guideline_version,
        },
        "split": label.trace.problem.split,
    }


def _explanation(label: ExportedLabel) -> str | None:
    first = words_about(label, label.verdict) if label.verdict is not None and label.verdict >= 0 else ""
    return "\n".join(part for part in (first, (label.run_marks or {}).get("comment")) if part) or None


def _steps(label: ExportedLabel) -> list[Json]:
    refs = refs_of(label.trace)
    return [
        {
            "message_id": refs[unit].get("event_id"),
            "message_index": refs[unit].get("message_index"),
            "rating": rating,
            "explanation": words_about(label, unit) or None,
        }
        for unit, rating in enumerate(path_ratings(label))
        if rating is not None
    ]


def _into_logs(format: str, file_name: str) -> bytes:
    return Path(stepmark_inspect.__file__).read_bytes()


PLACE: Columns = {"eval_id": TEXT, "task": TEXT, "sample_id": TEXT, "epoch": WHOLE, "sample_uuid": TEXT}
VALUE: Columns = {
    "first_error": WHOLE,
    "outcome": TEXT,
    "safety": TEXT,
    "decisive_error": WHOLE,
    "recovered_at": WHOLE,
}
FORMAT = ExportFormat(
    name="inspect_scores",
    title="Inspect scores",
    kind="home",
    means="An edit of the score stepmark for each label of an Inspect sample, with its author: for edit_score.",
    loses="Runs that were not imported from Inspect's logs.",
    group="label",
    switches=SWITCHES,
    columns={
        **PLACE,
        "score": TEXT,
        "value": VALUE,
        "explanation": TEXT,
        "steps": [{"message_id": TEXT, "message_index": WHOLE, "rating": WHOLE, "explanation": TEXT}],
        "provenance": {
            **dict.fromkeys(("id", "author", "timestamp", "reason"), TEXT),
            "guideline_version": WHOLE,
        },
        "split": TEXT,
    },
    rows=_rows,
    remarks=True,
    fixed_because=FIXED,
    companions=(
        Companion(
            "stepmark_inspect.py",
            "Writes the scores into the logs with inspect_ai, or writes a validation set (CSV) for Inspect Scout.",
            _into_logs,
        ),
    ),
)
