"""Chosen and rejected pairs: of steps that follow the same steps, and of whole traces of the same problem."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, product
from typing import Any

from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import TEXT, YES_NO
from labeling.formats.exports.export_format import Companion, ExportFormat
from labeling.formats.exports.rated_path import rated_paths
from labeling.formats.exports.switches import (
    HUMAN_STEPS,
    OVER,
    PAIRS,
    WHOSE,
)
from labeling.protocol.interface import NO_ERROR

BETWEEN_STEPS = "\n"  # in texts made of several steps
KEEP = {"neutral": "keep3", "alternatives": "rows"}
Json = dict[str, Any]
Steps = tuple[str, ...]


def _step_pairs(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """Pairs of steps from the labels of one problem."""
    problem = labels[0].trace.problem.text
    return [
        {
            "prompt": problem,
            "query": BETWEEN_STEPS.join(prefix),
            "prefix": list(prefix),
            "chosen": chosen,
            "rejected": rejected,
        }
        for prefix, rated in _by_prefix(labels, switches).items()
        for chosen, rejected in _paired(
            [text for text, rating in rated.items() if rating == 1],
            [text for text, rating in rated.items() if rating == -1 or (rating == 0 and switches["over"] == "neutral")],
            switches["pairs"],
        )
    ]


def _by_prefix(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> dict[Steps, dict[str, int]]:
    """The texts that were rated after the same steps, each with its rating. Texts rated differently are left out.

    What a labeler wrote in place of a wrong step comes first, as if rated +1.
    """
    found: dict[Steps, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for said in (_corrected, _rated):
        for label in labels:
            for prefix, text, rating in said(label, switches):
                found[prefix][text].add(rating)
    return {
        prefix: {text: min(ratings) for text, ratings in rated.items() if len(ratings) == 1}
        for prefix, rated in found.items()
    }


def _corrected(label: ExportedLabel, switches: Mapping[str, str]) -> Iterator[tuple[Steps, str, int]]:
    """What the step of the first error should have been, if the labeler wrote it."""
    if switches["human_steps"] != "include" or label.verdict is None or label.verdict == NO_ERROR:
        return
    if corrected := ((label.mistake or {}).get("corrected_step") or "").strip():
        yield tuple(label.trace.steps[: label.verdict]), corrected, 1


def _rated(label: ExportedLabel, switches: Mapping[str, str]) -> Iterator[tuple[Steps, str, int]]:
    """For each text that the label rates: the steps before it, the text, and the rating."""
    for path in rated_paths(label, {**switches, **KEEP}):
        for place, (step, rating) in enumerate(zip(path.steps, path.ratings, strict=True)):
            yield tuple(path.steps[:place]), step, rating


def _told_in_step_pairs(rows: Sequence[Json], labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> set[int]:
    paired = {(tuple(row["prefix"]), row[name]) for row in rows for name in ("chosen", "rejected")}
    return {
        label.id
        for label in labels
        for said in (_corrected, _rated)
        if any((prefix, text) in paired for prefix, text, _ in said(label, switches))
    }


def _paired(chosen: Sequence[str], rejected: Sequence[str], pairs: str) -> Iterable[tuple[str, str]]:
    """All combinations, or each rejected text once, with the chosen texts in turn."""
    if pairs == "all":
        return product(chosen, rejected)
    return zip(cycle(chosen), rejected, strict=False) if chosen else ()


def _trace_pairs(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """Pairs of whole traces from the labels of one problem."""
    solutions = list(_solutions(labels).values())
    right = [text for text, is_right in solutions if is_right]
    wrong = [text for text, is_right in solutions if not is_right]
    problem = labels[0].trace.problem.text
    return [
        {"prompt": problem, "chosen": chosen, "rejected": rejected}
        for chosen, rejected in _paired(right, wrong, switches["pairs"])
    ]


def _told_in_trace_pairs(
    rows: Sequence[Json], labels: Sequence[ExportedLabel], switches: Mapping[str, str]
) -> set[int]:
    paired = {row[name] for row in rows for name in ("chosen", "rejected")}
    return _of_traces(labels, {trace for trace, (text, _) in _solutions(labels).items() if text in paired})


def _outcome_rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """Rows from the labels of one problem. Outcome reward models judge answers, so traces without one give no row."""
    problem = labels[0].trace.problem.text
    solutions = _solutions(_answered(labels)).values()
    return [{"prompt": problem, "completion": text, "label": right} for text, right in solutions]


def _answered(labels: Sequence[ExportedLabel]) -> list[ExportedLabel]:
    return [label for label in labels if label.trace.final_answer is not None]


def _told_as_outcomes(rows: Sequence[Json], labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> set[int]:
    return _of_traces(labels, _solutions(_answered(labels)).keys())


def _of_traces(labels: Sequence[ExportedLabel], traces: Collection[int]) -> set[int]:
    """The ids of the labels that have a verdict on one of these traces."""
    return {label.id for label in labels if label.verdict is not None and label.trace.id in traces}


def _solutions(labels: Sequence[ExportedLabel]) -> dict[int, tuple[str, bool]]:
    """By trace: its steps as one text, and whether people found no error. Traces they disagree on are left out."""
    said: dict[int, set[bool]] = defaultdict(set)
    texts = {}
    for label in labels:
        if label.verdict is not None:
            said[label.trace.id].add(label.verdict == NO_ERROR)
            texts[label.trace.id] = BETWEEN_STEPS.join(label.trace.steps)
    return {trace: (texts[trace], min(verdicts)) for trace, verdicts in said.items() if len(verdicts) == 1}


def _dataset_info(columns: Json) -> Companion:
    """What LLaMA-Factory needs to read a folder of files: the name of each file, and which column is what."""

    def written(format: str, file_name: str) -> bytes:
        return json.dumps({f"stepmark_{format}": {"file_name": file_name, **columns}}, indent=2).encode() + b"\n"

    return Companion(
        "dataset_info.json",
        "The file that LLaMA-Factory looks for in dataset_dir. Unpack a gzipped export first.",
        written,
    )


CHOSEN = {"prompt": "prompt", "chosen": "chosen", "rejected": "rejected"}
STEP_PAIRS = ExportFormat(
    name="step_pairs",
    title="Pairs of steps",
    kind="pairs",
    means="A right and a wrong next step after the same steps, from all traces of a problem: for preference training.",
    loses="Steps without a counterpart, and steps that people rate differently; which labeler rated.",
    group="problem",
    switches=(OVER, PAIRS, HUMAN_STEPS, *WHOSE),
    columns={"prompt": TEXT, "query": TEXT, "prefix": [TEXT], "chosen": TEXT, "rejected": TEXT},
    rows=_step_pairs,
    told=_told_in_step_pairs,
    companions=(_dataset_info({"ranking": True, "columns": {**CHOSEN, "query": "query"}}),),
)
TRACE_PAIRS = ExportFormat(
    name="trace_pairs",
    title="Pairs of traces",
    kind="pairs",
    means="A solution without an error and one with an error, for the same problem: for preference training.",
    loses="Which step is wrong; problems whose traces are all right or all wrong; traces that people disagree on.",
    group="problem",
    switches=(PAIRS, *WHOSE),
    columns={"prompt": TEXT, "chosen": TEXT, "rejected": TEXT},
    rows=_trace_pairs,
    told=_told_in_trace_pairs,
    companions=(_dataset_info({"ranking": True, "columns": CHOSEN}),),
)
OUTCOME = ExportFormat(
    name="outcome",
    title="Outcome rewards",
    kind="traces",
    means="A whole solution, and whether people found no error in it: for outcome reward models.",
    loses="Which step is wrong; traces that people disagree on, and traces without a final answer.",
    group="problem",
    switches=WHOSE,
    columns={"prompt": TEXT, "completion": TEXT, "label": YES_NO},
    rows=_outcome_rows,
    told=_told_as_outcomes,
    companions=(_dataset_info({"columns": {"prompt": "prompt", "response": "completion", "kto_tag": "label"}}),),
)
