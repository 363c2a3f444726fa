"""Rows for PRMs that read a step at `<extra_0>` (Qwen2.5-Math-PRM), as ActivePRM trains them.

Hard marks come from one label, soft marks from all labels of a trace.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labeling.errors import LabelNotCarried
from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import NUMBER, TEXT, WHOLE
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.rated_path import rated_paths
from labeling.formats.exports.switches import (
    AFTER_ERROR,
    AFTER_ERROR_MARKED,
    AGGREGATE,
    ALTERNATIVES,
    HUMAN_STEPS,
    MARKS,
    NEUTRAL_AS_MARK,
    WHOSE,
)

MARKER = "<extra_0>"
MOST = 0.5  # the share of those who rated a step
Json = dict[str, Any]
Steps = tuple[str, ...]
Mark = tuple[bool, str | None]  # right or wrong, and the source of the mark


def _hard_rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [
        _row(label, path.steps, "hard_labels", [int(right) for right in path.is_right], path.sources)
        for label in labels
        for path in rated_paths(label, switches)
    ]


def _soft_rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """Rows from the labels of one trace: one for its path, and one more per alternative if they are asked for."""
    marks = _marks(labels, switches)
    shares = {steps: sum(right for right, _ in said) / len(said) for steps, said in marks.items()}
    sources = {steps: "+".join(sorted({source or "" for _, source in said})) for steps, said in marks.items()}
    return [_soft_row(labels[0], steps, shares, sources) for steps in _whole_paths(shares)]


def _marks(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> dict[Steps, list[Mark]]:
    """By steps: what labels say about the last of them. Each label counts once, up to its own first error."""
    said: dict[Steps, list[Mark]] = defaultdict(list)
    for label in labels:
        own: dict[Steps, Mark] = {}
        for path in rated_paths(label, switches):
            marks = zip(path.is_right, path.sources, strict=True)
            own |= {tuple(path.steps[: end + 1]): mark for end, mark in enumerate(marks)}
        for steps, mark in own.items():
            said[steps].append(mark)
    return said


def _told(rows: Sequence[Json], labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> set[int]:
    """The labels that rated the first step: each counts in its share."""
    return {label.id for label in labels if any(True for _ in rated_paths(label, switches))}


def _whole_paths(shares: Mapping[Steps, float]) -> Iterator[Steps]:
    """The longest paths, cut after the first step that most labels call wrong."""
    kept = {steps for steps in shares if all(shares[steps[:end]] >= MOST for end in range(1, len(steps)))}
    before = {steps[:-1] for steps in kept}
    yield from (steps for steps in shares if steps in kept and steps not in before)


def _soft_row(label: ExportedLabel, steps: Steps, shares: Mapping[Steps, float], sources: Mapping[Steps, str]) -> Json:
    prefixes = [steps[: end + 1] for end in range(len(steps))]
    return _row(
        label, list(steps), "soft_labels", [shares[one] for one in prefixes], [sources[one] for one in prefixes]
    )


def _row(
    label: ExportedLabel, steps: list[str], name: str, marks: Sequence[float], sources: Sequence[str | None]
) -> Json:
    question = label.trace.problem.text
    if any(MARKER in text for text in (question, *steps)):
        raise LabelNotCarried(f"The texts of label {label.id} contain {MARKER}, where PRMs of this kind read a step.")
    return {"question": question, "steps": steps, name: marks, "step_sources": sources}


FORMAT = ExportFormat(
    name="qwen",
    title="Qwen style",
    kind="steps",
    means="Question, steps and a 0 or 1 for each step, for PRMs that read a step at <extra_0>: ActivePRM's rows.",
    loses="Everything except the texts, right or wrong, and whether a person or an import said so. Trainers remove"
    " double line breaks from steps.",
    group="label",
    switches=(
        NEUTRAL_AS_MARK,
        MARKS.only("hard", because="Soft marks are a separate format, qwen_soft, with one row per trace."),
        AFTER_ERROR_MARKED.only("truncate", "keep_rated"),
        ALTERNATIVES,
        HUMAN_STEPS,
        *WHOSE,
    ),
    columns={"question": TEXT, "steps": [TEXT], "hard_labels": [WHOLE], "step_sources": [TEXT]},
    rows=_hard_rows,
)
SOFT = ExportFormat(
    name="qwen_soft",
    title="Qwen style, soft marks",
    kind="steps",
    means="Question, steps and, for each step, the share of people who call it right: ActivePRM's rows with soft"
    " labels.",
    loses="Everything except the texts and the shares: how many people rated a step, and who; steps after the first"
    " one that most people call wrong.",
    group="trace",
    switches=(
        NEUTRAL_AS_MARK,
        MARKS.only("soft", because="Hard marks are a separate format, qwen, with one row per label."),
        AFTER_ERROR.only("truncate"),
        ALTERNATIVES,
        HUMAN_STEPS,
        AGGREGATE.only("each", because="A share counts all labels of a trace."),
        *(one for one in WHOSE if one is not AGGREGATE),
    ),
    fixed_because="soft_labels needs a number for every step, and steps after the first error have none.",
    columns={"question": TEXT, "steps": [TEXT], "soft_labels": [NUMBER], "step_sources": [TEXT]},
    rows=_soft_rows,
    told=_told,
)
