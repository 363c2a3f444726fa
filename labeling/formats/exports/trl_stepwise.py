"""Stepwise supervision as TRL's PRMTrainer reads it (trl.experimental.prm)."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import TEXT, YES_NO
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.rated_path import rated_paths
from labeling.formats.exports.switches import (
    AFTER_ERROR_MARKED,
    ALTERNATIVES,
    HUMAN_STEPS,
    NEUTRAL_AS_MARK,
    ONLY_HARD,
    WHOSE,
)

Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [
        {
            "prompt": label.trace.problem.text,
            "completions": path.steps,
            "labels": path.is_right,
            "step_sources": path.sources,
        }
        for label in labels
        for path in rated_paths(label, switches)
    ]


FORMAT = ExportFormat(
    name="trl_stepwise",
    title="TRL stepwise supervision",
    kind="steps",
    means="A problem, its steps, and whether each is right: what TRL's PRMTrainer reads.",
    loses="Everything except the texts and right or wrong: the neutral rating, steps after the first error, which"
    " labeler rated; labels without a verdict.",
    group="label",
    switches=(
        NEUTRAL_AS_MARK,
        ONLY_HARD,
        AFTER_ERROR_MARKED.only("truncate", "keep_rated"),
        ALTERNATIVES,
        HUMAN_STEPS,
        *WHOSE,
    ),
    columns={"prompt": TEXT, "completions": [TEXT], "labels": [YES_NO], "step_sources": [TEXT]},
    rows=_rows,
)
