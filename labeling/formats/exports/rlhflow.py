"""Conversations as RLHFlow trains on them: the user turn is a step, the model answers + or -."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.formats.exporting import ExportedLabel
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

Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [
        {"conversations": _turns(label.trace.problem.text, path)}
        for label in labels
        for path in rated_paths(label, switches)
    ]


def _turns(problem: str, path: RatedPath) -> list[Json]:
    """The turns of a conversation. The problem and the first step are one turn, joined by one space."""
    said = [f"{problem} {path.steps[0]}", *path.steps[1:]]
    pairs = zip(said, path.is_right, strict=True)
    return [
        turn
        for text, right in pairs
        for turn in ({"role": "user", "content": text}, {"role": "assistant", "content": "+" if right else "-"})
    ]


FORMAT = ExportFormat(
    name="rlhflow",
    title="RLHFlow conversations",
    kind="steps",
    means="A chat in which each step is answered with + or -: what RLHFlow trains its PRMs on.",
    loses="Everything except the texts and right or wrong; where the problem ends and the first step begins.",
    group="label",
    switches=(
        NEUTRAL_AS_MARK,
        ONLY_HARD,
        AFTER_ERROR_MARKED.only("truncate", "keep_rated"),
        ALTERNATIVES,
        HUMAN_STEPS,
        *WHOSE,
    ),
    columns={"conversations": [{"role": TEXT, "content": TEXT}]},
    rows=_rows,
)
